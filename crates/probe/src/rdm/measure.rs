//! The ways to measure how far two rows are apart.

use std::fmt;

use ndarray::{ArrayView1, ArrayView2};
use serde::{Deserialize, Serialize};

use super::over_pairs;

/// A distance between two rows x and y of d channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Measure {
    /// |x - y|.
    Euclidean,
    /// |x - y|². The package rsatoolbox divides this by d and calls it `euclidean`.
    SquaredEuclidean,
    /// 1 - Pearson correlation over channels. NaN when a row is constant.
    Correlation,
    /// 1 - x·y / (|x| |y|), not centred. NaN when a row is zero.
    Cosine,
    /// The number of axes in which two coordinates differ; see [`hamming`](super::hamming).
    Hamming,
}

impl Measure {
    /// All distances of `x` in condensed order.
    pub(crate) fn condensed(self, x: ArrayView2<f64>) -> Vec<f64> {
        let n = x.nrows();
        match self {
            Measure::Euclidean => over_pairs(n, |i, j| squared(x.row(i), x.row(j)).sqrt()),
            Measure::SquaredEuclidean => over_pairs(n, |i, j| squared(x.row(i), x.row(j))),
            Measure::Hamming => {
                over_pairs(n, |i, j| x.row(i).iter().zip(x.row(j)).filter(|(a, b)| a != b).count() as f64)
            }
            Measure::Cosine => one_minus_cosine(x),
            Measure::Correlation => one_minus_cosine(without_row_means(x).view()),
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Euclidean => "euclidean",
            Measure::SquaredEuclidean => "squared-euclidean",
            Measure::Correlation => "correlation",
            Measure::Cosine => "cosine",
            Measure::Hamming => "hamming",
        })
    }
}

fn squared(a: ArrayView1<f64>, b: ArrayView1<f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn one_minus_cosine(x: ArrayView2<f64>) -> Vec<f64> {
    let norms: Vec<f64> = x.rows().into_iter().map(|row| row.dot(&row).sqrt()).collect();
    // 0/0 is NaN: the angle to a zero row is undefined.
    over_pairs(x.nrows(), |i, j| 1.0 - x.row(i).dot(&x.row(j)) / (norms[i] * norms[j]))
}

fn without_row_means(x: ArrayView2<f64>) -> ndarray::Array2<f64> {
    let mut y = x.to_owned();
    for mut row in y.rows_mut() {
        let Some(mean) = row.mean() else { continue };
        let scale = row.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        row -= mean;
        // A constant row must be exactly zero, or rounding would give it a direction.
        if row.iter().all(|value| value.abs() <= 1e-13 * scale) {
            row.fill(0.0);
        }
    }
    y
}
