//! Functional checks: a trained model with another table in place of its own.
//!
//! What a table looks like and what a model makes of it are two questions. Here the second is asked: the weights stay,
//! the tables are exchanged, permuted, projected, or moved onto a fresh draw, and all items are scored again.
//!
//! A fixed sinusoid becomes a table like any other; the dropout that the preset `paper` keeps on sinusoids, in evaluation
//! too, then falls away. Compare with `--snapshot final`, which exchanges the table for itself.

mod change;
mod projection;

use std::path::{Path, PathBuf};

use burn::tensor::TensorData;
use pe_core::additive::LearnedConfig;
use pe_core::weights::with_weights;
use pe_core::{Encoder, EncoderConfig, EncodingConfig, PeBackend};
use serde::Serialize;

pub use change::{Changed, ChangedTable, FreshDraw, TableChange};
pub use projection::Projection;

use crate::TrainError;
use crate::config::RunConfig;
use crate::evaluate::{Score, evaluate, evaluation_dropout};
use crate::observe::Table;
use crate::task::Dataset;
use crate::trained::TrainedRun;

/// The scores of a trained model, with its own tables or with others.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionalResult {
    /// Name of the run.
    pub run: String,
    /// What is compared across runs.
    pub arm: String,
    /// Seed of the run.
    pub seed: u64,
    /// What stood in place of its tables; `None` for its own, untouched.
    pub tables: Option<Changed>,
    /// One for each split and level.
    pub scores: Vec<SplitLevel>,
}

/// The score of one split, over all levels or one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SplitLevel {
    /// `train-full`, `test` or `generalization`.
    pub split: String,
    /// `all`, or a level.
    pub level: String,
    /// Number of answers.
    pub n: usize,
    /// Mean loss.
    pub loss: f64,
    /// Fraction answered right, where classes are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Coefficient of determination, where numbers are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
}

/// Scores the run in `dir` on all its items, with what `change` makes of its tables. Without a change the scores are
/// those of the run's last lines, bit for bit.
///
/// `puzzles` is a folder with the data, where they no longer lie where the config says.
///
/// # Errors
/// When the run cannot be read, the data are others, or the tables do not fit the model.
pub fn functional<B: PeBackend>(
    dir: &Path,
    change: &TableChange,
    puzzles: Option<PathBuf>,
) -> Result<FunctionalResult, TrainError> {
    let run = TrainedRun::open(dir)?;
    let config = match puzzles {
        Some(folder) => RunConfig { task: run.config().task.at_place(folder)?, ..run.config().clone() },
        None => run.config().clone(),
    };
    let mut data = config.task.load(&config.seeds)?;
    // Where training items are drawn anew, those of the last epoch.
    data.begin_epoch(run.manifest().epochs.unwrap_or(0).saturating_sub(1));
    let (model, tables) = match change.is_none() {
        true => (run.encoder::<B>()?, None),
        false => {
            let changed = change.make(&run, data.positions.coords())?;
            (with_tables::<B>(&run, &data, &changed)?, Some(changed))
        }
    };
    Ok(FunctionalResult {
        run: run.manifest().run_id.clone(),
        arm: config.arm.clone(),
        seed: config.seeds.seed(),
        tables,
        scores: scores(&model, &run, &data)?,
    })
}

fn scores<B: PeBackend>(
    model: &Encoder<B>,
    run: &TrainedRun,
    data: &Dataset,
) -> Result<Vec<SplitLevel>, TrainError> {
    let step = run.manifest().steps.unwrap_or(0);
    let mut lines = Vec::new();
    for (name, split) in std::iter::once(("train-full", &data.train)).chain(data.unseen()) {
        let dropout = evaluation_dropout(&run.config().seeds, name, step);
        let score = evaluate(model, data, split, dropout, &B::Device::default())?;
        let line = |(level, score): (String, Score)| {
            let (accuracy, r2) = score.quality(data.objective);
            SplitLevel { split: name.to_owned(), level, n: score.n, loss: score.loss(), accuracy, r2 }
        };
        lines.extend(score.by_level(&data.levels).into_iter().map(line));
    }
    Ok(lines)
}

/// The trained model with these tables: an encoder that adds learned tables, whatever kind of table the run had.
fn with_tables<B: PeBackend>(
    run: &TrainedRun,
    data: &Dataset,
    changed: &Changed,
) -> Result<Encoder<B>, TrainError> {
    let config = &run.config().model;
    let encoding = EncodingConfig::Learned(LearnedConfig::new(0.0));
    let exchanged = EncoderConfig { encoding, ..config.clone() };
    let mut weights = run.weights().clone();
    weights.retain(|name, _| !name.starts_with("encoding."));
    for block in 0..config.blocks {
        let table = changed.of_block(block, config.blocks)?;
        let rows = by_id(table, data, config, &changed.source)?;
        let shape = [config.tokens, config.width];
        weights.insert(format!("encoding.tables.{block}"), TensorData::new(rows, shape));
    }
    let model = exchanged.init::<B>(&run.config().seeds, &B::Device::default())?;
    Ok(with_weights(model, weights, &run.path().display().to_string())?)
}

/// The rows of a table by position id, from rows in the order of the tokens.
fn by_id(
    table: &Table,
    data: &Dataset,
    config: &EncoderConfig,
    source: &str,
) -> Result<Vec<f32>, TrainError> {
    let (tokens, width) = (data.positions.tokens(), config.width);
    if (table.tokens, table.values.len()) != (tokens, tokens * width) {
        return Err(TrainError::Config {
            place: source.to_owned(),
            problem: format!(
                "table `{}` is {} x {}: expected {tokens} x {width}, the tokens and the width of the model",
                table.name,
                table.tokens,
                table.values.len() / table.tokens.max(1),
            ),
        });
    }
    let mut rows = vec![0.0; config.tokens * width];
    for (row, &id) in table.values.chunks(width).zip(data.positions.ids()) {
        rows[id * width..][..width].copy_from_slice(row);
    }
    Ok(rows)
}
