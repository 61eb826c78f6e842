//! Means of regions, from frames or from the series of single voxels.

use ndarray::Array2;

use super::options::{ExtractOptions, LostParcels};
use super::regions::{Regions, lost_parcels};
use super::volume::Extraction;
use crate::fmri::error::{FmriError, Result};

/// Sums and counts of all frames and regions.
pub(crate) struct Sums {
    regions: usize,
    compat: bool,
    /// `[frames, regions]`.
    sums: Vec<f64>,
    /// Values that were summed, `[frames, regions]`.
    counts: Vec<u32>,
    /// Values that were not finite, of each region.
    not_finite: Vec<u64>,
}

impl Sums {
    pub(crate) fn new(regions: &Regions, options: &ExtractOptions) -> Self {
        let count = regions.len();
        let not_finite = vec![0; count];
        Sums { regions: count, compat: options.is_compat(), sums: Vec::new(), counts: Vec::new(), not_finite }
    }

    /// Appends a frame.
    pub(super) fn add_frame(&mut self, regions: &Regions, frame: &[f64]) {
        let start = self.sums.len();
        self.sums.resize(start + self.regions, 0.0);
        self.counts.resize(start + self.regions, 0);
        let (sums, counts) = (&mut self.sums[start..], &mut self.counts[start..]);
        for entry in regions.entries() {
            let (value, region) = (frame[entry.element as usize], entry.region as usize);
            if value.is_finite() {
                sums[region] += value;
                counts[region] += 1;
            } else {
                self.not_finite[region] += 1;
                counts[region] += u32::from(self.compat);
            }
        }
    }

    /// Adds the whole series of one voxel; all have the same length.
    pub(crate) fn add_series(&mut self, region: usize, series: &[f64]) {
        if self.sums.is_empty() {
            self.sums.resize(series.len() * self.regions, 0.0);
            self.counts.resize(series.len() * self.regions, 0);
        }
        let places = (region..self.sums.len()).step_by(self.regions);
        for (place, value) in places.zip(series) {
            if value.is_finite() {
                self.sums[place] += value;
                self.counts[place] += 1;
            } else {
                self.not_finite[region] += 1;
                self.counts[place] += u32::from(self.compat);
            }
        }
    }

    /// The means. `global` is the global signal, if there is one.
    pub(crate) fn finish(
        self,
        mut regions: Regions,
        options: &ExtractOptions,
        frames: usize,
        global: Vec<f64>,
    ) -> Result<Extraction> {
        let mean = |(sum, count): (f64, u32)| if count > 0 { sum / f64::from(count) } else { f64::NAN };
        let means = self.sums.into_iter().zip(self.counts).map(mean).collect();
        let mut series = Array2::from_shape_vec((frames, self.regions), means)
            .map_err(|problem| FmriError::setting("frames", "one mean a frame and parcel", problem))?;
        let mut lost = Vec::new();
        for ((mut column, parcel), not_finite) in
            series.columns_mut().into_iter().zip(&mut regions.coverage).zip(self.not_finite)
        {
            parcel.not_finite = not_finite;
            if column.iter().any(|value| !value.is_finite()) {
                parcel.lost = true;
                lost.push(parcel.id);
                column.fill(f64::NAN);
            }
        }
        if !lost.is_empty() && options.lost == LostParcels::Refuse {
            return Err(lost_parcels(&lost, "a finite value in every frame"));
        }
        if global.iter().any(|value| !value.is_finite()) {
            let expected = "a finite voxel in every frame";
            return Err(FmriError::setting("global_signal", expected, "a frame without one"));
        }
        let global = (!global.is_empty()).then_some(global);
        Ok(Extraction { series, regions, global, repetition_time: None })
    }
}
