//! `train compare`.

use clap::Args;
use train::TrainError;
use train::compare::{Comparison, compare};
use train::config::{RunConfig, setting_error};
use train::device::DeviceKind;

use super::{OnDevice, Source, on_device, print};

#[derive(Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    source: Source,
    /// Pairs of steps to time
    #[arg(long, default_value_t = 15)]
    steps: u64,
    /// cpu or cuda
    #[arg(long, default_value_t)]
    device: DeviceKind,
    /// Print the comparison as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &CompareArgs) -> Result<(), TrainError> {
    if args.steps == 0 {
        return Err(setting_error("--steps", 0, "at least 1"));
    }
    let config = args.source.load()?;
    let c = on_device(args.device, Job { config: &config, steps: args.steps })?;
    if args.json {
        return print(&serde_json::to_string(&c).unwrap_or_default());
    }
    print(&format!(
        "plain {:.1} ms a step, fast {:.1} ms: {:.2} times as fast ({:.2} to {:.2}), medians of {} pairs; losses agree to {:.0e}",
        c.plain_seconds * 1e3,
        c.fast_seconds * 1e3,
        c.ratio[0],
        c.ratio[1],
        c.ratio[2],
        c.steps,
        c.loss_difference,
    ))
}

struct Job<'a> {
    config: &'a RunConfig,
    steps: u64,
}

impl OnDevice for Job<'_> {
    type Output = Comparison;

    fn call<B: train::TrainBackend>(self) -> Result<Comparison, TrainError> {
        compare::<B>(self.config, self.steps)
    }
}
