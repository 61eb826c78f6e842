//! From the frames of a 4-D volume to the series of parcels.

use ndarray::Array2;

use super::options::ExtractOptions;
use super::regions::Regions;
use super::sums::Sums;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::nifti::Frames;

/// The series of parcels.
#[derive(Debug, Clone)]
pub struct Extraction {
    /// `[frames, parcels]`.
    pub series: Array2<f64>,
    /// What the columns are, and what of each was used.
    pub regions: Regions,
    /// The global signal `[frames]`, if it was asked for.
    pub global: Option<Vec<f64>>,
    /// Seconds from frame to frame, where the file knows them.
    pub repetition_time: Option<f64>,
}

/// The mean of each region in each frame. Memory: one frame, and the result.
///
/// # Errors
/// If the regions were made for another grid, the file is damaged or has more axes than time, or if a region has no
/// finite value in some frame and that is refused.
pub fn extract(mut frames: Frames, regions: Regions, options: &ExtractOptions) -> Result<Extraction> {
    let header = frames.header().clone();
    if header.frame_len() != regions.elements() {
        let (expected, got) = (header.frame_len(), regions.elements());
        let what = format!("{}: voxels", frames.path().display());
        return Err(FmriError::mismatch(what, expected, got, "make the regions for the grid of these data"));
    }
    if header.shape.iter().skip(4).any(|&length| length > 1) {
        let got = format!("{:?}", header.shape);
        let remedy = "take one 4-D series out of this file";
        return Err(FmriError::format(frames.path(), "dim", "at most four axes longer than 1", got, remedy));
    }
    let mut sums = Sums::new(&regions, options);
    let (mut frame, mut global, mut count) = (Vec::new(), Vec::new(), 0);
    while frames.next_frame(&mut frame)? {
        sums.add_frame(&regions, &frame);
        if options.global_signal {
            global.push(mean_of(&frame, regions.global(), options.is_compat()));
        }
        count += 1;
    }
    let mut extraction = sums.finish(regions, options, count, global)?;
    extraction.repetition_time = header.repetition_time;
    if options.is_compat() && header.is_plain_f32() {
        extraction.series.mapv_inplace(|value| f64::from(value as f32));
    }
    Ok(extraction)
}

/// The mean over some voxels; those that are not finite are left out, or 0 in nilearn's way.
fn mean_of(frame: &[f64], voxels: &[u32], compat: bool) -> f64 {
    let finite = voxels.iter().map(|voxel| frame[*voxel as usize]).filter(|value| value.is_finite());
    let (sum, count) = finite.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    sum / if compat { voxels.len() } else { count } as f64
}
