//! `probe claims`.

use std::path::PathBuf;

use clap::Args;
use probe::claims::{ClaimsFile, Runs, aligned, judge};
use probe::run_dir::Scale;
use probe::write_json;

use super::failure::Failure;
use super::input::named;
use super::print;

#[derive(Args)]
pub(super) struct ClaimsArgs {
    /// Run directories with probe.json
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// The file of claims
    #[arg(long)]
    claims: PathBuf,
    /// Where to write the verdicts
    #[arg(long)]
    out: PathBuf,
    /// Only runs of this scale: quick, standard, paper, custom
    #[arg(long, value_parser = named::<Scale>)]
    scale: Option<Scale>,
}

pub(super) fn main(args: &ClaimsArgs) -> Result<(), Failure> {
    let file = ClaimsFile::read(&args.claims)?;
    let results = judge(&file, &Runs::read(&args.dirs, args.scale)?)?;
    write_json(&args.out, &results)?;
    print(&aligned(&results))
}
