//! `probe map`.

use std::path::PathBuf;

use clap::Args;
use ndarray::{Array2, Axis, concatenate};
use probe::consensus::{Consensus, consensus};
use probe::run_dir::{RunDir, Tensors};
use probe::write_json;
use serde::Serialize;

use super::failure::Failure;
use super::outcome::Outcome;
use super::output;

#[derive(Args)]
pub(super) struct MapArgs {
    /// Run directories of one set of tokens, such as the seeds of an arm
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Also write the map as JSON
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is written.
#[derive(Serialize)]
struct Written<'a> {
    schema: u32,
    table: &'static str,
    #[serde(flatten)]
    map: &'a Consensus,
}

pub(super) fn main(args: &MapArgs) -> Result<(), Failure> {
    if let Some(out) = &args.out {
        output::check("--out", out, output::of_runs(&args.dirs).iter().map(PathBuf::as_path))?;
    }
    let runs = args.dirs.iter().map(|dir| RunDir::open(dir)).collect::<Result<Vec<_>, _>>()?;
    let files = || args.dirs.iter().map(|dir| dir.display().to_string()).collect::<Vec<_>>().join(", ");
    let told = |source| Failure::Statistic { files: files(), source };
    if let Some(run) = runs.iter().find(|run| run.tensors.tables.is_empty()) {
        let path = run.path.display();
        return Err(Failure::Usage(format!(
            "{path}: expected a run with encoding tables, got one without; leave it out"
        )));
    }
    let tables: Vec<Array2<f64>> = runs.iter().map(|run| whole(&run.tensors)).collect();
    let views: Vec<_> = tables.iter().map(|table| table.view()).collect();
    let tensors = &runs[0].tensors;
    let places = tensors.truth.has_places.then(|| tensors.coords.view());
    let map = consensus(&views, places).map_err(told)?;
    if let Some(path) = &args.out {
        write_json(path, &Written { schema: 1, table: "all", map: &map })?;
    }
    let mut outcome = Outcome::new("map", &["token", "components", "aligned"])
        .fact("runs", &args.dirs)
        .fact("table", "all blocks side by side, after training, each run centred and scaled to unit norm")
        .fact("explained", &map.explained);
    for (token, components) in map.components.iter().enumerate() {
        let aligned = map.aligned.as_ref().map(|aligned| &aligned[token]);
        outcome.row([token.into(), serde_json::json!(components), serde_json::json!(aligned)]);
    }
    outcome.print(args.json)
}

/// The tables of all blocks side by side.
fn whole(tensors: &Tensors) -> Array2<f64> {
    let views: Vec<_> = tensors.tables.iter().map(|table| table.last.view()).collect();
    // The reader has checked that they have the same rows.
    concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((0, 0)))
}
