//! Canonical correlation: which directions of two tables go together?

use ndarray::{Array2, ArrayView2, s};

use crate::inference::mean;
use crate::pca::pca;
use crate::{StatError, checks, svd};

/// The canonical correlations of two tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Cca {
    /// Descending, in [0, 1]; as many as the smaller rank of the two centred tables.
    pub correlations: Vec<f64>,
    /// Their mean: the similarity that SVCCA reports. NaN when a table is constant.
    pub mean: f64,
}

/// Canonical correlations of `x` [n, d] and `y` [n, e] (Hotelling 1936): the cosines of the principal angles
/// between their centred column spaces (Björck and Golub 1973), as scipy's `subspace_angles`.
///
/// Invariant to any invertible linear map of either table, so a direction of tiny variance counts as much as
/// a large one. Directions that are rounding are left out. **Overfits**: all are 1 as soon as the ranks add up
/// to more than n - 1, also for random tables; below that, unrelated normal tables read up to
/// `sqrt(p(1-q)) + sqrt(q(1-p))`, `p = d/(n-1)`, `q = e/(n-1)` (Wachter 1980): 0.75 for p = q = 0.17... So take
/// [`svcca`], few columns, or CKA.
pub fn cca(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Cca, StatError> {
    checks::same_length("CCA: items", x.nrows(), y.nrows())?;
    let [x, y] = [column_space(x)?, column_space(y)?];
    let cosines = svd::thin("CCA: overlap", x.t().dot(&y).view())?.s;
    // Rounding can carry a perfect correlation a hair beyond 1.
    let correlations: Vec<f64> = cosines.iter().map(|cosine| cosine.min(1.0)).collect();
    Ok(Cca { mean: mean(&correlations).unwrap_or(f64::NAN), correlations })
}

/// SVCCA (Raghu et al. 2017): [`cca`] of the leading principal components that hold `share` of each table's
/// variance (0.99 in the paper), 0 < share <= 1.
///
/// Dropping directions of little variance removes noise, not the overfitting: the mean of two random tables
/// falls with n only, about 0.5 when together they keep half as many components as there are items.
pub fn svcca(x: ArrayView2<f64>, y: ArrayView2<f64>, share: f64) -> Result<Cca, StatError> {
    checks::same_length("SVCCA: items", x.nrows(), y.nrows())?;
    if !(share > 0.0 && share <= 1.0) {
        let expected = "above 0, at most 1".into();
        return Err(StatError::Parameter {
            what: "SVCCA: share of variance",
            expected,
            got: share.to_string(),
        });
    }
    let leading = |table: ArrayView2<f64>| -> Result<Array2<f64>, StatError> {
        let fit = pca(table)?;
        Ok(fit.first(fit.components_for(share).unwrap_or(0)))
    };
    cca(leading(x)?.view(), leading(y)?.view())
}

/// An orthonormal basis of the centred columns.
fn column_space(x: ArrayView2<f64>) -> Result<Array2<f64>, StatError> {
    checks::finite("CCA: table", x)?;
    let decomposed = svd::thin("CCA: table", svd::centred(x).view())?;
    let largest = decomposed.s.first().copied().unwrap_or(0.0);
    let least = largest * f64::EPSILON * x.nrows().max(x.ncols()) as f64;
    let rank = decomposed.s.iter().take_while(|value| **value > least).count();
    Ok(decomposed.u.slice(s![.., ..rank]).to_owned())
}
