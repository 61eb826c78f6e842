//! How long a step takes here, for time estimates and the benchmark.

use std::time::Instant;

use burn::module::AutodiffModule;
use serde::{Deserialize, Serialize};
use streams::Stream;

use crate::TrainError;
use crate::batch::batch_range;
use crate::config::RunConfig;
use crate::evaluate::evaluate;
use crate::optimizer::Optimizer;
use crate::step::{TrainBackend, train_step};

/// The speed of a config on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Steps that were timed.
    pub steps: u64,
    /// Median wall time of a step.
    pub seconds_per_step: f64,
    /// Fastest step.
    pub best_seconds_per_step: f64,
    /// Wall time of evaluating one item.
    pub seconds_per_item: f64,
    /// Largest resident memory of the process so far, in bytes; 0 where the system does not say.
    pub peak_memory: u64,
}

/// Takes `steps` steps after two that do not count, and one evaluation of the generalization set (of another split where there is none).
///
/// # Errors
/// As a run.
pub fn measure<B: TrainBackend>(config: &RunConfig, steps: u64) -> Result<Measurement, TrainError> {
    config.validate()?;
    let data = config.task.load(&config.seeds)?;
    let device = B::Device::default();
    let mut model = config.model.init::<B>(&config.seeds, &device)?;
    let mut optimizer = Optimizer::<B>::new(config.optimizer.clone());
    let order = data.order(0, &config.seeds);
    let batches = order.len().div_ceil(config.batch) as u64;
    // Only whole batches are timed, where there are any.
    let whole = (order.len() as u64 / config.batch as u64).max(1).min(batches);

    const WARM_UP: u64 = 2;
    let mut times = Vec::new();
    for step in 0..steps + WARM_UP {
        let items = &order[batch_range(order.len(), config.batch, step % whole)];
        let start = Instant::now();
        (model, _) = train_step(model, &mut optimizer, config, &data, items, (step, steps + WARM_UP))?;
        if step >= WARM_UP {
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let seconds_per_step = median(&mut times);

    let valid = model.valid();
    let start = Instant::now();
    let dropout = config.seeds.rng_for(Stream::Dropout, "measure");
    evaluate(&valid, &data, data.probe(), dropout, &Default::default())?;
    Ok(Measurement {
        steps,
        seconds_per_step,
        best_seconds_per_step: times.first().copied().unwrap_or(f64::NAN),
        seconds_per_item: start.elapsed().as_secs_f64() / data.probe().len() as f64,
        peak_memory: peak_memory(),
    })
}

/// The upper median. Leaves the values sorted.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// `VmHWM` of this process.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}
