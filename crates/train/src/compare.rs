//! The encoder block of a backend against plain tensor operations, on the same steps in turns.
//!
//! On a machine that others use too, times drift: only the ratio of steps taken right after each other counts.

use std::time::Instant;

use pe_core::Context;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::batch::batch_range;
use crate::config::RunConfig;
use crate::measure::median;
use crate::optimizer::Optimizer;
use crate::step::{TrainBackend, dropout, train_step_in};

/// How much faster the block of a backend is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Steps that were timed, of each kind.
    pub steps: u64,
    /// Median wall time of a step in plain tensor operations.
    pub plain_seconds: f64,
    /// Median wall time of a step with the block of the backend.
    pub fast_seconds: f64,
    /// Median, smallest and largest of plain time over fast time, pair by pair.
    pub ratio: [f64; 3],
    /// The largest difference of the two losses, relative: they train on the same batches.
    pub loss_difference: f64,
}

/// Takes `steps` pairs of steps after one pair that does not count.
///
/// # Errors
/// As a run.
pub fn compare<B: TrainBackend>(config: &RunConfig, steps: u64) -> Result<Comparison, TrainError> {
    config.validate()?;
    let data = config.task.load(&config.seeds)?;
    let order = data.order(0, &config.seeds);
    let whole = (order.len() as u64 / config.batch as u64).max(1);

    let start = || -> Result<_, TrainError> {
        let model = config.model.init::<B>(&config.seeds, &B::Device::default())?;
        Ok((model, Optimizer::<B>::new(config.optimizer.clone())))
    };
    let (mut plain, mut fast) = (start()?, start()?);
    let (mut plain_times, mut fast_times) = (Vec::new(), Vec::new());
    let mut loss_difference = 0f64;
    for step in 0..=steps {
        let items = &order[batch_range(order.len(), config.batch, step % whole)];
        let take = |(model, mut optimizer): (_, Optimizer<B>), context| -> Result<_, TrainError> {
            let start = Instant::now();
            let at = (step, steps + 1);
            let (model, score) = train_step_in(context, model, &mut optimizer, config, &data, items, at)?;
            Ok(((model, optimizer), score.loss(), start.elapsed().as_secs_f64()))
        };
        let context = || Context::training(dropout(&config.seeds, step));
        let (loss_plain, plain_time, loss_fast, fast_time);
        (plain, loss_plain, plain_time) = take(plain, context().with_plain_blocks())?;
        (fast, loss_fast, fast_time) = take(fast, context())?;
        loss_difference = loss_difference.max((loss_plain - loss_fast).abs() / loss_plain.abs());
        if step > 0 {
            plain_times.push(plain_time);
            fast_times.push(fast_time);
        }
    }
    let mut ratios: Vec<f64> =
        plain_times.iter().zip(&fast_times).map(|(plain, fast)| plain / fast).collect();
    let [plain_seconds, fast_seconds, ratio] =
        [&mut plain_times[..], &mut fast_times[..], &mut ratios[..]].map(median);
    let ends = (ratios.first().copied(), ratios.last().copied());
    let ratio = [ratio, ends.0.unwrap_or(f64::NAN), ends.1.unwrap_or(f64::NAN)];
    Ok(Comparison { steps, plain_seconds, fast_seconds, ratio, loss_difference })
}
