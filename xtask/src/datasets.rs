//! `cargo xtask datasets`: open data that is fetched, and the small files that lie here.

mod fetch;
mod manifest;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use crate::report::provenance::Known;
use crate::{bad_input, paths, say, sha256};
use manifest::{DataManifest, FetchedSet};

#[derive(Args)]
pub(crate) struct DatasetsArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Say what there is, where it is from and whether it is here
    List,
    /// Fetch a data set into out/data
    Fetch(fetch::FetchArgs),
    /// Check the SHA-256 of every file that is here
    Verify,
}

pub(crate) fn main(args: &DatasetsArgs) -> Result<()> {
    let manifest = manifest()?;
    match &args.what {
        What::List => list(&manifest),
        What::Fetch(args) => {
            let Some(set) = manifest.fetched.iter().find(|set| set.name == args.name) else {
                let names =
                    manifest.fetched.iter().map(|set| set.name.as_str()).collect::<Vec<_>>().join(", ");
                return Err(bad_input(format!("expected one of {names}, got {:?}", args.name)));
            };
            fetch::fetch(set, args)
        }
        What::Verify => verify(&manifest),
    }
}

/// The folder of a set, where it was fetched.
///
/// # Errors
/// When what lies there is not what was fetched.
pub(crate) fn fetched(name: &str) -> Result<Option<PathBuf>> {
    let manifest = manifest()?;
    let Some(set) = manifest.fetched.iter().find(|set| set.name == name) else { return Ok(None) };
    let folder = set.folder();
    if !folder.exists() {
        return Ok(None);
    }
    let changed = missing_or_changed(set, &folder);
    if changed.is_empty() {
        return Ok(Some(folder));
    }
    Err(bad_input(format!(
        "{}: expected the data set {name}, got {} file(s) missing or changed: fetch it again with `cargo xtask datasets fetch \
         {name} --accept-terms`, or name another folder with --recordings",
        folder.display(),
        changed.len()
    )))
}

/// The set whose files lie in a folder, each with the bytes that it is known by.
pub(crate) fn known(folder: &Path) -> Result<Option<Known>> {
    let manifest = manifest()?;
    let found = manifest.fetched.into_iter().find(|set| missing_or_changed(set, folder).is_empty());
    Ok(found.map(|set| Known { title: set.title, acknowledgement: Some(set.acknowledgement) }))
}

fn manifest() -> Result<DataManifest> {
    DataManifest::read(&paths::root().join("datasets").join("manifest.toml"))
}

fn list(manifest: &DataManifest) -> Result<()> {
    for file in &manifest.file {
        say(&format!("datasets/{}\n    {}\n    licence: {}", file.path, file.origin, file.licence));
    }
    for set in &manifest.fetched {
        let state = match missing_or_changed(set, &set.folder()).len() {
            0 => format!("here, in {}", set.folder().display()),
            _ => format!("not here: cargo xtask datasets fetch {} --accept-terms", set.name),
        };
        say(&format!(
            "{}: {}\n    {}\n    licence: {}\n    {state}",
            set.name, set.title, set.origin, set.licence
        ));
    }
    Ok(())
}

fn verify(manifest: &DataManifest) -> Result<()> {
    let mut problems = Vec::new();
    for file in &manifest.file {
        let path = paths::root().join("datasets").join(&file.path);
        let good = std::fs::read(&path).is_ok_and(|bytes| sha256(&bytes) == file.sha256);
        say(&format!("{} datasets/{}", if good { "ok     " } else { "CHANGED" }, file.path));
        if !good {
            problems.push(format!("datasets/{}", file.path));
        }
    }
    for set in &manifest.fetched {
        if !set.folder().exists() {
            say(&format!("absent  {}", set.name));
            continue;
        }
        let changed = missing_or_changed(set, &set.folder());
        say(&format!(
            "{} {} ({} files)",
            if changed.is_empty() { "ok     " } else { "CHANGED" },
            set.name,
            set.files.len()
        ));
        problems.extend(changed);
    }
    if !problems.is_empty() {
        bail!("{} file(s) missing or changed: {}; fetch the data again", problems.len(), problems.join(", "));
    }
    Ok(())
}

/// The files of a set that are not in a folder, or not as they were.
fn missing_or_changed(set: &FetchedSet, folder: &Path) -> Vec<String> {
    let is_good = |to: &str, expected: &str| {
        std::fs::read(folder.join(to)).is_ok_and(|bytes| sha256(&bytes) == expected)
    };
    let changed = set.files.iter().filter(|file| !is_good(&file.to, &file.sha256));
    changed.map(|file| format!("{}/{}", set.name, file.to)).collect()
}
