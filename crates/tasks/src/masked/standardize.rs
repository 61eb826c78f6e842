//! Scaling by statistics of training frames.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

use super::MaskedError;
use super::baseline::Moments;

/// A mean and a standard deviation for each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Standardizer {
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl Standardizer {
    /// The statistics of these frames, each of shape `[frames, nodes]`; standard deviations divide by the number of
    /// frames. `over` names the frames in errors.
    ///
    /// # Errors
    /// [`MaskedError::Constant`] if a node does not vary.
    pub fn fit<'a>(
        parts: impl Iterator<Item = ArrayView2<'a, f32>> + Clone,
        over: &str,
    ) -> Result<Self, MaskedError> {
        let moments = Moments::fit(parts);
        let (means, deviations) = (moments.mean().to_vec(), moments.standard_deviations());
        // What is left of a constant after rounding is no variation.
        let constant = (0..means.len()).find(|&node| deviations[node] <= 1e-6 * means[node].abs());
        if let Some(node) = constant {
            return Err(MaskedError::Constant { node, over: over.to_owned(), value: means[node] });
        }
        Ok(Self { means, deviations })
    }

    /// Scales frames `[frames, nodes]` in place.
    pub fn apply(&self, mut frames: ArrayViewMut2<f32>) {
        for mut frame in frames.rows_mut() {
            for (node, value) in frame.iter_mut().enumerate() {
                *value = ((f64::from(*value) - self.means[node]) / self.deviations[node]) as f32;
            }
        }
    }

    /// Scaled frames.
    pub fn applied(&self, frames: &Array2<f32>) -> Array2<f32> {
        let mut frames = frames.clone();
        self.apply(frames.view_mut());
        frames
    }

    /// Of each node.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Of each node.
    pub fn standard_deviations(&self) -> &[f64] {
        &self.deviations
    }
}
