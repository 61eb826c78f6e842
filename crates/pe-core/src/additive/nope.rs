//! `nope`: no positional encoding. With the causal mask of the encoder it is `c-nope`.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

use crate::encoding::{Placement, PositionalEncoding};
use crate::{PeError, Positions};

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NopeConfig {}

impl NopeConfig {
    pub(crate) fn init<B: Backend>(&self) -> Nope<B> {
        Nope { backend: PhantomData }
    }
}

/// Adds nothing: without a causal mask the encoder treats its tokens as a set.
#[derive(Module, Debug)]
pub struct Nope<B: Backend> {
    backend: PhantomData<B>,
}

impl<B: Backend> PositionalEncoding<B> for Nope<B> {
    fn place(&self, _positions: &Positions, _device: &B::Device) -> Result<Placement<B>, PeError> {
        Ok(Placement::nothing())
    }
}
