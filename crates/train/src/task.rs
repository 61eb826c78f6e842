//! The data of a run, in the form that the loop needs.

mod latin_square;

use std::path::PathBuf;

use pe_core::{EncoderConfig, Positions, Readout};
use serde::{Deserialize, Serialize};
use streams::Streams;
use tasks::latin_square::GeneratorConfig;

use crate::TrainError;

/// Which data.
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

/// Items of one split.
#[derive(Debug, Clone, Default)]
pub struct Split {
    /// `[items, tokens, features]`, row-major.
    pub tokens: Vec<f32>,
    /// The class of each item.
    pub labels: Vec<usize>,
    /// The token of each item that is asked for.
    pub targets: Vec<usize>,
    /// The level of each item, as an index into [`Dataset::levels`].
    pub levels: Vec<usize>,
}

impl Split {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

/// The data of a classification task.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Where tokens are.
    pub positions: Positions,
    /// Features per token.
    pub features: usize,
    /// Names of the levels.
    pub levels: Vec<String>,
    /// Items to learn from.
    pub train: Split,
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

impl TaskConfig {
    /// Makes or reads the data, and checks that they are those of the config.
    ///
    /// # Errors
    /// When they cannot be made or read, or are others than the config says.
    pub fn load(&self, streams: &Streams) -> Result<Dataset, TrainError> {
        match self {
            Self::LatinSquare(config) => latin_square::load(config, streams),
        }
    }

    /// The config with the hash of its data filled in.
    pub(crate) fn with_identity(&self, identity: &DatasetIdentity) -> Self {
        let Self::LatinSquare(config) = self;
        Self::LatinSquare(LatinSquareConfig { sha256: Some(identity.sha256.clone()), ..config.clone() })
    }

    /// The config without the place of its data, once their hash is known.
    pub(crate) fn without_place(&self) -> Self {
        let Self::LatinSquare(config) = self;
        let puzzles = if config.sha256.is_some() { None } else { config.puzzles.clone() };
        Self::LatinSquare(LatinSquareConfig { puzzles, ..config.clone() })
    }

    /// Whether the data are made from a seed.
    pub(crate) fn is_generated(&self) -> bool {
        let Self::LatinSquare(config) = self;
        config.puzzles.is_none()
    }

    /// The sizes that a model for this task needs: inputs, outputs, tokens, axes.
    pub(crate) fn sizes(&self) -> [usize; 4] {
        match self {
            Self::LatinSquare(config) => latin_square::sizes(config),
        }
    }

    pub(crate) fn validate(&self, model: &EncoderConfig) -> Result<(), TrainError> {
        let Self::LatinSquare(config) = self;
        config.generator.validate().map_err(|error| TrainError::from(error).at("`task.generator`"))?;
        let fields = ["model.inputs", "model.outputs", "model.tokens", "model.axes"];
        let got = [model.inputs, model.outputs, model.tokens, model.axes];
        for ((field, got), expected) in fields.into_iter().zip(got).zip(self.sizes()) {
            if got != expected {
                return Err(TrainError::Config {
                    place: field.to_owned(),
                    problem: format!("{got} does not fit the task: expected {expected}"),
                });
            }
        }
        if model.readout == Readout::All {
            return Err(TrainError::Config {
                place: "model.readout".to_owned(),
                problem: "`all` does not fit the task, which asks for one token: expected `last` or `target`"
                    .to_owned(),
            });
        }
        Ok(())
    }
}
