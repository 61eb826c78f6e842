//! `cargo xtask lint`: formatting, clippy and rustdoc, with warnings as errors.

use anyhow::{Context, Result};
use clap::Args;

use crate::build::cargo;
use crate::{check_status, preflight};

#[derive(Args)]
pub(crate) struct LintArgs {
    /// Check only that the build for NVIDIA GPUs compiles (needs no GPU and no CUDA)
    #[arg(long)]
    cuda: bool,
}

pub(crate) fn main(args: &LintArgs, install_deps: bool) -> Result<()> {
    if args.cuda {
        let check = ["check", "--release", "--package", "train", "--features", "cuda"];
        return check_status("`cargo check`", cargo().args(check).status().context("cannot start cargo")?);
    }
    preflight::check(install_deps)?;
    let status = cargo().args(["fmt", "--all", "--", "--check"]).status().context("cannot start cargo")?;
    if !status.success() {
        // It shows the differences and says nothing.
        anyhow::bail!("the formatting differs, see above: run `cargo fmt --all`");
    }
    let clippy = ["clippy", "--release", "--workspace", "--all-targets", "--", "-D", "warnings"];
    check_status("`cargo clippy`", cargo().args(clippy).status()?)?;
    let mut doc = cargo();
    doc.args(["doc", "--release", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    check_status("`cargo doc`", doc.status()?)
}
