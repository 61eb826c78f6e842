//! Parcellated series in files: `.npy`, `.npz`, `.mat` (version 5), CSV, TSV and `.ptseries.nii`.
//!
//! The readers of NumPy and MATLAB arrays are written here because others allocate what a header asks for before they
//! know whether the file has it.

mod mat5;
mod npy;
mod npy_header;
mod npz;
pub(crate) mod table;
mod write;

use std::path::Path;

use ndarray::Array2;

use super::cifti::read_parcel_series;
use super::error::{FmriError, Result};
pub use npz::read_npz_array;
pub use write::{NpzArray, npz_bytes, table_text};

/// The series of parcels.
#[derive(Debug, Clone, PartialEq)]
pub struct ParcelSeries {
    /// `[frames, parcels]`.
    pub series: Array2<f64>,
    /// The names of the parcels, where the file has them.
    pub names: Option<Vec<String>>,
    /// Where they are in mm, `[parcels, axes]`, where the file says so.
    pub coordinates: Option<Array2<f64>>,
    /// Their labels, where the file has them.
    pub ids: Option<Vec<i64>>,
    /// Seconds from frame to frame, where the file knows them.
    pub repetition_time: Option<f64>,
}

/// Which axis of a stored array is time. It is never guessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// `[frames, parcels]`, as NumPy users and [`ParcelSeries`] have it.
    #[default]
    FramesByParcels,
    /// `[parcels, frames]`, as MATLAB users often have it.
    ParcelsByFrames,
}

/// How a file of series is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SeriesOptions {
    /// Which axis is time.
    pub layout: Layout,
    /// Which array of an `.npz` or `.mat` file. Not needed if there is one of two axes only.
    pub variable: Option<String>,
}

/// An array as it is stored.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) shape: Vec<usize>,
    pub(crate) values: Vec<f64>,
    /// Whether the first axis runs fastest.
    pub(crate) column_major: bool,
}

/// The kinds of files that hold one array.
const KINDS_OF_ONE: [&str; 4] = [".npy", ".csv", ".tsv", ".ptseries.nii"];

/// Reads a file of series by the extension of its name.
///
/// # Errors
/// If the kind of file is unknown, the file is damaged, or the array is missing, not unique or not of two axes; if a
/// variable is named of a file that holds one array, or a table names its columns where its lines are the parcels.
pub fn read_series(path: &Path, options: &SeriesOptions) -> Result<ParcelSeries> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let variable = options.variable.as_deref();
    let is = |extension: &str| name.ends_with(extension);
    let plain =
        |series| ParcelSeries { series, names: None, coordinates: None, ids: None, repetition_time: None };
    if let Some(variable) = variable.filter(|_| KINDS_OF_ONE.iter().any(|kind| is(kind))) {
        let expected = "none for this kind of file (--variable): only .npz and .mat hold several arrays";
        return Err(FmriError::format(path, "variable", expected, format!("{variable:?}"), "leave it out"));
    }
    let mut read = if is(".ptseries.nii") {
        return read_parcel_series(path);
    } else if is(".npy") {
        plain(npy::read(path)?.into_matrix(path)?)
    } else if is(".npz") {
        npz::read(path, variable)?
    } else if is(".mat") {
        plain(mat5::read(path, variable)?.into_matrix(path)?)
    } else if is(".csv") || is(".tsv") {
        table::read(path, if is(".csv") { b',' } else { b'\t' })?
    } else {
        let expected = ".npy, .npz, .mat, .csv, .tsv or .ptseries.nii";
        return Err(FmriError::format(path, "name", expected, name, "name the file by its kind"));
    };
    if options.layout == Layout::ParcelsByFrames {
        if let Some(names) = read.names.as_ref().filter(|_| is(".csv") || is(".tsv")) {
            let expected = "numbers, as --parcels-by-frames (`parcels_by_frames`) makes lines the channels";
            let got = format!("a header that names {} columns", names.len());
            return Err(FmriError::format(path, "line 1", expected, got, "leave that out, or the header"));
        }
        read.series = read.series.reversed_axes().as_standard_layout().into_owned();
    }
    Ok(read)
}

impl Stored {
    /// An array of two axes.
    pub(crate) fn into_matrix(self, path: &Path) -> Result<Array2<f64>> {
        let &[rows, columns] = self.shape.as_slice() else {
            let got = format!("{} ({:?})", self.shape.len(), self.shape);
            return Err(FmriError::format(
                path,
                "shape",
                "two axes",
                got,
                "save one array of frames and parcels",
            ));
        };
        let shape = if self.column_major { (columns, rows) } else { (rows, columns) };
        let matrix = Array2::from_shape_vec(shape, self.values).map_err(|problem| {
            FmriError::format(path, "shape", "as many numbers as the shape says", problem, "save it again")
        })?;
        Ok(if self.column_major { matrix.reversed_axes().as_standard_layout().into_owned() } else { matrix })
    }
}

/// The one array that is meant: the one named, or the only candidate.
pub(crate) fn choose<'a>(
    path: &Path,
    names: impl Iterator<Item = &'a str>,
    wanted: Option<&str>,
) -> Result<&'a str> {
    let names: Vec<&str> = names.collect();
    let found = match wanted {
        Some(wanted) => names.iter().find(|name| **name == wanted),
        None if names.len() == 1 => names.first(),
        None => None,
    };
    found.copied().ok_or_else(|| {
        let expected = wanted.map_or("one array of two axes, or the name of one".to_owned(), |name| {
            format!("an array {name:?}")
        });
        let got =
            if names.is_empty() { "no array of numbers of two axes".to_owned() } else { names.join(", ") };
        FmriError::format(path, "variables", expected, got, "name the array that holds the series")
    })
}
