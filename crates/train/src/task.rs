//! The data of a run, in the form that the loop needs, and what a task says of itself.

mod latin_square;
mod masked;
mod network;
mod recordings;
mod split;

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use pe_core::{Coords, EncoderConfig, Positions};
use serde::{Deserialize, Serialize};
use streams::Streams;
use tasks::latin_square::GeneratorConfig;
use tasks::masked::MaskedConfig;
use tasks::network::NetworkConfig;

use crate::TrainError;
use crate::batch::epoch_order;
pub use crate::objective::Objective;
pub use recordings::{GlobalSignal, RecordingsConfig};
pub use split::Split;

/// Which data. A new kind is one variant here, one arm in [`TaskConfig::task`] and `task_mut`, and a config that
/// implements [`Task`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum TaskConfig {
    /// The Latin Square Task: which symbol stands in the target cell?
    LatinSquare(LatinSquareConfig),
    /// A stochastic network on a graph with a ground truth: what are the values of the masked nodes?
    Network(NetworkTaskConfig),
    /// Recordings of parcels, such as brain regions: what are the values of the masked ones?
    Recordings(RecordingsConfig),
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

/// The stochastic network.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkTaskConfig {
    /// Content hash of the activity and its ground truth (`NetworkData::sha256`), filled in by `train plan`. A run
    /// refuses others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// What is simulated.
    pub network: NetworkConfig,
    /// How frames become items.
    pub masked: MaskedConfig,
}

/// What a kind of task says of itself. Its splits and their levels are those of the [`Dataset`] that it loads.
pub trait Task {
    /// How answers are scored, and so what the loss is.
    fn objective(&self) -> Objective;

    /// The sizes that a model for this task needs: inputs, outputs, tokens, axes.
    fn sizes(&self) -> [usize; 4];

    /// Fills in what only the data tell, such as the number of tokens; the seed has no say in it.
    ///
    /// # Errors
    /// When the data cannot be read.
    fn resolve(&mut self) -> Result<(), TrainError> {
        Ok(())
    }

    /// Checks the settings of the task, and those of the model and the batch size that hang on them, besides the sizes.
    ///
    /// # Errors
    /// Names the setting, what was given and what is allowed.
    fn validate(&self, model: &EncoderConfig, batch: usize) -> Result<(), TrainError>;

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
    ///
    /// # Errors
    /// When the task reads none.
    fn set_place(&mut self, folder: PathBuf) -> Result<(), TrainError>;
}

/// Makes the training items of an epoch, for tasks that draw them anew each time, as masked ones do. The items are a
/// function of the epoch (counted from 0) alone, so that a resumed run needs no stored generator.
pub trait Redraw: Debug + Send + Sync {
    /// As many items in every epoch, in the order in which they are trained on; those of a batch have as many tokens to
    /// be read.
    fn items(&self, epoch: u64) -> Split;
}

/// What is reached without a network, on the items that models are tested with.
pub trait Baselines: Debug + Send + Sync {
    /// A score for each baseline, split and level.
    ///
    /// # Errors
    /// When a baseline cannot be fitted.
    fn scores(&self) -> Result<Vec<BaselineScore>, TrainError>;
}

/// One baseline on one level of a split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BaselineScore {
    /// Its name.
    pub baseline: String,
    /// `test` or `generalization`.
    pub split: String,
    /// The level.
    pub level: String,
    /// Items.
    pub items: usize,
    /// Mean squared error.
    pub mse: Option<f64>,
    /// Coefficient of determination, as in `metrics.jsonl`.
    pub r2: Option<f64>,
}

/// A part of the ground truth that coordinates do not tell, recorded as the tensor `truth.NAME`.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Row-major values.
    pub values: Vec<f32>,
}

/// The data of a task.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Where tokens are, in the unit that encodings take them in.
    pub positions: Positions,
    /// Where they are in the unit that is recorded, if that is another, such as mm.
    pub places: Option<Coords>,
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
    /// The best guess of each token before anything is seen, its training mean: R² is about these. Empty: R² is about
    /// the mean of the numbers asked for.
    pub centres: Vec<f32>,
    /// What is known of the truth besides coordinates.
    pub truth: Vec<Truth>,
    /// A table of the tokens as CSV, of tasks that name them: `tokens.csv`.
    pub tokens: Option<String>,
    /// What models are held against; `None` where there is nothing.
    pub baselines: Option<Arc<dyn Baselines>>,
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

    /// The order of the training items of an epoch (counted from 0); those that are drawn anew are drawn in order.
    pub(crate) fn order(&self, epoch: u64, streams: &Streams) -> Vec<usize> {
        match self.redraw {
            Some(_) => (0..self.train.len()).collect(),
            None => epoch_order(self.train.len(), epoch, streams),
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
            Self::Network(config) => config,
            Self::Recordings(config) => config,
        }
    }

    /// The config with what only the data tell.
    pub(crate) fn resolved(mut self) -> Result<Self, TrainError> {
        self.task_mut().resolve()?;
        Ok(self)
    }

    fn task_mut(&mut self) -> &mut dyn Task {
        match self {
            Self::LatinSquare(config) => config,
            Self::Network(config) => config,
            Self::Recordings(config) => config,
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
    pub(crate) fn at_place(&self, folder: PathBuf) -> Result<Self, TrainError> {
        let mut config = self.clone();
        config.task_mut().set_place(folder)?;
        Ok(config)
    }

    pub(crate) fn validate(&self, model: &EncoderConfig, batch: usize) -> Result<(), TrainError> {
        let fields = ["model.inputs", "model.outputs", "model.tokens", "model.axes"];
        let got = [model.inputs, model.outputs, model.tokens, model.axes];
        self.task().validate(model, batch)?;
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
