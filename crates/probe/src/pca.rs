//! Principal components.

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use crate::{StatError, checks, svd};

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
///
/// By the singular values s of the centred table, `variance = s² / (n-1)`; the numbers of scikit-learn's
/// `PCA(svd_solver="full")`. No structure is assumed. In a random table of standard normal entries the
/// variances spread over (1 ± sqrt(d/n))² (Marchenko and Pastur 1967), so a first component above the others
/// is no sign of structure: compare with [`Untrained`](crate::identifiability::Untrained) tables.
pub fn pca(x: ArrayView2<f64>) -> Result<Pca, StatError> {
    if x.nrows() < 2 {
        return Err(StatError::TooFew { what: "rows of a PCA", least: 2, got: x.nrows() });
    }
    checks::finite("table of a PCA", x)?;
    let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(x.ncols()));
    let decomposed = svd::thin("table of a PCA", svd::centred(x).view())?;
    let (mut components, mut scores) = (decomposed.vt, decomposed.u * &decomposed.s);
    for (mut component, mut score) in components.rows_mut().into_iter().zip(scores.columns_mut()) {
        let sign = sign_of_largest(component.iter());
        component *= sign;
        score *= sign;
    }
    let variances = decomposed.s.mapv(|s| s * s / (x.nrows() - 1) as f64);
    let ratios = &variances / variances.sum();
    Ok(Pca { mean, variances, ratios, components, scores })
}

impl Pca {
    /// The scores in the first `dimensions` components, [n, dimensions]; components that are not there are
    /// columns of 0.
    pub fn first(&self, dimensions: usize) -> Array2<f64> {
        let kept = dimensions.min(self.scores.ncols());
        let mut first = Array2::zeros((self.scores.nrows(), dimensions));
        first.slice_mut(s![.., ..kept]).assign(&self.scores.slice(s![.., ..kept]));
        first
    }

    /// How many components it takes for this share of the variance: at least 1, `None` when the table is
    /// constant.
    pub fn components_for(&self, share: f64) -> Option<usize> {
        let total: f64 = self.variances.sum();
        let mut sum = 0.0;
        let enough = |variance: &f64| {
            sum += variance;
            // A share of 1 must be reached in spite of rounding.
            sum >= share * total * (1.0 - 1e-12)
        };
        if total > 0.0 { self.variances.iter().position(enough).map(|last| last + 1) } else { None }
    }
}

/// 1 or -1: the sign of the entry of largest magnitude, the first of several.
pub(crate) fn sign_of_largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let largest = values.fold(0.0f64, |most, &v| if v.abs() > most.abs() { v } else { most });
    if largest < 0.0 { -1.0 } else { 1.0 }
}
