//! The Cholesky factorisation, by hand: a threaded LAPACK would make the last digits depend on its threads.

use ndarray::{Array2, ArrayView2};

use super::distances::row;
use crate::compare::dot;
use crate::{StatError, checks};

/// Lower triangular L with `a = L Lᵀ`; only the lower triangle of `a` is read, after a check of symmetry.
pub(crate) fn cholesky(what: &'static str, a: ArrayView2<f64>) -> Result<Array2<f64>, StatError> {
    let n = a.nrows();
    checks::same_length(what, n, a.ncols())?;
    checks::finite(what, a)?;
    let largest = (0..n).map(|i| a[[i, i]].abs()).fold(0.0f64, f64::max);
    let mut lower = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            if (a[[i, j]] - a[[j, i]]).abs() > 1e-9 * largest {
                let got = format!("{} at ({i}, {j}) and {} at ({j}, {i})", a[[i, j]], a[[j, i]]);
                let (expected, remedy) = ("a symmetric matrix".to_owned(), "estimate it again");
                return Err(StatError::Matrix { what, expected, got, remedy });
            }
            let done = dot(&row(&lower, i)[..j], &row(&lower, j)[..j]);
            let left = a[[i, j]] - done;
            if i != j {
                lower[[i, j]] = left / lower[[j, j]];
            } else if left > 1e-14 * n as f64 * a[[i, i]].abs() {
                lower[[i, i]] = left.sqrt();
            } else {
                return Err(StatError::NotPositiveDefinite { what, row: i });
            }
        }
    }
    Ok(lower)
}

/// The inverse of a lower triangular matrix, lower triangular too.
pub(crate) fn inverse_of_lower(lower: &Array2<f64>) -> Array2<f64> {
    let n = lower.nrows();
    let mut inverse = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        // Row i: (e_i - sum over k < i of L_ik row k) / L_ii.
        let mut next = vec![0.0; i + 1];
        next[i] = 1.0;
        for k in 0..i {
            let factor = lower[[i, k]];
            for (value, done) in next.iter_mut().zip(row(&inverse, k)).take(k + 1) {
                *value -= factor * done;
            }
        }
        for (k, value) in next.into_iter().enumerate() {
            inverse[[i, k]] = value / lower[[i, i]];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_factor_and_its_inverse_multiply_back() {
        let a = array![[4.0, 2.0, 0.6], [2.0, 3.0, 0.4], [0.6, 0.4, 1.0]];
        let lower = cholesky("a", a.view()).unwrap();
        let back = lower.dot(&lower.t());
        assert!(back.iter().zip(&a).all(|(b, a)| (b - a).abs() < 1e-14));
        let one = inverse_of_lower(&lower).dot(&lower);
        assert!(one.iter().zip(&Array2::<f64>::eye(3)).all(|(b, a)| (b - a).abs() < 1e-14));
    }

    #[test]
    fn what_has_no_inverse_is_refused() {
        let refused = |a: Array2<f64>| cholesky("a", a.view()).unwrap_err().to_string();
        assert!(refused(array![[1.0, 1.0], [1.0, 1.0]]).contains("row 1"));
        assert!(refused(array![[1.0, 0.5], [0.4, 1.0]]).contains("symmetric"));
        assert!(refused(array![[0.0]]).contains("row 0"));
        assert!(refused(array![[1.0, f64::NAN], [0.0, 1.0]]).contains("finite"));
    }
}
