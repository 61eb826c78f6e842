//! How well the best possible model could do: the noise ceiling (Nili et al. 2014).

use crate::StatError;
use crate::compare::{Aligned, Comparison, NanPolicy, align, average_ranks};
use crate::rdm::Rdm;

/// Bounds on the mean comparison that the true model would reach with the RDMs of these subjects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseCeiling {
    /// Each subject against the pooled RDM of the others: too low, as it is pooled from fewer.
    pub lower: f64,
    /// Each subject against the pooled RDM of all: too high, as it has seen that subject.
    pub upper: f64,
}

/// The noise ceiling of several subjects' RDMs, as rsatoolbox's `boot_noise_ceiling`.
///
/// RDMs are pooled into the one that compares best with all: the mean of RDMs divided by their root mean square
/// for cosines, of z-scores for Pearson, of ranks for the comparisons of ranks (for Kendall's τ an
/// approximation). `lower <= upper` for Pearson and cosine by construction; for the others as a rule.
/// NaN when a comparison is. At least two subjects.
pub fn noise_ceiling(subjects: &[&Rdm], how: Comparison, nan: NanPolicy) -> Result<NoiseCeiling, StatError> {
    if subjects.len() < 2 {
        return Err(StatError::TooFew { what: "subjects of a noise ceiling", least: 2, got: subjects.len() });
    }
    match align(subjects, nan)? {
        Some(aligned) => of_aligned(&aligned, &vec![1; subjects.len()], how),
        None => Ok(NoiseCeiling { lower: f64::NAN, upper: f64::NAN }),
    }
}

/// The same where subject k was drawn `copies[k]` times: all copies of one are left out together, as in
/// rsatoolbox. NaN when fewer than two different subjects were drawn.
pub(crate) fn of_aligned(
    aligned: &Aligned,
    copies: &[usize],
    how: Comparison,
) -> Result<NoiseCeiling, StatError> {
    let drawn: Vec<usize> = (0..copies.len()).filter(|&k| copies[k] > 0).collect();
    if drawn.len() < 2 {
        return Ok(NoiseCeiling { lower: f64::NAN, upper: f64::NAN });
    }
    let scaled: Vec<Vec<f64>> = aligned.vectors.iter().map(|vector| for_pooling(vector, how)).collect();
    let weight = |left_out: Option<usize>, k: usize| if left_out == Some(k) { 0 } else { copies[k] };
    let pooled = |left_out| aligned.prepare(&pool(&scaled, |k| weight(left_out, k)), how);
    let all = pooled(None)?;
    let (mut lower, mut upper) = (0.0, 0.0);
    for &k in &drawn {
        let own = aligned.prepare(&aligned.vectors[k], how)?;
        lower += pooled(Some(k))?.with(&own);
        upper += all.with(&own);
    }
    let count = drawn.len() as f64;
    Ok(NoiseCeiling { lower: lower / count, upper: upper / count })
}

fn for_pooling(vector: &[f64], how: Comparison) -> Vec<f64> {
    let m = vector.len() as f64;
    if how.is_of_ranks() {
        return average_ranks(vector);
    }
    let mean = if how.is_centred() { vector.iter().sum::<f64>() / m } else { 0.0 };
    let scale = (vector.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / m).sqrt();
    vector.iter().map(|v| (v - mean) / scale).collect()
}

/// The weighted mean of prepared vectors. Means of ranks that are equal tie exactly: sums of half numbers are exact.
fn pool(scaled: &[Vec<f64>], weight: impl Fn(usize) -> usize) -> Vec<f64> {
    let mut sum = vec![0.0; scaled.first().map_or(0, Vec::len)];
    let mut total = 0.0;
    for (k, vector) in scaled.iter().enumerate().filter(|(k, _)| weight(*k) > 0) {
        let weight = weight(k) as f64;
        total += weight;
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += weight * value);
    }
    sum.iter_mut().for_each(|value| *value /= total);
    sum
}
