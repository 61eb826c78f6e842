//! Can coordinates be read from a table by a linear map, on rows that the map was not fitted on?

mod folds;

pub use folds::Folds;

use ndarray::{Array1, Array2, ArrayView2, Axis};
use rayon::prelude::*;

use crate::permutation::{Permutations, Tail, Tested};
use crate::ridge::{self, Ridge};
use crate::{StatError, checks};

/// How the penalty of the ridge regression is set.
#[derive(Debug, Clone, PartialEq)]
pub enum Alpha {
    /// This one. 0 is least squares, which explodes when columns are about as many as training rows.
    Fixed(f64),
    /// In each fold the one of these with the least leave-one-out error over the **training** rows alone; see
    /// [`Ridge::best_alpha`].
    Nested(Vec<f64>),
    /// The same, as multiples of the mean square of the fold's training columns, each centred over the training rows:
    /// neither shift nor scale of the table changes a prediction, and no test row has a say.
    Relative(Vec<f64>),
}

impl Alpha {
    /// [`Alpha::Relative`] over powers of ten, 10^-4 to 10^6: wide enough for tables of any norm.
    pub fn nested() -> Self {
        Alpha::Relative((-4..=6).map(|power| 10f64.powi(power)).collect())
    }
}

/// Coordinates predicted from a table, each row by a map fitted without it.
#[derive(Debug, Clone)]
pub struct Decoding {
    /// The out-of-fold predictions, [n, k].
    pub predictions: Array2<f64>,
    /// R² of each axis, `[k]`: `1 - Σ(y - ŷ)² / Σ(y - ȳ)²` over all n rows. NaN for a constant axis.
    pub r2: Vec<f64>,
    /// The mean of the axes' R², constant axes left out; NaN when all are.
    pub r2_mean: f64,
    /// `1 - ΣΣ(y - ŷ)² / ΣΣ(y - ȳ)²`: axes weighted by their variance.
    pub r2_weighted: f64,
    /// The penalty of each fold.
    pub alphas: Vec<f64>,
}

/// A table decomposed for every fold: prepared once, decoded and tested for many targets.
#[derive(Debug, Clone)]
pub struct Decoder {
    items: usize,
    alpha: Alpha,
    parts: Vec<Part>,
}

/// One fold.
#[derive(Debug, Clone)]
struct Part {
    train: Vec<usize>,
    test: Vec<usize>,
    ridge: Ridge,
    /// The mean square of the centred training columns; 1 of constant ones.
    unit: f64,
    /// The test rows in the axes of the training table.
    projected: Array2<f64>,
}

/// Decodes `y` [n, k] from `x` [n, d]: the out-of-fold R² of ridge regression per axis.
///
/// The folds' predictions are pooled, and one R² is taken of each axis, as `r2_score(y, cross_val_predict(..))`
/// of scikit-learn. It is **out of sample**: about 0 or below for an unrelated table, and far below 0 when the
/// fit is unstable; 1 only if the map holds on every row left out. Each training mean lacks the test rows, so
/// even a map of the mean alone reads slightly below 0 (-0.06 or so at n = 36 with 5 folds). Assumed: rows are
/// independent; rows that are alike because they are near each other need folds by group
/// ([`Folds::by_group`]). A rotation or a shift of the table changes no prediction; nor does its scale with
/// [`Alpha::nested`].
pub fn decode(
    x: ArrayView2<f64>,
    y: ArrayView2<f64>,
    folds: &Folds,
    alpha: &Alpha,
) -> Result<Decoding, StatError> {
    Decoder::new(x, folds, alpha.clone())?.decode(y)
}

/// R² of each axis of `y` [n, k] given predictions [n, k]; NaN for a constant axis, below 0 for predictions
/// worse than the mean. scikit-learn's `r2_score(multioutput="raw_values")`, but for the constant axis.
pub fn r2_per_axis(y: ArrayView2<f64>, predictions: ArrayView2<f64>) -> Result<Vec<f64>, StatError> {
    checks::same_length("R²: rows of the predictions", y.nrows(), predictions.nrows())?;
    checks::same_length("R²: columns of the predictions", y.ncols(), predictions.ncols())?;
    checks::finite("R²: targets", y)?;
    checks::finite("R²: predictions", predictions)?;
    let (left, total) = sums_of_squares(y, predictions);
    Ok(left.iter().zip(&total).map(|(left, total)| ratio(*left, *total)).collect())
}

impl Decoder {
    /// Decomposes the training rows of `x` [n, d] in each fold: one n x d decomposition a fold.
    pub fn new(x: ArrayView2<f64>, folds: &Folds, alpha: Alpha) -> Result<Self, StatError> {
        checks::same_length("decoding: items of the folds", x.nrows(), folds.items())?;
        checks::finite("decoding: table", x)?;
        match &alpha {
            Alpha::Fixed(alpha) => ridge::check_alpha(*alpha)?,
            Alpha::Nested(grid) | Alpha::Relative(grid) => ridge::check_grid(grid)?,
        }
        let part = |fold: usize| -> Result<Part, StatError> {
            let (train, test) = folds.split(fold);
            let ridge = Ridge::new(x.select(Axis(0), &train).view())?;
            let projected = ridge.project(x.select(Axis(0), &test).view());
            let mean = ridge.sum_of_squares() / (train.len() * x.ncols()).max(1) as f64;
            let unit = if mean.is_finite() && mean > 0.0 { mean } else { 1.0 };
            Ok(Part { train, test, ridge, unit, projected })
        };
        let parts = (0..folds.count()).into_par_iter().map(part).collect::<Result<_, _>>()?;
        Ok(Self { items: x.nrows(), alpha, parts })
    }

    /// Decodes `y` [n, k].
    pub fn decode(&self, y: ArrayView2<f64>) -> Result<Decoding, StatError> {
        self.check(y)?;
        let (predictions, alphas) = self.predict(y);
        let (left, total) = sums_of_squares(y, predictions.view());
        let r2: Vec<f64> = left.iter().zip(&total).map(|(left, total)| ratio(*left, *total)).collect();
        Ok(Decoding {
            r2_mean: mean_of_defined(&r2),
            r2_weighted: ratio(left.sum(), total.sum()),
            r2,
            predictions,
            alphas,
        })
    }

    /// The mean R² with its permutation p (one-sided, large is extreme): rows of `y` are permuted against the
    /// table, and the penalty is chosen anew for each permutation.
    pub fn test(&self, y: ArrayView2<f64>, permutations: &Permutations) -> Result<Tested, StatError> {
        checks::same_length("decoding: permuted rows", permutations.conditions(), self.items)?;
        let observed = self.decode(y)?.r2_mean;
        Ok(permutations.test(observed, Tail::Greater, |row| mean_of_defined(&self.r2_of_permuted(y, row))))
    }

    /// The R² of each axis with its permutation p, as in [`test`](Self::test); one penalty a fold serves all axes. NaN
    /// for a constant axis.
    pub fn test_axes(
        &self,
        y: ArrayView2<f64>,
        permutations: &Permutations,
    ) -> Result<Vec<Tested>, StatError> {
        checks::same_length("decoding: permuted rows", permutations.conditions(), self.items)?;
        let observed = self.decode(y)?.r2;
        let p = permutations.p_each(&observed, Tail::Greater, |row| self.r2_of_permuted(y, row));
        Ok(observed.into_iter().zip(p).map(|(value, p)| Tested { value, p }).collect())
    }

    fn r2_of_permuted(&self, y: ArrayView2<f64>, row: &[u32]) -> Vec<f64> {
        let order: Vec<usize> = row.iter().map(|&item| item as usize).collect();
        let moved = y.select(Axis(0), &order);
        let (left, total) = sums_of_squares(moved.view(), self.predict(moved.view()).0.view());
        left.iter().zip(&total).map(|(left, total)| ratio(*left, *total)).collect()
    }

    fn predict(&self, y: ArrayView2<f64>) -> (Array2<f64>, Vec<f64>) {
        let mut predictions = Array2::zeros(y.raw_dim());
        let mut alphas = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (mean, centred) = part.ridge.centre(y.select(Axis(0), &part.train).view());
            let alpha = match &self.alpha {
                Alpha::Fixed(alpha) => *alpha,
                Alpha::Nested(grid) => part.ridge.best_of(&centred, grid),
                Alpha::Relative(multiples) => {
                    let grid: Vec<f64> = multiples.iter().map(|multiple| multiple * part.unit).collect();
                    part.ridge.best_of(&centred, &grid)
                }
            };
            let predicted = part.projected.dot(&part.ridge.rotated(&centred, alpha)) + &mean;
            for (&item, row) in part.test.iter().zip(predicted.rows()) {
                predictions.row_mut(item).assign(&row);
            }
            alphas.push(alpha);
        }
        (predictions, alphas)
    }

    fn check(&self, y: ArrayView2<f64>) -> Result<(), StatError> {
        checks::same_length("decoding: rows of the targets", self.items, y.nrows())?;
        checks::finite("decoding: targets", y)
    }
}

/// Per axis: `Σ(y - ŷ)²` and `Σ(y - ȳ)²`.
fn sums_of_squares(y: ArrayView2<f64>, predictions: ArrayView2<f64>) -> (Array1<f64>, Array1<f64>) {
    let square = |x: Array2<f64>| x.mapv(|v| v * v).sum_axis(Axis(0));
    (square(&y - &predictions), square(crate::svd::centred(y)))
}

fn ratio(left: f64, total: f64) -> f64 {
    if total > 0.0 { 1.0 - left / total } else { f64::NAN }
}

fn mean_of_defined(values: &[f64]) -> f64 {
    let defined: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    crate::inference::mean(&defined).unwrap_or(f64::NAN)
}
