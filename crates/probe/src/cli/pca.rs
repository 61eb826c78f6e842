//! `probe pca`.

use std::path::PathBuf;

use clap::Args;
use probe::io::{TablePath, write_npy};
use probe::pca::pca;
use probe::spectrum::{effective_rank, participation_ratio, singular_values};
use serde_json::json;

use super::failure::Failure;
use super::input::{described, told};
use super::outcome::Outcome;
use super::output;

#[derive(Args)]
pub(super) struct PcaArgs {
    /// The table
    table: TablePath,
    /// How many components to print
    #[arg(long, default_value_t = 10)]
    components: usize,
    /// Also write the scores of these components as .npy
    #[arg(long, value_name = "FILE.npy")]
    scores: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &PcaArgs) -> Result<(), Failure> {
    output::check_npy("--scores", args.scores.as_deref(), [&args.table])?;
    let table = args.table.read()?.finite()?;
    let told = told(&table);
    let found = pca(table.values.view()).map_err(&told)?;
    let raw = singular_values(table.values.view()).map_err(&told)?;
    let shown = args.components.min(found.variances.len());
    if let Some(path) = &args.scores {
        write_npy(path, found.scores.slice(ndarray::s![.., ..shown]))?;
    }
    let variances = found.variances.to_vec();
    let mut outcome = Outcome::new("pca", &["component", "variance", "share", "cumulative"])
        .fact("table", described(&table))
        .fact("n", table.values.nrows())
        .fact("centring", "columns centred, not scaled; variances over n - 1")
        .fact("components", variances.len())
        .fact("participation_ratio", participation_ratio(&variances))
        .fact("effective_rank_of_singular_values_uncentred", effective_rank(&raw.to_vec()));
    let mut cumulative = 0.0;
    for (k, (variance, share)) in variances.iter().zip(&found.ratios).take(shown).enumerate() {
        cumulative += share;
        outcome.row([json!(k + 1), json!(variance), json!(share), json!(cumulative)]);
    }
    outcome.print(args.json)
}
