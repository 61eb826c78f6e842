//! What to do with cells that are missing (NaN).

use ndarray::{ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

use super::condensed::{pairs, par_over_pairs};
use super::{Measure, distances};
use crate::{StatError, checks};

/// What a distance does when a cell of a row is NaN. There is no default: each choice changes the numbers.
/// Infinite cells are always an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// A missing cell is an error that says where it is.
    Refuse,
    /// A channel that is missing in either of two rows is left out for that pair. Sums over channels
    /// (Euclidean, squared Euclidean, Hamming) are scaled by d / (channels used), as scikit-learn's
    /// `nan_euclidean_distances` does; correlation and cosine are those over the channels used. NaN when no
    /// channel is left. Different pairs then rest on different channels.
    PairwiseComplete,
    /// Every distance to a row with a missing cell is NaN, as in rsatoolbox.
    Propagate,
}

/// The distances of rows that may have missing cells.
pub(super) fn condensed(
    x: ArrayView2<f64>,
    measure: Measure,
    missing: Missing,
) -> Result<Vec<f64>, StatError> {
    if missing == Missing::Refuse || !x.iter().any(|value| value.is_nan()) {
        checks::finite("rows of an RDM", x)?;
        return Ok(distances::condensed(measure, x));
    }
    let filled = x.map(|&value| if value.is_nan() { 0.0 } else { value });
    checks::finite("rows of an RDM", filled.view())?;
    if missing == Missing::PairwiseComplete {
        return Ok(par_over_pairs(x.nrows(), |i, j| pairwise(measure, x.row(i), x.row(j))));
    }
    let undefined: Vec<bool> =
        x.rows().into_iter().map(|row| row.iter().any(|value| value.is_nan())).collect();
    let mut values = distances::condensed(measure, filled.view());
    debug_assert_eq!(values.len(), pairs(undefined.len()));
    for (i, row) in super::condensed::rows_mut(&mut values, undefined.len()).into_iter().enumerate() {
        for (value, j) in row.iter_mut().zip(i + 1..) {
            if undefined[i] || undefined[j] {
                *value = f64::NAN;
            }
        }
    }
    Ok(values)
}

fn pairwise(measure: Measure, a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    let both: Vec<(f64, f64)> =
        a.iter().copied().zip(b.iter().copied()).filter(|(a, b)| !a.is_nan() && !b.is_nan()).collect();
    if both.is_empty() {
        return f64::NAN;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
    let used = x.len();
    let rows = ndarray::Array2::from_shape_fn((2, used), |(row, k)| [x[k], y[k]][row]);
    let distance = distances::condensed(measure, rows.view())[0];
    let scale = a.len() as f64 / used as f64;
    match measure {
        Measure::Correlation | Measure::Cosine => distance,
        Measure::Euclidean => distance * scale.sqrt(),
        _ => distance * scale,
    }
}
