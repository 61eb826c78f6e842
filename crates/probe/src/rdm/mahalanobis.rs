//! Distances in units of the noise.

use ndarray::ArrayView2;

use super::distances::condensed;
use super::{Measure, NoiseCovariance, Rdm};
use crate::{StatError, checks};

impl Rdm {
    /// Squared Mahalanobis distances (x - y)ᵀ Σ⁻¹ (x - y) between the rows of `x` [conditions, channels], Σ
    /// the covariance of the noise. rsatoolbox divides them by the number of channels. Missing cells are an
    /// error: whitening would spread them over the whole row.
    pub fn squared_mahalanobis(x: ArrayView2<f64>, noise: &NoiseCovariance) -> Result<Self, StatError> {
        Self::in_noise_units(x, noise, Measure::SquaredEuclidean, Measure::SquaredMahalanobis)
    }

    /// Mahalanobis distances, the square roots of [`Self::squared_mahalanobis`] (SciPy's `mahalanobis`).
    pub fn mahalanobis(x: ArrayView2<f64>, noise: &NoiseCovariance) -> Result<Self, StatError> {
        Self::in_noise_units(x, noise, Measure::Euclidean, Measure::Mahalanobis)
    }

    fn in_noise_units(
        x: ArrayView2<f64>,
        noise: &NoiseCovariance,
        plain: Measure,
        name: Measure,
    ) -> Result<Self, StatError> {
        checks::finite("rows of an RDM", x)?;
        let whitened = noise.whitened(x)?;
        Self::from_condensed(x.nrows(), condensed(plain, whitened.view()), name)
    }
}
