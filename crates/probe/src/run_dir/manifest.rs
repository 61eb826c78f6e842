//! `manifest.json`: what ran, and whether it finished.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{InputError, parse_json, read_text};

/// What a run's manifest says, as far as probing needs it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Manifest {
    /// Readable name and hash.
    pub run_id: String,
    /// Hash of the resolved config.
    pub config_hash: String,
    /// Whether the run finished.
    pub status: Status,
    /// Steps taken.
    pub steps: Option<u64>,
    /// Epochs taken.
    pub epochs: Option<u64>,
    /// What ended the run.
    pub stopped_by: Option<String>,
    /// What it was trained on.
    pub dataset: Dataset,
}

/// Whether a run finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It did not, or is still at it.
    Running,
    /// It did.
    Complete,
}

/// The data of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dataset {
    /// Its name.
    pub name: String,
    /// `generated` or `files`.
    pub source: String,
    /// Hash of its content.
    pub sha256: String,
}

impl Manifest {
    /// Reads a manifest and refuses one of an unfinished run.
    pub(crate) fn read(path: &Path) -> Result<Self, InputError> {
        let manifest: Self = parse_json(path, &read_text(path)?)?;
        match manifest.status {
            Status::Complete => Ok(manifest),
            Status::Running => Err(InputError::Value {
                path: path.to_owned(),
                place: "status".into(),
                expected: "`complete`".into(),
                got: "`running`".into(),
                remedy: "let the run finish, or start it again: it resumes".into(),
            }),
        }
    }
}
