//! Encodings that are added to the tokens at the input of every block, one file per variant.

mod learned;
mod nope;
mod random;
mod sinusoid_1d;
mod sinusoid_kd;

pub use crate::tables::Sharing;
pub use learned::{Learned, LearnedConfig};
pub use nope::{Nope, NopeConfig};
pub use random::{Random, RandomConfig};
pub use sinusoid_1d::{Sinusoid1d, Sinusoid1dConfig};
pub use sinusoid_kd::{Scale, SinusoidKd, SinusoidKdConfig};
