//! Principal components.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use crate::{StatError, svd};

/// The principal components of a table [n, d], r = min(n, d) of them by falling variance.
#[derive(Debug, Clone)]
pub struct Pca {
    /// The mean row, `[d]`.
    pub mean: Array1<f64>,
    /// The variance of each component's scores, divided by n - 1, `[r]`. They sum to the trace of the
    /// covariance.
    pub variances: Array1<f64>,
    /// Each variance over their sum, `[r]`; NaN when the table is constant.
    pub ratios: Array1<f64>,
    /// The loadings, one component a row, [r, d]: orthonormal; in each the entry of largest magnitude is
    /// positive.
    pub components: Array2<f64>,
    /// The centred rows in the components, [n, r].
    pub scores: Array2<f64>,
}

/// Principal components of `x` [n, d], n >= 2. Columns are centred, not scaled.
pub fn pca(x: ArrayView2<f64>) -> Result<Pca, StatError> {
    if x.nrows() < 2 {
        return Err(StatError::TooFew { what: "rows of a PCA", least: 2, got: x.nrows() });
    }
    let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(x.ncols()));
    let decomposed = svd::thin("table of a PCA", (&x - &mean).view())?;
    let (mut components, mut scores) = (decomposed.vt, decomposed.u * &decomposed.s);
    for (mut component, mut score) in components.rows_mut().into_iter().zip(scores.columns_mut()) {
        let largest = component.iter().fold(0.0f64, |most, &v| if v.abs() > most.abs() { v } else { most });
        if largest < 0.0 {
            component.mapv_inplace(|v| -v);
            score.mapv_inplace(|v| -v);
        }
    }
    let variances = decomposed.s.mapv(|s| s * s / (x.nrows() - 1) as f64);
    let ratios = &variances / variances.sum();
    Ok(Pca { mean, variances, ratios, components, scores })
}
