//! A finished run, read back: its config, its weights, and the tables that it kept.

use std::path::{Path, PathBuf};

use pe_core::weights::{self, Weights};
use pe_core::{Encoder, PeBackend};

use crate::TrainError;
use crate::config::RunConfig;
use crate::observe::Table;
use crate::run_dir::{Manifest, Status};
use crate::tensor_file;

/// A finished run. Reading it takes no lock and changes nothing.
#[derive(Debug, Clone)]
pub struct TrainedRun {
    path: PathBuf,
    config: RunConfig,
    manifest: Manifest,
    weights: Weights,
}

impl TrainedRun {
    /// Reads the run directory `path`.
    ///
    /// # Errors
    /// When it is no run directory, the run is not finished, or a file is missing, damaged, or of another run.
    pub fn open(path: &Path) -> Result<Self, TrainError> {
        let config = path.join("config.toml");
        let config = RunConfig::from_toml(&text(&config)?, &config.display().to_string())?;
        let place = path.join("manifest.json");
        let damaged = |problem: String| TrainError::Damaged { path: place.display().to_string(), problem };
        let manifest: Manifest = serde_json::from_str(&text(&place)?)
            .map_err(|error| damaged(format!("no whole manifest ({error}): start the run again")))?;
        if manifest.status != Status::Complete {
            return Err(damaged("the run is not finished: let it finish, or start it again".to_owned()));
        }
        if manifest.config_hash != config.hash() {
            return Err(TrainError::OtherRun {
                path: path.display().to_string(),
                expected: manifest.config_hash,
                got: config.hash(),
            });
        }
        let (weights, _) = tensor_file::read(&path.join("model.safetensors"))?;
        Ok(Self { path: path.to_owned(), config, manifest, weights })
    }

    /// Its config.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its final weights, by name.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The trained encoder.
    ///
    /// # Errors
    /// When the weights do not fit the config.
    pub fn encoder<B: PeBackend>(&self) -> Result<Encoder<B>, TrainError> {
        let model = self.config.model.init::<B>(&self.config.seeds, &B::Device::default())?;
        let place = self.path.join("model.safetensors").display().to_string();
        Ok(weights::with_weights(model, self.weights.clone(), &place)?)
    }

    /// The file of its tables.
    pub(crate) fn tensors(&self) -> PathBuf {
        self.path.join("tensors.safetensors")
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn text(path: &Path) -> Result<String, TrainError> {
    std::fs::read_to_string(path).map_err(|error| TrainError::Config {
        place: path.display().to_string(),
        problem: format!("cannot read it ({error}): expected the directory of a finished run"),
    })
}

/// Reads the tables `pe.<when>.<table>` of a safetensors file; without `when` those of `final`, or tables under their
/// plain names: `block-0`, `block-1`, ... or `shared`.
///
/// # Errors
/// When the file cannot be read, has no such table, or one of them is no matrix of finite entries.
pub fn read_tables(path: &Path, when: Option<&str>) -> Result<Vec<Table>, TrainError> {
    let tensors = tensor_file::read_given(path)?;
    let bad = |problem: String| TrainError::Config { place: path.display().to_string(), problem };
    let prefix = format!("pe.{}.", when.unwrap_or("final"));
    let mut tables = Vec::new();
    for (key, data) in &tensors {
        let name = match key.strip_prefix(&prefix) {
            Some(name) => name,
            None if when.is_none() && !key.contains('.') && block(key).is_some() => key,
            None => continue,
        };
        let ([tokens, _], Ok(values)) = (&data.shape[..], data.to_vec::<f32>()) else {
            return Err(bad(format!(
                "`{key}` has shape {:?}: expected [tokens, width]",
                data.shape.to_vec()
            )));
        };
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            let got = if values.is_empty() { "none" } else { "some that are not finite" };
            return Err(bad(format!(
                "`{key}`: expected finite entries, got {got}: name another file or snapshot"
            )));
        }
        tables.push(Table { name: name.to_owned(), tokens: *tokens, values });
    }
    if tables.is_empty() {
        let mut known: Vec<&str> =
            tensors.keys().filter_map(|key| key.strip_prefix("pe.")?.split('.').next()).collect();
        known.dedup();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(bad(format!(
            "no table `{prefix}block-<b>` or `{prefix}shared`: expected one of the snapshots that it holds ({known})"
        )));
    }
    tables.sort_by_key(|table| block(&table.name));
    Ok(tables)
}

/// `block-<b>` by number, `shared` before them; `None` for other names.
pub(crate) fn block(name: &str) -> Option<Option<usize>> {
    match name.strip_prefix("block-") {
        Some(number) => number.parse().ok().map(Some),
        None => (name == "shared").then_some(None),
    }
}
