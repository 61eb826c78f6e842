//! `train benchmark`.

use std::path::PathBuf;

use clap::Args;
use train::TrainError;
use pe_core::Arm;
use train::benchmark::{BenchmarkResult, Shape, Sizes, benchmark};
use train::config::setting_error;
use train::device::DeviceKind;

use super::{OnDevice, on_device, print};

#[derive(Args)]
pub(super) struct BenchmarkArgs {
    /// lst, network or fmri
    #[arg(long, default_value_t = Shape::Lst)]
    shape: Shape,
    /// Steps to time
    #[arg(long, default_value_t = 20)]
    steps: usize,
    /// Tokens of an item, instead of the shape's
    #[arg(long)]
    tokens: Option<usize>,
    /// Model width, instead of the shape's
    #[arg(long)]
    width: Option<usize>,
    /// Attention heads, instead of the shape's
    #[arg(long)]
    heads: Option<usize>,
    /// Encoder blocks, instead of the shape's
    #[arg(long)]
    blocks: Option<usize>,
    /// Items of a batch, instead of the shape's
    #[arg(long)]
    batch: Option<usize>,
    /// Positional encoding, such as learn-0.2, c-relative or rope
    #[arg(long)]
    pe: Option<Arm>,
    /// Compute the last block at every token, though only one is read
    #[arg(long)]
    unpruned: bool,
    /// Write weights and batches into this folder first, for the same steps in PyTorch
    #[arg(long)]
    export: Option<PathBuf>,
    /// cpu or cuda
    #[arg(long, default_value_t)]
    device: DeviceKind,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl BenchmarkArgs {
    fn sizes(&self) -> Sizes {
        let shape = self.shape.sizes();
        Sizes {
            tokens: self.tokens.unwrap_or(shape.tokens),
            width: self.width.unwrap_or(shape.width),
            heads: self.heads.unwrap_or(shape.heads),
            blocks: self.blocks.unwrap_or(shape.blocks),
            batch: self.batch.unwrap_or(shape.batch),
            head: shape.head,
            arm: self.pe.clone().unwrap_or(shape.arm),
        }
    }
}

pub(super) fn main(args: &BenchmarkArgs) -> Result<(), TrainError> {
    if args.steps == 0 {
        return Err(setting_error("--steps", 0, "at least 1"));
    }
    let result = on_device(args.device, Job(args))?;
    if args.json {
        return print(&serde_json::to_string(&result).unwrap_or_default());
    }
    let rate = result.gflop_per_step / result.seconds_per_step;
    print(&format!(
        "{}: median {:.1} ms a step ({:.2} steps/s), best {:.1} ms; {rate:.0} GFLOP/s of {:.0} in one product; peak memory {:.0} MiB",
        args.shape,
        result.seconds_per_step * 1e3,
        1.0 / result.seconds_per_step,
        result.best_seconds_per_step * 1e3,
        result.gemm_peak,
        result.peak_memory as f64 / 1024f64.powi(2),
    ))
}

struct Job<'a>(&'a BenchmarkArgs);

impl OnDevice for Job<'_> {
    type Output = BenchmarkResult;

    fn call<B: train::TrainBackend>(self) -> Result<BenchmarkResult, TrainError> {
        let args = self.0;
        benchmark::<B>(&args.sizes(), args.steps, !args.unpruned, args.export.as_deref())
    }
}
