//! Mean and covariance of frames.

use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Mean and covariance of nodes over some frames, in double precision.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    mean: Vec<f64>,
    covariance: Array2<f64>,
    frames: usize,
}

impl Moments {
    /// Of all frames of all parts, each `[frames, nodes]`, about their common mean. The covariance divides by the
    /// number of frames. No parts give no nodes, no frames zeros.
    ///
    /// # Panics
    /// If the parts differ in their nodes; those of a [`MaskedData`](crate::masked::MaskedData) do not.
    pub fn fit<'a>(parts: impl Iterator<Item = ArrayView2<'a, f32>> + Clone) -> Self {
        let nodes = parts.clone().next().map_or(0, |part| part.ncols());
        let (mut sum, mut frames) = (Array1::<f64>::zeros(nodes), 0);
        for part in parts.clone() {
            frames += part.nrows();
            part.axis_iter(Axis(0)).for_each(|frame| {
                sum.iter_mut().zip(frame).for_each(|(sum, value)| *sum += f64::from(*value));
            });
        }
        let count = frames.max(1) as f64;
        let mean = sum / count;
        let mut covariance = Array2::zeros((nodes, nodes));
        for part in parts {
            let centred = part.mapv(f64::from) - &mean;
            covariance += &centred.t().dot(&centred);
        }
        Self { mean: mean.to_vec(), covariance: covariance / count, frames }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.mean.len()
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Of each node.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// `[nodes, nodes]`
    pub fn covariance(&self) -> &Array2<f64> {
        &self.covariance
    }

    /// Of each node.
    pub fn standard_deviations(&self) -> Vec<f64> {
        self.covariance.diag().iter().map(|variance| variance.sqrt()).collect()
    }

    /// Pearson correlations, `[nodes, nodes]`; not a number where a node does not vary.
    pub fn correlations(&self) -> Array2<f64> {
        let deviation = self.standard_deviations();
        let scaled = |(i, j): (usize, usize)| self.covariance[[i, j]] / (deviation[i] * deviation[j]);
        Array2::from_shape_fn(self.covariance.dim(), scaled)
    }

    /// The variance of a node, mean over nodes.
    pub(crate) fn mean_variance(&self) -> f64 {
        self.covariance.diag().sum() / self.nodes().max(1) as f64
    }
}
