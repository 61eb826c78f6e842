#![doc = include_str!("../README.md")]

pub mod additive;
mod arm;
mod attention;
mod backend;
pub mod bias;
mod block;
mod config;
mod context;
mod coords;
mod encoder;
pub mod encoding;
mod error;
mod fused;
mod init;
mod linear;
mod positions;
pub mod rotary;
mod rows;
mod tables;
pub mod torch;
mod trace;
pub mod weights;

pub use arm::Arm;
pub use attention::Attention;
pub use backend::PeBackend;
pub use block::{Block, BlockCall};
pub use config::{EncoderConfig, Mlp, Norm, Readout};
pub use context::Context;
pub use coords::Coords;
pub use encoder::{Encoder, Input};
pub use encoding::{Encoding, EncodingConfig};
pub use error::PeError;
pub use init::{Distribution, TableInit};
pub use linear::Linear;
pub use positions::Positions;
pub use rows::{Chosen, Rows};
pub use trace::{Activation, Trace};

/// The CPU backend.
pub type Cpu = burn_flex::Flex;
/// The CPU backend with gradients.
pub type TrainCpu = burn_autodiff::Autodiff<Cpu>;
/// The CUDA backend with gradients.
#[cfg(feature = "cuda")]
pub type TrainCuda = burn_autodiff::Autodiff<burn_cuda::Cuda>;
