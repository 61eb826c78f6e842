//! How good predictions are.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::{MaskedBatch, MaskedError};

/// Errors of predictions of masked values. Scores of several batches add up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The number of values predicted.
    pub values: u64,
    /// The sum of squared errors.
    pub squared_error: f64,
    /// The sum of squared distances of the true values from their node's training mean.
    pub squared_total: f64,
}

impl Score {
    /// Scores predictions `[items, masked, outputs]`; `means` is the training mean of each node.
    ///
    /// # Errors
    /// [`MaskedError::Shape`] if there are not as many predictions as targets, or means as nodes.
    pub fn of(batch: &MaskedBatch, predictions: &[f32], means: &[f64]) -> Result<Self, MaskedError> {
        shape("predictions", batch.targets.len(), predictions.len())?;
        shape("means", batch.nodes, means.len())?;
        let mut score = Self::default();
        let per_node = batch.targets.chunks(batch.outputs).zip(predictions.chunks(batch.outputs));
        for (&node, (targets, predictions)) in batch.masks.nodes.iter().zip(per_node) {
            for (&target, &prediction) in targets.iter().zip(predictions) {
                score.add(f64::from(target), f64::from(prediction), means[node]);
            }
        }
        Ok(score)
    }

    pub(crate) fn add(&mut self, target: f64, prediction: f64, mean: f64) {
        self.values += 1;
        self.squared_error += (target - prediction).powi(2);
        self.squared_total += (target - mean).powi(2);
    }

    /// The mean squared error over all masked values; none without values.
    pub fn mse(&self) -> Option<f64> {
        (self.values > 0).then(|| self.squared_error / self.values as f64)
    }

    /// `1 - Σ(y - ŷ)² / Σ(y - m)²` over all masked values together, with `m` the **training** mean of the value's
    /// node: what is gained over the best constant that could be known before the test. It is 0 for that constant and
    /// can be negative. None if no value differs from it.
    pub fn r2(&self) -> Option<f64> {
        (self.squared_total > 0.0).then(|| 1.0 - self.squared_error / self.squared_total)
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.values += other.values;
        self.squared_error += other.squared_error;
        self.squared_total += other.squared_total;
    }
}

fn shape(what: &'static str, expected: usize, got: usize) -> Result<(), MaskedError> {
    let wrong = || MaskedError::Shape { what, expected: expected.to_string(), got: got.to_string() };
    if expected == got { Ok(()) } else { Err(wrong()) }
}
