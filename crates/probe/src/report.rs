//! `probe.json`: everything that one run tells.

mod attention;
mod brain;
mod correlation_tables;
mod drawing;
mod emergence;
mod form;
mod layout;
mod learning;
mod modules;
mod pictures;
mod prepared;
mod recording;
mod reference;
mod spatial;
mod statistic;
mod tables;
mod truth;
mod units;

pub use attention::AttentionReport;
pub use correlation_tables::{CorrelationTable, MadeOf, Untested, UntestedBeyond};
pub use emergence::Emergence;
pub(crate) use form::beside as side_by_side;
pub use layout::Layout;
pub(crate) use layout::laid_over;
pub use learning::{LastEvaluation, Learning};
pub use modules::ModuleReport;
pub use pictures::{AttentionPicture, MatrixPicture, Pictures, TablePicture};
pub use recording::{CommunityReport, DecodedAxis, DecodingReport};
pub use reference::{Beyond, BeyondOther, ProcrustesReport, Reference, ReferenceReport};
pub use spatial::SpatialReport;
pub use statistic::Statistic;
pub use tables::{MASK_SIGMA, Norms, Similarity, State, TableReport};
pub use units::ByUnit;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::StatError;
use crate::run_dir::{Dataset, InputError, RunDir, SCHEMA, Scale, parse_json, read_text};

/// The content of `probe.json`. Undefined statistics (NaN) stand as null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeReport {
    /// The layout of this file: 1.
    pub schema: u32,
    /// The version of this crate.
    pub probe_version: String,
    /// What was asked for.
    pub settings: Settings,
    /// Which run this is.
    pub run: RunIdentity,
    /// How well and how fast it learned.
    pub learning: Learning,
    /// Final generalization accuracy by puzzle, where the run wrote its answers.
    #[serde(default)]
    pub by_unit: Option<ByUnit>,
    /// The size of the coordinates.
    pub coordinates: Coordinates,
    /// Geometry by table and state, `all` blocks together and final state first; empty where nothing is
    /// added.
    pub tables: Vec<TableReport>,
    /// Tables made of the correlations of the training items alone: what the `beyond` of `tables` is to be read against. Of
    /// tasks that record correlations; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub correlation_tables: Vec<CorrelationTable>,
    /// Attention, the mean over blocks first, then by block; empty where no map was written.
    pub attention: Vec<AttentionReport>,
    /// How the tables took on the truth, from before training to its end; of tasks that record a truth (`truth.*`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emergence: Vec<Emergence>,
    /// What figures draw; absent in files of earlier versions.
    #[serde(default)]
    pub pictures: Option<Pictures>,
}

/// What `probe run` was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Permutations a test; fewer when all of them are enumerated.
    pub permutations: usize,
    /// Seed of the permutations.
    pub seed: u64,
}

/// Which run a report is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// Readable name and hash.
    pub run_id: String,
    /// Hash of the resolved config.
    pub config_hash: String,
    /// Which experiment.
    pub experiment: String,
    /// What is compared across runs.
    pub arm: String,
    /// Which of the experiment's groups of runs, where it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// How large.
    pub scale: Scale,
    /// The unit of inference.
    pub seed: u64,
    /// The kind of task.
    pub task: String,
    /// The kind of encoding.
    pub encoding: String,
    /// Its initial standard deviation, where it is [`LEARNED`]. A random or relative one has a σ as well, and is no point on
    /// the curve of learned ones over theirs.
    pub sigma: Option<f64>,
    /// Epochs trained.
    pub epochs: Option<u64>,
    /// Steps trained.
    pub steps: Option<u64>,
    /// What ended the training.
    pub stopped_by: Option<String>,
    /// The data.
    pub dataset: Dataset,
}

/// The size of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordinates {
    /// Positions.
    pub tokens: usize,
    /// Axes: 2 for a grid of rows and columns.
    pub axes: usize,
}

impl ProbeReport {
    /// Computes all statistics of a run. The result depends on the run and the settings alone, not on the
    /// threads.
    pub fn of(run: &RunDir, settings: Settings) -> Result<Self, InputError> {
        let statistic = |source: StatError| InputError::Statistic { path: run.path.clone(), source };
        let coords = run.tensors.coords.view();
        let drawing = drawing::Drawing::new(settings);
        let permutations = drawing.of(coords.nrows());
        let references = prepared::Prepared::new(run, &drawing).map_err(statistic)?;
        Ok(Self {
            schema: SCHEMA,
            probe_version: env!("CARGO_PKG_VERSION").to_owned(),
            settings,
            run: RunIdentity::of(run),
            learning: Learning::of(run)?,
            by_unit: run.tensors.answers.as_ref().and_then(ByUnit::of),
            coordinates: Coordinates { tokens: coords.nrows(), axes: coords.ncols() },
            tables: tables::reports(run, &references, &permutations).map_err(statistic)?,
            correlation_tables: references.correlation_tables().map_err(statistic)?,
            attention: attention::reports(&run.tensors, references.places(), &permutations)
                .map_err(statistic)?,
            emergence: emergence::emergence(run, &references).map_err(statistic)?,
            pictures: Some(pictures::pictures(&run.tensors, references.recording()).map_err(statistic)?),
        })
    }

    /// Reads a `probe.json`.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        parse_json(path, &read_text(path)?)
    }
}

/// The kind of encoding that is asked about: tables that are learned, one row a token.
pub const LEARNED: &str = "learned";

impl RunIdentity {
    fn of(run: &RunDir) -> Self {
        let (config, manifest) = (&run.config, &run.manifest);
        Self {
            run_id: manifest.run_id.clone(),
            config_hash: manifest.config_hash.clone(),
            experiment: config.experiment.clone(),
            arm: config.arm.clone(),
            variant: config.variant.clone(),
            scale: config.scale,
            seed: config.seeds.seed,
            task: config.task.kind.clone(),
            encoding: config.model.encoding.kind.clone(),
            sigma: config.model.encoding.sigma.filter(|_| config.model.encoding.kind == LEARNED),
            epochs: manifest.epochs,
            steps: manifest.steps,
            stopped_by: manifest.stopped_by.clone(),
            dataset: manifest.dataset.clone(),
        }
    }
}
