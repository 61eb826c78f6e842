//! Masked items as the loop needs them, for every task whose items are frames of nodes.

use std::sync::Arc;

use ndarray::Array2;
use pe_core::{Coords, EncoderConfig, Positions, Readout};
use tasks::masked::baseline::{Moments, standard, table};
use tasks::masked::{MaskFraction, MaskedBatch, MaskedConfig, MaskedData, MaskedError, Part};

use super::{BaselineScore, Baselines, Dataset, DatasetIdentity, Objective, Redraw, Split, Truth};
use crate::TrainError;

/// The level of training items whose share of masked nodes is none of those that are tested.
const AS_TRAINED: &str = "as-trained";

/// Items of an evaluation set that are gathered at a time.
const CHUNK: usize = 256;

/// The items, and what is known of nodes that baselines may use.
#[derive(Debug)]
pub(super) struct MaskedItems {
    data: MaskedData,
    /// True distances of nodes, `[nodes, nodes]`.
    distances: Option<Array2<f64>>,
    /// The counterpart of a node, such as the region of the other hemisphere.
    partners: Option<Vec<Option<usize>>>,
}

/// What a task knows of its data besides the items.
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) source: &'static str,
    pub(super) sha256: String,
    pub(super) positions: Positions,
    /// Where tokens are in truth, if the encodings see other coordinates.
    pub(super) places: Option<Coords>,
    pub(super) truth: Vec<Truth>,
    /// The table of tokens as CSV.
    pub(super) tokens: Option<String>,
}

/// Checks what every task of masked items needs of its settings and of the model.
pub(super) fn validate(config: &MaskedConfig, model: &EncoderConfig, batch: usize) -> Result<(), TrainError> {
    let bad = |place: &str, problem: String| Err(TrainError::Config { place: place.to_owned(), problem });
    if model.readout != Readout::Target {
        return bad(
            "model.readout",
            "does not fit the task, which asks for masked tokens: expected `target`".into(),
        );
    }
    if outputs(config) != 1 {
        let problem = "`all` of several frames does not fit, one number a token is learned: expected `centre` or `last`";
        return bad("task.masked.target", problem.into());
    }
    if config.batch != batch {
        let problem =
            format!("{} differs from `batch`, which is {batch}: expected the same number", config.batch);
        return bad("task.masked.batch", problem);
    }
    Ok(())
}

/// Features of a token: its values, and the flag.
pub(super) fn features(config: &MaskedConfig) -> usize {
    config.window + 1
}

fn outputs(config: &MaskedConfig) -> usize {
    match config.target {
        tasks::masked::WindowTarget::All => config.window,
        _ => 1,
    }
}

impl MaskedItems {
    pub(super) fn new(
        data: MaskedData,
        distances: Option<Array2<f64>>,
        partners: Option<Vec<Option<usize>>>,
    ) -> Self {
        Self { data, distances, partners }
    }

    /// The items and what is known of them, as the loop takes them.
    pub(super) fn into_dataset(self, known: Known) -> Result<Dataset, TrainError> {
        let (train, test) = (self.epoch(0)?, self.fixed(Part::Test)?);
        let generalization = self.fixed(Part::HeldOut)?;
        let identity = DatasetIdentity {
            name: known.name.to_owned(),
            source: known.source.to_owned(),
            sha256: known.sha256,
            train: self.training_items(),
            test: test.len(),
            generalization: generalization.len(),
        };
        let items = Arc::new(self);
        Ok(Dataset {
            positions: known.positions,
            places: known.places,
            features: features(items.data.config()),
            objective: Objective::SquaredError,
            levels: items.levels(),
            train,
            redraw: Some(items.clone()),
            test,
            generalization,
            identity,
            centres: items.centres(),
            truth: known.truth,
            tokens: known.tokens,
            baselines: Some(items),
        })
    }

    /// The names of the levels: the shares of masked nodes that are tested, then that of training where it is none of
    /// them.
    fn levels(&self) -> Vec<String> {
        let config = self.data.config();
        let tested = config.evaluation.fractions.iter().map(level);
        match self.training_level() < config.evaluation.fractions.len() {
            true => tested.collect(),
            false => tested.chain([AS_TRAINED.to_owned()]).collect(),
        }
    }

    fn training_level(&self) -> usize {
        let fractions = &self.data.config().evaluation.fractions;
        let same = |one: &f64| matches!(self.data.config().mask, MaskFraction::Fixed(f) if f == *one);
        fractions.iter().position(same).unwrap_or(fractions.len())
    }

    /// How many items one epoch trains on.
    fn training_items(&self) -> usize {
        self.data.items(Part::Train).len()
    }

    /// The training items of an epoch, batch after batch.
    fn epoch(&self, epoch: u64) -> Result<Split, MaskedError> {
        let level = self.training_level();
        let mut split = Split::default();
        for batch in 0..self.data.batches() {
            add(&mut split, &self.data.train_batch(epoch, batch)?, level);
        }
        Ok(split)
    }

    /// The fixed items of a part, share after share.
    fn fixed(&self, part: Part) -> Result<Split, MaskedError> {
        let mut split = Split::default();
        for (level, set) in self.data.evaluation(part)?.iter().enumerate() {
            for batch in set.batches(&self.data, CHUNK) {
                add(&mut split, &batch?, level);
            }
        }
        Ok(split)
    }

    /// The training mean of each node.
    fn centres(&self) -> Vec<f32> {
        self.data.means().iter().map(|mean| *mean as f32).collect()
    }

    /// Correlations of nodes over the training frames.
    pub(super) fn correlations(&self) -> Truth {
        let correlations = Moments::fit(self.data.training_frames()).correlations();
        truth("correlation", &correlations)
    }
}

/// A matrix as a part of the ground truth.
pub(super) fn truth(name: &'static str, matrix: &Array2<f64>) -> Truth {
    let values = matrix.iter().map(|value| *value as f32).collect();
    Truth { name, shape: matrix.shape().to_vec(), values }
}

/// A row of numbers, such as one a token, as a part of the ground truth.
pub(super) fn numbers(name: &'static str, values: impl Iterator<Item = f32>) -> Truth {
    let values: Vec<f32> = values.collect();
    Truth { name, shape: vec![values.len()], values }
}

impl Redraw for MaskedItems {
    fn items(&self, epoch: u64) -> Split {
        match self.epoch(epoch) {
            Ok(split) => split,
            // The numbers of items and nodes are those of every epoch, and the first one was made when data were loaded.
            Err(error) => unreachable!("the masks of another epoch fit: {error}"),
        }
    }
}

impl Baselines for MaskedItems {
    fn scores(&self) -> Result<Vec<BaselineScore>, TrainError> {
        let baselines = standard(&self.data, self.distances.as_ref(), self.partners.as_deref())?;
        let mut scores = Vec::new();
        for (part, split) in [(Part::Test, "test"), (Part::HeldOut, "generalization")] {
            scores.extend(table(&self.data, part, &baselines)?.into_iter().map(|row| BaselineScore {
                baseline: row.baseline.to_owned(),
                split: split.to_owned(),
                level: level(&row.fraction),
                items: row.items,
                mse: row.mse,
                r2: row.r2,
            }));
        }
        Ok(scores)
    }
}

/// The level of a share of masked nodes, such as `0.5`.
fn level(fraction: &f64) -> String {
    fraction.to_string()
}

fn add(split: &mut Split, batch: &MaskedBatch, level: usize) {
    let begun = split.targets.len();
    split.starts.extend((0..batch.items).map(|item| begun + item * batch.masks.masked));
    split.tokens.extend_from_slice(&batch.tokens);
    split.targets.extend_from_slice(&batch.masks.nodes);
    split.values.extend_from_slice(&batch.targets);
    split.levels.extend(std::iter::repeat_n(level, batch.items));
}
