//! Stationary covariances of linear stochastic systems.

use ndarray::{Array1, Array2};

use super::{Coupling, NetworkError};
use crate::matrix::inverse;

/// Each step squares `M`: enough for eigenvalues up to 1 - 2e-11. Whether one still closer to 1 is below it, rounding
/// would decide.
const MOST_DOUBLINGS: usize = 40;

/// `S` of `A S + S Aᵀ + Q = 0`: the stationary covariance of `dx = A x dt + dB`, with `Q` the covariance of the noise
/// in unit time. Each argument is `[n, n]`, and every eigenvalue of `A` has a negative real part.
///
/// By Smith's transformation to a [Stein equation](stein) (Smith 1968).
///
/// # Errors
/// [`NetworkError::Shape`] for matrices that do not fit, [`NetworkError::Unstable`] if `A` is not stable.
pub fn lyapunov(a: &Array2<f64>, q: &Array2<f64>) -> Result<Array2<f64>, NetworkError> {
    let unstable =
        || NetworkError::Unstable { equation: "Lyapunov", expected: "eigenvalues with negative real parts" };
    same_square(a, q)?;
    let one = Array2::from_diag(&Array1::<f64>::ones(a.nrows()));
    let inverse = inverse((&one - a).view()).ok_or_else(unstable)?;
    let m = inverse.dot(&(&one + a));
    let noise = inverse.dot(q).dot(&inverse.t()) * 2.0;
    stein(&m, &noise).map_err(|_| unstable())
}

/// `S` of `S = M S Mᵀ + Q`: the stationary covariance of `x <- M x + noise`. Each argument is `[n, n]`, and every
/// eigenvalue of `M` is below 1 in size.
///
/// By doubling: `S <- S + M S Mᵀ, M <- M²`.
///
/// # Errors
/// [`NetworkError::Shape`] for matrices that do not fit, [`NetworkError::Unstable`] if `M` is not stable.
pub fn stein(m: &Array2<f64>, q: &Array2<f64>) -> Result<Array2<f64>, NetworkError> {
    same_square(m, q)?;
    let (mut m, mut s) = (m.clone(), q.clone());
    for _ in 0..MOST_DOUBLINGS {
        let more = m.dot(&s).dot(&m.t());
        s += &more;
        let (change, size) = (norm(&more), norm(&s));
        if !size.is_finite() {
            break;
        }
        if change <= 1e-15 * size {
            return Ok(s);
        }
        m = m.dot(&m);
    }
    Err(NetworkError::Unstable { equation: "Stein", expected: "eigenvalues below 1 in size" })
}

/// The stationary covariance, `[nodes, nodes]`, of `x' = -x + g W x + s ξ(t)`: what a network does while its activity
/// is so small that `f` is its slope (`gain` is then `g` times that slope).
///
/// # Errors
/// [`NetworkError::Unstable`] if an eigenvalue of `g W` has a real part of 1 or more.
pub fn linear_covariance(coupling: &Coupling, gain: f64, noise: f64) -> Result<Array2<f64>, NetworkError> {
    let one = Array2::from_diag(&Array1::<f64>::ones(coupling.nodes()));
    lyapunov(&(coupling.to_dense() * gain - &one), &(one * (noise * noise)))
}

fn norm(matrix: &Array2<f64>) -> f64 {
    matrix.iter().map(|value| value * value).sum::<f64>().sqrt()
}

fn same_square(a: &Array2<f64>, q: &Array2<f64>) -> Result<(), NetworkError> {
    if a.is_square() && a.dim() == q.dim() {
        return Ok(());
    }
    Err(NetworkError::Shape {
        what: "matrix equation",
        expected: "two square matrices of one size".to_owned(),
        got: format!("{:?} and {:?}", a.dim(), q.dim()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    fn close(a: &Array2<f64>, b: &Array2<f64>) -> bool {
        (a - b).iter().all(|d| d.abs() < 1e-12)
    }

    /// One node: the Ornstein-Uhlenbeck variance s²/2a.
    #[test]
    fn one_dimension() {
        let s = lyapunov(&array![[-0.5]], &array![[0.09]]).unwrap();
        assert!(close(&s, &array![[0.09]]), "{s}");
        assert!(close(&stein(&array![[0.5]], &array![[3.0]]).unwrap(), &array![[4.0]]));
        assert!(close(&stein(&array![[0.0]], &array![[3.0]]).unwrap(), &array![[3.0]]));
    }

    /// The equation itself, on a matrix without symmetry.
    #[test]
    fn the_solution_meets_the_equation() {
        let a = array![[-1.0, 0.8, 0.0], [-0.5, -0.2, 0.3], [0.1, 0.0, -2.0]];
        let q = array![[1.0, 0.2, 0.0], [0.2, 0.5, 0.1], [0.0, 0.1, 0.3]];
        let s = lyapunov(&a, &q).unwrap();
        assert!(close(&(a.dot(&s) + s.dot(&a.t())), &-q.clone()));
        assert!(close(&s, &s.t().to_owned()));
    }

    /// A symmetric coupling: each mode of eigenvalue λ has the variance s²/2(1 - gλ).
    #[test]
    fn two_nodes() {
        let coupling = Coupling::from_dense(&array![[0.0, 1.0], [1.0, 0.0]]).unwrap();
        let s = linear_covariance(&coupling, 0.5, 0.3).unwrap();
        let (sum, difference) = (0.09 / (2.0 * 0.5), 0.09 / (2.0 * 1.5));
        let (variance, covariance) = ((sum + difference) / 2.0, (sum - difference) / 2.0);
        assert!(close(&s, &array![[variance, covariance], [covariance, variance]]), "{s}");
    }

    #[test]
    fn what_is_not_stable_or_does_not_fit_is_refused() {
        let coupling = Coupling::from_dense(&array![[0.0, 1.0], [1.0, 0.0]]).unwrap();
        for gain in [1.0, 1.5] {
            assert!(matches!(linear_covariance(&coupling, gain, 0.3), Err(NetworkError::Unstable { .. })));
        }
        assert!(matches!(stein(&array![[1.0]], &array![[1.0]]), Err(NetworkError::Unstable { .. })));
        assert!(matches!(stein(&array![[0.1]], &Array2::zeros((2, 2))), Err(NetworkError::Shape { .. })));
    }
}
