//! The mean series of each parcel of a 4-D volume, read frame by frame.
//!
//! Two semantics. [`Semantics::Strict`], the default: voxels that are not finite are left out and counted, a parcel
//! that is lost is an error or a reported column of NaN. [`Semantics::NilearnCompat`]: as `NiftiLabelsMasker` and
//! `NiftiSpheresMasker` of nilearn 0.14 do it.

mod coverage;
mod options;
mod regions;
mod resample;
mod spheres;
mod sums;
mod volume;

pub use coverage::{Coverage, coverage_table};
pub use options::{ExtractOptions, LostParcels, Semantics};
pub use regions::Regions;
pub use spheres::SphereOptions;
pub(crate) use sums::Sums;
pub use volume::{Extraction, extract};
