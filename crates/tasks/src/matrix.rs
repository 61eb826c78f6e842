//! The few matrix routines that networks and baselines need, over nalgebra: in pure Rust, in double precision.

use nalgebra::{Cholesky, DMatrix, Dyn};
use ndarray::{Array2, ArrayView2};

pub(crate) type Factor = Cholesky<f64, Dyn>;

/// The same matrix for nalgebra.
pub(crate) fn dense(matrix: ArrayView2<f64>) -> DMatrix<f64> {
    let (rows, columns) = matrix.dim();
    DMatrix::from_fn(rows, columns, |i, j| matrix[[i, j]])
}

/// The same matrix for ndarray.
pub(crate) fn array(matrix: &DMatrix<f64>) -> Array2<f64> {
    Array2::from_shape_fn(matrix.shape(), |index| matrix[index])
}

/// The inverse, if there is one.
pub(crate) fn inverse(matrix: ArrayView2<f64>) -> Option<Array2<f64>> {
    let inverse = dense(matrix).try_inverse()?;
    inverse.iter().all(|value| value.is_finite()).then(|| array(&inverse))
}

/// The inverse of a symmetric positive definite matrix, if it is one.
pub(crate) fn positive_inverse(matrix: ArrayView2<f64>) -> Option<Array2<f64>> {
    Some(array(&Cholesky::new(dense(matrix))?.inverse()))
}

/// The Cholesky factor of the rows and columns `of` of a symmetric matrix, if that block is positive definite.
pub(crate) fn block_factor(matrix: &Array2<f64>, of: &[usize]) -> Option<Factor> {
    Cholesky::new(DMatrix::from_fn(of.len(), of.len(), |i, j| matrix[[of[i], of[j]]]))
}

/// Pearson correlation; none for fewer than two pairs or a constant.
pub(crate) fn correlation(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let (mut n, mut sum_x, mut sum_y) = (0.0, 0.0, 0.0);
    for (x, y) in pairs.clone() {
        n += 1.0;
        sum_x += x;
        sum_y += y;
    }
    let (mean_x, mean_y) = (sum_x / n, sum_y / n);
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    let r = xy / (xx * yy).sqrt();
    r.is_finite().then_some(r)
}

/// The mean; none of nothing.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u64), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn inverses_of_a_small_matrix() {
        let matrix = array![[4.0, 2.0], [2.0, 3.0]];
        let expected = array![[0.375, -0.25], [-0.25, 0.5]];
        for got in [inverse(matrix.view()), positive_inverse(matrix.view())] {
            assert!((got.unwrap() - &expected).iter().all(|d| d.abs() < 1e-14));
        }
        assert!(inverse(array![[1.0, 2.0], [2.0, 4.0]].view()).is_none());
        assert!(positive_inverse(array![[1.0, 2.0], [2.0, 1.0]].view()).is_none());
    }

    #[test]
    fn correlation_by_hand() {
        let pairs = [(1.0, 2.0), (2.0, 4.0), (3.0, 9.0)];
        // Deviations (-1, 0, 1) and (-3, -1, 4): 7 / sqrt(2 * 26).
        assert!((correlation(pairs.into_iter()).unwrap() - 7.0 / 52f64.sqrt()).abs() < 1e-15);
        assert_eq!(correlation([(1.0, 1.0), (1.0, 2.0)].into_iter()), None);
        assert_eq!(correlation(std::iter::empty()), None);
        assert_eq!(mean(std::iter::empty()), None);
    }
}
