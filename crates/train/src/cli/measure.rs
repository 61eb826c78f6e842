//! `train measure`.

use clap::Args;
use train::TrainError;
use train::config::{RunConfig, setting_error};
use train::device::DeviceKind;
use train::measure::{Measurement, measure};

use super::{OnDevice, Source, on_device};

#[derive(Args)]
pub(super) struct MeasureArgs {
    #[command(flatten)]
    source: Source,
    /// Steps to time
    #[arg(long, default_value_t = 5)]
    steps: u64,
    /// cpu or cuda
    #[arg(long, default_value_t)]
    device: DeviceKind,
    /// Print the measurement as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &MeasureArgs) -> Result<(), TrainError> {
    if args.steps == 0 {
        return Err(setting_error("--steps", 0, "at least 1"));
    }
    let config = args.source.load()?;
    let m = on_device(args.device, Job { config: &config, steps: args.steps })?;
    if args.json {
        return super::print(&serde_json::to_string(&m).unwrap_or_default());
    }
    super::print(&format!(
        "median {:.1} ms a step ({:.2} steps/s), best {:.1} ms, of {} steps; evaluation {:.3} ms an item; peak memory {:.0} MiB",
        m.seconds_per_step * 1e3,
        1.0 / m.seconds_per_step,
        m.best_seconds_per_step * 1e3,
        m.steps,
        m.seconds_per_item * 1e3,
        m.peak_memory as f64 / 1024f64.powi(2),
    ))
}

struct Job<'a> {
    config: &'a RunConfig,
    steps: u64,
}

impl OnDevice for Job<'_> {
    type Output = Measurement;

    fn call<B: train::TrainBackend>(self) -> Result<Measurement, TrainError> {
        measure::<B>(self.config, self.steps)
    }
}
