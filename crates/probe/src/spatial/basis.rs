//! Maps from smooth to rough over given places.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};
use ndarray_linalg::{Eigh, UPLO};

use super::Kernel;
use crate::rdm::{Measure, Rdm, square};
use crate::{StatError, checks};

/// Moran's eigenvector maps of n places: an orthonormal basis of all maps of mean 0.
#[derive(Debug, Clone)]
pub struct MoranBasis {
    /// [n, n]: n - 1 maps, and the constant one last.
    vectors: Array2<f64>,
    eigenvalues: Array1<f64>,
    kernel: Kernel,
    /// The sum of all weights.
    total: f64,
}

impl MoranBasis {
    /// From coordinates [items, axes], by Euclidean distance; see [`of_distances`](Self::of_distances).
    pub fn new(coords: ArrayView2<f64>, kernel: Kernel) -> Result<Self, StatError> {
        Self::of_distances(&Rdm::of_rows(coords, Measure::Euclidean)?, kernel)
    }

    /// From distances between at least 3 places, with the kernel's weights. O(n³).
    pub fn of_distances(distances: &Rdm, kernel: Kernel) -> Result<Self, StatError> {
        let n = distances.conditions();
        if n < 3 {
            return Err(StatError::TooFew { what: "places of surrogate maps", least: 3, got: n });
        }
        checks::finite_slice("surrogate maps: distances", distances.values())?;
        let weights: Vec<f64> = distances.values().iter().map(|distance| kernel.at(*distance)).collect();
        let full = square(n, &weights, 0.0);
        let sums: Vec<f64> = full.chunks(n).map(|row| row.iter().sum()).collect();
        let total: f64 = sums.iter().sum();
        let mean = total / (n * n) as f64;
        // No eigenvalue is larger than the largest row sum; so far above them, the constant map comes last.
        let apart = 4.0 * sums.iter().copied().fold(0.0, f64::max) / n as f64;
        let centred =
            |(i, j): (usize, usize)| full[i * n + j] - (sums[i] + sums[j]) / n as f64 + mean + apart;
        let (values, vectors) = Array2::from_shape_fn((n, n), centred)
            .eigh(UPLO::Lower)
            .map_err(|source| StatError::Svd { rows: n, columns: n, source })?;
        Ok(Self { vectors, eigenvalues: values.slice(s![..n - 1]).to_owned(), kernel, total })
    }

    /// The number of items n.
    pub fn items(&self) -> usize {
        self.vectors.nrows()
    }

    /// What the weights are by distance.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The maps as columns, [n, n - 1], from rough to smooth; each of mean 0 and length 1.
    pub fn maps(&self) -> ArrayView2<'_, f64> {
        self.vectors.slice_axis(Axis(1), (..self.eigenvalues.len()).into())
    }

    /// The eigenvalue of each map, rising.
    pub fn eigenvalues(&self) -> &Array1<f64> {
        &self.eigenvalues
    }

    /// Moran's I of each column of a table [n, columns], weights by the kernel: -1/(n-1) on average for values that ignore
    /// where they are, above it for smooth ones. NaN for a constant column.
    pub fn index(&self, table: ArrayView2<f64>) -> Result<Vec<f64>, StatError> {
        checks::same_length("Moran's I: items", self.items(), table.nrows())?;
        checks::finite("Moran's I: table", table)?;
        let squares = self.maps().t().dot(&crate::svd::centred(table)).mapv(|r| r * r);
        let scale = self.items() as f64 / self.total;
        let of = |column: ndarray::ArrayView1<f64>| scale * column.dot(&self.eigenvalues) / column.sum();
        Ok(squares.columns().into_iter().map(of).collect())
    }

    /// All maps, and the constant one last, [n, n].
    pub(super) fn with_constant(&self) -> ArrayView2<'_, f64> {
        self.vectors.view()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::Smoothness;
    use ndarray::array;

    fn exponential(length: f64) -> Kernel {
        Kernel::new(Smoothness::Exponential, length).unwrap()
    }

    /// Three places on a line at 0, 1, 2 and λ = 1: weights a = 1/e and b = 1/e². By the definition of Moran's I with
    /// z = x - x̄ = (-1, 0, 1): n / S · Σ w z z / Σ z² = 3 / (4a + 2b) · -2b / 2.
    #[test]
    fn the_index_is_the_definition() {
        let basis = MoranBasis::new(array![[0.0], [1.0], [2.0]].view(), exponential(1.0)).unwrap();
        let table = array![[4.0, 1.0], [5.0, 1.0], [6.0, 1.0]];
        let index = basis.index(table.view()).unwrap();
        let (a, b) = ((-1.0f64).exp(), (-2.0f64).exp());
        approx::assert_abs_diff_eq!(index[0], -3.0 * b / (4.0 * a + 2.0 * b), epsilon = 1e-12);
        assert!(index[1].is_nan());
    }

    #[test]
    fn maps_are_an_orthonormal_basis_of_mean_zero() {
        let coords =
            Array2::from_shape_fn((12, 2), |(i, axis)| [(i * i % 13) as f64, (i * 5 % 7) as f64][axis]);
        let basis = MoranBasis::new(coords.view(), exponential(3.0)).unwrap();
        let all = basis.with_constant();
        let identity = all.t().dot(&all);
        for ((i, j), value) in identity.indexed_iter() {
            approx::assert_abs_diff_eq!(*value, f64::from(u8::from(i == j)), epsilon = 1e-10);
        }
        assert!(basis.maps().sum_axis(Axis(0)).iter().all(|sum| sum.abs() < 1e-10));
        assert!(basis.eigenvalues().windows(2).into_iter().all(|pair| pair[0] <= pair[1]));
        // The mean of I over all maps is that of values which ignore where they are.
        let mean = basis.index(basis.maps()).unwrap().iter().sum::<f64>() / 11.0;
        approx::assert_abs_diff_eq!(mean, -1.0 / 11.0, epsilon = 1e-10);
    }

    #[test]
    fn places_must_be_three() {
        assert!(MoranBasis::new(array![[0.0], [1.0], [1.0]].view(), exponential(1.0)).is_ok());
        assert!(MoranBasis::new(array![[0.0], [1.0]].view(), exponential(1.0)).is_err());
    }
}
