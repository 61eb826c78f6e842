//! What makes data hard or useless to learn from, said before anything is trained.

use serde::Serialize;

use super::{DynamicsConfig, NetworkStats};

/// Below this share of variance a model has almost nothing to learn: over seeds, the 6 x 6 grid has about 0.36 to 0.5 at
/// a gain of 1, 0.19 to 0.25 at 0.9 and 0.03 to 0.1 at 1.2.
const LEAST_R2: f64 = 0.25;

/// Below this correlation the activity hardly shows the ground truth.
const LEAST_DISTANCE_CORRELATION: f64 = 0.3;

/// Above this correlation of one frame with the next there are far fewer independent frames than frames.
const MOST_AUTOCORRELATION: f64 = 0.95;

/// Above this step a network's statistics are no longer those of its equation, stable as the step may be.
const MOST_DT: f64 = 0.5;

/// A reason to change the settings before training.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, thiserror::Error)]
#[serde(tag = "warning", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NetworkWarning {
    /// Hardly any of a node's variance can be told from the others.
    #[error(
        "nothing to predict: expected a ridge R² of a node from all others of at least {LEAST_R2}, got {ridge_r2:.3}; bring gain x slope x spectral radius close to 1 (it is {linear_growth:.3}), or take more frames"
    )]
    NothingToPredict {
        /// See [`NetworkStats::ridge_r2`]; 0 if it is not defined.
        ridge_r2: f64,
        /// See [`NetworkStats::linear_growth`].
        linear_growth: f64,
    },
    /// Activity does not follow the ground truth.
    #[error(
        "ground truth hidden: expected distance and 1 - r of activity to correlate by at least {LEAST_DISTANCE_CORRELATION}, got {distance_correlation:.3}; change the coupling length, the contrast between modules or the gain"
    )]
    GroundTruthHidden {
        /// See [`NetworkStats::distance_correlation`]; 0 if it is not defined.
        distance_correlation: f64,
    },
    /// Frames that repeat each other.
    #[error(
        "frames too close: expected a correlation of one frame with the next of at most {MOST_AUTOCORRELATION}, got {autocorrelation:.3}; raise `every`"
    )]
    FramesTooClose {
        /// See [`NetworkStats::autocorrelation`].
        autocorrelation: f64,
    },
    /// A step that is stable, yet coarse.
    #[error("coarse step: expected `dt` of at most {MOST_DT}, got {dt}; lower it, or use `heun`")]
    CoarseStep {
        /// The step.
        dt: f64,
    },
}

impl NetworkWarning {
    /// Everything that speaks against training on such activity.
    pub fn of(dynamics: &DynamicsConfig, stats: &NetworkStats) -> Vec<Self> {
        let mut warnings = Vec::new();
        let ridge_r2 = stats.ridge_r2.unwrap_or(0.0);
        if ridge_r2 < LEAST_R2 {
            let linear_growth = stats.linear_growth;
            warnings.push(Self::NothingToPredict { ridge_r2, linear_growth });
        }
        let distance_correlation = stats.distance_correlation.unwrap_or(0.0);
        if distance_correlation < LEAST_DISTANCE_CORRELATION {
            warnings.push(Self::GroundTruthHidden { distance_correlation });
        }
        if let Some(autocorrelation) = stats.autocorrelation.filter(|&r| r > MOST_AUTOCORRELATION) {
            warnings.push(Self::FramesTooClose { autocorrelation });
        }
        if dynamics.dt > MOST_DT {
            warnings.push(Self::CoarseStep { dt: dynamics.dt });
        }
        warnings
    }
}
