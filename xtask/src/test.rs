//! `cargo xtask test`.

use anyhow::{Context, Result};
use clap::Args;

use crate::build::cargo;
use crate::{check_status, preflight};

#[derive(Args)]
pub(crate) struct TestArgs {
    /// Run the slow tests too (as RUN_SLOW_TESTS=1 does)
    #[arg(long)]
    slow: bool,
}

pub(crate) fn main(args: &TestArgs, install_deps: bool) -> Result<()> {
    preflight::check(install_deps)?;
    let mut command = cargo();
    // The selection and profile of `reproduce`, so that nothing is compiled twice.
    command.args(["test", "--release", "--workspace"]);
    if args.slow {
        command.env("RUN_SLOW_TESTS", "1");
    }
    check_status("`cargo test`", command.status().context("cannot start cargo")?)
}
