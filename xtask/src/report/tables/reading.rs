//! What was read off a table, and the folder in which readings lie.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::run::json;
use crate::report::write_atomic;

/// The list of a folder of readings; what has it is one.
pub(in crate::report) const INDEX: &str = "readings.json";

/// The layout of the list.
const SCHEMA: u32 = 1;

/// `readings.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Index {
    schema: u32,
    table: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    label: String,
    /// The model, by the name that published figures have.
    model: Option<String>,
    /// What `probe positions --json` has said, beside the list.
    file: PathBuf,
}

/// A table that was read.
#[derive(Debug, Clone)]
pub(crate) struct Reading {
    pub label: String,
    pub model: Option<String>,
    /// The file of the report.
    pub file: PathBuf,
    pub report: Value,
}

impl Index {
    pub(crate) fn new() -> Self {
        Self { schema: SCHEMA, table: Vec::new() }
    }

    /// Adds a table whose report lies in the same folder under this name.
    pub(crate) fn add(&mut self, label: &str, model: Option<&str>, file: &str) {
        self.table.push(Entry {
            label: label.to_owned(),
            model: model.map(str::to_owned),
            file: file.into(),
        });
    }

    /// Writes the list; last, so that a folder with a list is whole.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        write_atomic(&folder.join(INDEX), &serde_json::to_vec_pretty(self)?)
    }
}

/// The readings of a folder, in the order of its list.
pub(in crate::report) fn read_folder(folder: &Path) -> Result<Vec<Reading>> {
    let path = folder.join(INDEX);
    let index: Index = serde_json::from_value(json(&path)?).with_context(|| path.display().to_string())?;
    ensure!(index.schema == SCHEMA, "{}: expected schema {SCHEMA}, got {}", path.display(), index.schema);
    let read = |entry: Entry| {
        let file = folder.join(entry.file);
        Ok(Reading { label: entry.label, model: entry.model, report: json(&file)?, file })
    };
    index.table.into_iter().map(read).collect()
}
