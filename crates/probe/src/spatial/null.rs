//! The basis whose smoothness is that of a table.

use ndarray::ArrayView2;

use super::MoranBasis;
use crate::rdm::{Measure, Rdm};
use crate::{StatError, checks, distances};

/// Lengths on the grid, evenly spaced in their logarithm.
const LENGTHS: usize = 12;

/// Moran bases of given places for a grid of lengths λ, from half the median distance to the nearest other place to twice
/// the largest distance.
#[derive(Debug, Clone)]
pub struct SpatialNull {
    distances: Rdm,
    bases: Vec<MoranBasis>,
}

impl SpatialNull {
    /// From coordinates [items, axes], by Euclidean distance.
    pub fn new(coords: ArrayView2<f64>) -> Result<Self, StatError> {
        Self::of_distances(&Rdm::of_rows(coords, Measure::Euclidean)?)
    }

    /// From distances between at least 3 places, not all of them the same: 12 decompositions of n x n.
    pub fn of_distances(distances: &Rdm) -> Result<Self, StatError> {
        checks::finite_slice("surrogate maps: distances", distances.values())?;
        let largest = distances.values().iter().fold(0.0f64, |most, value| most.max(*value));
        if distances.conditions() >= 3 && largest <= 0.0 {
            return Err(StatError::Parameter {
                what: "surrogate maps: distances",
                expected: "some above 0".into(),
                got: "every item at one place".into(),
            });
        }
        let (shortest, longest) = (distances::typical_step(distances) / 2.0, 2.0 * largest);
        let ratio = (longest / shortest).ln() / (LENGTHS - 1) as f64;
        let basis = |k: usize| MoranBasis::of_distances(distances, shortest * (ratio * k as f64).exp());
        Ok(Self { bases: (0..LENGTHS).map(basis).collect::<Result<_, _>>()?, distances: distances.clone() })
    }

    /// The basis of the λ with which `a + b (1 - exp(-d/λ))`, b >= 0, comes closest (least squares over pairs) to the
    /// squared distances between rows of the table [items, columns]; the first of equals.
    pub fn basis_for(&self, table: ArrayView2<f64>) -> Result<&MoranBasis, StatError> {
        checks::same_length("surrogate maps: items", self.distances.conditions(), table.nrows())?;
        checks::finite("surrogate maps: table", table)?;
        let squared = centred(distances::euclidean(table).into_iter().map(|d| d * d).collect());
        let error = |basis: &MoranBasis| {
            let model = self.distances.values().iter().map(|d| 1.0 - (-d / basis.length()).exp());
            let model = centred(model.collect());
            let size: f64 = model.iter().map(|m| m * m).sum();
            let overlap: f64 = model.iter().zip(&squared).map(|(m, y)| m * y).sum();
            let slope = if size > 0.0 { (overlap / size).max(0.0) } else { 0.0 };
            model.iter().zip(&squared).map(|(m, y)| (y - slope * m).powi(2)).sum::<f64>()
        };
        let first = (f64::INFINITY, &self.bases[0]);
        let better = |best: (f64, _), basis| {
            let error = error(basis);
            if error < best.0 { (error, basis) } else { best }
        };
        Ok(self.bases.iter().fold(first, better).1)
    }
}

fn centred(mut values: Vec<f64>) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|value| *value -= mean);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// A table whose distances are exactly of the model: a line embedded with squared distances 1 - exp(-d/λ), from the
    /// eigenvectors of the covariance exp(-d/λ)/2.
    #[test]
    fn the_length_of_a_table_is_found() {
        let coords = Array2::from_shape_fn((20, 1), |(i, _)| i as f64);
        let null = SpatialNull::new(coords.view()).unwrap();
        for basis in [&null.bases[3], &null.bases[6]] {
            let covariance = Array2::from_shape_fn((20, 20), |(i, j): (usize, usize)| {
                (-(i.abs_diff(j) as f64) / basis.length()).exp() / 2.0
            });
            let factor = cholesky(&covariance);
            assert_eq!(null.basis_for(factor.view()).unwrap().length(), basis.length());
        }
        assert!(null.basis_for(array![[1.0], [2.0]].view()).is_err());
    }

    fn cholesky(matrix: &Array2<f64>) -> Array2<f64> {
        let n = matrix.nrows();
        let mut lower = Array2::<f64>::zeros((n, n));
        for (i, j) in (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            let rest = matrix[[i, j]] - (0..j).map(|k| lower[[i, k]] * lower[[j, k]]).sum::<f64>();
            lower[[i, j]] = if i == j { rest.sqrt() } else { rest / lower[[j, j]] };
        }
        lower
    }

    #[test]
    fn places_must_differ() {
        let error = SpatialNull::new(Array2::ones((4, 2)).view()).unwrap_err().to_string();
        assert!(error.contains("every item at one place"), "{error}");
        assert!(SpatialNull::new(array![[0.0], [1.0]].view()).is_err());
        // Two items may share a place.
        assert!(SpatialNull::new(array![[0.0], [0.0], [1.0], [3.0]].view()).is_ok());
    }
}
