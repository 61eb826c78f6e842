//! Order: given two rows, which position comes first?
//!
//! The published reading: 512 distinct ordered pairs (i, j), the two rows side by side as features, the label j > i,
//! logistic regression with C = 1 on features as they are, stratified 5-fold cross-validation; the figure is the error
//! rate. Its penalty punishes tables of small norm, so that the same on the standardised table is what can be compared.

use ndarray::{Array2, ArrayView2};

use super::FOLDS;
use super::folds::stratified;
use super::logistic::Logistic;
use crate::{StatError, checks};

/// scikit-learn's default, as published.
const C: f64 = 1.0;

/// What is done to the table before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaling {
    /// Nothing, as published.
    Raw,
    /// All its entries minus their mean, over their standard deviation (divided by n): one number each for the whole
    /// table, so that columns keep their sizes beside each other. Scaling a table changes nothing then.
    Standardised,
}

/// A table made ready for many sets of pairs.
#[derive(Debug, Clone)]
pub struct Orders {
    /// Inner products of the rows as they are, and of the rows of the standardised table.
    products: [Array2<f64>; 2],
}

impl Orders {
    /// Prepares a table [positions, width]. A constant table is only centred.
    pub fn new(table: ArrayView2<f64>) -> Result<Self, StatError> {
        checks::finite("table of positions", table)?;
        let n = table.len().max(1) as f64;
        let mean = table.sum() / n;
        let centred = &table - mean;
        let sd = (centred.iter().map(|v| v * v).sum::<f64>() / n).sqrt();
        let standardised = if sd > f64::EPSILON * mean.abs() { centred / sd } else { centred };
        Ok(Self { products: [table.dot(&table.t()), standardised.dot(&standardised.t())] })
    }

    /// The decision value of each pair (i, j), by the classifier that was trained without its fold: above 0 it is taken
    /// to be in order (j > i).
    pub fn decisions(&self, pairs: &[(usize, usize)], scaling: Scaling) -> Result<Vec<f64>, StatError> {
        let products = &self.products[usize::from(scaling == Scaling::Standardised)];
        let n = products.nrows();
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
            let train_pairs = of(&train);
            let kernel = features(products, &train_pairs, &train_pairs);
            let across = features(products, &of(&test), &train_pairs);
            let train_labels: Vec<bool> = train.iter().map(|&k| labels[k]).collect();
            let fitted = Logistic::fit(kernel.view(), &train_labels, C)?;
            for (&k, products) in test.iter().zip(across.rows()) {
                decided[k] = fitted.decision(products);
            }
        }
        Ok(decided)
    }
}

/// Inner products of features: those of the first rows plus those of the second.
fn features(products: &Array2<f64>, a: &[(usize, usize)], b: &[(usize, usize)]) -> Array2<f64> {
    let mut kernel = Array2::zeros((a.len(), b.len()));
    for (&(i, j), mut row) in a.iter().zip(kernel.rows_mut()) {
        let (first, second) = (products.row(i), products.row(j));
        for (entry, &(k, l)) in row.iter_mut().zip(b) {
            *entry = first[k] + second[l];
        }
    }
    kernel
}

/// The share of pairs whose order is told wrong.
pub fn error_rate(pairs: &[(usize, usize)], decisions: &[f64]) -> f64 {
    let wrong =
        pairs.iter().zip(decisions).filter(|&(&(i, j), &decision)| (j > i) != (decision > 0.0)).count();
    wrong as f64 / pairs.len() as f64
}
