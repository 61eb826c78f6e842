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
        let (mean, frames) = mean(parts.clone());
        let sum = parts.map(|part| products(part, &mean));
        Self::new(mean.clone(), sum, frames)
    }

    /// The same with each part about its own mean: the covariance within parts, without what differs between them.
    ///
    /// # Panics
    /// As [`Moments::fit`].
    pub fn within<'a>(parts: impl Iterator<Item = ArrayView2<'a, f32>> + Clone) -> Self {
        let (common, frames) = mean(parts.clone());
        let sum = parts.map(|part| products(part, &mean(std::iter::once(part)).0));
        Self::new(common, sum, frames)
    }

    fn new(mean: Array1<f64>, products: impl Iterator<Item = Array2<f64>>, frames: usize) -> Self {
        let zero = Array2::zeros((mean.len(), mean.len()));
        let covariance = products.fold(zero, |sum, part| sum + part) / frames.max(1) as f64;
        Self { mean: mean.to_vec(), covariance, frames }
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

/// The mean of each node over all parts, and the number of frames.
fn mean<'a>(parts: impl Iterator<Item = ArrayView2<'a, f32>>) -> (Array1<f64>, usize) {
    let (mut sum, mut frames) = (Array1::<f64>::zeros(0), 0);
    for part in parts {
        if sum.is_empty() {
            sum = Array1::zeros(part.ncols());
        }
        frames += part.nrows();
        part.axis_iter(Axis(0)).for_each(|frame| {
            sum.iter_mut().zip(frame).for_each(|(sum, value)| *sum += f64::from(*value));
        });
    }
    (sum / frames.max(1) as f64, frames)
}

/// The sum over frames of the products of deviations from `mean`.
fn products(part: ArrayView2<f32>, mean: &Array1<f64>) -> Array2<f64> {
    let centred = part.mapv(f64::from) - mean;
    centred.t().dot(&centred)
}
