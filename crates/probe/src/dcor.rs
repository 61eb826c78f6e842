//! Distance correlation (Székely, Rizzo and Bakirov 2007; Székely and Rizzo 2013, 2014).
//!
//! Two statistics share the name. The usual one is biased upwards: a random 36 x 64 table against grid
//! coordinates reads about 0.6. Only the bias-corrected one, about 0 there, can carry a claim.
//!
//! With a the distances between the rows of x: A doubly centred, `dCov²_V(x, y) = Σ A_ij B_ij / n²`; Ã
//! U-centred, `dCov²_U(x, y) = Σ Ã_ij B̃_ij / (n(n-3))`, an unbiased estimate. A correlation is
//! `dCov²(x, y) / sqrt(dCov²(x, x) dCov²(y, y))`. Assumed: rows are independent draws (for a p, exchangeable),
//! and the distance is of **strong** negative type, as the Euclidean one is; then the population value is 0 only
//! under independence. A squared Euclidean distance is not: with it the statistic is one of covariances, and 0
//! for tables that are related without being correlated. One minus a correlation is such a square (of standardised
//! rows, up to a factor), so against it (reference `correlations` of a report, [`Centred::of_distances`] of
//! [`Measure::Correlation`](crate::rdm::Measure::Correlation)) linear dependence on the standardised data is all
//! that is seen. `sqrt(1 - r)` is a Euclidean distance.

mod partial;
mod t_test;
mod univariate;

pub use partial::Partial;
pub use t_test::TTest;
pub use univariate::dcor_univariate;

use ndarray::ArrayView2;

use crate::centring::Centring;
use crate::permutation::{Permutations, Tail, Tested};
use crate::rdm::Rdm;
use crate::{StatError, checks, distances};

/// Both distance correlations of two tables over the same items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dcor {
    /// Square root of the V-statistic ratio `dCov² / sqrt(dVar²_x dVar²_y)`, in [0, 1]. Biased: far above 0
    /// for independent tables of many columns.
    pub biased: f64,
    /// The U-statistic version of the **squared** distance correlation: about 0 for independent tables,
    /// negative half of the time. NaN for fewer than 4 items.
    pub bias_corrected: f64,
}

/// Both **squared** distance covariances of two tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dcov {
    /// The V-statistic, never negative. For independent tables its mean is above 0, falling as 1/n.
    pub biased: f64,
    /// The U-statistic, with mean 0 for independent tables. NaN for fewer than 4 items.
    pub unbiased: f64,
}

/// [`Dcor`], each with its permutation p (one-sided, large is extreme).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DcorTest {
    /// See [`Dcor::biased`].
    pub biased: Tested,
    /// See [`Dcor::bias_corrected`].
    pub bias_corrected: Tested,
}

/// A table's pairwise distances, centred in both ways: prepared once, compared with many.
#[derive(Debug, Clone)]
pub struct Centred(Centring);

/// Both distance correlations of `x` [items, d] and `y` [items, e], over Euclidean distances.
///
/// O(n²(d + e)) time and O(n²) memory; O(n log n) and O(n) when both have one column. NaN when either table
/// is constant (the Python package dcor gives 0 there).
pub fn dcor(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Dcor, StatError> {
    if x.ncols() == 1 && y.ncols() == 1 {
        return dcor_univariate(&x.column(0).to_vec(), &y.column(0).to_vec());
    }
    Centred::new(x)?.dcor(&Centred::new(y)?)
}

impl Centred {
    /// Prepares a table [items, d].
    pub fn new(x: ArrayView2<f64>) -> Result<Self, StatError> {
        checks::finite("distance correlation: table", x)?;
        Ok(Self(Centring::new(distances::euclidean(x), vec![0.0; x.nrows()])))
    }

    /// Prepares any complete RDM as a distance. Undefined pairs make every statistic NaN.
    pub fn of_distances(distances: &Rdm) -> Self {
        Self(Centring::new(distances.values().to_vec(), vec![0.0; distances.conditions()]))
    }

    /// Both distance correlations.
    pub fn dcor(&self, other: &Self) -> Result<Dcor, StatError> {
        self.same_items(other)?;
        let squared = self.0.biased_cosine(&other.0);
        Ok(Dcor { biased: root(squared), bias_corrected: self.0.corrected_cosine(&other.0) })
    }

    /// Both squared distance covariances; of a table with itself, the distance variances.
    pub fn covariance(&self, other: &Self) -> Result<Dcov, StatError> {
        self.same_items(other)?;
        let n = self.0.items() as f64;
        Ok(Dcov {
            biased: self.0.biased_inner(&other.0) / (n * n),
            unbiased: self.0.corrected_inner(&other.0) / (n * (n - 3.0)),
        })
    }

    /// Both distance correlations with a permutation p each; the items of `self` are permuted.
    pub fn test(&self, other: &Self, permutations: &Permutations) -> Result<DcorTest, StatError> {
        let bias_corrected = self.test_bias_corrected(other, permutations)?;
        let permuted = self.0.permuted(&other.0);
        let observed = self.0.biased_cosine(&other.0);
        // The root does not change the order, so the p of the squared statistic is that of the statistic.
        let p = permutations.p(observed, Tail::Greater, |row| permuted.biased_cosine(row));
        Ok(DcorTest { biased: Tested { value: root(observed), p }, bias_corrected })
    }

    /// The bias-corrected distance correlation alone, with its permutation p (one-sided, large is extreme).
    ///
    /// Distances are centred once; a permutation costs one pass over the n(n-1)/2 pairs.
    pub fn test_bias_corrected(
        &self,
        other: &Self,
        permutations: &Permutations,
    ) -> Result<Tested, StatError> {
        self.same_items(other)?;
        self.permutable(permutations)?;
        let permuted = self.0.permuted(&other.0);
        let observed = self.0.corrected_cosine(&other.0);
        Ok(permutations.test(observed, Tail::Greater, |row| permuted.corrected_cosine(row)))
    }

    fn same_items(&self, other: &Self) -> Result<(), StatError> {
        checks::same_length("distance correlation: items", self.0.items(), other.0.items())
    }

    fn permutable(&self, permutations: &Permutations) -> Result<(), StatError> {
        checks::same_length("distance correlation: permuted items", permutations.conditions(), self.0.items())
    }
}

/// Rounding can leave a hair below zero; `max` alone would turn NaN into 0.
fn root(squared: f64) -> f64 {
    if squared.is_nan() { f64::NAN } else { squared.max(0.0).sqrt() }
}
