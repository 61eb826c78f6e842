//! Modules of a network: how good is a partition, and which one is best?
//!
//! A network is a symmetric matrix of weights [`Weights`], such as a correlation matrix or a graph. Its
//! diagonal is ignored: what an item shares with itself says nothing.

mod louvain;
mod modularity;
mod partition;
mod segregation;

pub use louvain::{Communities, louvain};
pub use modularity::{Signs, modularity, modularity_test};
pub use partition::Partition;
pub use segregation::{NegativeWeights, Segregation, segregation, segregation_test};

use ndarray::{Array2, ArrayView2};

use crate::{StatError, checks};

/// The weights of an undirected network, [n, n]: finite, symmetric, the diagonal 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights(Array2<f64>);

impl Weights {
    /// Takes a symmetric matrix; its diagonal is set to 0. Entries may differ from their mirror image by
    /// rounding (1e-10 of the largest), and the mean of the two is taken. To use a directed matrix, say how:
    /// pass `(&w + &w.t()) / 2.0`.
    pub fn new(matrix: ArrayView2<f64>) -> Result<Self, StatError> {
        checks::same_length("network: columns of the weights", matrix.nrows(), matrix.ncols())?;
        checks::finite("network: weights", matrix)?;
        let scale = matrix.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let skewed =
            |&((i, j), &value): &((usize, usize), &f64)| (value - matrix[[j, i]]).abs() > 1e-10 * scale;
        if let Some(((i, j), &value)) = matrix.indexed_iter().find(skewed) {
            return Err(StatError::Parameter {
                what: "network: weights",
                expected: format!("a symmetric matrix, so {value} at row {j}, column {i}"),
                got: matrix[[j, i]].to_string(),
            });
        }
        let mut weights = (&matrix + &matrix.t()) / 2.0;
        weights.diag_mut().fill(0.0);
        Ok(Self(weights))
    }

    /// The number of items n.
    pub fn items(&self) -> usize {
        self.0.nrows()
    }

    /// The weights, [n, n].
    pub fn view(&self) -> ArrayView2<'_, f64> {
        self.0.view()
    }

    fn same_items(&self, partition: &Partition) -> Result<(), StatError> {
        checks::same_length("network: items of the partition", self.items(), partition.items())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn weights_are_symmetric_finite_and_without_a_diagonal() {
        let weights = Weights::new(array![[9.0, 1.0], [1.0, 9.0]].view()).unwrap();
        assert_eq!(weights.view(), array![[0.0, 1.0], [1.0, 0.0]]);
        let error = Weights::new(array![[0.0, 1.0], [2.0, 0.0]].view()).unwrap_err().to_string();
        assert!(error.contains("symmetric") && error.contains("row 1, column 0"), "{error}");
        assert!(Weights::new(array![[0.0, f64::NAN], [1.0, 0.0]].view()).is_err());
        assert!(Weights::new(Array2::zeros((2, 3)).view()).is_err());
        assert_eq!(Weights::new(Array2::zeros((0, 0)).view()).unwrap().items(), 0);
    }
}
