//! What varies from one forward pass to the next: training or not, dropout, and what is recorded.

use burn::tensor::{Tensor, TensorData, backend::Backend};
use rand::RngExt;
use streams::StreamRng;

use crate::Trace;

/// The context of one forward pass.
#[derive(Debug, Clone)]
pub struct Context {
    training: bool,
    plain: bool,
    dropout: StreamRng,
    /// What is asked for and, afterwards, what was recorded.
    pub trace: Trace,
}

impl Context {
    /// A training pass; masks of dropout are drawn from `dropout`.
    pub fn training(dropout: StreamRng) -> Self {
        Self { training: true, plain: false, dropout, trace: Trace::none() }
    }

    /// An evaluation pass. It needs a generator too: the published code of Ito et al. 2025 keeps the dropout on
    /// fixed sinusoids in evaluation, and the `paper` preset follows it.
    pub fn evaluation(dropout: StreamRng) -> Self {
        Self { training: false, plain: false, dropout, trace: Trace::none() }
    }

    /// The same context with a trace.
    pub fn with_trace(mut self, trace: Trace) -> Self {
        self.trace = trace;
        self
    }

    /// The same context, in which every block runs in plain tensor operations: the reference, for comparisons.
    pub fn with_plain_blocks(mut self) -> Self {
        self.plain = true;
        self
    }

    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Whether dropout at this rate does anything in this pass.
    pub(crate) fn drops(&self, rate: f64) -> bool {
        self.training && rate > 0.0
    }

    /// Dropout in training only.
    pub(crate) fn dropout<B: Backend, const D: usize>(&mut self, rate: f64, x: Tensor<B, D>) -> Tensor<B, D> {
        if self.training { self.dropout_always(rate, x) } else { x }
    }

    /// Dropout in training and evaluation: entries are zeroed with probability `rate`, the rest scaled by
    /// 1 / (1 - rate).
    pub(crate) fn dropout_always<B: Backend, const D: usize>(
        &mut self,
        rate: f64,
        x: Tensor<B, D>,
    ) -> Tensor<B, D> {
        if rate == 0.0 {
            return x;
        }
        let keep = (1.0 / (1.0 - rate)) as f32;
        // Compared as 32-bit integers: exact to 2^-32, and faster than drawing floats.
        let threshold = (rate * 2f64.powi(32)) as u32;
        let mask: Vec<f32> = (0..x.shape().num_elements())
            .map(|_| if self.dropout.random::<u32>() < threshold { 0.0 } else { keep })
            .collect();
        let mask = Tensor::from_data(TensorData::new(mask, x.shape()), &x.device());
        x * mask
    }
}
