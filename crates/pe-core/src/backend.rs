//! The backends that can carry an encoder.

use burn::tensor::{Tensor, backend::Backend};
use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_flex::Flex;

use crate::block::{Block, BlockCall};
use crate::context::Context;
use crate::fused;

/// A burn backend, with the encoder block as an operation that it may replace by a faster one.
///
/// The default bodies are plain tensor code: they are the reference, and what GPUs run.
pub trait PeBackend: Backend {
    /// One encoder block.
    ///
    /// # Shapes
    /// - input: `[batch, tokens, width]`
    /// - output: `[batch, rows, width]`
    fn block(
        block: &Block<Self>,
        x: Tensor<Self, 3>,
        call: BlockCall<'_, Self>,
        context: &mut Context,
    ) -> Tensor<Self, 3> {
        block.forward_plain(x, call, context)
    }
}

impl PeBackend for Flex {
    fn block(
        block: &Block<Self>,
        x: Tensor<Self, 3>,
        call: BlockCall<'_, Self>,
        context: &mut Context,
    ) -> Tensor<Self, 3> {
        fused::block(block, x, call, context)
    }
}

impl<C: CheckpointStrategy> PeBackend for Autodiff<Flex, C> {
    fn block(
        block: &Block<Self>,
        x: Tensor<Self, 3>,
        call: BlockCall<'_, Self>,
        context: &mut Context,
    ) -> Tensor<Self, 3> {
        fused::block(block, x, call, context)
    }
}

#[cfg(feature = "cuda")]
impl PeBackend for burn_cuda::Cuda {}
#[cfg(feature = "cuda")]
impl<C: CheckpointStrategy> PeBackend for Autodiff<burn_cuda::Cuda, C> {}
