//! `cargo xtask tidy`: the rules of the house that no compiler checks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::{paths, say, sha256};

/// The longest file allowed, in lines.
const MOST_LINES: usize = 400;

/// Which crates a crate must not depend on, directly or through another crate of the workspace.
const FORBIDDEN: [(&str, &[&str]); 6] = [
    (
        "streams",
        &[
            "burn",
            "burn-flex",
            "burn-autodiff",
            "burn-cuda",
            "ndarray-linalg",
            "pe-core",
            "tasks",
            "probe",
            "train",
        ],
    ),
    ("terminal", &["burn", "ndarray", "ndarray-linalg", "streams", "pe-core", "tasks", "probe", "train"]),
    ("pe-core", &["tasks", "probe", "train", "ndarray-linalg"]),
    (
        "tasks",
        &["burn", "burn-flex", "burn-autodiff", "burn-cuda", "ndarray-linalg", "pe-core", "probe", "train"],
    ),
    ("probe", &["burn", "burn-flex", "burn-autodiff", "burn-cuda", "pe-core", "tasks", "train"]),
    (
        "xtask",
        &[
            "burn",
            "burn-flex",
            "burn-autodiff",
            "ndarray",
            "ndarray-linalg",
            "pe-core",
            "tasks",
            "probe",
            "train",
        ],
    ),
];

pub(crate) fn main() -> Result<()> {
    let root = paths::root();
    let mut problems = dependency_law(&root)?;
    problems.extend(datasets(&root.join("datasets"))?);
    for file in sources(&root)? {
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        problems.extend(file_problems(file.strip_prefix(&root).unwrap_or(&file), &text));
    }
    if !problems.is_empty() {
        bail!("{} problem(s):\n{}", problems.len(), problems.join("\n"));
    }
    say("tidy: all is in order");
    Ok(())
}

fn dependency_law(root: &Path) -> Result<Vec<String>> {
    let mut graph = BTreeMap::new();
    for (name, folder) in members(root)? {
        let path = folder.join("Cargo.toml");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let manifest: toml::Table = text.parse().with_context(|| path.display().to_string())?;
        let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
        graph.insert(name, dependencies.map(|table| table.keys().cloned().collect()).unwrap_or_default());
    }
    Ok(FORBIDDEN.iter().flat_map(|(name, forbidden)| violations(&graph, name, forbidden)).collect())
}

fn violations(graph: &BTreeMap<String, Vec<String>>, name: &str, forbidden: &[&str]) -> Vec<String> {
    let (mut reached, mut todo) = (Vec::<&str>::new(), vec![name]);
    while let Some(next) = todo.pop() {
        for dependency in graph.get(next).into_iter().flatten() {
            if !reached.contains(&dependency.as_str()) {
                reached.push(dependency);
                todo.push(dependency);
            }
        }
    }
    let broken = forbidden.iter().filter(|one| reached.contains(*one));
    broken.map(|one| format!("{name} must not depend on {one}")).collect()
}

fn members(root: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut members = vec![("xtask".to_owned(), root.join("xtask"))];
    for entry in std::fs::read_dir(root.join("crates")).context("crates/")? {
        let entry = entry?;
        members.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    Ok(members)
}

/// `datasets/manifest.toml`.
#[derive(Deserialize)]
struct DataManifest {
    file: Vec<DataFile>,
}

#[derive(Deserialize)]
struct DataFile {
    path: String,
    sha256: String,
}

fn datasets(folder: &Path) -> Result<Vec<String>> {
    let path = folder.join("manifest.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let manifest: DataManifest = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let mut problems = Vec::new();
    for file in manifest.file {
        let bytes = std::fs::read(folder.join(&file.path)).with_context(|| file.path.clone())?;
        let got = sha256(&bytes);
        if got != file.sha256 {
            problems
                .push(format!("datasets/{}: SHA-256 is {got}, the manifest says {}", file.path, file.sha256));
        }
    }
    Ok(problems)
}

fn sources(root: &Path) -> Result<Vec<PathBuf>> {
    let mut todo: Vec<PathBuf> = members(root)?
        .into_iter()
        .flat_map(|(_, folder)| ["src", "tests", "benches"].map(|d| folder.join(d)))
        .collect();
    let mut files = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path).with_context(|| path.display().to_string())? {
                todo.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn file_problems(path: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let lines = text.lines().count();
    if lines > MOST_LINES {
        problems.push(format!("{}: {lines} lines, at most {MOST_LINES}", path.display()));
    }
    if !(text.starts_with("//!") || text.starts_with("#![doc")) {
        problems.push(format!("{}: no module doc (`//!`) on its first line", path.display()));
    }
    if path.file_stem().is_some_and(|stem| stem == "utils" || stem == "util" || stem == "helpers") {
        problems.push(format!("{}: a module is named for what it does", path.display()));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_sees_through_other_crates() {
        let graph = BTreeMap::from([
            ("probe".to_owned(), vec!["a".to_owned()]),
            ("a".to_owned(), vec!["burn".to_owned()]),
        ]);
        assert_eq!(violations(&graph, "probe", &["burn", "tasks"]), ["probe must not depend on burn"]);
        assert!(violations(&graph, "a", &["probe"]).is_empty());
    }

    #[test]
    fn files_are_held_to_the_rules() {
        let long = format!("//! Doc.\n{}", "\n".repeat(MOST_LINES));
        assert_eq!(file_problems(Path::new("a.rs"), &long).len(), 1);
        assert_eq!(file_problems(Path::new("a.rs"), "fn main() {}").len(), 1);
        assert_eq!(file_problems(Path::new("src/utils.rs"), "//! Doc.").len(), 1);
        assert!(file_problems(Path::new("a.rs"), "//! Doc.\n").is_empty());
    }
}
