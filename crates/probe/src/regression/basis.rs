//! Least squares by orthogonalisation.

use super::Fit;
use crate::compare::dot;

/// A column whose part outside the span of the earlier ones is below this share of it adds nothing.
const DEPENDENT: f64 = 1e-10;

/// An orthonormal basis of the span of columns (Gram-Schmidt, twice), with the triangle R of columns = Q R.
#[derive(Debug)]
pub(crate) struct Basis {
    directions: Vec<Vec<f64>>,
    /// Column k of R; `None` when column k adds nothing.
    triangle: Vec<Option<Vec<f64>>>,
}

impl Basis {
    pub(crate) fn new(columns: &[&[f64]]) -> Self {
        let mut basis = Self { directions: Vec::new(), triangle: Vec::new() };
        for column in columns {
            let size = dot(column, column).sqrt();
            let (mut coefficients, mut rest) = basis.split(column);
            let norm = dot(&rest, &rest).sqrt();
            if norm <= DEPENDENT * size || norm.is_nan() {
                basis.triangle.push(None);
                continue;
            }
            rest.iter_mut().for_each(|value| *value /= norm);
            coefficients.push(norm);
            basis.directions.push(rest);
            basis.triangle.push(Some(coefficients));
        }
        basis
    }

    /// The orthonormal directions.
    pub(crate) fn into_directions(self) -> Vec<Vec<f64>> {
        self.directions
    }

    /// The unit vector of what the span leaves of `y`; `None` when that is nothing but rounding.
    pub(crate) fn unit_residual(&self, y: &[f64]) -> Option<Vec<f64>> {
        let size = dot(y, y).sqrt();
        let (_, mut rest) = self.split(y);
        let norm = dot(&rest, &rest).sqrt();
        (norm > DEPENDENT * size).then(|| {
            rest.iter_mut().for_each(|value| *value /= norm);
            rest
        })
    }

    /// Least squares of `y` on the columns.
    pub(super) fn fit(&self, y: &[f64]) -> Fit {
        let (mut left, _) = self.split(y);
        let explained = dot(&left, &left);
        let Some(triangle) = self.triangle.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else {
            return Fit { weights: vec![f64::NAN; self.triangle.len()], explained };
        };
        // Back substitution in R w = Qᵀ y.
        for k in (0..left.len()).rev() {
            left[k] /= triangle[k][k];
            for row in 0..k {
                left[row] -= triangle[k][row] * left[k];
            }
        }
        Fit { weights: left, explained }
    }

    /// The coefficients of `y` in the basis, and the rest.
    fn split(&self, y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut coefficients = vec![0.0; self.directions.len()];
        let mut rest = y.to_vec();
        for _ in 0..2 {
            for (coefficient, direction) in coefficients.iter_mut().zip(&self.directions) {
                let more = dot(direction, &rest);
                *coefficient += more;
                rest.iter_mut().zip(direction).for_each(|(value, d)| *value -= more * d);
            }
        }
        (coefficients, rest)
    }
}
