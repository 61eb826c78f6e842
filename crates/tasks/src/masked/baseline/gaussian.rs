//! The conditional expectation of a Gaussian under each mask.

use nalgebra::DMatrix;
use ndarray::Array2;

use super::{Baseline, Moments, Problem};
use crate::masked::MaskedError;
use crate::matrix::{block_factor, positive_inverse};

/// The usual shrinkage.
pub const SHRINKAGE: f64 = 0.01;

/// The best linear prediction under each mask: `E[x_M | x_V] = μ_M + Σ_MV Σ_VV⁻¹ (x_V - μ_V)`, with the covariance of
/// the training frames shrunk to `(1 - α) C + α v I`, `v` the mean variance of a node.
///
/// By the Cholesky factor of whichever is smaller: `Σ_VV`, or the masked block of the precision `P = Σ⁻¹`, which gives
/// the same by `-P_MM⁻¹ P_MV (x_V - μ_V)`.
#[derive(Debug, Clone)]
pub struct Gaussian {
    mean: Vec<f64>,
    covariance: Array2<f64>,
    precision: Array2<f64>,
}

impl Gaussian {
    /// From the moments of training frames and the shrinkage α, 0 to 1.
    ///
    /// # Errors
    /// [`MaskedError::Setting`] for another α, [`MaskedError::Singular`] if it is too small for the frames.
    pub fn new(moments: &Moments, shrinkage: f64) -> Result<Self, MaskedError> {
        if !(0.0..=1.0).contains(&shrinkage) {
            let (key, expected) = ("shrinkage", "0 to 1".to_owned());
            return Err(MaskedError::Setting { key, expected, got: shrinkage.to_string() });
        }
        let mut covariance = moments.covariance() * (1.0 - shrinkage);
        covariance.diag_mut().mapv_inplace(|variance| variance + shrinkage * moments.mean_variance());
        let nodes = moments.nodes();
        let precision = positive_inverse(covariance.view()).ok_or(MaskedError::Singular { nodes })?;
        Ok(Self { mean: moments.mean().to_vec(), covariance, precision })
    }

    /// The visible values less their means, `[visible, outputs]`.
    fn known(&self, problem: &Problem) -> DMatrix<f64> {
        DMatrix::from_fn(problem.visible.len(), problem.frames.nrows(), |place, output| {
            let node = problem.visible[place];
            f64::from(problem.frames[[output, node]]) - self.mean[node]
        })
    }

    /// What masked nodes are expected to be, less their means, `[masked, outputs]`.
    fn expected(&self, problem: &Problem) -> Result<DMatrix<f64>, MaskedError> {
        let Problem { masked, visible, .. } = *problem;
        let singular = MaskedError::Singular { nodes: self.mean.len() };
        let mut known = self.known(problem);
        if visible.len() <= masked.len() {
            block_factor(&self.covariance, visible).ok_or(singular)?.solve_mut(&mut known);
            return Ok(cross(&self.covariance, masked, visible) * known);
        }
        let mut expected = cross(&self.precision, masked, visible) * known;
        expected.neg_mut();
        block_factor(&self.precision, masked).ok_or(singular)?.solve_mut(&mut expected);
        Ok(expected)
    }
}

fn cross(matrix: &Array2<f64>, rows: &[usize], columns: &[usize]) -> DMatrix<f64> {
    DMatrix::from_fn(rows.len(), columns.len(), |i, j| matrix[[rows[i], columns[j]]])
}

impl Baseline for Gaussian {
    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError> {
        let expected = self.expected(problem)?;
        let outputs = problem.frames.nrows();
        for (place, &node) in problem.masked.iter().enumerate() {
            for output in 0..outputs {
                predictions[place * outputs + output] = (self.mean[node] + expected[(place, output)]) as f32;
            }
        }
        Ok(())
    }
}
