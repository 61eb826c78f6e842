//! Building, with the same selection and profile for every command, so that they share every artefact.

use std::process::Command;

use anyhow::{Context, Result};

use crate::{check_status, paths, preflight};

/// `cargo` in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(paths::root());
    // `cargo run` describes xtask's own package to us. Build scripts of dependencies look at these names too, and would
    // be run again, with all that depends on them, whenever cargo is called from here after it was called directly.
    let inherited = std::env::vars_os().map(|(name, _)| name);
    for name in inherited.filter(|name| is_of_a_package(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

fn is_of_a_package(variable: &str) -> bool {
    ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| variable.starts_with(prefix))
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
