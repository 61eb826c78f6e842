//! How strongly a coupling can amplify.

use ndarray::Array2;
use rand::RngExt;
use streams::{Stream, Streams};

use super::{Coupling, NetworkError};

/// How often a matrix is squared at most.
const MOST_SQUARINGS: u32 = 40;

/// Up to so many nodes a matrix is squared: 40 times n³ operations.
const MOST_SQUARED: usize = 2_000;

/// How often a vector is multiplied instead.
const PRODUCTS: usize = 2_000;

/// The spectral radius: the largest absolute eigenvalue.
///
/// Of a matrix without negative weights whose rows have the same sum it is that sum (Perron and Frobenius), without
/// computation. Otherwise Gelfand's formula, `ρ = lim |W^k|^(1/k)`, by repeated squaring, which needs no care for
/// complex pairs or multiple eigenvalues; relative error about 1e-10. Of more than 2,000 nodes the growth of a random vector
/// over 1,000 products takes its place, with a relative error of some thousandths.
///
/// # Errors
/// [`NetworkError::Shape`] if the matrix is not square or holds what is not finite.
pub fn spectral_radius(matrix: &Array2<f64>) -> Result<f64, NetworkError> {
    Ok(radius_of(&Coupling::from_dense(matrix)?))
}

pub(crate) fn radius_of(coupling: &Coupling) -> f64 {
    equal_row_sums(coupling).unwrap_or_else(|| match coupling.nodes() {
        ..=MOST_SQUARED => gelfand(coupling.to_dense()),
        _ => growth(coupling),
    })
}

fn equal_row_sums(coupling: &Coupling) -> Option<f64> {
    let (_, _, weights) = coupling.parts();
    if weights.iter().any(|&weight| weight < 0.0) {
        return None;
    }
    let (least, most) = coupling
        .row_sums()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), sum| (least.min(sum), most.max(sum)));
    (most - least <= 1e-12 * most).then_some(most)
}

fn gelfand(mut power: Array2<f64>) -> f64 {
    // W^(2^k) = exp(log · 2^k) · power, with the power of norm 1.
    let (mut log, mut share) = (0.0, 1.0);
    for _ in 0..MOST_SQUARINGS {
        let norm = power.iter().map(|value| value * value).sum::<f64>().sqrt();
        if norm == 0.0 {
            return 0.0;
        }
        let step = norm.ln() * share;
        log += step;
        power /= norm;
        if step.abs() < 1e-13 && share < 1e-6 {
            break;
        }
        power = power.dot(&power);
        share /= 2.0;
    }
    log.exp()
}

/// By how much a product makes a random vector longer, the geometric mean over the second half of the products. A vector
/// that has no part along the largest eigenvalue has probability 0.
fn growth(coupling: &Coupling) -> f64 {
    let mut rng = Streams::new(0).rng_for(Stream::Data, "network/radius");
    let mut vector: Vec<f64> = (0..coupling.nodes()).map(|_| rng.random::<f64>() - 0.5).collect();
    let mut log = 0.0;
    for product in 0..PRODUCTS {
        let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length == 0.0 {
            return 0.0;
        }
        if product > PRODUCTS / 2 {
            log += length.ln();
        }
        vector = (0..coupling.nodes())
            .map(|i| coupling.row(i).map(|(j, weight)| weight * vector[j] / length).sum())
            .collect();
    }
    (log / (PRODUCTS - PRODUCTS / 2 - 1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn known_radii() {
        let (c, s) = (0.6, 0.8);
        for (matrix, expected) in [
            (array![[0.0, 2.0], [8.0, 0.0]], 4.0),
            (array![[3.0 * c, -3.0 * s], [3.0 * s, 3.0 * c]], 3.0), // a rotation: a complex pair
            (array![[0.0, 1.0], [0.0, 0.0]], 0.0),
            (array![[0.5, 100.0], [0.0, 0.5]], 0.5), // not diagonalisable
            (array![[0.25, 0.75], [1.0, 0.0]], 1.0),
        ] {
            let got = spectral_radius(&matrix).unwrap();
            assert!((got - expected).abs() < 1e-9 * (1.0 + expected), "{got} {expected}");
        }
    }

    /// Against nalgebra's eigenvalues, on matrices without symmetry.
    #[test]
    fn random_radii_agree_with_eigenvalues() {
        let mut rng = Streams::new(3).rng_for(Stream::Data, "test/radius");
        for n in [3, 10, 40] {
            let matrix = Array2::from_shape_fn((n, n), |_| rng.random::<f64>() - 0.4);
            let eigenvalues = crate::matrix::dense(matrix.view()).complex_eigenvalues();
            let expected = eigenvalues.iter().map(|value| value.norm()).fold(0.0, f64::max);
            let got = spectral_radius(&matrix).unwrap();
            assert!((got - expected).abs() < 1e-8 * expected, "{n}: {got} {expected}");
            let got = growth(&Coupling::from_dense(&matrix).unwrap());
            assert!((got - expected).abs() < 5e-3 * expected, "{n}, by growth: {got} {expected}");
        }
    }
}
