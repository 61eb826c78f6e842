//! `cargo xtask lint`: formatting, clippy and rustdoc, with warnings as errors.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::build::cargo;
use crate::{check_status, preflight};

#[derive(Args)]
pub(crate) struct LintArgs {
    /// Check only that the build for NVIDIA GPUs compiles (needs no GPU and no CUDA)
    #[arg(long)]
    cuda: bool,
    /// Run the tests of the crate that has unsafe code under the address sanitizer (Linux, some minutes of build)
    #[arg(long)]
    sanitizer: bool,
}

pub(crate) fn main(args: &LintArgs, install_deps: bool) -> Result<()> {
    if args.cuda {
        let check = ["check", "--release", "--package", "train", "--features", "cuda"];
        return check_status("`cargo check`", cargo().args(check).status().context("cannot start cargo")?);
    }
    if args.sanitizer {
        return sanitizer();
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

/// The sanitizer is an unstable option, which a stable compiler takes when told that it may. A target is named, so that
/// build scripts are built without it.
fn sanitizer() -> Result<()> {
    let host = rustc_host()?;
    let mut test = cargo();
    test.args(["test", "--release", "--package", "pe-core", "--lib", "--test", "fused", "--target", &host])
        .args(["--target-dir", "target/sanitizer"])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", "-Zsanitizer=address -Cdebug-assertions=on -Coverflow-checks=on");
    check_status("the tests under the address sanitizer", test.status().context("cannot start cargo")?)
}

fn rustc_host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}
