//! Dense labels: the parcel of each grayordinate.

use std::path::{Path, PathBuf};

use super::axis::{Axis, BrainModels};
use super::file::CiftiFile;
use crate::fmri::error::Result;
use crate::fmri::label_table::LabelTable;
use crate::fmri::labels::label_ids;

/// The first map of a `.dlabel.nii` file.
#[derive(Debug, Clone)]
pub struct DenseLabels {
    /// The file.
    pub path: PathBuf,
    /// The grayordinates.
    pub models: BrainModels,
    /// The label of each; 0 is no parcel.
    pub labels: Vec<i64>,
    /// The names of the labels.
    pub table: LabelTable,
}

impl DenseLabels {
    /// Reads a `.dlabel.nii` file; of several maps, the first.
    ///
    /// # Errors
    /// If the file is damaged, of another kind, or if a label is no whole number.
    pub fn read(path: &Path) -> Result<Self> {
        let mut file = CiftiFile::open(path)?;
        let [Axis::Labels(maps), Axis::BrainModels(models)] = file.axes.clone() else {
            return Err(file.wrong_kind("LABELS by BRAIN_MODELS (.dlabel.nii)"));
        };
        let Some(map) = maps.into_iter().next() else {
            return Err(file.wrong_kind("one map of labels or more"));
        };
        let (mut first, mut run) = (Vec::new(), Vec::new());
        while file.next_run(&mut run)? {
            first.extend(run.first());
        }
        let labels = label_ids(path, &first)?;
        Ok(DenseLabels { path: path.to_owned(), models, labels, table: map.table })
    }
}
