//! Statistics of each run, and verdicts across runs: both are `probe`'s.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::{check_status, paths};

/// Writes `probe.json` into every run directory.
pub(crate) fn probe_all(dirs: &[PathBuf]) -> Result<()> {
    eprintln!("probing {} runs ...", dirs.len());
    for dir in dirs {
        let status = probe().arg("run").arg(dir).stdout(std::process::Stdio::null()).status();
        check_status("`probe run`", status.context("cannot start probe")?)?;
    }
    Ok(())
}

/// Judges the claims, prints their table and writes `claims.json` into `folder`.
pub(crate) fn claims(dirs: &[PathBuf], folder: &Path) -> Result<Vec<Value>> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let out = folder.join("claims.json");
    let status = probe()
        .arg("claims")
        .args(dirs)
        .arg("--claims")
        .arg(paths::root().join("xtask").join("claims.toml"))
        .arg("--out")
        .arg(&out)
        .status();
    check_status("`probe claims`", status.context("cannot start probe")?)?;
    let text = std::fs::read_to_string(&out).with_context(|| out.display().to_string())?;
    serde_json::from_str(&text).with_context(|| out.display().to_string())
}

/// probe runs on all cores by itself, its BLAS on one.
fn probe() -> Command {
    let mut command = Command::new(paths::binary("probe"));
    command.env("OPENBLAS_NUM_THREADS", "1");
    command
}
