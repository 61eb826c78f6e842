//! Generalization by unit: items that are turned or mirrored forms of one puzzle are no independent evidence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::inference::{bootstrap_mean, mean};
use crate::run_dir::Answers;

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
        let (low, high) = bootstrap_mean(&accuracy, 0.05)?;
        Some(Self { items: answers.correct.len(), accuracy, low, high })
    }
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
}
