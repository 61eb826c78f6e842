//! `probe check`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use probe::claims::Run;

use super::failure::Failure;
use super::print;

#[derive(Args)]
pub(super) struct CheckArgs {
    /// Run directories with probe.json
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
}

/// One bad run stops `probe claims`: this says beforehand which to leave out.
pub(super) fn main(args: &CheckArgs) -> Result<(), Failure> {
    let problem = |dir: &PathBuf| Some((dir.display().to_string(), Run::read(dir).err()?.to_string()));
    let problems: BTreeMap<String, String> = args.dirs.iter().filter_map(problem).collect();
    print(&format!("{:#}\n", serde_json::json!(problems)))
}
