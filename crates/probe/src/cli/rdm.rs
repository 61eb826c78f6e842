//! `probe rdm`.

use std::path::PathBuf;

use clap::Args;
use probe::StatError;
use probe::io::{Table, TablePath, write_npy};
use probe::rdm::{Measure, Rdm};
use serde::Serialize;
use serde_json::json;

use super::failure::Failure;
use super::input::{described, named, told};
use super::outcome::Outcome;
use super::output;

#[derive(Args)]
pub(super) struct RdmArgs {
    /// The table
    table: TablePath,
    /// euclidean, squared-euclidean, correlation, cosine, hamming; `given` for a square distance matrix
    #[arg(long, default_value = "euclidean", value_parser = measure)]
    measure: Measure,
    /// Also write the square matrix as .npy
    #[arg(long, value_name = "FILE.npy")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &RdmArgs) -> Result<(), Failure> {
    output::check_npy("--out", args.out.as_deref(), [&args.table])?;
    let table = args.table.read()?.finite()?;
    let rdm = distances(&table, args.measure)?;
    let n = rdm.conditions();
    if let Some(out) = &args.out {
        write_npy(out, rdm.to_square().view())?;
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

/// A measure by its name: one that a single table is enough for.
pub(super) fn measure(name: &str) -> Result<Measure, String> {
    const KNOWN: &str =
        "euclidean, squared-euclidean, correlation, cosine, hamming, or given for square distances";
    match named(name) {
        Ok(Measure::Mahalanobis | Measure::SquaredMahalanobis | Measure::Crossnobis) => Err(format!(
            "expected {KNOWN}: it needs the noise or repeated measurements besides; compute it with the library \
             `probe` and pass the matrix with `given`"
        )),
        Ok(measure) => Ok(measure),
        Err(_) => Err(format!("expected {KNOWN}")),
    }
}

/// The distances between the rows of a table, or the table itself as distances.
pub(super) fn distances(table: &Table, measure: Measure) -> Result<Rdm, Failure> {
    let values = table.values.view();
    if values.nrows() < 2 {
        let what = "rows of a table of which distances are asked";
        return Err(told(table)(StatError::TooFew { what, least: 2, got: values.nrows() }));
    }
    let rdm = match measure {
        Measure::Given => Rdm::from_square(values, measure),
        _ => Rdm::of_rows(values, measure),
    };
    rdm.map_err(told(table))
}

/// The name that a value has in files.
pub(super) fn kebab(value: &impl Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}
