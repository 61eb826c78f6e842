//! NIfTI-1 and NIfTI-2 volumes, read frame by frame.
//!
//! Both byte orders, all real types, `.nii`, `.nii.gz` (all gzip members, told by their magic bytes), `.hdr`/`.img`
//! pairs, extensions, scaling, sform, qform and base affine, units. A header is checked before anything is allocated
//! for it: what it promises must fit into the file. Written from the standard (<https://nifti.nimh.nih.gov>).

mod datatype;
mod extension;
mod file;
mod frames;
mod header;
mod orientation;
mod raw;

pub use datatype::{ByteOrder, Datatype};
pub use extension::Extension;
pub use file::{NiftiFile, Volume};
pub use frames::Frames;
pub use header::{Header, Scaling, Storage, Version};
pub use orientation::AffineSource;
