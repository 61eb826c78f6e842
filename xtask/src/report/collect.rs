//! From folders to runs, and to readings of tables: found, checked, each taken once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow};

use super::run::{Run, State, state};
use super::tables::{self, Reading};
use crate::{bad_input, check_status, paths};

/// How deep runs may lie below a folder: `out/runs/<experiment>/<run>` from above `out`.
const DEPTH: usize = 4;

/// The runs there are, and what must be said of the rest.
#[derive(Debug, Default)]
pub(super) struct Collection {
    pub runs: Vec<Run>,
    /// What was read off position tables of trained models.
    pub readings: Vec<Reading>,
    /// Finished, but not probed.
    pub unprobed: Vec<PathBuf>,
    /// What was left out and why, one sentence each.
    pub notes: Vec<String>,
}

/// Reads all runs in or below the folders.
pub(super) fn collect(folders: &[PathBuf]) -> Result<Collection> {
    let mut collection = Collection::default();
    let mut unfinished = Vec::new();
    let mut seen: BTreeMap<(String, String, u64, String, String), usize> = BTreeMap::new();
    let states = directories(folders)?.into_iter().map(|dir| {
        let state = (!is_readings(&dir)).then(|| state(&dir));
        (dir, state)
    });
    let states: Vec<(PathBuf, Option<Result<State>>)> = states.collect();
    let ready = states.iter().filter(|(_, state)| matches!(state, Some(Ok(State::Ready))));
    let unreadable = unreadable(ready.map(|(dir, _)| dir).collect())?;
    for (dir, state) in states {
        let run = match state {
            None => {
                collection.take_readings(&dir);
                continue;
            }
            Some(Ok(State::Unfinished)) => {
                unfinished.push(dir);
                continue;
            }
            Some(Ok(State::Unprobed)) => {
                collection.unprobed.push(dir);
                continue;
            }
            Some(Ok(State::Ready)) => match unreadable.get(&dir.display().to_string()) {
                Some(problem) => Err(anyhow!("{problem}")),
                None => Run::read(&dir),
            },
            Some(Err(error)) => Err(error),
        };
        match run {
            Ok(run) => collection.take(run, &mut seen)?,
            Err(error) => collection.notes.push(format!("left out, not readable: {error:#}")),
        }
    }
    if !unfinished.is_empty() {
        collection.notes.push(format!("left out, training has not finished: {}", names(&unfinished)));
    }
    if !collection.unprobed.is_empty() {
        let names = names(&collection.unprobed);
        collection.notes.push(format!("left out, not probed (--probe does it): {names}"));
    }
    Ok(collection)
}

impl Collection {
    fn take_readings(&mut self, dir: &Path) {
        match tables::read_folder(dir) {
            Err(error) => self.notes.push(format!("left out, not readable: {error:#}")),
            Ok(readings) => {
                for one in readings {
                    if self.readings.iter().any(|first| first.label == one.label) {
                        let (label, other) = (&one.label, one.file.display());
                        self.notes
                            .push(format!("the table `{label}` twice: the second, {other}, is not taken"));
                    } else {
                        self.readings.push(one);
                    }
                }
            }
        }
    }

    fn take(
        &mut self,
        run: Run,
        seen: &mut BTreeMap<(String, String, u64, String, String), usize>,
    ) -> Result<()> {
        let key = (run.experiment.clone(), run.arm.clone(), run.seed, run.scale.clone(), run.protocol());
        let Some(&index) = seen.get(&key) else {
            seen.insert(key, self.runs.len());
            self.runs.push(run);
            return Ok(());
        };
        let first = &self.runs[index];
        let (one, other) = (first.dir.display(), run.dir.display());
        if first.config_hash != run.config_hash {
            return Err(bad_input(format!(
                "{other}: a second run of arm `{}`, seed {}, with another config ({}) than {one} ({}): \
                 leave one of the two out",
                run.arm, run.seed, run.config_hash, first.config_hash
            )));
        }
        let alike = if first.scores == run.scores { "with the same scores" } else { "with other scores" };
        self.notes.push(format!(
            "the same run twice (config {}, {alike}): {one} is taken, {other} is not",
            run.config_hash
        ));
        Ok(())
    }
}

/// Those of the probed runs that `probe` cannot judge, and why: one of them would stop the judgement of all.
fn unreadable(ready: Vec<&PathBuf>) -> Result<BTreeMap<String, String>> {
    if ready.is_empty() {
        return Ok(BTreeMap::new());
    }
    let output = Command::new(paths::binary("probe"))
        .env("OPENBLAS_NUM_THREADS", "1")
        .arg("check")
        .args(ready)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| paths::cannot_start("probe"))?;
    check_status("`probe check`", output.status)?;
    serde_json::from_slice(&output.stdout).context("`probe check` printed no JSON")
}

/// Whether a folder holds readings of tables.
fn is_readings(dir: &Path) -> bool {
    dir.join(tables::INDEX).is_file()
}

/// The run directories and folders of readings in or below the folders, each once, in the order of the folders and then of their
/// names.
fn directories(folders: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for folder in folders {
        if !folder.is_dir() {
            return Err(bad_input(format!(
                "{}: expected a folder of runs, got {}",
                folder.display(),
                if folder.exists() { "a file" } else { "nothing" }
            )));
        }
        let before = found.len();
        search(folder, DEPTH, &mut found);
        if found.len() == before {
            return Err(bad_input(format!(
                "{}: expected runs (folders with config.toml and manifest.json), got none: train some with \
                 `cargo xtask reproduce`, or name the folder that holds them",
                folder.display()
            )));
        }
    }
    found.retain(|dir| known.insert(dir.canonicalize().unwrap_or_else(|_| dir.clone())));
    Ok(found)
}

fn search(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if is_readings(folder) || folder.join("manifest.json").is_file() && folder.join("config.toml").is_file() {
        found.push(folder.to_owned());
        return;
    }
    if depth == 0 {
        return;
    }
    // A folder that may not be read holds no run that may be.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    below.sort();
    for path in below {
        search(&path, depth - 1, found);
    }
}

/// The last names of some folders, not all of many.
fn names(dirs: &[PathBuf]) -> String {
    const MOST: usize = 6;
    let name = |dir: &PathBuf| dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned();
    let shown = dirs.iter().take(MOST).map(name).collect::<Vec<_>>().join(", ");
    match dirs.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
