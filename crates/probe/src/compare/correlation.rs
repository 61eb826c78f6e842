//! Correlations of two vectors.

use super::{Comparison, Prepared};
use crate::{StatError, checks};

/// Pearson correlation. NaN when a vector is constant (rsatoolbox gives 0 there).
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    correlation(x, y, Comparison::Pearson)
}

/// Spearman correlation: Pearson of average ranks. NaN when a vector is constant.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    correlation(x, y, Comparison::Spearman)
}

/// Any comparison of two finite vectors of one length. The whitened ones need the vectors of RDMs: see
/// [`compare`](super::compare).
pub fn correlation(x: &[f64], y: &[f64], how: Comparison) -> Result<f64, StatError> {
    check("correlation", x, y)?;
    if how.is_whitened() {
        return Err(StatError::Unsupported {
            what: "correlation of vectors",
            got: format!("{how:?}"),
            instead: "it is defined for RDMs: call compare::compare",
        });
    }
    Ok(Prepared::of_vector(x, how).with(&Prepared::of_vector(y, how)))
}

/// Partial correlation of x and y given z: `(r_xy - r_xz r_yz) / sqrt((1 - r_xz²)(1 - r_yz²))`, each r as
/// `how` says (Pearson or Spearman). NaN when a vector is constant, or when z explains x or y entirely.
pub fn partial(x: &[f64], y: &[f64], z: &[f64], how: Comparison) -> Result<f64, StatError> {
    only_pearson_or_spearman("partial correlation", how)?;
    check("partial correlation", x, y)?;
    check("partial correlation", x, z)?;
    let [x, y, z] = [x, y, z].map(|v| standardised(v, how));
    if x.is_empty() {
        return Ok(f64::NAN);
    }
    Ok(partial_of(dot(&x, &y), dot(&x, &z), dot(&y, &z)))
}

/// Ranks from 1, ties get the mean of the ranks they span.
pub fn average_ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<u32> = (0..x.len() as u32).collect();
    order.sort_unstable_by(|&i, &j| x[i as usize].total_cmp(&x[j as usize]));
    let mut ranks = vec![0.0; x.len()];
    let mut start = 0;
    while start < order.len() {
        let value = x[order[start] as usize];
        let ties = order[start..].iter().take_while(|&&i| x[i as usize] == value).count().max(1);
        // Ranks start+1 ..= start+ties, whose mean is:
        let rank = start as f64 + (ties as f64 + 1.0) / 2.0;
        order[start..start + ties].iter().for_each(|&i| ranks[i as usize] = rank);
        start += ties;
    }
    ranks
}

/// The vector (or its ranks) minus the mean, over its norm; all NaN when it is constant up to rounding. Two
/// such vectors have their Pearson or Spearman correlation as inner product.
pub(crate) fn standardised(x: &[f64], how: Comparison) -> Vec<f64> {
    Prepared::of_vector(x, how).pairs
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

pub(crate) fn partial_of(xy: f64, xz: f64, yz: f64) -> f64 {
    let unexplained = (1.0 - xz * xz) * (1.0 - yz * yz);
    if unexplained <= 1e-14 { f64::NAN } else { (xy - xz * yz) / unexplained.sqrt() }
}

/// Refuses comparisons that have no partial form here.
pub(crate) fn only_pearson_or_spearman(what: &'static str, how: Comparison) -> Result<(), StatError> {
    match how {
        Comparison::Pearson | Comparison::Spearman => Ok(()),
        other => Err(StatError::Unsupported {
            what,
            got: format!("{other:?}"),
            instead: "use Pearson or Spearman",
        }),
    }
}

fn check(what: &'static str, x: &[f64], y: &[f64]) -> Result<(), StatError> {
    checks::same_length(what, x.len(), y.len())?;
    checks::finite_slice(what, x)?;
    checks::finite_slice(what, y)
}
