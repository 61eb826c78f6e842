//! The list of runs, made by `train plan` and frozen in a file before the first run starts.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::{check_status, paths};

/// What to plan: the options of `train plan`.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlanRequest {
    pub experiment: String,
    pub scale: String,
    pub pe: Option<String>,
    pub sigma: Option<String>,
    pub seeds: Option<String>,
    pub puzzles: Option<PathBuf>,
}

/// A plan on disk.
pub(crate) struct Frozen {
    /// Names the plan and its report, such as `lst-quick-generated`.
    pub name: String,
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
    pub source: String,
    pub sha256: String,
    pub train: usize,
    pub test: usize,
    pub generalization: usize,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    pub id: String,
    pub steps: u64,
    pub evaluated: u64,
}

/// Expands the request and writes the plan into `folder`.
pub(crate) fn freeze(request: &PlanRequest, folder: &Path) -> Result<Frozen> {
    let own = PathBuf::from(&request.experiment);
    let experiments = paths::root().join("xtask").join("experiments");
    let file = if own.is_file() { own } else { experiments.join(format!("{}.toml", request.experiment)) };
    let mut command = Command::new(paths::binary("train"));
    command.arg("plan").arg(file).args(["--json", "--scale", &request.scale]);
    for (flag, value) in [("--pe", &request.pe), ("--sigma", &request.sigma), ("--seeds", &request.seeds)] {
        if let Some(value) = value {
            command.arg(format!("{flag}={value}"));
        }
    }
    if let Some(puzzles) = &request.puzzles {
        command.arg("--puzzles").arg(puzzles);
    }
    let output = command.stderr(std::process::Stdio::inherit()).output().context("cannot start train")?;
    check_status("`train plan`", output.status)?;
    let plan: Plan = serde_json::from_slice(&output.stdout).context("`train plan` printed no plan")?;

    let changed = request.pe.is_some() || request.sigma.is_some() || request.seeds.is_some();
    let name = format!(
        "{}-{}{}-{}",
        plan.experiment,
        plan.scale,
        if changed { "-custom" } else { "" },
        plan.dataset.source
    );
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = folder.join(format!("{name}.json"));
    crate::report::write_atomic(&path, &output.stdout)?;
    Ok(Frozen { name, path, plan })
}
