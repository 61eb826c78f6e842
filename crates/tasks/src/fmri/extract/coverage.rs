//! How much of each parcel the data cover.

use std::fmt::Write;

use serde::Serialize;

/// How much of a parcel is left after resampling and masking, and what was left out of its mean.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// The label.
    pub id: i64,
    /// Its name; without names `label-ID` or `sphere-ID`.
    pub name: String,
    /// Voxels in the label image (grayordinates, in CIFTI).
    pub atlas_voxels: usize,
    /// Voxels on the grid of the data.
    pub grid_voxels: usize,
    /// Voxels within the mask.
    pub used_voxels: usize,
    /// Volume used over volume in the label image. Above 1 where resampling rounds up.
    pub fraction: f64,
    /// Values that were not finite, over all frames. Left out of the mean, or 0 in it under nilearn's rules.
    pub not_finite: u64,
    /// Whether the column is NaN.
    pub lost: bool,
}

/// A table for a terminal, one line a parcel.
pub fn coverage_table(coverage: &[Coverage]) -> String {
    let mut table = format!(
        "{:>8} {:<32} {:>8} {:>8} {:>8} {:>9} {:>11}\n",
        "label", "name", "atlas", "on grid", "used", "coverage", "not finite"
    );
    for parcel in coverage {
        let lost = if parcel.lost { "  LOST" } else { "" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            table,
            "{:>8} {:<32} {:>8} {:>8} {:>8} {:>8.1} % {:>10}{lost}",
            parcel.id,
            parcel.name,
            parcel.atlas_voxels,
            parcel.grid_voxels,
            parcel.used_voxels,
            100.0 * parcel.fraction,
            parcel.not_finite,
        );
    }
    table
}
