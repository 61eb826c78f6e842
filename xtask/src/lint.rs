//! `cargo xtask lint`: formatting, clippy and rustdoc, with warnings as errors.

use anyhow::{Context, Result};

use crate::build::cargo;
use crate::{check_status, preflight};

pub(crate) fn main(install_deps: bool) -> Result<()> {
    preflight::check(install_deps)?;
    let status = cargo().args(["fmt", "--all", "--", "--check"]).status().context("cannot start cargo")?;
    check_status("`cargo fmt --check` (run `cargo fmt --all`)", status)?;
    let clippy = ["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    check_status("`cargo clippy`", cargo().args(clippy).status()?)?;
    let mut doc = cargo();
    doc.args(["doc", "--release", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    check_status("`cargo doc`", doc.status()?)
}
