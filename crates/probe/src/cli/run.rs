//! `probe run`.

use std::path::PathBuf;

use clap::Args;
use probe::report::{ProbeReport, Settings};
use probe::run_dir::RunDir;
use probe::write_json;

use super::PermutationArgs;
use super::failure::Failure;

#[derive(Args)]
pub(super) struct RunArgs {
    /// The run directory
    dir: PathBuf,
    #[command(flatten)]
    permutations: PermutationArgs,
}

pub(super) fn main(args: &RunArgs) -> Result<(), Failure> {
    let PermutationArgs { permutations, seed } = args.permutations;
    let settings = Settings { permutations: permutations as usize, seed };
    let report = ProbeReport::of(&RunDir::open(&args.dir)?, settings)?;
    Ok(write_json(&args.dir.join("probe.json"), &report)?)
}
