//! Order: given two rows, which position comes first?
//!
//! The published reading: 512 distinct ordered pairs (i, j), the two rows side by side as features, the label j > i,
//! logistic regression with C = 1 on features as they are, stratified 5-fold cross-validation; the figure is the error
//! rate. As its penalty punishes small norms, the same with standardised features is what can be compared.

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::FOLDS;
use super::folds::stratified;
use super::logistic::Logistic;
use crate::{StatError, checks};

/// scikit-learn's default, as published.
const C: f64 = 1.0;

/// What is done to the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// Nothing, as published.
    Raw,
    /// Each feature minus its mean, over its standard deviation (both of the training fold; divided by n).
    Standardised,
}

/// A table made ready for many sets of pairs.
#[derive(Debug, Clone)]
pub struct Orders<'a> {
    table: ArrayView2<'a, f64>,
    /// Inner products of rows.
    products: Array2<f64>,
}

impl<'a> Orders<'a> {
    /// Prepares a table [positions, width].
    pub fn new(table: ArrayView2<'a, f64>) -> Result<Self, StatError> {
        checks::finite("table of positions", table)?;
        Ok(Self { table, products: table.dot(&table.t()) })
    }

    /// The decision value of each pair (i, j), by the classifier that was trained without its fold: above 0 it is taken
    /// to be in order (j > i).
    pub fn decisions(&self, pairs: &[(usize, usize)], scaling: Scaling) -> Result<Vec<f64>, StatError> {
        let n = self.table.nrows();
        if let Some(&(i, j)) = pairs.iter().find(|&&(i, j)| i >= n || j >= n) {
            let got = format!("({i}, {j})");
            return Err(StatError::Shape {
                what: "pairs of positions",
                expected: format!("positions below {n}"),
                got,
            });
        }
        let labels: Vec<bool> = pairs.iter().map(|&(i, j)| j > i).collect();
        let folds = stratified(&labels, FOLDS)?;
        let mut decided = vec![f64::NAN; pairs.len()];
        for fold in 0..FOLDS {
            let in_fold =
                |test: bool| (0..pairs.len()).filter(|&k| (folds[k] == fold) == test).collect::<Vec<_>>();
            let (train, test) = (in_fold(false), in_fold(true));
            let of = |chosen: &[usize]| chosen.iter().map(|&k| pairs[k]).collect::<Vec<_>>();
            let (kernel, across) = match scaling {
                Scaling::Raw => {
                    let train_pairs = of(&train);
                    (self.raw(&train_pairs, &train_pairs), self.raw(&of(&test), &train_pairs))
                }
                Scaling::Standardised => self.standardised(&of(&train), &of(&test)),
            };
            let train_labels: Vec<bool> = train.iter().map(|&k| labels[k]).collect();
            let fitted = Logistic::fit(kernel.view(), &train_labels, C)?;
            for (&k, products) in test.iter().zip(across.rows()) {
                decided[k] = fitted.decision(products);
            }
        }
        Ok(decided)
    }

    /// Inner products of features: those of the first rows plus those of the second.
    fn raw(&self, a: &[(usize, usize)], b: &[(usize, usize)]) -> Array2<f64> {
        Array2::from_shape_fn((a.len(), b.len()), |(k, l)| {
            self.products[[a[k].0, b[l].0]] + self.products[[a[k].1, b[l].1]]
        })
    }

    /// Inner products among the training pairs, and of test with training pairs, standardised by the training pairs.
    fn standardised(&self, train: &[(usize, usize)], test: &[(usize, usize)]) -> (Array2<f64>, Array2<f64>) {
        let mut kernel = Array2::zeros((train.len(), train.len()));
        let mut across = Array2::zeros((test.len(), train.len()));
        for side in [|pair: &(usize, usize)| pair.0, |pair: &(usize, usize)| pair.1] {
            let rows = |pairs: &[(usize, usize)]| {
                let positions: Vec<usize> = pairs.iter().map(side).collect();
                self.table.select(Axis(0), &positions)
            };
            let (mut train, mut test) = (rows(train), rows(test));
            let (mean, scale) = mean_and_scale(train.view());
            for rows in [&mut train, &mut test] {
                *rows -= &mean;
                *rows /= &scale;
            }
            kernel += &train.dot(&train.t());
            across += &test.dot(&train.t());
        }
        (kernel, across)
    }
}

/// The share of pairs whose order is told wrong.
pub fn error_rate(pairs: &[(usize, usize)], decisions: &[f64]) -> f64 {
    let wrong =
        pairs.iter().zip(decisions).filter(|&(&(i, j), &decision)| (j > i) != (decision > 0.0)).count();
    wrong as f64 / pairs.len() as f64
}

/// Mean and standard deviation (over n) of each column; 1 for a column that is constant up to rounding.
fn mean_and_scale(rows: ArrayView2<f64>) -> (Array1<f64>, Array1<f64>) {
    let n = rows.nrows() as f64;
    let mean = rows.sum_axis(Axis(0)) / n;
    let variance = (&rows - &mean).mapv(|v| v * v).sum_axis(Axis(0)) / n;
    let scale = variance.iter().zip(&mean).map(|(&variance, &mean)| {
        let noise = n * f64::EPSILON * variance + (n * mean * f64::EPSILON).powi(2);
        if variance <= noise { 1.0 } else { variance.sqrt() }
    });
    (mean.clone(), scale.collect())
}
