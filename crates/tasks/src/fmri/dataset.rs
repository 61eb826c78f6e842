//! Sets of subjects: the series of the same parcels in each, and where the parcels are.

mod blocks;
mod channels;
mod folder;
mod hemisphere;
mod names;
mod region_table;
mod stats;
mod subjects;
mod write;

pub use blocks::{BlockSplit, autocorrelation_time, split_blocks};
pub use channels::{Channels, Cut, RecordingSummary};
pub use folder::{DESCRIPTION, Description, REGIONS};
pub use hemisphere::Hemisphere;
pub use names::subject_names;
pub use region_table::RegionTable;
pub use stats::{DistanceCorrelation, PredictorR2, RecordingStats};
pub use subjects::{Subject, SubjectSet};
