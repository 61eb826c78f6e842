//! A vector of distances brought into the form in which comparing two of them is one pass.

use super::correlation::{average_ranks, dot};
use super::kendall::{Ordered, dense_ranks};
use super::{Comparison, whitening};
use crate::StatError;

/// What two of are compared by [`Prepared::with`]. But for Kendall's τ the comparison is the inner product of
/// `pairs`, plus that of `diagonal` where a whitened comparison has one.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    how: Comparison,
    /// Standardised distances; for Kendall dense ranks.
    pub(crate) pairs: Vec<f64>,
    /// One entry a condition; empty unless whitened.
    pub(crate) diagonal: Vec<f64>,
}

impl Prepared {
    /// `values` are the distances of those pairs of `conditions` that are `present` (all when `None`).
    pub(crate) fn new(
        conditions: usize,
        values: &[f64],
        present: Option<&[bool]>,
        how: Comparison,
    ) -> Result<Self, StatError> {
        if !how.is_whitened() {
            return Ok(Self::of_vector(values, how));
        }
        let values = if how.is_centred() { centred(values) } else { values.to_vec() };
        let (mut pairs, mut diagonal) = match present {
            None => whitening::centre_twice(conditions, &values),
            Some(present) => whitening::centre_twice_with_gaps(conditions, &values, present)?,
        };
        pairs.iter_mut().for_each(|value| *value *= std::f64::consts::SQRT_2);
        let norm = (dot(&pairs, &pairs) + dot(&diagonal, &diagonal)).sqrt();
        let scale = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let norm = real_norm(norm, scale, values.len());
        pairs.iter_mut().chain(&mut diagonal).for_each(|value| *value /= norm);
        Ok(Self { how, pairs, diagonal })
    }

    /// As [`new`](Self::new) for the comparisons that do not know of conditions.
    pub(crate) fn of_vector(values: &[f64], how: Comparison) -> Self {
        let pairs = match how {
            Comparison::KendallTauA | Comparison::KendallTauB => dense_ranks(values),
            Comparison::RhoA => {
                let m = values.len() as f64;
                let scale = (12.0 / (m * m * m - m)).sqrt();
                average_ranks(values).into_iter().map(|rank| (rank - (m + 1.0) / 2.0) * scale).collect()
            }
            Comparison::Cosine | Comparison::WhitenedCosine => unit(values.to_vec(), 0.0),
            Comparison::Spearman => unit_centred(&average_ranks(values)),
            Comparison::Pearson | Comparison::WhitenedPearson => unit_centred(values),
        };
        Self { how, pairs, diagonal: Vec::new() }
    }

    /// The comparison. NaN when there is nothing to compare.
    pub(crate) fn with(&self, other: &Self) -> f64 {
        if self.pairs.is_empty() {
            return f64::NAN;
        }
        match self.how {
            Comparison::KendallTauA => Ordered::by(&other.pairs).tau_a(&self.pairs),
            Comparison::KendallTauB => Ordered::by(&other.pairs).tau_b(&self.pairs),
            _ => dot(&self.pairs, &other.pairs) + dot(&self.diagonal, &other.diagonal),
        }
    }
}

/// Minus the mean; exactly 0 when constant up to rounding.
fn centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let scale = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let centred: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let norm = real_norm(dot(&centred, &centred).sqrt(), scale, values.len());
    if norm.is_nan() { vec![0.0; values.len()] } else { centred }
}

fn unit_centred(values: &[f64]) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let scale = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    unit(values.iter().map(|value| value - mean).collect(), scale)
}

/// Over its norm; all NaN when the norm is rounding of values of this `scale`.
fn unit(mut values: Vec<f64>, scale: f64) -> Vec<f64> {
    let norm = real_norm(dot(&values, &values).sqrt(), scale, values.len());
    values.iter_mut().for_each(|value| *value /= norm);
    values
}

fn real_norm(norm: f64, scale: f64, length: usize) -> f64 {
    if norm <= 1e-13 * scale * (length as f64).sqrt() { f64::NAN } else { norm }
}
