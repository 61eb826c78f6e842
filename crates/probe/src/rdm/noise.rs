//! The covariance of measurement noise between channels, and rows measured in its units.

use ndarray::{Array2, ArrayView2};

use super::cholesky::{cholesky, inverse_of_lower};
use super::design::{Means, condition_means};
use super::shrinkage::{self, Shrinkage};
use crate::{StatError, checks};

/// A positive definite covariance Σ [channels, channels] of noise, with what turns rows x into y such that
/// |y - y'|² = (x - x')ᵀ Σ⁻¹ (x - x').
#[derive(Debug, Clone)]
pub struct NoiseCovariance {
    /// y = x · whitener.
    whitener: Array2<f64>,
    covariance: Array2<f64>,
}

impl NoiseCovariance {
    /// A covariance that is known. It must be symmetric and positive definite.
    pub fn given(covariance: ArrayView2<f64>) -> Result<Self, StatError> {
        let lower = cholesky("noise covariance", covariance)?;
        let whitener = inverse_of_lower(&lower).reversed_axes().as_standard_layout().into_owned();
        Ok(Self { whitener, covariance: covariance.as_standard_layout().into_owned() })
    }

    /// The covariance whose inverse is `precision`, the form in which rsatoolbox takes noise.
    pub fn from_precision(precision: ArrayView2<f64>) -> Result<Self, StatError> {
        let lower = cholesky("noise precision", precision)?;
        let inverse = inverse_of_lower(&lower);
        Ok(Self { covariance: inverse.t().dot(&inverse), whitener: lower })
    }

    /// Estimates it from residuals [residuals, channels], such as those of a GLM. `freedom` is the number of
    /// degrees of freedom; `None` stands for residuals - 1, which is too many when more than a mean was fitted.
    pub fn estimate(
        residuals: ArrayView2<f64>,
        freedom: Option<usize>,
        shrinkage: Shrinkage,
    ) -> Result<Self, StatError> {
        Self::given(shrinkage::covariance(residuals, freedom, shrinkage)?.view())
    }

    /// Estimates it from repeated measurements [observations, channels]: residuals are what is left after the
    /// mean of each condition, with observations - conditions degrees of freedom (rsatoolbox's
    /// `cov_from_unbalanced`).
    pub fn from_measurements<C: Ord + Clone + ToString>(
        measurements: ArrayView2<f64>,
        conditions: &[C],
        shrinkage: Shrinkage,
    ) -> Result<Self, StatError> {
        let Means { means, member, .. } = condition_means(measurements, conditions)?;
        let mut residuals = measurements.to_owned();
        for (mut row, &condition) in residuals.rows_mut().into_iter().zip(&member) {
            row -= &means.row(condition);
        }
        let freedom = measurements.nrows() - means.nrows();
        Self::estimate(residuals.view(), Some(freedom), shrinkage)
    }

    /// The number of channels.
    pub fn channels(&self) -> usize {
        self.covariance.nrows()
    }

    /// The covariance itself.
    pub fn covariance(&self) -> ArrayView2<'_, f64> {
        self.covariance.view()
    }

    /// Rows [n, channels] in units of the noise: Euclidean distances of the result are Mahalanobis distances.
    pub fn whitened(&self, x: ArrayView2<f64>) -> Result<Array2<f64>, StatError> {
        checks::same_length("noise covariance: channels", self.channels(), x.ncols())?;
        Ok(x.dot(&self.whitener))
    }
}
