//! Non-negative least squares: the active-set method of Lawson and Hanson (1974).

use super::{Basis, Fit};
use crate::compare::dot;

/// A gradient below this share of |column| |y| counts as 0.
const STATIONARY: f64 = 1e-12;

/// The weights >= 0 that explain most of `y`.
pub(super) fn fit(columns: &[&[f64]], y: &[f64]) -> Fit {
    let mut weights = vec![0.0; columns.len()];
    // Columns with a weight above 0, and those that would add nothing to them.
    let (mut free, mut barred) = (Vec::<usize>::new(), Vec::<usize>::new());
    let size = dot(y, y).sqrt();
    // SciPy's limit. Each round strictly explains more or bars a column.
    for _ in 0..3 * columns.len() {
        let rest = residual(columns, &weights, y);
        let gain = |k: usize| dot(columns[k], &rest) / (dot(columns[k], columns[k]).sqrt() * size);
        let candidates = (0..columns.len()).filter(|k| !free.contains(k) && !barred.contains(k));
        let gaining = candidates.map(|k| (k, gain(k))).filter(|(_, gain)| *gain > STATIONARY);
        let Some((best, _)) = gaining.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        free.push(best);
        if advance(columns, y, &mut free, &mut weights) {
            barred.clear();
        } else {
            free.retain(|&k| k != best);
            barred.push(best);
        }
    }
    let rest = residual(columns, &weights, y);
    Fit { explained: dot(y, y) - dot(&rest, &rest), weights }
}

/// Moves to the least squares fit of the free columns; those that would become negative on the way stop at 0
/// and are free no more. False, with nothing moved, when the free columns are not independent.
fn advance(columns: &[&[f64]], y: &[f64], free: &mut Vec<usize>, weights: &mut [f64]) -> bool {
    while !free.is_empty() {
        let chosen: Vec<&[f64]> = free.iter().map(|&k| columns[k]).collect();
        let wanted = Basis::new(&chosen).fit(y).weights;
        if wanted.iter().any(|w| w.is_nan()) {
            return false;
        }
        // How far each can go before it is 0, as a share of the way.
        let reach = |&k: &usize, &w: &f64| {
            if w > 0.0 { 1.0 } else { weights[k] / (weights[k] - w).max(f64::MIN_POSITIVE) }
        };
        let reaches: Vec<f64> = free.iter().zip(&wanted).map(|(k, w)| reach(k, w)).collect();
        if wanted.iter().all(|&w| w > 0.0) {
            free.iter().zip(wanted).for_each(|(&k, w)| weights[k] = w);
            return true;
        }
        let shortest = reaches.iter().copied().fold(1.0, f64::min);
        for (&k, w) in free.iter().zip(&wanted) {
            weights[k] += shortest * (w - weights[k]);
        }
        let stopped: Vec<usize> = (0..free.len())
            .filter(|&at| wanted[at] <= 0.0 && reaches[at] <= shortest)
            .map(|at| free[at])
            .collect();
        stopped.iter().for_each(|&k| weights[k] = 0.0);
        free.retain(|k| !stopped.contains(k));
    }
    true
}

fn residual(columns: &[&[f64]], weights: &[f64], y: &[f64]) -> Vec<f64> {
    let mut rest = y.to_vec();
    for (column, &weight) in columns.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        rest.iter_mut().zip(*column).for_each(|(value, x)| *value -= weight * x);
    }
    rest
}
