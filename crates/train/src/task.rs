//! The data of a run, in the form that the loop needs, and what a task says of itself.

mod latin_square;
mod split;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use pe_core::{EncoderConfig, Positions};
use serde::{Deserialize, Serialize};
use streams::Streams;
use tasks::latin_square::GeneratorConfig;

use crate::TrainError;
pub use crate::objective::Objective;
pub use split::Split;

/// Which data. A new kind is one variant here, one arm in [`TaskConfig::task`] and `task_mut`, and a config that
/// implements [`Task`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TaskConfig {
    /// The Latin Square Task: which symbol stands in the target cell?
    LatinSquare(LatinSquareConfig),
}

/// The Latin Square Task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatinSquareConfig {
    /// A folder of puzzles in the published text form; without it they are generated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub puzzles: Option<PathBuf>,
    /// Content hash of the puzzles (`LatinSquareData::sha256`), filled in by `train plan`. A run refuses others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// How puzzles are generated.
    #[serde(default)]
    pub generator: GeneratorConfig,
}

/// What a kind of task says of itself. Its splits and their levels are those of the [`Dataset`] that it loads.
pub trait Task {
    /// How answers are scored, and so what the loss is.
    fn objective(&self) -> Objective;

    /// The sizes that a model for this task needs: inputs, outputs, tokens, axes.
    fn sizes(&self) -> [usize; 4];

    /// Checks the settings of the task, and those of the model that hang on them, besides the sizes.
    ///
    /// # Errors
    /// Names the setting, what was given and what is allowed.
    fn validate(&self, model: &EncoderConfig) -> Result<(), TrainError>;

    /// Makes or reads the data, and checks that they are those of the config.
    ///
    /// # Errors
    /// When they cannot be made or read, or are others than the config says.
    fn load(&self, streams: &Streams) -> Result<Dataset, TrainError>;

    /// Whether the data are made from a seed.
    fn is_generated(&self) -> bool;

    /// Fills in the content hash of the data.
    fn set_hash(&mut self, sha256: &str);

    /// Forgets where the data lie, once their hash is known: it is no part of the identity of a run.
    fn forget_place(&mut self);

    /// Reads the data from another folder than the config says.
    fn set_place(&mut self, folder: PathBuf);
}

/// Makes the training items of an epoch, for tasks that draw them anew each time, as masked ones do. The items are a
/// function of the epoch (counted from 0) alone, so that a resumed run needs no stored generator.
pub trait Redraw: Debug + Send + Sync {
    /// As many items in every epoch, each with as many tokens to be read.
    fn items(&self, epoch: u64) -> Split;
}

/// The data of a task.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Where tokens are.
    pub positions: Positions,
    /// Features per token.
    pub features: usize,
    /// How answers are scored.
    pub objective: Objective,
    /// Names of the levels.
    pub levels: Vec<String>,
    /// Items to learn from; where they are drawn anew each epoch, those of the epoch at hand.
    pub train: Split,
    /// Draws [`Self::train`] anew; `None` where it stays.
    pub redraw: Option<Arc<dyn Redraw>>,
    /// Items of the same kind, unseen.
    pub test: Split,
    /// Items unlike all training items.
    pub generalization: Split,
    /// For the manifest.
    pub identity: DatasetIdentity,
}

/// What the data are, for the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetIdentity {
    /// The task.
    pub name: String,
    /// `generated` or `files`.
    pub source: String,
    /// Content hash.
    pub sha256: String,
    /// Training items.
    pub train: usize,
    /// Test items.
    pub test: usize,
    /// Generalization items.
    pub generalization: usize,
}

impl Dataset {
    /// Draws the training items of an epoch, where the task does.
    pub(crate) fn begin_epoch(&mut self, epoch: u64) {
        if let Some(redraw) = &self.redraw {
            self.train = redraw.items(epoch);
        }
    }

    /// The splits that are looked at now and then: those of unseen items that have any.
    pub fn unseen(&self) -> impl Iterator<Item = (&'static str, &Split)> {
        let splits = [("test", &self.test), ("generalization", &self.generalization)];
        splits.into_iter().filter(|(_, split)| !split.is_empty())
    }

    /// The split whose attention and token norms are recorded: the one least like the training items.
    pub fn probe(&self) -> &Split {
        self.unseen().last().map_or(&self.train, |(_, split)| split)
    }
}

impl TaskConfig {
    /// The task.
    pub fn task(&self) -> &dyn Task {
        match self {
            Self::LatinSquare(config) => config,
        }
    }

    fn task_mut(&mut self) -> &mut dyn Task {
        match self {
            Self::LatinSquare(config) => config,
        }
    }

    /// Makes or reads the data, and checks that they are those of the config.
    ///
    /// # Errors
    /// When they cannot be made or read, or are others than the config says.
    pub fn load(&self, streams: &Streams) -> Result<Dataset, TrainError> {
        let mut data = self.task().load(streams)?;
        data.begin_epoch(0);
        Ok(data)
    }

    /// The config with the hash of its data filled in.
    pub(crate) fn with_identity(&self, identity: &DatasetIdentity) -> Self {
        let mut config = self.clone();
        config.task_mut().set_hash(&identity.sha256);
        config
    }

    /// The config without the place of its data, once their hash is known.
    pub(crate) fn without_place(&self) -> Self {
        let mut config = self.clone();
        config.task_mut().forget_place();
        config
    }

    /// The config with its data in another folder.
    pub(crate) fn at_place(&self, folder: PathBuf) -> Self {
        let mut config = self.clone();
        config.task_mut().set_place(folder);
        config
    }

    pub(crate) fn validate(&self, model: &EncoderConfig) -> Result<(), TrainError> {
        let fields = ["model.inputs", "model.outputs", "model.tokens", "model.axes"];
        let got = [model.inputs, model.outputs, model.tokens, model.axes];
        self.task().validate(model)?;
        for ((field, got), expected) in fields.into_iter().zip(got).zip(self.task().sizes()) {
            if got != expected {
                return Err(TrainError::Config {
                    place: field.to_owned(),
                    problem: format!("{got} does not fit the task: expected {expected}"),
                });
            }
        }
        Ok(())
    }
}
