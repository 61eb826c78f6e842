//! `cargo xtask datasets`: open data that is fetched, and the small files that lie here.

mod fetch;
mod manifest;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use crate::{bad_input, paths, sha256};
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
    let manifest = DataManifest::read(&paths::root().join("datasets").join("manifest.toml"))?;
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

fn list(manifest: &DataManifest) -> Result<()> {
    for file in &manifest.file {
        println!("datasets/{}\n    {}\n    licence: {}", file.path, file.origin, file.licence);
    }
    for set in &manifest.fetched {
        let state = match missing_or_changed(set).len() {
            0 => format!("here, in {}", set.folder().display()),
            _ => format!("not here: cargo xtask datasets fetch {} --accept-terms", set.name),
        };
        println!(
            "{}: {}\n    {}\n    licence: {}\n    {state}",
            set.name, set.title, set.origin, set.licence
        );
    }
    Ok(())
}

fn verify(manifest: &DataManifest) -> Result<()> {
    let mut problems = Vec::new();
    for file in &manifest.file {
        let path = paths::root().join("datasets").join(&file.path);
        let good = std::fs::read(&path).is_ok_and(|bytes| sha256(&bytes) == file.sha256);
        println!("{} datasets/{}", if good { "ok     " } else { "CHANGED" }, file.path);
        if !good {
            problems.push(format!("datasets/{}", file.path));
        }
    }
    for set in &manifest.fetched {
        if !set.folder().exists() {
            println!("absent  {}", set.name);
            continue;
        }
        let changed = missing_or_changed(set);
        println!(
            "{} {} ({} files)",
            if changed.is_empty() { "ok     " } else { "CHANGED" },
            set.name,
            set.files.len()
        );
        problems.extend(changed);
    }
    if !problems.is_empty() {
        bail!("{} file(s) missing or changed: {}; fetch the data again", problems.len(), problems.join(", "));
    }
    Ok(())
}

/// The files of a set that are not here, or not as they were.
fn missing_or_changed(set: &FetchedSet) -> Vec<String> {
    let folder = set.folder();
    let is_good = |to: &str, expected: &str| {
        std::fs::read(folder.join(to)).is_ok_and(|bytes| sha256(&bytes) == expected)
    };
    let changed = set.files.iter().filter(|file| !is_good(&file.to, &file.sha256));
    changed.map(|file| format!("{}/{}", set.name, file.to)).collect()
}
