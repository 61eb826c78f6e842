//! How far a difference of accuracies hangs on which puzzles were asked.

use crate::claims::{ALPHA, Interval};
use crate::inference::{bootstrap_mean, mean};
use crate::report::ProbeReport;

/// The interval of the mean difference over puzzles, each the mean over the pairs, treatment first. `None` where runs
/// wrote no answers, or not all to the same puzzles.
pub(super) fn interval<'a>(
    pairs: impl Iterator<Item = (&'a ProbeReport, &'a ProbeReport)>,
) -> Option<Interval> {
    let pairs: Vec<(&ProbeReport, &ProbeReport)> = pairs.collect();
    let (first, _) = pairs.first()?;
    // Answers have no names: the same data have the same puzzles in the same order.
    if pairs.iter().any(|(a, b)| [a, b].iter().any(|run| run.run.dataset.sha256 != first.run.dataset.sha256))
    {
        return None;
    }
    let of = |report: &'a ProbeReport| report.by_unit.as_ref().map(|by_unit| &by_unit.accuracy);
    let answers: Vec<(&Vec<f64>, &Vec<f64>)> =
        pairs.iter().map(|(a, b)| of(a).zip(of(b))).collect::<Option<_>>()?;
    let puzzles = answers.first()?.0.len();
    if answers.iter().any(|(a, b)| a.len() != puzzles || b.len() != puzzles) {
        return None;
    }
    let difference =
        |puzzle: usize| mean(&answers.iter().map(|(a, b)| a[puzzle] - b[puzzle]).collect::<Vec<f64>>());
    let differences: Vec<f64> = (0..puzzles).filter_map(difference).collect();
    let (low, high) = bootstrap_mean(&differences, ALPHA)?;
    Some(Interval { low, high, level: 1.0 - ALPHA, method: "bootstrap-by-puzzle".into() })
}
