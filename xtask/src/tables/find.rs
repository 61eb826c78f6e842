//! Which tables a folder holds.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::Known;
use crate::bad_input;

/// A table, and what is known of it; what is `None` `probe` finds out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) file: PathBuf,
    pub(super) tensor: Option<String>,
    pub(super) rows: Option<String>,
    pub(super) label: String,
    /// The model, by the name that published figures have.
    pub(super) model: Option<String>,
    pub(super) family: Option<String>,
    /// What tables of one origin share.
    pub(super) lineage: Option<String>,
}

/// A `tables.toml` of the user's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    table: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: PathBuf,
    tensor: Option<String>,
    rows: Option<String>,
    label: Option<String>,
    model: Option<String>,
    family: Option<String>,
    lineage: Option<String>,
}

/// The tables of a `tables.toml` (in the folder, or given itself), else of the files in the folder and in its folders.
pub(super) fn tables(folder: &Path, known: &[Known]) -> Result<Vec<Found>> {
    let list = if folder.is_file() { folder.to_owned() } else { folder.join("tables.toml") };
    if list.is_file() {
        return listed(&list);
    }
    let mut found = Vec::new();
    for file in files(folder, 1) {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_owned();
        match extension.as_str() {
            "npy" | "npz" => found.push(plain(&file)),
            "safetensors" => found.extend(in_safetensors(&file, known)?),
            _ => {}
        }
    }
    Ok(found)
}

fn listed(list: &Path) -> Result<Vec<Found>> {
    let text = std::fs::read_to_string(list).map_err(|error| {
        bad_input(format!("{}: expected a readable tables.toml, got: {error}", list.display()))
    })?;
    let parsed: List = toml::from_str(&text).map_err(|error| {
        let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        bad_input(format!("{}: expected [[table]] with file, got: {message}", list.display()))
    })?;
    let folder = list.parent().unwrap_or(Path::new("."));
    let found = parsed.table.into_iter().map(|entry| {
        let file = folder.join(&entry.file);
        let label = entry.label.or(entry.tensor.clone()).unwrap_or_else(|| plain(&file).label);
        Found {
            file,
            tensor: entry.tensor,
            rows: entry.rows,
            label,
            model: entry.model,
            family: entry.family,
            lineage: entry.lineage,
        }
    });
    let found: Vec<Found> = found.collect();
    match found.iter().find(|one| !one.file.is_file()) {
        None => Ok(found),
        Some(one) => Err(bad_input(format!(
            "{}: table `{}`: expected a file, got none at {}; correct `file`, which counts from the folder of this list",
            list.display(),
            one.label,
            one.file.display()
        ))),
    }
}

/// A file that holds one table, or a checkpoint that `probe` recognises.
fn plain(file: &Path) -> Found {
    let name = |path: Option<&Path>| path.and_then(Path::file_stem).map(|n| n.to_string_lossy().into_owned());
    let stem = name(Some(file)).unwrap_or_default();
    // A checkpoint is called as its folder is; every one of them is a `model.safetensors`.
    let folder = file.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned());
    let label = if stem == "model" { folder.unwrap_or(stem) } else { stem };
    let model = Some(label.clone());
    Found { file: file.to_owned(), tensor: None, rows: None, model, label, family: None, lineage: None }
}

fn in_safetensors(file: &Path, known: &[Known]) -> Result<Vec<Found>> {
    let names = names(file)?;
    let found: Vec<Found> = known
        .iter()
        .filter(|known| names.contains(&known.tensor))
        .map(|known| Found {
            tensor: Some(known.tensor.clone()),
            rows: known.rows.clone(),
            label: known.label.clone(),
            family: Some(known.family.clone()),
            lineage: known.lineage.clone(),
            model: None,
            ..plain(file)
        })
        .collect();
    let recognised = |name: &String| name.contains("position_embeddings") || name.ends_with("wpe.weight");
    if !found.is_empty() || names.len() == 1 || names.iter().any(recognised) {
        return Ok(if found.is_empty() { vec![plain(file)] } else { found });
    }
    eprintln!(
        "skipped: {} holds {} arrays and none that is known; say in a tables.toml which one is meant",
        file.display(),
        names.len()
    );
    Ok(Vec::new())
}

/// The names in the header of a .safetensors file; none where it is damaged, which `probe` will say better.
fn names(file: &Path) -> Result<Vec<String>> {
    let mut from = File::open(file).with_context(|| file.display().to_string())?;
    let mut length = [0; 8];
    let mut text = Vec::new();
    if from.read_exact(&mut length).is_ok() {
        let most = u64::from_le_bytes(length).min(100_000_000);
        from.take(most).read_to_end(&mut text).with_context(|| file.display().to_string())?;
    }
    let header: Value = serde_json::from_slice(&text).unwrap_or_default();
    let names =
        header.as_object().map(|map| map.keys().filter(|name| *name != "__metadata__").cloned().collect());
    Ok(names.unwrap_or_else(|| vec![String::new()]))
}

/// Files of a folder, and of its folders down to `depth`, by name.
fn files(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let inside = |path: PathBuf| match path.is_dir() {
        true if depth > 0 => files(&path, depth - 1),
        true => Vec::new(),
        false => vec![path],
    };
    entries.into_iter().flat_map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint(names: &[&str]) -> Vec<u8> {
        let header: serde_json::Map<String, Value> =
            names.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        let text = Value::Object(header).to_string();
        [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
    }

    #[test]
    fn tables_are_found_by_file_by_folder_and_by_tensor() {
        let dir = tempfile::tempdir().unwrap();
        let known = [Known {
            tensor: "pos".into(),
            rows: Some("2..9".into()),
            label: "P".into(),
            family: "causal".into(),
            lineage: None,
            get: None,
        }];
        std::fs::write(dir.path().join("mine.npy"), "").unwrap();
        std::fs::write(dir.path().join("two.safetensors"), checkpoint(&["pos", "other"])).unwrap();
        std::fs::write(dir.path().join("unknown.safetensors"), checkpoint(&["x", "y"])).unwrap();
        std::fs::write(dir.path().join("readme.txt"), "").unwrap();
        std::fs::create_dir(dir.path().join("gpt2")).unwrap();
        std::fs::write(dir.path().join("gpt2/model.safetensors"), checkpoint(&["wpe.weight", "wte.weight"]))
            .unwrap();
        let found = tables(dir.path(), &known).unwrap();
        let told: Vec<_> =
            found.iter().map(|f| (f.label.as_str(), f.rows.as_deref(), f.model.as_deref())).collect();
        assert_eq!(
            told,
            [("gpt2", None, Some("gpt2")), ("mine", None, Some("mine")), ("P", Some("2..9"), None)]
        );

        let text = "[[table]]\nfile = \"two.safetensors\"\ntensor = \"other\"\nfamily = \"causal\"\n";
        std::fs::write(dir.path().join("tables.toml"), text).unwrap();
        let found = tables(dir.path(), &known).unwrap();
        assert_eq!((found.len(), found[0].label.as_str()), (1, "other"));
        assert_eq!(found, tables(&dir.path().join("tables.toml"), &known).unwrap());
        std::fs::write(dir.path().join("tables.toml"), "[[table]]\nfiles = 3\n").unwrap();
        assert!(tables(dir.path(), &known).unwrap_err().to_string().contains("expected [[table]]"));
        std::fs::write(dir.path().join("tables.toml"), "[[table]]\nfile = \"gone.npy\"\n").unwrap();
        let error = tables(dir.path(), &known).unwrap_err().to_string();
        assert!(error.contains("table `gone`: expected a file") && error.contains("gone.npy"), "{error}");
        assert!(tables(&dir.path().join("none"), &known).unwrap().is_empty());
    }
}
