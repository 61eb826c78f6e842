//! What can be predicted of hidden nodes without a network: the figures that a model is to be held against.
//!
//! All are linear, all are fitted on the training frames alone, and all predict each frame by itself: of a window they
//! use the frame that is asked for.

mod gaussian;
mod moments;
mod ridge;
mod single;
mod table;

use ndarray::ArrayView2;

pub use gaussian::{Gaussian, SHRINKAGE};
pub use moments::Moments;
pub use ridge::{RIDGE, Ridge, RidgeInput, ridge_r2};
pub use single::{Nearest, Paired, TrainingMean, VisibleMean};
pub use table::{BaselineRow, predict, score, standard, table};

use super::MaskedError;

/// One item: frames under one mask.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// The frames that are asked for, `[outputs, nodes]`, **with** the true values of masked nodes. Only
    /// [`RidgeInput::AllOthers`] reads those.
    pub frames: ArrayView2<'a, f32>,
    /// The masked nodes, increasing.
    pub masked: &'a [usize],
    /// All others, increasing.
    pub visible: &'a [usize],
}

/// A way to predict hidden nodes.
pub trait Baseline {
    /// The name in reports.
    fn name(&self) -> &'static str;

    /// Fills in `predictions`, `[masked, outputs]` row-major. Reads the values of visible nodes only, unless said.
    ///
    /// # Errors
    /// [`MaskedError::Singular`] if a covariance cannot be inverted.
    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError>;
}
