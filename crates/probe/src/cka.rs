//! Centred kernel alignment (Kornblith et al. 2019): do two tables relate their items alike?
//!
//! `CKA = HSIC(K, L) / sqrt(HSIC(K, K) HSIC(L, L))`, K and L the kernel values between the rows of each table.
//! Two estimators: biased, `HSIC = tr(KHLH) / (n-1)²` (Gretton et al. 2005), and unbiased (Song et al. 2012).
//! For independent tables the biased one is far above 0 when columns are many: with n rows and d and e
//! standard normal columns the linear one reads about `1 / sqrt((1 + (n-1)/d)(1 + (n-1)/e))`, 0.65 for two
//! 36 x 64 tables. The unbiased one is about 0 there. Assumed: rows in the same order in both, independent
//! draws (for a p, exchangeable).

use ndarray::{Array2, ArrayView2};

use crate::centring::Centring;
use crate::permutation::{Permutations, Tail, Tested};
use crate::{StatError, checks, distances, rdm, svd};

/// How alike two rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Kernel {
    /// Their inner product, columns centred.
    Linear,
    /// `exp(-|x - y|² / (2 σ²))`, σ this fraction of the median distance between rows: scale-free. Local
    /// structure counts more the smaller the fraction is.
    Rbf {
        /// σ over the median distance, above 0.
        fraction: f64,
    },
}

/// How HSIC is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Estimator {
    /// `tr(KHLH) / (n-1)²`: CKA in [0, 1], above 0 for unrelated tables.
    Biased,
    /// The U-statistic: about 0 for unrelated tables, may be negative. NaN for fewer than 4 items.
    Unbiased,
}

/// The kernel values of a table, centred in both ways: prepared once, compared with many.
#[derive(Debug, Clone)]
pub struct Gram(Centring);

/// CKA of `x` [items, d] and `y` [items, e]: invariant to rotation, translation and scale of either table.
///
/// NaN when a table is constant (for RBF also when more than half of its distances are 0, so that the median
/// is). The linear biased one is `|YᵀX|² / (|XᵀX| |YᵀY|)`, computed so when columns are fewer than items.
pub fn cka(
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    kernel: Kernel,
    estimator: Estimator,
) -> Result<f64, StatError> {
    let items = x.nrows();
    if kernel == Kernel::Linear && estimator == Estimator::Biased && x.ncols().max(y.ncols()) < items {
        checks::same_length("CKA: items", items, y.nrows())?;
        return feature_space(x, y);
    }
    Gram::new(x, kernel)?.cka(&Gram::new(y, kernel)?, estimator)
}

impl Gram {
    /// Prepares a table [items, d]: O(n² d) time, O(n²) memory.
    pub fn new(x: ArrayView2<f64>, kernel: Kernel) -> Result<Self, StatError> {
        checks::finite("CKA: table", x)?;
        let n = x.nrows();
        Ok(Self(match kernel {
            Kernel::Linear => {
                let centred = svd::centred(x);
                let gram = centred.dot(&centred.t());
                Centring::new(rdm::over_pairs(n, |i, j| gram[[i, j]]), gram.diag().to_vec())
            }
            Kernel::Rbf { fraction } => {
                if !(fraction.is_finite() && fraction > 0.0) {
                    return Err(StatError::Parameter {
                        what: "CKA: fraction of the median distance",
                        expected: "a number above 0".into(),
                        got: fraction.to_string(),
                    });
                }
                Centring::new(rbf(distances::euclidean(x), fraction), vec![1.0; n])
            }
        }))
    }

    /// HSIC of two tables: about 0 for independent ones if unbiased, above 0 if biased. Not scale-free.
    pub fn hsic(&self, other: &Self, estimator: Estimator) -> Result<f64, StatError> {
        self.same_items(other)?;
        let n = self.0.items() as f64;
        Ok(match estimator {
            Estimator::Biased => self.0.biased_inner(&other.0) / ((n - 1.0) * (n - 1.0)),
            Estimator::Unbiased => self.0.corrected_inner(&other.0) / (n * (n - 3.0)),
        })
    }

    /// CKA of two tables; see [`cka`].
    pub fn cka(&self, other: &Self, estimator: Estimator) -> Result<f64, StatError> {
        self.same_items(other)?;
        Ok(match estimator {
            Estimator::Biased => self.0.biased_cosine(&other.0),
            Estimator::Unbiased => self.0.corrected_cosine(&other.0),
        })
    }

    /// CKA with its permutation p (one-sided, large is extreme); the items of `self` are permuted.
    pub fn test(
        &self,
        other: &Self,
        estimator: Estimator,
        permutations: &Permutations,
    ) -> Result<Tested, StatError> {
        checks::same_length("CKA: permuted items", permutations.conditions(), self.0.items())?;
        let observed = self.cka(other, estimator)?;
        let permuted = self.0.permuted(&other.0);
        Ok(permutations.test(observed, Tail::Greater, |row| match estimator {
            Estimator::Biased => permuted.biased_cosine(row),
            Estimator::Unbiased => permuted.corrected_cosine(row),
        }))
    }

    fn same_items(&self, other: &Self) -> Result<(), StatError> {
        checks::same_length("CKA: items", self.0.items(), other.0.items())
    }
}

fn feature_space(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<f64, StatError> {
    checks::finite("CKA: first table", x)?;
    checks::finite("CKA: second table", y)?;
    let [x, y] = [x, y].map(svd::centred);
    let square = |a: &Array2<f64>, b: &Array2<f64>| a.t().dot(b).iter().map(|v| v * v).sum::<f64>();
    // 0/0 is NaN: a constant table is undefined.
    Ok(square(&y, &x) / (square(&x, &x) * square(&y, &y)).sqrt())
}

fn rbf(mut distances: Vec<f64>, fraction: f64) -> Vec<f64> {
    let sigma = fraction * distances::median(&distances);
    // A median of 0 gives no scale: NaN marks it.
    let factor = if sigma > 0.0 { -0.5 / (sigma * sigma) } else { f64::NAN };
    distances.iter_mut().for_each(|value| *value = (*value * *value * factor).exp());
    distances
}
