//! Which data recordings are, by the hash of their content: a synthetic stand-in must never pass for a brain.
//!
//! A run keeps the hash of its data, not where they lay. What `reproduce` knew of them, it leaves beside the runs.

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::drawing::escape;
use super::run::json;
use super::series::Series;
use super::write_atomic;

/// In the folder of an experiment's runs.
const FILE: &str = "data.json";

/// What generated recordings are called.
pub(crate) const STAND_IN: &str = "synthetic stand-in with planted 3-D places, no brain";

/// What recordings of which nothing is known are called.
pub(crate) const FILES: &str = "recordings from files";

/// How real ones are shown.
pub(crate) const REAL: &str =
    "cargo xtask datasets fetch hcp-aal2 --accept-terms && cargo xtask reproduce fmri";

/// What is known of data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known {
    /// Such as `7 Human Connectome Project subjects at rest`.
    pub title: String,
    /// What whoever publishes with them has to write.
    pub acknowledgement: Option<String>,
}

/// An entry of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    sha256: String,
    #[serde(flatten)]
    known: Known,
}

/// Notes what the data of these runs, in the folder of their experiment, are.
pub(crate) fn record(folder: &Path, runs: &[std::path::PathBuf], known: &Known) -> Result<()> {
    let mut entries = read(folder)?;
    for run in runs {
        let manifest = json(&run.join("manifest.json"))?;
        let Some(sha256) = manifest["dataset"]["sha256"].as_str().filter(|_| is_from_files(&manifest)) else {
            continue;
        };
        entries.retain(|entry| entry.sha256 != sha256);
        entries.push(Entry { sha256: sha256.to_owned(), known: known.clone() });
    }
    if entries.is_empty() {
        return Ok(());
    }
    entries.sort_by(|a, b| a.sha256.cmp(&b.sha256));
    write_atomic(&folder.join(FILE), &serde_json::to_vec_pretty(&entries)?)
}

fn is_from_files(manifest: &serde_json::Value) -> bool {
    manifest["dataset"]["source"] == "files"
}

/// What the data of a series are, for its title.
pub(super) fn title(series: &Series) -> String {
    match (series.source.as_str(), known(series)) {
        ("generated", _) => STAND_IN.to_owned(),
        (_, Some(known)) => known.title,
        _ => FILES.to_owned(),
    }
}

/// What must be said of the data, as HTML.
pub(super) fn note(series: &Series) -> String {
    match (series.source.as_str(), known(series)) {
        ("generated", _) => format!(
            " They show that the method finds what was planted, and nothing about a brain: claims are not judged on them. \
             The real data: <code>{}</code>, or recordings of your own: <code>cargo xtask reproduce fmri --recordings \
             DIR</code>.",
            escape(REAL)
        ),
        (_, Some(Known { acknowledgement: Some(text), .. })) => format!(" {}", escape(&text)),
        _ => String::new(),
    }
}

fn known(series: &Series) -> Option<Known> {
    let run = series.runs.first()?;
    let sha256 = run.manifest["dataset"]["sha256"].as_str()?;
    // A damaged note is no reason to show no report.
    let entries = read(run.dir.parent()?).unwrap_or_default();
    entries.into_iter().find(|entry| entry.sha256 == sha256).map(|entry| entry.known)
}

fn read(folder: &Path) -> Result<Vec<Entry>> {
    let path = folder.join(FILE);
    if !path.exists() {
        return Ok(Vec::new());
    }
    serde_json::from_value(json(&path)?).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_known_by_their_hash_and_generated_ones_by_none() {
        let dir = tempfile::tempdir().unwrap();
        let manifests = [("a", "files", "11"), ("b", "generated", "22")];
        let runs = manifests.map(|(name, source, sha256)| {
            let run = dir.path().join(name);
            std::fs::create_dir(&run).unwrap();
            let manifest = serde_json::json!({"dataset": {"source": source, "sha256": sha256}});
            std::fs::write(run.join("manifest.json"), manifest.to_string()).unwrap();
            run
        });
        let known = |title: &str| Known { title: title.into(), acknowledgement: None };
        record(dir.path(), &runs, &known("seven people")).unwrap();
        record(dir.path(), &runs[..1], &known("seven subjects")).unwrap();
        let entries = read(dir.path()).unwrap();
        assert_eq!(entries, [Entry { sha256: "11".into(), known: known("seven subjects") }]);
    }
}
