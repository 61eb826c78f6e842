//! Reading a run directory: whatever trained, these files are all that is known of it.

mod config;
mod error;
mod manifest;
mod metrics;
mod tensors;
mod truth;

pub(crate) use config::parse_toml;
pub use config::{Config, Encoding, Model, Scale, Seeds, Task};
pub use error::InputError;
pub use manifest::{Dataset, Manifest, Status};
pub use metrics::{Evaluation, Split};
pub use tensors::{Answers, Snapshot, Table, Tensors};
pub use truth::Truth;

use std::path::{Path, PathBuf};

/// The layout of a run directory that this version reads.
pub const SCHEMA: u32 = 1;

/// A finished run, read and checked.
#[derive(Debug, Clone)]
pub struct RunDir {
    /// Where it lies.
    pub path: PathBuf,
    /// The keys of `config.toml` that probing needs.
    pub config: Config,
    /// What ran.
    pub manifest: Manifest,
    /// The evaluations of `metrics.jsonl` in the order written.
    pub evaluations: Vec<Evaluation>,
    /// Encoding tables, attention maps and coordinates.
    pub tensors: Tensors,
}

impl RunDir {
    /// Reads all files of the directory. An unfinished run is refused.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        if !path.is_dir() {
            return Err(InputError::Value {
                path: path.to_owned(),
                place: "the run directory".into(),
                expected: "a folder".into(),
                got: if path.exists() { "a file" } else { "nothing" }.into(),
                remedy: "pass the folder that holds config.toml".into(),
            });
        }
        let config = Config::read(&path.join("config.toml"))?;
        let manifest = Manifest::read(&path.join("manifest.json"))?;
        let evaluations = metrics::read(&path.join("metrics.jsonl"))?;
        let tensors = Tensors::read(&path.join("tensors.safetensors"))?;
        Ok(Self { path: path.to_owned(), config, manifest, evaluations, tensors })
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, InputError> {
    std::fs::read(path).map_err(|source| InputError::Read { path: path.to_owned(), source })
}

pub(crate) fn read_text(path: &Path) -> Result<String, InputError> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| InputError::Syntax {
        path: path.to_owned(),
        line: error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&b| b == b'\n').count()
            + 1,
        format: "UTF-8 text",
        got: error.utf8_error().to_string(),
    })
}

/// Parses JSON, and refuses another schema before it looks at anything else.
pub(crate) fn parse_json<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, InputError> {
    #[derive(serde::Deserialize)]
    struct OnlySchema {
        schema: Option<u32>,
    }
    let syntax = |error: serde_json::Error| InputError::Syntax {
        path: path.to_owned(),
        line: error.line(),
        format: "JSON of schema 1",
        got: error.to_string(),
    };
    let OnlySchema { schema } = serde_json::from_str(text).map_err(syntax)?;
    check_schema(path, schema.map(|schema| schema.to_string()))?;
    serde_json::from_str(text).map_err(syntax)
}

fn check_schema(path: &Path, got: Option<String>) -> Result<(), InputError> {
    match got {
        Some(schema) if schema == SCHEMA.to_string() => Ok(()),
        other => Err(InputError::Schema {
            path: path.to_owned(),
            expected: SCHEMA,
            got: other.unwrap_or_else(|| "none".into()),
        }),
    }
}
