//! What can be predicted of recordings without a network, and what their correlations say of places.

use ndarray::Array2;
use serde::Serialize;
use streams::Streams;

use super::{Hemisphere, SubjectSet};
use crate::autocorrelation::autocorrelation_time;
use crate::fmri::error::Result;
use crate::masked::baseline::{Moments, standard, table};
use crate::masked::{
    EvaluationConfig, HeldOut, MaskFraction, MaskedConfig, MaskedData, MaskedError, Part, Standardize,
};
use crate::matrix::{correlation, mean};

/// Frames of each subject that are predicted.
const ITEMS: usize = 300;

/// Recordings in numbers. What is not defined is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordingStats {
    /// Subjects.
    pub subjects: usize,
    /// Frames of all of them.
    pub frames: usize,
    /// Parcels.
    pub parcels: usize,
    /// The integrated autocorrelation time in frames, mean over subjects.
    pub autocorrelation_time: Option<f64>,
    /// The correlation of two parcels, mean over pairs and subjects.
    pub mean_correlation: Option<f64>,
    /// R² of one masked parcel of a subject that nothing was fitted to, mean over subjects; each parcel standardised
    /// within each subject.
    pub one_masked: Vec<PredictorR2>,
    /// The same with half of the parcels masked.
    pub half_masked: Vec<PredictorR2>,
    /// The Pearson correlation over pairs of the distance of places with one minus the correlation of activity, mean
    /// over subjects; raw, and without the global signal of each subject.
    pub distance_correlation: Vec<DistanceCorrelation>,
}

/// How well something simple predicts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PredictorR2 {
    /// The baseline.
    pub predictor: &'static str,
    /// Its R².
    pub r2: Option<f64>,
}

/// How correlation falls with distance among some parcels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistanceCorrelation {
    /// Which parcels.
    pub parcels: &'static str,
    /// How many.
    pub count: usize,
    /// As recorded.
    pub raw: Option<f64>,
    /// With the global signal regressed out.
    pub without_global_signal: Option<f64>,
}

impl SubjectSet {
    /// Describes the recordings. Masks come from `streams`.
    ///
    /// # Errors
    /// If a subject cannot be predicted from the others, for one that a parcel cannot be regressed.
    pub fn stats(&self, streams: &Streams) -> std::result::Result<RecordingStats, MaskedError> {
        let scored = self.clone().z_scored();
        let correlations = correlations(&scored);
        let pairs = |r: &Array2<f64>| mean(upper(r.nrows()).map(|pair| r[pair]).filter(|r| r.is_finite()));
        let series = || self.subjects().iter().map(|subject| &subject.series);
        let (one, half) = match self.subjects().len() {
            0 | 1 => (Vec::new(), Vec::new()),
            _ => scored.predicted(streams)?,
        };
        Ok(RecordingStats {
            subjects: self.subjects().len(),
            frames: series().map(|series| series.nrows()).sum(),
            parcels: self.parcels(),
            autocorrelation_time: mean(series().map(|series| autocorrelation_time(series.view()))),
            mean_correlation: mean(correlations.iter().filter_map(pairs)),
            one_masked: one,
            half_masked: half,
            distance_correlation: scored.distance_correlations(&correlations).unwrap_or_default(),
        })
    }

    /// Each subject from all others, by every baseline there is; one parcel masked, and half of them.
    fn predicted(
        &self,
        streams: &Streams,
    ) -> std::result::Result<(Vec<PredictorR2>, Vec<PredictorR2>), MaskedError> {
        let distances = self.regions().and_then(|regions| regions.distances());
        let partners = self.regions().map(|regions| regions.partners());
        let partners = partners.filter(|partners| partners.iter().any(Option::is_some));
        let mut rows = Vec::new();
        for subject in self.subjects() {
            let fractions = vec![1.0 / self.parcels() as f64, 0.5];
            let config = MaskedConfig {
                mask: MaskFraction::Fixed(0.5),
                held_out: HeldOut::Named(vec![subject.name.clone()]),
                test_fraction: 0.0,
                standardize: Standardize::Subject,
                evaluation: EvaluationConfig { fractions, most_items: ITEMS },
                ..MaskedConfig::default()
            };
            let data = MaskedData::new(self.recordings(), &config, streams)?;
            let baselines = standard(&data, distances.as_ref(), partners.as_deref())?;
            rows.extend(table(&data, Part::HeldOut, &baselines)?);
        }
        let of = |fraction: f64| -> Vec<PredictorR2> {
            let rows = || rows.iter().filter(move |row| (row.fraction == 0.5) == (fraction == 0.5));
            let mut names: Vec<&'static str> = Vec::new();
            rows().for_each(|row| {
                if !names.contains(&row.baseline) {
                    names.push(row.baseline);
                }
            });
            let r2 = |name| mean(rows().filter(|row| row.baseline == name).filter_map(|row| row.r2));
            names.into_iter().map(|predictor| PredictorR2 { predictor, r2: r2(predictor) }).collect()
        };
        Ok((of(1.0 / self.parcels() as f64), of(0.5)))
    }

    /// Nothing without places. The set is standardised.
    fn distance_correlations(&self, raw: &[Array2<f64>]) -> Option<Vec<DistanceCorrelation>> {
        let regions = self.regions()?;
        let distances = regions.distances()?;
        let without: Result<Self> = self.clone().without_global_signal();
        let without = without.map(|set| correlations(&set)).unwrap_or_default();
        let all: Vec<usize> = (0..self.parcels()).collect();
        let among = |of: &dyn Fn(usize) -> bool| all.iter().copied().filter(|p| of(*p)).collect::<Vec<_>>();
        let left = |parcel: usize| regions.hemispheres[parcel] == Hemisphere::Left;
        let mut kinds = vec![("all", all.clone())];
        match &regions.cortical {
            Some(cortical) => {
                kinds.push(("cortical", among(&|parcel| cortical[parcel])));
                kinds.push(("left cortical", among(&|parcel| cortical[parcel] && left(parcel))));
            }
            None => kinds.push(("left", among(&left))),
        }
        let over_subjects = |matrices: &[Array2<f64>], chosen: &[usize]| {
            mean(matrices.iter().filter_map(|r| {
                let pairs = upper(chosen.len()).map(|(i, j)| (chosen[i], chosen[j]));
                correlation(pairs.map(|pair| (distances[pair], 1.0 - r[pair])))
            }))
        };
        kinds.retain(|(_, chosen)| chosen.len() > 2);
        Some(
            kinds
                .into_iter()
                .map(|(parcels, chosen)| DistanceCorrelation {
                    parcels,
                    count: chosen.len(),
                    raw: over_subjects(raw, &chosen),
                    without_global_signal: over_subjects(&without, &chosen),
                })
                .collect(),
        )
    }
}

fn correlations(set: &SubjectSet) -> Vec<Array2<f64>> {
    let of = |frames: Array2<f32>| Moments::fit(std::iter::once(frames.view())).correlations();
    set.recordings().into_iter().map(|recording| of(recording.frames)).collect()
}

/// All pairs below the diagonal.
fn upper(nodes: usize) -> impl Iterator<Item = (usize, usize)> + Clone {
    (0..nodes).flat_map(|i| (0..i).map(move |j| (i, j)))
}
