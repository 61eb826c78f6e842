//! `probe claims`.

use std::path::{Path, PathBuf};

use clap::Args;
use probe::claims::{ClaimsFile, Runs, aligned, judge};
use probe::run_dir::Scale;
use probe::write_json;

use super::failure::Failure;
use super::input::named;
use super::{output, print};

#[derive(Args)]
pub(super) struct ClaimsArgs {
    /// Run directories with probe.json
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// The file of claims
    #[arg(long)]
    claims: PathBuf,
    /// Where to write the verdicts; `-`: to standard output, as JSON in place of the text
    #[arg(long)]
    out: PathBuf,
    /// Only runs of this scale: quick, standard, paper, custom
    #[arg(long, value_parser = named::<Scale>)]
    scale: Option<Scale>,
}

pub(super) fn main(args: &ClaimsArgs) -> Result<(), Failure> {
    let of_runs = output::of_runs(&args.dirs);
    let inputs = of_runs.iter().chain([&args.claims]).map(PathBuf::as_path);
    output::check("--out", &args.out, inputs)?;
    // A folder that is not there is not one that was not probed.
    if let Some(dir) = args.dirs.iter().find(|dir| !dir.is_dir()) {
        let got = if dir.exists() { "a file" } else { "nothing" };
        let dir = dir.display();
        return Err(Failure::Usage(format!(
            "{dir}: expected the folder of a run, got {got}; check the path"
        )));
    }
    let file = ClaimsFile::read(&args.claims)?;
    let results = judge(&file, &Runs::read(&args.dirs, args.scale)?)?;
    if args.out == Path::new("-") {
        let json = serde_json::to_string_pretty(&results).map_err(|error| Failure::Output(error.into()))?;
        return print(&format!("{json}\n"));
    }
    write_json(&args.out, &results)?;
    print(&aligned(&results))
}
