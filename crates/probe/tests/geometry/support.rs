//! Fixtures and random tables.

#[path = "../support/fixture.rs"]
mod fixture;

use ndarray::Array2;
use probe::procrustes::{Alignment, rotation};
use rand::{RngExt, SeedableRng};
use streams::StreamRng;

pub(crate) use fixture::{TOLERANCE, fixture, matrix, number, vector};

/// To 1e-10, of the expected value where that is above 1.
#[track_caller]
pub(crate) fn close(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        let same = (got.is_nan() && expected.is_nan())
            || (got - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
        assert!(same, "expected {expected}, got {got}");
    }
}

#[track_caller]
pub(crate) fn close_tables(got: &Array2<f64>, expected: &Array2<f64>) {
    assert_eq!(got.dim(), expected.dim());
    close(&got.iter().copied().collect::<Vec<_>>(), &expected.iter().copied().collect::<Vec<_>>());
}

/// A table of standard normal entries.
pub(crate) fn normal(seed: u64, n: usize, d: usize) -> Array2<f64> {
    let mut rng = StreamRng::seed_from_u64(seed);
    // Box-Muller.
    Array2::from_shape_simple_fn((n, d), || {
        let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    })
}

/// A random orthogonal matrix: the rotation of one random table onto another.
pub(crate) fn orthogonal(seed: u64, d: usize) -> Array2<f64> {
    rotation(normal(seed, 2 * d, d).view(), normal(seed + 1, 2 * d, d).view(), Alignment::Orthogonal).unwrap()
}

/// Rotated, scaled and moved: nothing that a scale-free, rotation-invariant statistic may see.
pub(crate) fn moved(x: &Array2<f64>, seed: u64, scale: f64) -> Array2<f64> {
    x.dot(&orthogonal(seed, x.ncols())) * scale + 3.0
}

/// The table with columns of 0 beside it, as padded widths have them.
pub(crate) fn padded(x: &Array2<f64>, columns: usize) -> Array2<f64> {
    ndarray::concatenate![ndarray::Axis(1), *x, Array2::zeros((x.nrows(), columns))]
}

/// The coordinates of a square grid of `side` x `side` tokens.
pub(crate) fn grid(side: usize) -> Array2<f64> {
    Array2::from_shape_fn((side * side, 2), |(token, axis)| [token / side, token % side][axis] as f64)
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The mean of independent values must be within 4 standard errors of `expected`.
#[track_caller]
pub(crate) fn centred_at(values: &[f64], expected: f64) {
    let m = mean(values);
    let variance = values.iter().map(|v| (v - m).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0);
    let error = (variance / values.len() as f64).sqrt();
    assert!((m - expected).abs() < 4.0 * error, "mean {m} ± {error}, expected {expected}");
}
