//! Building, with the same selection and profile for every command, so that they share every artefact.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{check_status, paths, preflight};

/// `cargo` in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(paths::root());
    command
}

/// Builds all binaries after checking that the build can succeed.
pub(crate) fn binaries(install_deps: bool) -> Result<()> {
    preflight::check(install_deps)?;
    eprintln!("building (the first time takes some minutes) ...");
    let status = cargo()
        .args(["build", "--release", "--workspace", "--bins"])
        .status()
        .context("cannot start cargo")?;
    check_status("the build", status)
}
