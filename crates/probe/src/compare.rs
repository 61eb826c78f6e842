//! Correlation of two vectors, or of two RDMs, also beyond a third.

use serde::{Deserialize, Serialize};

use crate::rdm::Rdm;
use crate::{StatError, checks};

/// How two RDMs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Comparison {
    /// Product-moment correlation of the distances.
    Pearson,
    /// Product-moment correlation of their average ranks.
    Spearman,
}

/// What a comparison does with pairs whose distance is undefined (NaN).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NanPolicy {
    /// Any undefined pair is an error.
    Refuse,
    /// Pairs undefined in every RDM are left out; a pair undefined in only some is an error.
    Omit,
}

/// Pearson correlation. NaN when a vector is constant (rsatoolbox gives 0 there).
pub fn pearson(x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    correlation(x, y, Comparison::Pearson)
}

/// Spearman correlation: Pearson of average ranks. NaN when a vector is constant.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    correlation(x, y, Comparison::Spearman)
}

/// Either correlation of two finite vectors of one length.
pub fn correlation(x: &[f64], y: &[f64], how: Comparison) -> Result<f64, StatError> {
    check("correlation", x, y)?;
    if x.is_empty() {
        return Ok(f64::NAN);
    }
    Ok(dot(&standardised(x, how), &standardised(y, how)))
}

/// Partial correlation of x and y given z: `(r_xy - r_xz r_yz) / sqrt((1 - r_xz²)(1 - r_yz²))`, each r as
/// `how` says. NaN when a vector is constant, or when z explains x or y entirely.
pub fn partial(x: &[f64], y: &[f64], z: &[f64], how: Comparison) -> Result<f64, StatError> {
    check("partial correlation", x, y)?;
    check("partial correlation", x, z)?;
    let [x, y, z] = [x, y, z].map(|v| standardised(v, how));
    Ok(partial_of(dot(&x, &y), dot(&x, &z), dot(&y, &z)))
}

/// Compares two RDMs over the same conditions.
pub fn compare(a: &Rdm, b: &Rdm, how: Comparison, nan: NanPolicy) -> Result<f64, StatError> {
    let [a, b] = defined([a, b], nan)?;
    correlation(&a, &b, how)
}

/// Compares two RDMs beyond what both share with a third.
pub fn compare_beyond(
    a: &Rdm,
    b: &Rdm,
    beyond: &Rdm,
    how: Comparison,
    nan: NanPolicy,
) -> Result<f64, StatError> {
    let [a, b, z] = defined([a, b, beyond], nan)?;
    partial(&a, &b, &z, how)
}

/// Ranks from 1, ties get the mean of the ranks they span.
pub fn average_ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
    let mut ranks = vec![0.0; x.len()];
    let mut start = 0;
    while start < order.len() {
        let ties = order[start..].iter().take_while(|&&i| x[i] == x[order[start]]).count().max(1);
        // Ranks start+1 ..= start+ties, whose mean is:
        let rank = start as f64 + (ties as f64 + 1.0) / 2.0;
        order[start..start + ties].iter().for_each(|&i| ranks[i] = rank);
        start += ties;
    }
    ranks
}

/// The vector (or its ranks) minus the mean, over its norm; all NaN when it is constant up to rounding.
pub(crate) fn standardised(x: &[f64], how: Comparison) -> Vec<f64> {
    let mut values = match how {
        Comparison::Pearson => x.to_vec(),
        Comparison::Spearman => average_ranks(x),
    };
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let scale = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    values.iter_mut().for_each(|value| *value -= mean);
    let norm = dot(&values, &values).sqrt();
    let norm = if norm <= 1e-13 * scale * (values.len() as f64).sqrt() { f64::NAN } else { norm };
    values.iter_mut().for_each(|value| *value /= norm);
    values
}

pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

pub(crate) fn partial_of(xy: f64, xz: f64, yz: f64) -> f64 {
    let unexplained = (1.0 - xz * xz) * (1.0 - yz * yz);
    if unexplained <= 1e-14 { f64::NAN } else { (xy - xz * yz) / unexplained.sqrt() }
}

fn check(what: &'static str, x: &[f64], y: &[f64]) -> Result<(), StatError> {
    checks::same_length(what, x.len(), y.len())?;
    checks::finite_slice(what, x)?;
    checks::finite_slice(what, y)
}

fn defined<const N: usize>(rdms: [&Rdm; N], nan: NanPolicy) -> Result<[Vec<f64>; N], StatError> {
    for rdm in &rdms {
        checks::same_length("comparing RDMs: conditions", rdms[0].conditions(), rdm.conditions())?;
    }
    let undefined: Vec<bool> = rdms[0].values().iter().map(|value| value.is_nan()).collect();
    if nan == NanPolicy::Omit {
        for rdm in &rdms {
            let differs = |(value, &is): (&f64, &bool)| value.is_nan() != is;
            if let Some(position) = rdm.values().iter().zip(&undefined).position(differs) {
                return Err(StatError::MismatchedNan { position });
            }
        }
    }
    let keep = |rdm: &Rdm| match nan {
        NanPolicy::Refuse => rdm.values().to_vec(),
        NanPolicy::Omit => rdm.values().iter().copied().filter(|value| !value.is_nan()).collect(),
    };
    Ok(rdms.map(keep))
}
