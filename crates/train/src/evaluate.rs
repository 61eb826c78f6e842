//! Loss, and accuracy or R², by split and level; and mean attention maps.

use std::collections::BTreeMap;

use pe_core::{Context, Encoder, Input, PeBackend, Trace};
use streams::{Stream, StreamRng, Streams};

use crate::TrainError;
use crate::batch::Batch;
use crate::objective::{Judged, Objective};
use crate::task::{Dataset, Split};

/// Items per forward pass. A constant of the program, since the last bits of a result may depend on it.
pub(crate) const CHUNK: usize = 256;

/// The score on a set of items.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Score {
    /// Number of answers: of items where classes are asked for, of tokens where numbers are.
    pub n: usize,
    /// Sum of their losses.
    pub loss_sum: f64,
    /// How many classes were answered right.
    pub correct: usize,
    /// Sum of the numbers asked for; 0 where R² is not about their mean, but about what was expected of each token.
    pub value_sum: f64,
    /// Sum of their squares, or of the squares of their distances from what was expected.
    pub value_squares: f64,
}

impl Score {
    pub(crate) fn add(&mut self, other: Score) {
        self.n += other.n;
        self.loss_sum += other.loss_sum;
        self.correct += other.correct;
        self.value_sum += other.value_sum;
        self.value_squares += other.value_squares;
    }

    /// Mean loss.
    pub fn loss(&self) -> f64 {
        self.loss_sum / self.n as f64
    }

    /// Fraction answered right, of classes.
    pub fn accuracy(&self) -> f64 {
        self.correct as f64 / self.n as f64
    }

    /// Coefficient of determination of numbers: 1 - Σ(y - ŷ)² / Σ(y - m)², with m what was expected of the token before
    /// anything was seen, its training mean ([`Dataset::centres`]), or, where the task knows none, the mean of the numbers
    /// asked for in this set. `None` where they have no spread.
    pub fn r2(&self) -> Option<f64> {
        let spread = self.value_squares - self.value_sum.powi(2) / self.n as f64;
        (spread > 0.0).then(|| 1.0 - self.loss_sum / spread)
    }

    /// What is reported beside the loss: accuracy and R², each where the objective has it.
    pub fn quality(&self, objective: Objective) -> (Option<f64>, Option<f64>) {
        match objective {
            Objective::CrossEntropy => (Some(self.accuracy()), None),
            Objective::SquaredError => (None, self.r2()),
        }
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

impl SplitScore {
    /// The scores by level, `all` first; levels without items are left out.
    pub fn by_level(self, names: &[String]) -> Vec<(String, Score)> {
        let levels = names.iter().cloned().zip(self.levels).filter(|(_, score)| score.n > 0);
        std::iter::once(("all".to_owned(), self.all)).chain(levels).collect()
    }
}

/// Dropout in evaluation has streams of its own, so that evaluating more often changes nothing else.
pub(crate) fn evaluation_dropout(streams: &Streams, what: &str, step: u64) -> StreamRng {
    streams.rng_for(Stream::Dropout, &format!("evaluation/{what}/{step}"))
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
    let mut score = SplitScore { all: Score::default(), levels: vec![Score::default(); data.levels.len()] };
    let items = item_scores(model, data, split, dropout, device)?;
    for (one, &level) in items.into_iter().zip(&split.levels) {
        score.all.add(one);
        score.levels[level].add(one);
    }
    Ok(score)
}

/// The score of each item of a split, in order.
///
/// # Errors
/// When the data do not fit the model.
pub fn item_scores<B: PeBackend>(
    model: &Encoder<B>,
    data: &Dataset,
    split: &Split,
    dropout: StreamRng,
    device: &B::Device,
) -> Result<Vec<Score>, TrainError> {
    let mut context = Context::evaluation(dropout);
    let mut scores = Vec::with_capacity(split.len());
    each_chunk(split, |items| {
        let batch = Batch::<B>::gather(data, split, items, device);
        let input = Input::new(batch.tokens, &data.positions).read_at(&batch.targets);
        let output = model.forward(input, &mut context)?;
        scores.extend(Judged::of(output, batch.answers)?.scores());
        Ok(())
    })?;
    Ok(scores)
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
    each_chunk(split, |items| {
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

fn each_chunk(
    split: &Split,
    mut f: impl FnMut(&[usize]) -> Result<(), TrainError>,
) -> Result<(), TrainError> {
    split.groups().into_iter().try_for_each(|group| {
        let all: Vec<usize> = group.collect();
        all.chunks(CHUNK).try_for_each(&mut f)
    })
}
