//! Statistics of each run: `probe`'s.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{check_status, paths};

/// Writes `probe.json` into every run directory.
pub(crate) fn probe_all(dirs: &[PathBuf]) -> Result<()> {
    eprintln!("probing {} runs ...", dirs.len());
    for dir in dirs {
        // On all cores by itself, its BLAS on one.
        let mut probe = Command::new(paths::binary("probe"));
        probe.env("OPENBLAS_NUM_THREADS", "1").arg("run").arg(dir).stdout(std::process::Stdio::null());
        check_status("`probe run`", probe.status().with_context(|| paths::cannot_start("probe"))?)?;
    }
    Ok(())
}
