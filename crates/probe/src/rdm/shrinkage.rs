//! Estimates of a noise covariance from residuals, with and without shrinkage.

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use crate::{StatError, checks, svd};

/// How a covariance of d channels is estimated from r residuals. Without shrinkage it has no inverse unless
/// r > d. The names are those of rsatoolbox's `cov_from_residuals` beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Shrinkage {
    /// The sample covariance (`full`).
    None,
    /// Variances alone: each channel is normalised by itself (`diag`).
    Univariate,
    /// Towards a multiple of the identity, Ledoit and Wolf 2004 (`shrinkage_eye`).
    TowardsIdentity,
    /// Towards the variances, Schäfer and Strimmer 2005, with rsatoolbox's count of degrees of freedom
    /// (`shrinkage_diag`, its default).
    TowardsDiagonal,
}

/// The covariance of the columns of `residuals` [r, d], which are centred here. `freedom` is r - 1 unless
/// given: r minus the number of fitted means or regressors.
pub(super) fn covariance(
    residuals: ArrayView2<f64>,
    freedom: Option<usize>,
    shrinkage: Shrinkage,
) -> Result<Array2<f64>, StatError> {
    let what = "residuals of a noise covariance";
    checks::finite(what, residuals)?;
    let freedom = freedom.unwrap_or(residuals.nrows().saturating_sub(1));
    if residuals.nrows() < 2 || freedom < 1 {
        let got = residuals.nrows().min(freedom + 1);
        return Err(StatError::TooFew { what: "residuals (degrees of freedom + 1)", least: 2, got });
    }
    let x = svd::centred(residuals);
    let products = x.t().dot(&x);
    Ok(match shrinkage {
        Shrinkage::None => products / freedom as f64,
        Shrinkage::Univariate => Array2::from_diag(&(products.diag().to_owned() / freedom as f64)),
        Shrinkage::TowardsIdentity => towards_identity(&x, &products, freedom as f64),
        Shrinkage::TowardsDiagonal => towards_diagonal(&x, products, freedom as f64),
    })
}

/// Σ over residuals of the squared products of two channels.
fn squared_products(x: &Array2<f64>) -> Array2<f64> {
    let squares = x.mapv(|value| value * value);
    squares.t().dot(&squares)
}

fn towards_identity(x: &Array2<f64>, products: &Array2<f64>, freedom: f64) -> Array2<f64> {
    let (rows, channels) = (x.nrows() as f64, x.ncols());
    let sample = products / rows;
    let target = Array2::<f64>::eye(channels) * (sample.diag().sum() / channels as f64);
    let dispersion = (&sample - &target).mapv(|v| v * v).sum();
    let noise = (squared_products(x) / rows - &sample * &sample).sum() / rows;
    // With no dispersion the sample is the target: any weight will do.
    let weight = if dispersion > 0.0 { (noise / dispersion).min(1.0) } else { 0.0 };
    (target * weight + sample * (1.0 - weight)) * (rows / freedom)
}

fn towards_diagonal(x: &Array2<f64>, products: Array2<f64>, freedom: f64) -> Array2<f64> {
    let (rows, channels) = (x.nrows() as f64, x.ncols());
    let covariance = products / freedom;
    let deviations = covariance.diag().mapv(f64::sqrt);
    let scales = outer(&deviations);
    let mean = &covariance * (freedom / (rows - 1.0)) / &scales;
    let mean_of_squares = squared_products(x) / (&scales * &scales) / (rows - 1.0);
    let (mut noise, mut signal) = (0.0, 0.0);
    for ((i, j), m) in mean.indexed_iter().filter(|((i, j), _)| i != j) {
        noise += rows / (freedom * freedom) * (mean_of_squares[[i, j]] - m * m);
        signal += m * m;
    }
    let weight = (noise / signal).clamp(0.0, 1.0);
    // One channel has nothing beside its diagonal.
    let keep = if channels < 2 || signal == 0.0 { 0.0 } else { 1.0 - weight };
    Array2::from_shape_fn(covariance.raw_dim(), |(i, j)| covariance[[i, j]] * if i == j { 1.0 } else { keep })
}

fn outer(x: &ndarray::Array1<f64>) -> Array2<f64> {
    let column = x.view().insert_axis(Axis(1));
    column.dot(&column.t())
}
