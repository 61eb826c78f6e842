//! One optimizer step.

use burn::optim::GradientsParams;
use burn::tensor::backend::AutodiffBackend;
use pe_core::{Context, Encoder, Input, PeBackend};
use streams::{Stream, Streams};

use crate::TrainError;
use crate::batch::Batch;
use crate::clip::clip_global_norm;
use crate::config::RunConfig;
use crate::evaluate::Score;
use crate::objective::Judged;
use crate::optimizer::Optimizer;
use crate::task::Dataset;

/// A backend that can train an encoder.
pub trait TrainBackend: AutodiffBackend<InnerBackend: PeBackend> + PeBackend {}
impl<B: AutodiffBackend<InnerBackend: PeBackend> + PeBackend> TrainBackend for B {}

/// The mean loss on the items, one step down its gradient. Returns the model and the score before the step.
pub(crate) fn train_step<B: TrainBackend>(
    model: Encoder<B>,
    optimizer: &mut Optimizer<B>,
    config: &RunConfig,
    data: &Dataset,
    items: &[usize],
    at: (u64, u64),
) -> Result<(Encoder<B>, Score), TrainError> {
    let context = Context::training(dropout(&config.seeds, at.0));
    train_step_in(context, model, optimizer, config, data, items, at)
}

/// [`train_step`] in a context of one's own.
pub(crate) fn train_step_in<B: TrainBackend>(
    mut context: Context,
    model: Encoder<B>,
    optimizer: &mut Optimizer<B>,
    config: &RunConfig,
    data: &Dataset,
    items: &[usize],
    (step, total): (u64, u64),
) -> Result<(Encoder<B>, Score), TrainError> {
    let device = B::Device::default();
    let batch = Batch::<B>::gather(data, &data.train, items, &device);
    let input = Input::new(batch.tokens, &data.positions).read_at(&batch.targets);
    let output = model.forward(input, &mut context)?;
    let judged = Judged::of(output, batch.answers)?;
    let loss = judged.loss();
    let mut score = Score::default();
    for one in judged.scores() {
        score.add(one);
    }
    if !score.loss().is_finite() {
        return Err(TrainError::Diverged { step, loss: score.loss() });
    }

    let mut grads = GradientsParams::from_grads(loss.backward(), &model);
    if let Some(limit) = config.clip {
        clip_global_norm(&model, &mut grads, limit);
    }
    let lr = config.optimizer.lr * config.schedule.factor(step, total);
    Ok((optimizer.step(lr, model, grads), score))
}

pub(crate) fn dropout(streams: &Streams, step: u64) -> streams::StreamRng {
    streams.rng_at(Stream::Dropout, step)
}
