//! The list of runs, made by `train plan` and frozen in a file before the first run starts.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{bad_input, check_status, paths, sha256};

/// What to plan: the options of `train plan`.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlanRequest {
    pub experiment: String,
    pub scale: String,
    pub pe: Option<String>,
    pub sigma: Option<String>,
    pub seeds: Option<String>,
    pub puzzles: Option<PathBuf>,
    pub recordings: Option<PathBuf>,
}

/// A plan on disk.
pub(crate) struct Frozen {
    pub path: PathBuf,
    pub plan: Plan,
}

/// What xtask reads of a plan; the configs of its runs are none of its business.
#[derive(Debug, Deserialize)]
pub(crate) struct Plan {
    pub experiment: String,
    pub scale: String,
    pub dataset: Dataset,
    pub runs: Vec<Run>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Dataset {
    pub name: String,
    pub source: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    pub id: String,
    pub steps: u64,
    pub evaluated: u64,
    /// The group of runs it belongs to, where that has a name.
    pub variant: Option<String>,
}

/// How far a run has come, as its folder tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Absent,
    Begun,
    Complete,
}

impl Plan {
    /// The folder of a run below `runs`.
    pub(crate) fn folder(&self, runs: &Path, run: &Run) -> PathBuf {
        runs.join(&self.experiment).join(&run.id)
    }

    /// How far a run has come.
    pub(crate) fn progress_of(&self, runs: &Path, run: &Run) -> Progress {
        let folder = self.folder(runs, run);
        if is_complete(&folder) {
            Progress::Complete
        } else if folder.exists() {
            Progress::Begun
        } else {
            Progress::Absent
        }
    }

    /// How many runs are complete, and how many begun.
    pub(crate) fn progress(&self, runs: &Path) -> (usize, usize) {
        let count = |state| self.runs.iter().filter(|run| self.progress_of(runs, run) == state).count();
        (count(Progress::Complete), count(Progress::Begun))
    }
}

/// Whether the manifest says that the run is over.
pub(crate) fn is_complete(folder: &Path) -> bool {
    #[derive(Deserialize)]
    struct Manifest {
        status: String,
    }
    let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
    serde_json::from_str::<Manifest>(&text).is_ok_and(|manifest| manifest.status == "complete")
}

/// Expands the request and writes the plan into `folder`.
pub(crate) fn freeze(request: &PlanRequest, folder: &Path) -> Result<Frozen> {
    let own = Path::new(&request.experiment);
    let taken = [&super::EXPERIMENTS[..], &[super::TABLES]].concat();
    // A file that lies here by chance is not what `reproduce lst` means.
    let is_own = !taken.contains(&request.experiment.as_str());
    let experiments = paths::root().join("xtask").join("experiments");
    let file = if is_own { own.to_owned() } else { experiments.join(format!("{}.toml", request.experiment)) };
    let mut command = Command::new(paths::binary("train"));
    command.arg("plan").arg(file).args(["--json", "--scale", &request.scale]);
    for (flag, value) in [("--pe", &request.pe), ("--sigma", &request.sigma), ("--seeds", &request.seeds)] {
        if let Some(value) = value {
            command.arg(format!("{flag}={value}"));
        }
    }
    for (flag, folder) in [("--puzzles", &request.puzzles), ("--recordings", &request.recordings)] {
        if let Some(folder) = folder {
            command.arg(flag).arg(folder);
        }
    }
    let output = command
        .stderr(std::process::Stdio::inherit())
        .output()
        .with_context(|| paths::cannot_start("train"))?;
    check_status("`train plan`", output.status)?;
    let plan: Plan = serde_json::from_slice(&output.stdout).context("`train plan` printed no plan")?;

    if is_own && taken.contains(&plan.experiment.as_str()) {
        return Err(bad_input(format!(
            "{}: the name `{}` is that of a paper's experiment, whose claims would be judged on yours: choose another",
            own.display(),
            plan.experiment
        )));
    }
    let changed = request.pe.is_some() || request.sigma.is_some() || request.seeds.is_some();
    let hash = &sha256(&output.stdout)[..8];
    let changed = if changed { format!("-custom-{hash}") } else { String::new() };
    let name = format!("{}-{}{changed}-{}", plan.experiment, plan.scale, plan.dataset.source);
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // Children read the plan as they start: another plan must never take its place.
    let path = folder.join(format!("{name}-{hash}.json"));
    crate::report::write_atomic(&path, &output.stdout)?;
    Ok(Frozen { path, plan })
}
