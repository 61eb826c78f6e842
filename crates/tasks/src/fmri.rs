//! fMRI: from scanner files to the series of parcels.
//!
//! Readers of NIfTI, CIFTI-2, BIDS sidecars, confounds and parcellated series; extraction of parcels, frame by frame;
//! cleaning of series; sets of subjects for masked prediction. Every reader checks what a file says before it
//! allocates, and every error says where, what was expected, what was found and what to do.

mod affine;
pub mod bids;
mod centroids;
pub mod cifti;
mod confounds;
pub mod dataset;
mod error;
pub mod extract;
mod label_table;
mod labels;
pub mod nifti;
pub mod series;
pub mod signal;
mod source;
mod stand_in;
mod text_file;

pub use affine::{Affine, Grid};
pub use centroids::{Centroid, centroids};
pub use confounds::{ConfoundOptions, Confounds};
pub use error::FmriError;
pub use label_table::LabelTable;
pub use labels::{LabelImage, Mask};
pub use stand_in::{StandInConfig, stand_in};
