//! Ridge regression of each node on all others.

use ndarray::{Array2, ArrayView2, Axis};

use super::{Baseline, Moments, Problem};
use crate::masked::{MaskedError, Score};
use crate::matrix::positive_inverse;

/// The usual penalty, in units of a node's variance.
pub const RIDGE: f64 = 0.01;

/// What stands for the other masked nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RidgeInput {
    /// Their true values, as if this node alone were masked: **no prediction under the mask**, but what a linear model
    /// could reach at best if it saw everything else.
    AllOthers,
    /// Their training means: what a regression that knows nothing of masks does.
    MaskedAsMean,
}

/// Ridge regression of each node on all others, fitted without masks.
#[derive(Debug, Clone)]
pub struct Ridge {
    moments: Moments,
    /// Column `i` predicts node `i`; its own entry is 0.
    weights: Array2<f64>,
    input: RidgeInput,
}

impl Ridge {
    /// From the moments of training frames. The penalty on squared weights is in units of the mean variance of a
    /// node, per frame: `β_i = (C_oo + λ v I)⁻¹ C_oi` over all other nodes `o`.
    ///
    /// # Errors
    /// [`MaskedError::Singular`] if the penalty is too small for the frames.
    pub fn new(moments: &Moments, penalty: f64, input: RidgeInput) -> Result<Self, MaskedError> {
        Ok(Self { moments: moments.clone(), weights: weights(moments, penalty)?, input })
    }
}

/// All regressions from one inverse: with `P = (C + λ v I)⁻¹`, `β_ij = -P_ij / P_ii` (block inversion).
fn weights(moments: &Moments, penalty: f64) -> Result<Array2<f64>, MaskedError> {
    let nodes = moments.nodes();
    let mut penalised = moments.covariance().clone();
    penalised.diag_mut().mapv_inplace(|variance| variance + penalty * moments.mean_variance());
    let precision = positive_inverse(penalised.view()).ok_or(MaskedError::Singular { nodes })?;
    let weight = |(j, i): (usize, usize)| if i == j { 0.0 } else { -precision[[j, i]] / precision[[i, i]] };
    Ok(Array2::from_shape_fn((nodes, nodes), weight))
}

/// R² of each node from all others by ridge regression, all nodes and frames together. Each part comes with the means,
/// one a node, that predictions start from; R² is about the part's own means, so that a slow drift counts as nothing.
/// None if it is not defined: nothing varies, or nothing can be fitted.
pub fn ridge_r2<'a>(
    moments: &Moments,
    penalty: f64,
    parts: impl Iterator<Item = (ArrayView2<'a, f32>, &'a [f64])>,
) -> Option<f64> {
    let weights = weights(moments, penalty).ok()?;
    let mut score = Score::default();
    for (frames, means) in parts {
        let centred = frames.mapv(f64::from) - ndarray::aview1(means);
        let predicted = centred.dot(&weights);
        let Some(own) = centred.mean_axis(Axis(0)) else { continue };
        for (true_ones, ones) in centred.rows().into_iter().zip(predicted.rows()) {
            true_ones.iter().zip(ones).zip(&own).for_each(|((&y, &of), &mean)| score.add(y, of, mean));
        }
    }
    score.r2()
}

impl Baseline for Ridge {
    fn name(&self) -> &'static str {
        match self.input {
            RidgeInput::AllOthers => "ridge-all-others",
            RidgeInput::MaskedAsMean => "ridge-masked-as-mean",
        }
    }

    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError> {
        let outputs = problem.frames.nrows();
        let mean = self.moments.mean();
        for (output, frame) in problem.frames.rows().into_iter().enumerate() {
            let mut known: Vec<f64> =
                frame.iter().zip(mean).map(|(value, mean)| f64::from(*value) - mean).collect();
            if self.input == RidgeInput::MaskedAsMean {
                problem.masked.iter().for_each(|&node| known[node] = 0.0);
            }
            for (place, &node) in problem.masked.iter().enumerate() {
                let weights = self.weights.column(node);
                let sum: f64 = weights.iter().zip(&known).map(|(weight, value)| weight * value).sum();
                predictions[place * outputs + output] = (mean[node] + sum) as f32;
            }
        }
        Ok(())
    }
}
