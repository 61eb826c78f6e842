//! The training step at fixed shapes on random batches, for comparison with another program.
//!
//! A run measures itself with [`crate::measure`]; here model, batches and first weights can be exported under
//! PyTorch's names, so that the same step can be taken there and both losses compared.

mod export;
mod sizes;

use std::path::Path;
use std::time::Instant;

use burn::optim::GradientsParams;
use burn::tensor::activation::log_softmax;
use burn::tensor::backend::Backend;
use burn::tensor::{ElementConversion, Int, Tensor, TensorData};
use pe_core::{Context, Coords, Encoder, Input, Positions};
use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use crate::TrainError;
use crate::measure::{median, peak_memory};
use crate::optimizer::{Optimizer, OptimizerConfig, OptimizerKind};
use crate::step::TrainBackend;

pub use sizes::{Head, Shape, Sizes};

/// What a benchmark found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchmarkResult {
    /// The loss of every step, those of the warm-up included.
    pub losses: Vec<f64>,
    /// Median wall time of a timed step.
    pub seconds_per_step: f64,
    /// Fastest step.
    pub best_seconds_per_step: f64,
    /// Operations in matrix products per step, forward and backward, in 10⁹.
    pub gflop_per_step: f64,
    /// What one thread reaches here in a product of two 1024 x 1024 matrices, best of several, in 10⁹ per second.
    pub gemm_peak: f64,
    /// Largest resident memory of the process so far, in bytes.
    pub peak_memory: u64,
}

/// Different batches, used in turn.
const BATCHES: usize = 4;
/// Steps that are not timed.
const WARM_UP: usize = 3;

/// Takes `steps` timed steps at these sizes. Where `pruned`, the last block is computed at the read token only, which
/// changes no result. Exports everything before the first step if asked to.
///
/// # Errors
/// When the sizes are impossible, or the export cannot be written.
pub fn benchmark<B: TrainBackend>(
    sizes: &Sizes,
    steps: usize,
    pruned: bool,
    export: Option<&Path>,
) -> Result<BenchmarkResult, TrainError> {
    let (streams, device) = (Streams::new(1), B::Device::default());
    let config = sizes.config(pruned)?;
    let optimizer = optimizer();
    let mut model = config.init::<B>(&streams, &device)?;
    let batches: Vec<Batch> = (0..BATCHES).map(|i| Batch::draw(sizes, i, &streams)).collect();
    if let Some(folder) = export {
        export::write(folder, sizes.head, &model, &batches, &optimizer)?;
    }

    let positions = Positions::in_order(Coords::grid(&[sizes.tokens])?);
    let lr = optimizer.lr;
    let mut optimizer = Optimizer::<B>::new(optimizer);
    let (mut losses, mut times) = (Vec::new(), Vec::new());
    for step in 0..steps + WARM_UP {
        let start = Instant::now();
        let mut context = Context::training(streams.rng_at(Stream::Dropout, step as u64));
        let loss = batches[step % BATCHES].loss(&model, &positions, &mut context)?;
        let grads = GradientsParams::from_grads(loss.backward(), &model);
        losses.push(loss.into_scalar().elem::<f64>());
        model = optimizer.step(lr, model, grads);
        B::sync(&device).map_err(|error| TrainError::Device(format!("the device failed: {error:?}")))?;
        if step >= WARM_UP {
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let seconds_per_step = median(&mut times);
    Ok(BenchmarkResult {
        losses,
        seconds_per_step,
        best_seconds_per_step: times.first().copied().unwrap_or(f64::NAN),
        gflop_per_step: sizes.gflop(pruned),
        gemm_peak: gemm_peak::<B::InnerBackend>(),
        peak_memory: peak_memory(),
    })
}

/// A random batch.
struct Batch {
    /// `[batch, tokens, inputs]`
    tokens: TensorData,
    /// `[batch]`, or `[batch, tokens]` to regress on.
    answers: Answers,
}

enum Answers {
    Classes(Vec<i64>),
    Values(TensorData),
}

impl Batch {
    fn draw(sizes: &Sizes, index: usize, streams: &Streams) -> Self {
        let mut rng = streams.rng_at(Stream::Data, index as u64);
        let (batch, tokens) = (sizes.batch, sizes.tokens);
        let mut normal = |n: usize| -> Vec<f32> { (0..n).map(|_| StandardNormal.sample(&mut rng)).collect() };
        match sizes.head {
            Head::LastToken => {
                let values = normal(batch * tokens * 5);
                let classes = (0..batch).map(|_| rng.random_range(0..4)).collect();
                let tokens = TensorData::new(values, [batch, tokens, 5]);
                Self { tokens, answers: Answers::Classes(classes) }
            }
            Head::EveryToken => {
                let values = normal(batch * tokens);
                // Half of the values are masked: 0, with the flag up.
                let masked: Vec<bool> = values.iter().map(|_| rng.random()).collect();
                let pair = |(&v, &m): (&f32, &bool)| if m { [0.0, 1.0] } else { [v, 0.0] };
                let pairs: Vec<f32> = values.iter().zip(&masked).flat_map(pair).collect();
                Self {
                    tokens: TensorData::new(pairs, [batch, tokens, 2]),
                    answers: Answers::Values(TensorData::new(values, [batch, tokens])),
                }
            }
        }
    }

    fn loss<B: TrainBackend>(
        &self,
        model: &Encoder<B>,
        positions: &Positions,
        context: &mut Context,
    ) -> Result<Tensor<B, 1>, TrainError> {
        let device = B::Device::default();
        let tokens = Tensor::<B, 3>::from_data(self.tokens.clone(), &device);
        let output = model.forward(Input::new(tokens, positions), context)?;
        let [batch, rows, outputs] = output.dims();
        Ok(match &self.answers {
            Answers::Classes(classes) => {
                let logits = output.narrow(1, rows - 1, 1).reshape([batch, outputs]);
                let data = TensorData::new(classes.clone(), [batch, 1]);
                let classes = Tensor::<B, 2, Int>::from_data(data, &device);
                log_softmax(logits, 1).gather(1, classes).mean().neg()
            }
            Answers::Values(values) => {
                let values = Tensor::<B, 2>::from_data(values.clone(), &device);
                (output.reshape([batch, rows]) - values).square().mean()
            }
        })
    }
}

fn optimizer() -> OptimizerConfig {
    OptimizerConfig {
        kind: OptimizerKind::AdamW,
        lr: 1e-3,
        weight_decay: 0.0,
        betas: [0.9, 0.999],
        epsilon: 1e-8,
        momentum: 0.0,
    }
}

fn gemm_peak<I: Backend>() -> f64 {
    const N: usize = 1024;
    let device = I::Device::default();
    let matrix = || {
        let values: Vec<f32> = (0..N * N).map(|i| (i % 7) as f32).collect();
        Tensor::<I, 2>::from_data(TensorData::new(values, [N, N]), &device)
    };
    let (a, b) = (matrix(), matrix());
    let time = |_| {
        let start = Instant::now();
        let product = a.clone().matmul(b.clone());
        // A device that works in the background has to be waited for; an error shows as no time at all.
        let _ = I::sync(&device);
        drop(product);
        start.elapsed().as_secs_f64()
    };
    let best = (0..8).map(time).fold(f64::INFINITY, f64::min);
    2.0 * (N as f64).powi(3) / best / 1e9
}
