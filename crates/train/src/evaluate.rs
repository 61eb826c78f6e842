//! Loss and accuracy by split and level, and mean attention maps.

use std::collections::BTreeMap;

use burn::tensor::{Tensor, activation::log_softmax, backend::Backend};
use pe_core::{Context, Encoder, Input, PeBackend, Trace};
use streams::StreamRng;

use crate::TrainError;
use crate::batch::Batch;
use crate::task::{Dataset, Split};

/// Items per forward pass. A constant of the program, since the last bits of a result may depend on it.
const CHUNK: usize = 256;

/// The score on a set of items.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Number of items.
    pub n: usize,
    /// Sum of their losses.
    pub loss_sum: f64,
    /// How many were answered right.
    pub correct: usize,
}

impl Score {
    pub(crate) fn add(&mut self, other: Score) {
        self.n += other.n;
        self.loss_sum += other.loss_sum;
        self.correct += other.correct;
    }

    /// Mean loss.
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.n as f64
    }

    /// Fraction answered right.
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.n as f64
    }
}

/// Scores of one split.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitScore {
    /// All items.
    pub all: Score,
    /// By level, in the order of [`Dataset::levels`].
    pub levels: Vec<Score>,
}

/// Evaluates a model on a split. `dropout` matters only to presets that drop in evaluation.
///
/// # Errors
/// When the data do not fit the model.
pub fn evaluate<B: PeBackend>(
    model: &Encoder<B>,
    data: &Dataset,
    split: &Split,
    dropout: StreamRng,
    device: &B::Device,
) -> Result<SplitScore, TrainError> {
    let mut context = Context::evaluation(dropout);
    let mut score = SplitScore { all: Score::default(), levels: vec![Score::default(); data.levels.len()] };
    each_chunk(split.len(), |items| {
        let batch = Batch::<B>::gather(data, split, items, device);
        let input = Input::new(batch.tokens.clone(), &data.positions).read_at(&batch.targets);
        let logits = model.forward(input, &mut context)?;
        let [n, _, classes] = logits.dims();
        let log_p = log_softmax(logits.reshape([n, classes]), 1);
        for (one, &item) in score_log_p(log_p, &batch.classes).into_iter().zip(items) {
            score.all.add(one);
            score.levels[split.levels[item]].add(one);
        }
        Ok(())
    })?;
    Ok(score)
}

/// Attention weights of one block.
#[derive(Debug, Clone, PartialEq)]
pub struct AttentionMap {
    /// `[heads, tokens, tokens]`: head, query, key.
    pub shape: Vec<usize>,
    /// Row-major values.
    pub values: Vec<f32>,
}

/// Mean attention weights over a split, block by block.
///
/// # Errors
/// When the data do not fit the model.
pub fn mean_attention<B: PeBackend>(
    model: &Encoder<B>,
    data: &Dataset,
    split: &Split,
    dropout: StreamRng,
    device: &B::Device,
) -> Result<Vec<AttentionMap>, TrainError> {
    let names: Vec<String> =
        (0..model.config().blocks).map(|b| format!("blocks.{b}.attention.weights")).collect();
    let mut context = Context::evaluation(dropout).with_trace(Trace::of(names));
    let mut sums: BTreeMap<usize, (Vec<usize>, Vec<f64>)> = BTreeMap::new();
    each_chunk(split.len(), |items| {
        let batch = Batch::<B>::gather(data, split, items, device);
        let input = Input::new(batch.tokens, &data.positions).read_at(&batch.targets);
        model.forward(input, &mut context)?;
        for (block, activation) in context.trace.take().into_iter().enumerate() {
            let shape = activation.shape[1..].to_vec();
            let size: usize = shape.iter().product();
            let (_, sum) = sums.entry(block).or_insert_with(|| (shape, vec![0.0; size]));
            for item in activation.values.chunks(size) {
                for (sum, value) in sum.iter_mut().zip(item) {
                    *sum += f64::from(*value);
                }
            }
        }
        Ok(())
    })?;
    let n = split.len() as f64;
    let mean = |sum: Vec<f64>| sum.iter().map(|s| (s / n) as f32).collect();
    Ok(sums.into_values().map(|(shape, sum)| AttentionMap { shape, values: mean(sum) }).collect())
}

/// The score of each item from log-probabilities `[batch, classes]`.
pub(crate) fn score_log_p<B: Backend>(log_p: Tensor<B, 2>, classes: &[usize]) -> Vec<Score> {
    let width = log_p.dims()[1];
    let values = log_p.to_data().convert::<f32>().into_vec::<f32>().unwrap_or_default();
    let one = |(row, &class): (&[f32], &usize)| {
        let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i);
        Score { n: 1, loss_sum: -f64::from(row[class]), correct: usize::from(best == Some(class)) }
    };
    values.chunks(width).zip(classes).map(one).collect()
}

fn each_chunk(items: usize, mut f: impl FnMut(&[usize]) -> Result<(), TrainError>) -> Result<(), TrainError> {
    let all: Vec<usize> = (0..items).collect();
    all.chunks(CHUNK).try_for_each(&mut f)
}
