//! How far a difference of accuracies hangs on which puzzles were asked.

use std::collections::BTreeMap;

use crate::claims::{ALPHA, Interval};
use crate::inference::{bootstrap_mean, mean};
use crate::report::ProbeReport;

/// The interval of the mean difference over puzzles, each the mean over the seeds that both arms have. `None` where runs
/// wrote no answers, or not to the same puzzles.
pub(super) fn interval(
    treatments: &BTreeMap<u64, &ProbeReport>,
    controls: &BTreeMap<u64, &ProbeReport>,
) -> Option<Interval> {
    let of = |report: &ProbeReport| report.by_unit.as_ref().map(|by_unit| by_unit.accuracy.clone());
    let pairs =
        treatments.iter().filter_map(|(seed, treatment)| Some((of(treatment)?, of(controls.get(seed)?)?)));
    let pairs: Vec<(Vec<f64>, Vec<f64>)> = pairs.collect();
    let puzzles = pairs.first()?.0.len();
    if pairs.iter().any(|(a, b)| a.len() != puzzles || b.len() != puzzles) {
        return None;
    }
    let difference =
        |puzzle: usize| mean(&pairs.iter().map(|(a, b)| a[puzzle] - b[puzzle]).collect::<Vec<f64>>());
    let differences: Vec<f64> = (0..puzzles).filter_map(difference).collect();
    let (low, high) = bootstrap_mean(&differences, ALPHA)?;
    Some(Interval { low, high, level: 1.0 - ALPHA, method: "bootstrap-by-puzzle".into() })
}
