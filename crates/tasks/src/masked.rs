//! Masked-token prediction: each token is the activity of one node, some are hidden, and the hidden ones are asked for.
//!
//! A token is `(values, flag)`: the node's values in a window of frames, then 1 if it is hidden and 0 if not; of a
//! hidden node all values are 0. Shared by every task whose items are frames of `[nodes]` values.

mod apart;
pub mod baseline;
mod batch;
mod config;
mod data;
mod draw;
mod error;
mod evaluation;
mod global_signal;
mod parts;
mod recording;
mod score;
mod standardize;

pub use apart::{Block, Gap};
pub use batch::{MaskedBatch, Masks};
pub use config::{EvaluationConfig, HeldOut, MaskFraction, MaskedConfig, Standardize, WindowTarget};
pub use data::MaskedData;
pub use error::MaskedError;
pub use evaluation::EvaluationSet;
pub use global_signal::remove_global_signal;
pub use parts::{Item, Part};
pub use recording::Recording;
pub use score::Score;
pub use standardize::Standardizer;
