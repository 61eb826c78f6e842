//! Comparison of RDMs after whitening by the covariance of distance estimates (Diedrichsen, Berlot, Mur, Schütt,
//! Shahbazi and Kriegeskorte 2021).
//!
//! Distances that share a condition share its noise. Their covariance, for patterns whose noise has covariance
//! Σ over conditions, is V = (C Σ Cᵀ)∘(C Σ Cᵀ) up to a factor, C the differences of all pairs. With G = -D/2
//! and P = Σ⁻¹ - Σ⁻¹ 1 1ᵀ Σ⁻¹ / (1ᵀ Σ⁻¹ 1), the inner product d₁ᵀ V⁻¹ d₂ is tr(G₁ P G₂ P) up to that factor, so
//! that V itself, with n⁴/4 entries, is never needed. For Σ = 1 it is the inner product of double-centred G.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::align::{Aligned, NanPolicy, align};
use super::{Comparison, Prepared, dot};
use crate::rdm::cholesky::{cholesky, inverse_of_lower};
use crate::rdm::{Rdm, pairs, square};
use crate::{StatError, checks};

/// The covariance of noise between the patterns of conditions.
#[derive(Debug, Clone)]
pub enum PatternCovariance {
    /// Independent and equal: what [`Comparison::WhitenedPearson`] and [`Comparison::WhitenedCosine`] assume.
    Identity,
    /// Independent with these variances, one a condition. As in rsatoolbox, G is centred by its plain mean and
    /// then divided by the standard deviations; `Full` with the same variances centres by Σ⁻¹ and so differs
    /// slightly.
    Diagonal(Array1<f64>),
    /// Any positive definite covariance [conditions, conditions]. Exact, where rsatoolbox iterates to 1e-5.
    Full(Array2<f64>),
}

/// [`Comparison::WhitenedPearson`] or [`Comparison::WhitenedCosine`] under a known covariance of noise between
/// conditions. With `Full`, pairs cannot be left out: an undefined one is an error, or NaN by
/// [`NanPolicy::Propagate`].
pub fn compare_whitened(
    a: &Rdm,
    b: &Rdm,
    how: Comparison,
    covariance: &PatternCovariance,
    nan: NanPolicy,
) -> Result<f64, StatError> {
    if !how.is_whitened() {
        let (what, got) = ("whitened comparison", format!("{how:?}"));
        return Err(StatError::Unsupported { what, got, instead: "use WhitenedPearson or WhitenedCosine" });
    }
    let Some(aligned) = align(&[a, b], nan)? else { return Ok(f64::NAN) };
    match covariance {
        PatternCovariance::Identity => {
            let ready = aligned.prepare_all(how)?;
            Ok(ready[0].with(&ready[1]))
        }
        PatternCovariance::Diagonal(variances) => diagonal(&aligned, how, variances),
        PatternCovariance::Full(sigma) => full(&aligned, how, sigma.view()),
    }
}

fn diagonal(aligned: &Aligned, how: Comparison, variances: &Array1<f64>) -> Result<f64, StatError> {
    let what = "variances of conditions";
    checks::same_length(what, aligned.conditions, variances.len())?;
    if let Some(row) = variances.iter().position(|&v| !(v > 0.0 && v.is_finite())) {
        return Err(StatError::NotPositiveDefinite { what, row });
    }
    let scales = crate::rdm::over_pairs(aligned.conditions, |i, j| (variances[i] * variances[j]).sqrt());
    let scales: Vec<f64> = match &aligned.present {
        None => scales,
        Some(present) => scales.into_iter().zip(present).filter(|(_, is)| **is).map(|(s, _)| s).collect(),
    };
    let scaled = |ready: &Prepared| -> [Vec<f64>; 2] {
        [
            ready.pairs.iter().zip(&scales).map(|(v, s)| v / s).collect(),
            ready.diagonal.iter().zip(variances).map(|(v, s)| v / s).collect(),
        ]
    };
    let ready = aligned.prepare_all(how)?;
    let [a, b] = [scaled(&ready[0]), scaled(&ready[1])];
    let inner = |x: &[Vec<f64>; 2], y: &[Vec<f64>; 2]| dot(&x[0], &y[0]) + dot(&x[1], &y[1]);
    Ok(inner(&a, &b) / (inner(&a, &a) * inner(&b, &b)).sqrt())
}

fn full(aligned: &Aligned, how: Comparison, sigma: ArrayView2<f64>) -> Result<f64, StatError> {
    let (what, n) = ("covariance of conditions", aligned.conditions);
    checks::same_length(what, n, sigma.nrows())?;
    if aligned.present.is_some() {
        return Err(StatError::Unsupported {
            what: "whitened comparison with a full covariance",
            got: "leaving out undefined pairs".to_owned(),
            instead: "leave the conditions out of both RDMs and of the covariance",
        });
    }
    let inverse = inverse_of_lower(&cholesky(what, sigma)?);
    let precision = inverse.t().dot(&inverse);
    let ones = precision.sum_axis(Axis(1)).insert_axis(Axis(1));
    let projector = &precision - &(ones.dot(&ones.t()) / ones.sum());
    let moment = |vector: &[f64]| {
        // The mean distance goes first, and a constant RDM becomes NaN as in the other comparisons.
        let plain = if how.is_centred() { Comparison::Pearson } else { Comparison::Cosine };
        let unit = Prepared::of_vector(vector, plain).pairs;
        let full = square(n, &unit, 0.0);
        Array2::from_shape_fn((n, n), |(i, j)| -0.5 * full[i * n + j]).dot(&projector)
    };
    let (a, b) = (moment(&aligned.vectors[0]), moment(&aligned.vectors[1]));
    let inner = |x: &Array2<f64>, y: &Array2<f64>| (x * &y.t()).sum();
    Ok(inner(&a, &b) / (inner(&a, &a) * inner(&b, &b)).sqrt())
}

/// G = -D/2 centred by rows and columns: its pairs, and its diagonal.
pub(super) fn centre_twice(n: usize, distances: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![0.0; n];
    let mut next = distances.iter();
    for i in 0..n {
        for (j, value) in (i + 1..n).zip(next.by_ref()) {
            sums[i] -= 0.5 * value;
            sums[j] -= 0.5 * value;
        }
    }
    let means: Vec<f64> = sums.iter().map(|sum| sum / n as f64).collect();
    let grand = means.iter().sum::<f64>() / n as f64;
    let mut next = distances.iter();
    let pairs = crate::rdm::over_pairs(n, |i, j| {
        -0.5 * next.next().copied().unwrap_or(f64::NAN) - means[i] - means[j] + grand
    });
    (pairs, means.iter().map(|mean| grand - 2.0 * mean).collect())
}

/// The same where some pairs are missing: what is closest to G in its present entries and has row sums 0, as
/// rsatoolbox does it. With k_i pairs present in row i, `a` solves (k_i/2 + 1) a_i + Σ_j a_j/2 = Σ_j G_ij over
/// present j; then G_ij - (a_i + a_j)/2, and on the diagonal -a_i.
pub(super) fn centre_twice_with_gaps(
    n: usize,
    distances: &[f64],
    present: &[bool],
) -> Result<(Vec<f64>, Vec<f64>), StatError> {
    debug_assert_eq!(present.len(), pairs(n));
    let mut matrix = Array2::<f64>::eye(n);
    let mut sums = vec![0.0; n];
    let mut there = Vec::with_capacity(distances.len());
    let (mut flags, mut next) = (present.iter(), distances.iter());
    for i in 0..n {
        for (j, _) in (i + 1..n).zip(flags.by_ref()).filter(|(_, is)| **is) {
            let g = -0.5 * next.next().copied().unwrap_or(f64::NAN);
            for (row, column) in [(i, i), (j, j), (i, j), (j, i)] {
                matrix[[row, column]] += 0.5;
            }
            sums[i] += g;
            sums[j] += g;
            there.push((i, j, g));
        }
    }
    let inverse = inverse_of_lower(&cholesky("pairs that are present", matrix.view())?);
    let half = inverse.dot(&Array1::from(sums));
    let a = inverse.t().dot(&half);
    let centred = there.into_iter().map(|(i, j, g)| g - (a[i] + a[j]) / 2.0).collect();
    Ok((centred, a.iter().map(|a| -a).collect()))
}
