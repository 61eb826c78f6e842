//! Label images: which parcel each voxel belongs to.

use std::path::{Path, PathBuf};

use super::affine::Grid;
use super::error::{FmriError, Result};
use super::nifti::Volume;

/// How far a stored label may be from a whole number: the rounding of scaled floats.
const ROUNDING: f64 = 1e-3;

/// Labels beyond this are not whole numbers of an f64.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A volume of labels. 0 and NaN are no parcel.
#[derive(Debug, Clone)]
pub struct LabelImage {
    /// The file.
    pub path: PathBuf,
    /// Shape and place.
    pub grid: Grid,
    /// The ids that occur, sorted, without 0.
    pub ids: Vec<i64>,
    /// Of each voxel: 0, or 1 plus the index of its id.
    pub codes: Vec<u32>,
}

impl LabelImage {
    /// Reads a label image.
    ///
    /// # Errors
    /// If the file has several volumes or is damaged, or if a label is no whole number.
    pub fn read(path: &Path) -> Result<Self> {
        Self::from_volume(&Volume::read(path)?)
    }

    /// The labels of a volume in memory.
    ///
    /// # Errors
    /// If a value is no whole number.
    pub fn from_volume(volume: &Volume) -> Result<Self> {
        let labels = label_ids(&volume.path, &volume.values)?;
        let (ids, codes) = codes(&labels);
        if ids.is_empty() {
            let remedy = "give an image with labels";
            return Err(FmriError::format(&volume.path, "data", "a label other than 0", "none", remedy));
        }
        Ok(LabelImage { path: volume.path.clone(), grid: volume.grid, ids, codes })
    }

    /// Voxels of each id.
    pub(crate) fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.ids.len()];
        for code in self.codes.iter().filter(|code| **code > 0) {
            if let Some(count) = counts.get_mut(*code as usize - 1) {
                *count += 1;
            }
        }
        counts
    }
}

/// The whole numbers of stored labels; NaN is 0.
pub(crate) fn label_ids(path: &Path, values: &[f64]) -> Result<Vec<i64>> {
    let label = |(position, value): (usize, &f64)| {
        if value.is_nan() {
            return Ok(0);
        }
        let rounded = value.round();
        // Infinity has no distance from itself: it fails here, too.
        if (value - rounded).abs() <= ROUNDING && rounded.abs() < LARGEST {
            return Ok(rounded as i64);
        }
        let remedy = "give a label image, resampled with nearest neighbours if at all";
        Err(FmriError::format(path, format!("element {position}"), "a whole number as label", value, remedy))
    };
    values.iter().enumerate().map(label).collect()
}

/// The sorted ids without 0, and for each label 0 or 1 plus the index of its id.
pub(crate) fn codes(labels: &[i64]) -> (Vec<i64>, Vec<u32>) {
    let ids: std::collections::BTreeSet<i64> = labels.iter().copied().filter(|label| *label != 0).collect();
    let ids: Vec<i64> = ids.into_iter().collect();
    let code = |label: &i64| match ids.binary_search(label) {
        Ok(index) => index as u32 + 1,
        Err(_) => 0,
    };
    let codes = labels.iter().map(code).collect();
    (ids, codes)
}

/// A volume of voxels that count.
#[derive(Debug, Clone)]
pub struct Mask {
    /// The file.
    pub path: PathBuf,
    /// Shape and place.
    pub grid: Grid,
    /// Whether each voxel counts.
    pub inside: Vec<bool>,
}

impl Mask {
    /// Reads a mask: one value besides 0; NaN is outside.
    ///
    /// # Errors
    /// If the file has several volumes, is damaged, holds more values than two, or has no voxel inside.
    pub fn read(path: &Path) -> Result<Self> {
        let volume = Volume::read(path)?;
        let is_inside = |value: f64| value != 0.0 && !value.is_nan();
        let mut values = volume.values.iter().copied().filter(|value| is_inside(*value));
        let wrong = |expected: &str, got: String| {
            Err(FmriError::format(
                path,
                "data",
                expected,
                got,
                "give a mask (of a probability map: a threshold of it)",
            ))
        };
        let Some(first) = values.next() else { return wrong("a voxel other than 0", "none".to_owned()) };
        if let Some(other) = values.find(|value| *value != first) {
            return wrong("one value besides 0", format!("{first} and {other}"));
        }
        let inside = volume.values.iter().map(|value| is_inside(*value)).collect();
        Ok(Mask { path: volume.path, grid: volume.grid, inside })
    }
}
