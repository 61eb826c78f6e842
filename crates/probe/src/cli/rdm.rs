//! `probe rdm`.

use std::path::PathBuf;

use clap::Args;
use ndarray::Array2;
use probe::io::{TablePath, write_npy};
use probe::rdm::{Measure, Rdm};
use serde_json::json;

use super::failure::Failure;
use super::input::{described, named, told};
use super::outcome::Outcome;

#[derive(Args)]
pub(super) struct RdmArgs {
    /// The table
    table: TablePath,
    /// euclidean, squared-euclidean, correlation, cosine, hamming
    #[arg(long, default_value = "euclidean", value_parser = named::<Measure>)]
    measure: Measure,
    /// Also write the square matrix as .npy
    #[arg(long, value_name = "FILE.npy")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &RdmArgs) -> Result<(), Failure> {
    let table = args.table.read()?.finite()?;
    let rdm = Rdm::of_rows(table.values.view(), args.measure).map_err(told(&table))?;
    let n = rdm.conditions();
    if let Some(out) = &args.out {
        let square = Array2::from_shape_fn((n, n), |(i, j)| rdm.get(i, j).unwrap_or(f64::NAN));
        write_npy(out, square.view())?;
    }
    let mut outcome = Outcome::new("rdm", &["i", "j", "distance"])
        .fact("table", described(&table))
        .fact("measure", args.measure)
        .fact("n", n)
        .fact("pairs", rdm.values().len())
        .fact("undefined_pairs", rdm.values().iter().filter(|value| value.is_nan()).count())
        .fact("order", "upper triangle, row by row");
    let name = |i: usize| table.labels.as_ref().map_or_else(|| json!(i), |labels| json!(labels[i]));
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    for ((i, j), distance) in pairs.zip(rdm.values()) {
        outcome.row([name(i), name(j), json!(distance)]);
    }
    outcome.print(args.json)
}
