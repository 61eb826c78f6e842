//! How well can one table be rotated onto another?

use ndarray::{Array2, ArrayView2, s};

use crate::pca::pca;
use crate::ridge::Ridge;
use crate::{StatError, checks, svd};

/// What may be done to the second table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alignment {
    /// Any orthogonal map: rotations and reflections, as scipy does.
    Orthogonal,
    /// Rotations only.
    Rotation,
}

/// How a table is brought down to the dimensions of coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reduction {
    /// Its first principal components: blind to the coordinates. Misses what they say when it is not what
    /// varies most.
    Pca,
    /// The coordinates as ridge regression with this alpha (0: least squares) predicts them from the table.
    /// Fitted and judged on the **same rows**: with as many columns as rows least squares fits anything, and
    /// the disparity of a random table is 0. See [`decode`](crate::decode) for what holds out of sample.
    Regression {
        /// The penalty, 0 or more.
        alpha: f64,
    },
}

/// The distances that are left after the best alignment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Procrustes {
    /// Scale-free, in [0, 1], symmetric: both tables centred and scaled to unit Frobenius norm, then
    /// `min over R and c >= 0 of |A - c B R|²` = 1 - (Σσ)², σ the singular values of `AᵀB`. scipy's `disparity`. Of
    /// rotations alone the last σ counts as negative where the best map is a reflection; a sum below 0 (a column against its
    /// mirror image) gives 1, since a negative scale is a reflection too.
    /// NaN when either table is constant.
    pub disparity: f64,
    /// Norm-bound: both tables centred but **not** scaled, `min over R of |A - B R|` (Frobenius)
    /// = sqrt(|A|² + |B|² - 2Σσ). It grows with the norm of either table, whatever was learned.
    pub frobenius: f64,
}

/// The Procrustes distances between two tables of one shape [n, d].
///
/// With d >= n the alignment costs an n x n decomposition, not a d x d one; a reflection can then hide in an
/// unused dimension, so both alignments give the same. A random 16 x 160 table against the 2-D sinusoid reads
/// a disparity of about 0.77, not 1: something can always be turned to fit.
pub fn procrustes(
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    alignment: Alignment,
) -> Result<Procrustes, StatError> {
    same_shape(a, b)?;
    checks::finite("Procrustes: first table", a)?;
    checks::finite("Procrustes: second table", b)?;
    let [a, b] = [a, b].map(svd::centred);
    let [norm_a, norm_b] = [&a, &b].map(|x| x.iter().map(|v| v * v).sum::<f64>().sqrt());
    let [small_a, small_b] = [reduced(a)?, reduced(b)?];
    let overlap = svd::thin("Procrustes overlap", small_a.t().dot(&small_b).view())?;
    let mut total = overlap.s.sum();
    if alignment == Alignment::Rotation && determinant_sign(&overlap.u, &overlap.vt) < 0.0 {
        total -= 2.0 * overlap.s.last().copied().unwrap_or(0.0);
    }
    let cosine = if norm_a > 0.0 && norm_b > 0.0 { total / (norm_a * norm_b) } else { f64::NAN };
    // Rounding can leave a hair below zero for a perfect fit.
    let frobenius = (norm_a * norm_a + norm_b * norm_b - 2.0 * total).max(0.0).sqrt();
    // `max` alone would turn NaN into 0.
    let cosine = if cosine < 0.0 { 0.0 } else { cosine };
    Ok(Procrustes { disparity: 1.0 - cosine * cosine, frobenius })
}

/// The Procrustes distances between coordinates [n, k] and a table [n, d] brought down to k dimensions.
///
/// Components beyond min(n, d) are columns of 0. By PCA, a random wide table against k = 2 coordinates of n
/// items reads a disparity near 1 (0.95 for 36 x 64); by regression, see [`Reduction::Regression`].
pub fn procrustes_reduced(
    coords: ArrayView2<f64>,
    table: ArrayView2<f64>,
    reduction: Reduction,
    alignment: Alignment,
) -> Result<Procrustes, StatError> {
    checks::same_length("Procrustes: rows of the table", coords.nrows(), table.nrows())?;
    let reduced = match reduction {
        Reduction::Pca => pca(table)?.first(coords.ncols()),
        Reduction::Regression { alpha } => Ridge::new(table)?.fit(coords, alpha)?.predict(table)?,
    };
    procrustes(coords, reduced.view(), alignment)
}

/// The orthogonal R [d, d] that minimises `|A R - B|` (Frobenius), of the tables as given: centre them first
/// if that is meant. scipy's `orthogonal_procrustes`.
pub fn rotation(
    a: ArrayView2<f64>,
    b: ArrayView2<f64>,
    alignment: Alignment,
) -> Result<Array2<f64>, StatError> {
    same_shape(a, b)?;
    let overlap = svd::thin("Procrustes overlap", a.t().dot(&b).view())?;
    let mut u = overlap.u;
    if alignment == Alignment::Rotation && determinant_sign(&u, &overlap.vt) < 0.0 {
        u.slice_mut(s![.., -1]).mapv_inplace(|v| -v);
    }
    Ok(u.dot(&overlap.vt))
}

fn same_shape(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Result<(), StatError> {
    if a.dim() == b.dim() {
        return Ok(());
    }
    let text = |(n, d): (usize, usize)| format!("{n} x {d}");
    Err(StatError::Shape { what: "Procrustes: second table", expected: text(a.dim()), got: text(b.dim()) })
}

/// Rotates a centred table into the at most n dimensions it spans. Singular values of `AᵀB` do not change,
/// since only orthonormal factors are dropped.
pub(crate) fn reduced(x: Array2<f64>) -> Result<Array2<f64>, StatError> {
    if x.ncols() <= x.nrows() {
        return Ok(x);
    }
    let decomposed = svd::thin("Procrustes table", x.view())?;
    Ok(decomposed.u * &decomposed.s)
}

/// The sign of det(U Vᵀ) by Gaussian elimination of the orthogonal product.
fn determinant_sign(u: &Array2<f64>, vt: &Array2<f64>) -> f64 {
    let mut m = u.dot(vt);
    let d = m.nrows();
    let mut sign = 1.0;
    for k in 0..d {
        let pivot = (k..d).fold(k, |best, i| if m[[i, k]].abs() > m[[best, k]].abs() { i } else { best });
        if pivot != k {
            sign = -sign;
            (0..d).for_each(|j| m.swap([k, j], [pivot, j]));
        }
        sign *= m[[k, k]].signum();
        for i in k + 1..d {
            let factor = m[[i, k]] / m[[k, k]];
            (k..d).for_each(|j| m[[i, j]] -= factor * m[[k, j]]);
        }
    }
    sign
}
