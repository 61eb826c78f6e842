//! Distance correlation (Székely, Rizzo and Bakirov 2007; Székely and Rizzo 2013).
//!
//! Two statistics share the name. The usual one is biased upwards: a random 36 x 64 table against grid
//! coordinates reads about 0.6. Only the bias-corrected one, about 0 there, can carry a claim.

use ndarray::ArrayView2;

use crate::compare::dot;
use crate::permutation::{Permutations, Tail, Tested, permuted_dot};
use crate::rdm::{Measure, Rdm, square};
use crate::{StatError, checks};

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
pub struct Centred {
    items: usize,
    double: Centring,
    unbiased: Centring,
}

/// One centred distance matrix, and its inner product with itself.
#[derive(Debug, Clone)]
struct Centring {
    pairs: Vec<f64>,
    diagonal: Vec<f64>,
    square_norm: f64,
}

/// Both distance correlations of `x` [items, d] and `y` [items, e], over Euclidean distances.
///
/// NaN when either table is constant (the Python package dcor gives 0 there).
pub fn dcor(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<Dcor, StatError> {
    Centred::new(x)?.dcor(&Centred::new(y)?)
}

impl Centred {
    /// Prepares a table [items, d].
    pub fn new(x: ArrayView2<f64>) -> Result<Self, StatError> {
        Ok(Self::of_distances(&Rdm::of_rows(x, Measure::Euclidean)?))
    }

    /// Prepares any complete RDM as a distance. Undefined pairs make every statistic NaN.
    pub fn of_distances(distances: &Rdm) -> Self {
        let n = distances.conditions();
        let full = square(n, distances.values(), 0.0);
        let row_sums: Vec<f64> = full.chunks(n.max(1)).map(|row| row.iter().sum()).collect();
        let total: f64 = row_sums.iter().sum();
        let items = n as f64;
        let double = |i: usize, j: usize| {
            full[i * n + j] - (row_sums[i] + row_sums[j]) / items + total / (items * items)
        };
        let unbiased = |i: usize, j: usize| {
            full[i * n + j] - (row_sums[i] + row_sums[j]) / (items - 2.0)
                + total / ((items - 1.0) * (items - 2.0))
        };
        let scale = distances.values().iter().fold(0.0f64, |most, &value| most.max(value));
        Self {
            items: n,
            double: Centring::new(n, scale, double, (0..n).map(|i| double(i, i)).collect()),
            // U-centring leaves the diagonal out.
            unbiased: Centring::new(n, scale, unbiased, vec![0.0; n]),
        }
    }

    /// Both distance correlations.
    pub fn dcor(&self, other: &Self) -> Result<Dcor, StatError> {
        checks::same_length("distance correlation: items", self.items, other.items)?;
        let squared = self.double.correlation(&other.double);
        // Rounding can leave a hair below zero; `max` alone would turn NaN into 0.
        let biased = if squared.is_nan() { f64::NAN } else { squared.max(0.0).sqrt() };
        Ok(Dcor { biased, bias_corrected: self.bias_corrected(other) })
    }

    /// Both distance correlations with a permutation p each; the items of `self` are permuted.
    pub fn test(&self, other: &Self, permutations: &Permutations) -> Result<DcorTest, StatError> {
        checks::same_length("distance correlation: permuted items", permutations.conditions(), self.items)?;
        let observed = self.dcor(other)?;
        // The denominators do not change under a permutation, so the p of the inner product is that of the
        // ratio.
        let p = |value: f64, a: &Centring, b: &Centring| {
            let full = square(self.items, &a.pairs, 0.0);
            let norm = (a.square_norm * b.square_norm).sqrt();
            let inner = if value.is_nan() { f64::NAN } else { a.inner(b) / norm };
            permutations.p(inner, Tail::Greater, |row| {
                let diagonal: f64 =
                    row.iter().zip(&b.diagonal).map(|(&i, y)| a.diagonal[i as usize] * y).sum();
                (2.0 * permuted_dot(&full, row, &b.pairs) + diagonal) / norm
            })
        };
        Ok(DcorTest {
            biased: Tested { value: observed.biased, p: p(observed.biased, &self.double, &other.double) },
            bias_corrected: Tested {
                value: observed.bias_corrected,
                p: p(observed.bias_corrected, &self.unbiased, &other.unbiased),
            },
        })
    }

    fn bias_corrected(&self, other: &Self) -> f64 {
        if self.items <= 3 { f64::NAN } else { self.unbiased.correlation(&other.unbiased) }
    }
}

impl Centring {
    fn new(n: usize, scale: f64, entry: impl Fn(usize, usize) -> f64, diagonal: Vec<f64>) -> Self {
        let pairs = crate::rdm::over_pairs(n, entry);
        let mut centring = Self { pairs, diagonal, square_norm: 0.0 };
        let square_norm = centring.inner(&centring);
        // All distances equal up to rounding: what is left is noise, not structure.
        let noise = 1e-13 * scale * n as f64;
        centring.square_norm = if square_norm <= noise * noise { f64::NAN } else { square_norm };
        centring
    }

    fn inner(&self, other: &Self) -> f64 {
        2.0 * dot(&self.pairs, &other.pairs) + dot(&self.diagonal, &other.diagonal)
    }

    fn correlation(&self, other: &Self) -> f64 {
        self.inner(other) / (self.square_norm * other.square_norm).sqrt()
    }
}
