//! Repeated measurements: which row belongs to which condition.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::{Array2, ArrayView2};

use crate::{StatError, checks};

/// The mean of each condition, conditions in ascending order of their names.
#[derive(Debug, Clone)]
pub struct Means<C> {
    /// [conditions, channels].
    pub means: Array2<f64>,
    /// The names of the conditions.
    pub conditions: Vec<C>,
    /// For each observation the number of its condition.
    pub member: Vec<usize>,
}

/// Averages `measurements` [observations, channels] by condition. All cells must be finite.
pub fn condition_means<C: Ord + Clone>(
    measurements: ArrayView2<f64>,
    conditions: &[C],
) -> Result<Means<C>, StatError> {
    checks::finite("repeated measurements", measurements)?;
    checks::same_length("conditions of measurements", measurements.nrows(), conditions.len())?;
    let (names, member) = numbered(conditions);
    let mut means = Array2::<f64>::zeros((names.len(), measurements.ncols()));
    let mut counts = vec![0.0; names.len()];
    for (row, &condition) in measurements.rows().into_iter().zip(&member) {
        let mut sum = means.row_mut(condition);
        sum += &row;
        counts[condition] += 1.0;
    }
    means.rows_mut().into_iter().zip(counts).for_each(|(mut row, count)| row /= count);
    Ok(Means { means, conditions: names, member })
}

/// The distinct names in order, and for each entry the number of its name.
pub(super) fn numbered<C: Ord + Clone>(names: &[C]) -> (Vec<C>, Vec<usize>) {
    let distinct: BTreeSet<&C> = names.iter().collect();
    let number: BTreeMap<&C, usize> = distinct.iter().enumerate().map(|(k, &name)| (name, k)).collect();
    (distinct.into_iter().cloned().collect(), names.iter().map(|name| number[name]).collect())
}
