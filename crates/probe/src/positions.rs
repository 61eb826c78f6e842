//! What a table of position encodings knows of its positions (Wang and Chen 2020, arXiv 2010.04903).
//!
//! Rows are positions. Two readings as the authors' code does them, [`absolute`] and [`order`], with the controls that
//! tell a table's knowledge from its width and its norm; similarity map and singular values.

pub mod absolute;
pub mod checkpoint;
pub mod claims;
pub mod draws;
pub mod folds;
pub mod logistic;
pub mod order;
mod report;
pub mod similarity;

pub use report::{
    AbsoluteReport, Control, ControlKind, OrderReport, PositionReport, RangeError, Reading, Settings, Share,
    Spectrum, Spread,
};

/// Folds of every cross-validation, as published.
pub const FOLDS: usize = 5;

/// Ordered pairs a classification, as published.
pub const PAIRS: usize = 512;

/// Components of the control that makes widths comparable.
pub const COMPONENTS: usize = 64;

/// The fewest positions that can be cross-validated.
pub const FEWEST_POSITIONS: usize = 2 * FOLDS;
