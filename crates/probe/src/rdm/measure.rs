//! The ways to measure how far two rows are apart.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A distance between two rows x and y of d channels. None is divided by d: [`Rdm::scaled`](super::Rdm::scaled)
/// by 1/d gives what rsatoolbox calls `euclidean`, `mahalanobis` and `crossnobis`.
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
    /// sqrt((x - y)ᵀ Σ⁻¹ (x - y)), Σ the covariance of the noise; see
    /// [`Rdm::mahalanobis`](super::Rdm::mahalanobis).
    Mahalanobis,
    /// (x - y)ᵀ Σ⁻¹ (x - y).
    SquaredMahalanobis,
    /// The cross-validated squared Mahalanobis distance: 0 on average for equal conditions, so negative half
    /// of the time; see [`Rdm::crossnobis`](super::Rdm::crossnobis).
    Crossnobis,
    /// Computed elsewhere: a distance matrix that was read.
    Given,
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Euclidean => "euclidean",
            Measure::SquaredEuclidean => "squared-euclidean",
            Measure::Correlation => "correlation",
            Measure::Cosine => "cosine",
            Measure::Hamming => "hamming",
            Measure::Mahalanobis => "mahalanobis",
            Measure::SquaredMahalanobis => "squared-mahalanobis",
            Measure::Crossnobis => "crossnobis",
            Measure::Given => "given",
        })
    }
}
