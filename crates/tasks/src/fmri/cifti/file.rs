//! A CIFTI matrix that is read run by run.

use std::path::Path;

use super::axis::Axis;
use super::xml;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::nifti::{Frames, NiftiFile};

/// The extension code of CIFTI.
const CODE: i32 = 32;

/// An opened file: its axes are known, its numbers not read yet.
pub struct CiftiFile {
    /// The meaning of dimension 0, which runs fastest, and of dimension 1.
    pub axes: [Axis; 2],
    pub(super) frames: Frames,
}

impl CiftiFile {
    /// Reads the description of a matrix, and checks it against the header.
    ///
    /// # Errors
    /// If the file is no CIFTI-2 of two dimensions, or damaged.
    pub fn open(path: &Path) -> Result<Self> {
        let file = NiftiFile::open(path)?;
        let damaged = "give a CIFTI-2 file of two dimensions";
        let mut described = file.extensions.iter().filter(|extension| extension.code == CODE);
        let (Some(extension), None) = (described.next(), described.next()) else {
            let expected = "one header extension of code 32";
            return Err(FmriError::format(path, "ecode", expected, "none or several", damaged));
        };
        let axes = xml::axes(path, &extension.content)?;
        let (expected, shape) = ([axes[0].len(), axes[1].len()], file.header.shape.clone());
        let found = match shape.as_slice() {
            [1, 1, 1, 1, first, second] | [1, 1, 1, 1, first, second, 1] => Some([*first, *second]),
            _ => None,
        };
        if found != Some(expected) {
            let expected = format!("[1, 1, 1, 1, {}, {}] as the XML says", expected[0], expected[1]);
            return Err(FmriError::format(path, "dim", expected, format!("{shape:?}"), damaged));
        }
        Ok(CiftiFile { axes, frames: file.into_frames()? })
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        self.frames.path()
    }

    /// The next run along dimension 0, one for each element of dimension 1. False behind the last one.
    ///
    /// # Errors
    /// If the file ends early or is damaged.
    pub fn next_run(&mut self, run: &mut Vec<f64>) -> Result<bool> {
        self.frames.next_run(self.axes[0].len(), run)
    }

    /// An error that says which axes a kind of file has.
    pub(super) fn wrong_kind(&self, expected: &str) -> FmriError {
        let got = format!("{} by {}", self.axes[0].kind(), self.axes[1].kind());
        FmriError::format(
            self.path(),
            "IndicesMapToDataType",
            expected,
            got,
            "give a file of the kind expected",
        )
    }
}
