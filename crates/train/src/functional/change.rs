//! Which tables stand in place of a model's own, and how they are made.

use std::path::{Path, PathBuf};

use burn::tensor::TensorData;
use pe_core::weights::Weights;
use pe_core::{Coords, Distribution, TableInit};
use rand::seq::SliceRandom;
use serde::Serialize;
use streams::{Stream, Streams};

use super::projection::Projection;
use crate::TrainError;
use crate::config::SCHEMA;
use crate::observe::{Table, rms};
use crate::tensor_file;
use crate::trained::{TrainedRun, block, read_tables};

/// What to do with the tables of a model; the parts in this order. Nothing leaves the model as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TableChange {
    /// Tables from this file instead of the run's own; see [`read_tables`].
    pub table: Option<PathBuf>,
    /// Tables at this snapshot: `init`, `epoch-<n>` or `final`.
    pub snapshot: Option<String>,
    /// Keep only the change since initialization, and add it to a fresh draw.
    pub add_change_to: Option<FreshDraw>,
    /// Keep only the part that coordinates predict.
    pub project: Option<Projection>,
    /// Permute the rows, in the same way in all tables, by a permutation from this seed.
    pub permute: Option<u64>,
}

/// A fresh table from N(0, σ²).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FreshDraw {
    /// Standard deviation.
    pub sigma: f64,
    /// Seed of the draw.
    pub seed: u64,
}

/// Tables that stand in place of a model's own.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Changed {
    /// The file that they come from.
    pub source: String,
    /// The snapshot.
    pub snapshot: String,
    /// The draw that their change since initialization was added to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub add_change_to: Option<FreshDraw>,
    /// The projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<Projection>,
    /// Seed of the permutation of rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permute: Option<u64>,
    /// The tables.
    pub tables: Vec<ChangedTable>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedTable {
    /// Its values.
    #[serde(skip)]
    pub table: Table,
    /// `block-<b>` or `shared`.
    pub name: String,
    /// Root mean square of the entries.
    pub rms: f64,
    /// Share of the variance around the mean row that the projection kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<f64>,
    /// The share that it would keep of independent rows, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained_of_random: Option<f64>,
}

impl TableChange {
    /// Whether nothing is to be done.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Makes the tables for a run whose tokens have these coordinates.
    ///
    /// # Errors
    /// When the run adds no table, a file has none that fits, or a setting is out of range.
    pub(super) fn make(&self, run: &TrainedRun, coords: &Coords) -> Result<Changed, TrainError> {
        let own = run.tensors();
        let (kept, _) = tensor_file::read(&own)?;
        if !kept.keys().any(|name| name.starts_with("pe.final.")) {
            return Err(TrainError::Config {
                place: run.path().display().to_string(),
                problem: format!(
                    "the encoding of `{}` adds no table that could be exchanged: choose another run",
                    run.config().arm
                ),
            });
        }
        let path = self.table.as_ref().unwrap_or(&own);
        let mut tables = read_tables(path, self.snapshot.as_deref())?;
        let source = path.display().to_string();
        if let Some(draw) = self.add_change_to {
            let initial = read_tables(path, Some("init"))?;
            tables = tables
                .into_iter()
                .map(|table| moved(table, &initial, draw, &source))
                .collect::<Result<_, _>>()?;
        }
        let mut made = Vec::new();
        for mut table in tables {
            let mut kept = None;
            if let Some(kind) = self.project {
                (table.values, kept) = kind.apply(&table, coords).map_err(|error| error.at(&*source))?;
            }
            if let Some(seed) = self.permute {
                permute(&mut table, seed);
            }
            made.push(ChangedTable {
                name: table.name.clone(),
                rms: rms(table.values.iter().copied()),
                table,
                explained: kept.map(|kept| kept.share),
                explained_of_random: kept.map(|kept| kept.of_random),
            });
        }
        Ok(Changed {
            source,
            snapshot: self.snapshot.clone().unwrap_or_else(|| "final".to_owned()),
            add_change_to: self.add_change_to,
            project: self.project,
            permute: self.permute,
            tables: made,
        })
    }
}

impl Changed {
    /// The table that is added at `block` of a model of `blocks` blocks.
    pub(super) fn of_block(&self, number: usize, blocks: usize) -> Result<&Table, TrainError> {
        let fits = |table: &&ChangedTable| match block(&table.name) {
            Some(None) => self.tables.len() == 1,
            Some(Some(b)) => b == number && self.tables.len() == blocks,
            None => false,
        };
        self.tables.iter().find(fits).map(|table| &table.table).ok_or_else(|| {
            let names: Vec<&str> = self.tables.iter().map(|table| table.name.as_str()).collect();
            TrainError::Config {
                place: self.source.clone(),
                problem: format!(
                    "tables {}: expected `shared` alone, or `block-0` to `block-{}`, one for each block of the model",
                    names.join(", "),
                    blocks - 1
                ),
            }
        })
    }

    /// Writes the tables to a file that [`read_tables`] reads.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), TrainError> {
        let named = |one: &ChangedTable| {
            let shape = [one.table.tokens, one.table.values.len() / one.table.tokens];
            (one.name.clone(), TensorData::new(one.table.values.clone(), shape))
        };
        let tensors: Weights = self.tables.iter().map(named).collect();
        tensor_file::write(path, &tensors, &[("schema", SCHEMA.to_string())])
    }
}

/// The change of a table since initialization, on a fresh draw.
fn moved(table: Table, initial: &[Table], draw: FreshDraw, source: &str) -> Result<Table, TrainError> {
    let fits = |one: &&Table| one.name == table.name && one.values.len() == table.values.len();
    let Some(then) = initial.iter().find(fits) else {
        return Err(TrainError::Config {
            place: source.to_owned(),
            problem: format!("`pe.init.{}` is missing or of another shape: a change needs it", table.name),
        });
    };
    let init = TableInit::new(draw.sigma, Distribution::Normal)?;
    let label = format!("eval/masked/{}", table.name);
    let fresh = init.sample(table.values.len(), &mut Streams::new(draw.seed).rng_for(Stream::PeInit, &label));
    let values = table.values.iter().zip(&then.values).zip(fresh).map(|((now, then), x)| now - then + x);
    Ok(Table { values: values.collect(), ..table })
}

/// Row `i` becomes what row `order[i]` was, by one order for all tables of a seed.
fn permute(table: &mut Table, seed: u64) {
    let mut order: Vec<usize> = (0..table.tokens).collect();
    order.shuffle(&mut Streams::new(seed).rng_for(Stream::Permutation, "eval/rows"));
    let width = table.values.len() / table.tokens;
    let rows = order.iter().flat_map(|&row| table.values[row * width..][..width].iter().copied());
    table.values = rows.collect();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, values: Vec<f32>) -> Table {
        Table { name: name.to_owned(), tokens: 4, values }
    }

    #[test]
    fn a_permutation_moves_whole_rows_alike_in_all_tables() {
        let mut one = table("block-0", (0..8).map(|i| i as f32).collect());
        let mut other = table("block-1", (0..4).map(|i| i as f32).collect());
        permute(&mut one, 3);
        permute(&mut other, 3);
        assert_ne!(other.values, [0.0, 1.0, 2.0, 3.0]);
        for (pair, row) in one.values.chunks(2).zip(&other.values) {
            assert_eq!(pair, [2.0 * row, 2.0 * row + 1.0]);
        }
        let mut sorted = other.values.clone();
        sorted.sort_by(f32::total_cmp);
        assert_eq!(sorted, [0.0, 1.0, 2.0, 3.0]);
    }

    /// At σ = 0 what is left is the change itself.
    #[test]
    fn the_change_is_added_to_the_draw() {
        let (now, then) = (table("shared", vec![1.5; 4]), table("shared", vec![1.0, 2.0, 0.5, 1.5]));
        let at = |sigma, seed| {
            moved(now.clone(), std::slice::from_ref(&then), FreshDraw { sigma, seed }, "x").unwrap().values
        };
        assert_eq!(at(0.0, 1), [0.5, -0.5, 1.0, 0.0]);
        let (one, two) = (at(1.0, 1), at(2.0, 1));
        for ((one, two), change) in one.iter().zip(&two).zip(at(0.0, 1)) {
            assert!((2.0 * (one - change) - (two - change)).abs() < 1e-6);
        }
        assert_ne!(at(2.0, 1), at(2.0, 2));
        let other = [table("block-0", vec![0.0; 4])];
        assert!(moved(now.clone(), &other, FreshDraw { sigma: 1.0, seed: 1 }, "x").is_err());
    }
}
