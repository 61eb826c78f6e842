//! The backends that can carry an encoder.

use burn::tensor::{Tensor, backend::Backend};
use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::strategy::CheckpointStrategy;
use burn_flex::Flex;

use crate::block::{Block, BlockCall, first_block_apart};
use crate::context::Context;
use crate::fused;
use crate::linear::Linear;

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

    /// The embedding and the first encoder block.
    ///
    /// # Shapes
    /// - input: `[batch, tokens, features]`
    /// - output: `[batch, rows, width]`
    fn first_block(
        embedding: &Linear<Self>,
        block: &Block<Self>,
        tokens: Tensor<Self, 3>,
        call: BlockCall<'_, Self>,
        context: &mut Context,
    ) -> Tensor<Self, 3> {
        first_block_apart(embedding, block, tokens, call, context)
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

    fn first_block(
        embedding: &Linear<Self>,
        block: &Block<Self>,
        tokens: Tensor<Self, 3>,
        call: BlockCall<'_, Self>,
        context: &mut Context,
    ) -> Tensor<Self, 3> {
        fused::first_block(embedding, block, tokens, call, context)
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

    fn first_block(
        embedding: &Linear<Self>,
        block: &Block<Self>,
        tokens: Tensor<Self, 3>,
        call: BlockCall<'_, Self>,
        context: &mut Context,
    ) -> Tensor<Self, 3> {
        fused::first_block(embedding, block, tokens, call, context)
    }
}

#[cfg(feature = "cuda")]
impl PeBackend for burn_cuda::Cuda {}
#[cfg(feature = "cuda")]
impl<C: CheckpointStrategy> PeBackend for Autodiff<burn_cuda::Cuda, C> {}
