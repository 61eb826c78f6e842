//! CIFTI-2: dense series, parcellated series and dense labels of grayordinates (cortical vertices and voxels).
//!
//! A matrix in a NIfTI-2 file, whose axes are described by XML in a header extension. Read from the standard
//! (<https://www.nitrc.org/projects/cifti>): dimension 0 of the matrix runs fastest.

mod axis;
mod file;
mod labels;
mod series;
mod xml;

pub use axis::{Axis, BrainModel, BrainModels, Elements, NamedMap, Parcel, Series};
pub use file::CiftiFile;
pub use labels::DenseLabels;
pub use series::{read_dense_series, read_parcel_series};
