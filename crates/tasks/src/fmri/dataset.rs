//! Sets of subjects: the series of the same parcels in each, and where the parcels are.

mod blocks;
mod folder;
mod region_table;
mod subjects;

pub use blocks::{BlockSplit, autocorrelation_time, split_blocks};
pub use folder::{DESCRIPTION, Description, REGIONS};
pub use region_table::RegionTable;
pub use subjects::{Subject, SubjectSet};
