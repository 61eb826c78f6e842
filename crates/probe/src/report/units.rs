//! Generalization by unit: items that are turned or mirrored forms of one puzzle are no independent evidence.

use std::collections::BTreeMap;

use rand::RngExt;
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use crate::inference::{mean, quantile};
use crate::run_dir::Answers;

/// Resamples of the units for an interval.
const RESAMPLES: u64 = 10_000;

/// Final generalization accuracy, unit by unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ByUnit {
    /// Items.
    pub items: usize,
    /// Share of right answers of each unit, in the order of the units' numbers.
    pub accuracy: Vec<f64>,
    /// The 95 % percentile interval of the mean over units, units drawn with replacement: how far the accuracy hangs
    /// on which puzzles were asked. The seed stays.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl ByUnit {
    /// Of the answers of one run; `None` without answers.
    pub(super) fn of(answers: &Answers) -> Option<Self> {
        let mut units: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (unit, correct) in answers.units.iter().zip(&answers.correct) {
            units.entry(*unit).or_default().push(*correct);
        }
        let accuracy: Vec<f64> = units.values().filter_map(|correct| mean(correct)).collect();
        let (low, high) = bootstrap(&accuracy, 0.05)?;
        Some(Self { items: answers.correct.len(), accuracy, low, high })
    }
}

/// Percentile interval of the mean, values drawn with replacement from the stream `bootstrap` of seed 0. `None` of nothing.
pub(crate) fn bootstrap(values: &[f64], alpha: f64) -> Option<(f64, f64)> {
    let streams = Streams::new(0);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .filter_map(|index| {
            let mut rng = streams.rng_at(Stream::Bootstrap, index);
            let drawn: Vec<f64> = values.iter().map(|_| values[rng.random_range(0..values.len())]).collect();
            mean(&drawn)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some((quantile(&means, alpha / 2.0)?, quantile(&means, 1.0 - alpha / 2.0)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_a_unit_count_as_one() {
        let answers = Answers { correct: vec![1.0, 0.0, 1.0, 1.0, 0.0], units: vec![7, 7, 7, 3, 3] };
        let by_unit = ByUnit::of(&answers).unwrap();
        assert_eq!((by_unit.items, by_unit.accuracy), (5, vec![0.5, 2.0 / 3.0]));
        assert!(ByUnit::of(&Answers { correct: vec![], units: vec![] }).is_none());
    }

    /// The standard error of the mean of n values of variance v is √(v / n), about 1.96 of which lie on either side.
    #[test]
    fn the_interval_has_the_width_of_the_standard_error() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let (low, high) = bootstrap(&values, 0.05).unwrap();
        assert!((high - low - 2.0 * 1.96 * 0.05).abs() < 0.021, "{low} {high}");
        assert!((low + high - 1.0).abs() < 0.03);
        assert_eq!(bootstrap(&[0.5; 3], 0.05), Some((0.5, 0.5)));
    }
}
