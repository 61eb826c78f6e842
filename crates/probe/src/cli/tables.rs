//! `probe tables`.

use std::path::PathBuf;

use clap::Args;
use probe::positions::claims::{TableClaims, TableFile};
use probe::write_json;

use super::failure::Failure;
use super::outcome::aligned;
use super::{output, print};

#[derive(Args)]
pub(super) struct TablesArgs {
    /// Reports of `probe positions --json`
    #[arg(required = true)]
    reports: Vec<PathBuf>,
    /// The file of claims
    #[arg(long)]
    claims: PathBuf,
    /// Where to write the verdicts
    #[arg(long)]
    out: PathBuf,
}

pub(super) fn main(args: &TablesArgs) -> Result<(), Failure> {
    let inputs = args.reports.iter().chain([&args.claims]).map(PathBuf::as_path);
    output::check("--out", &args.out, inputs)?;
    let claims = TableClaims::read(&args.claims)?;
    let tables = args.reports.iter().map(|path| TableFile::read(path)).collect::<Result<Vec<_>, _>>()?;
    let results = claims.judge(&tables);
    write_json(&args.out, &results)?;
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    let head = ["claim", "verdict", "value", "n", "p", "note"].map(str::to_owned).to_vec();
    let rows = results.iter().map(|claim| {
        vec![
            claim.id.clone(),
            claim.verdict_text(),
            number(claim.value),
            claim.n.to_string(),
            number(claim.p),
            claim.reason.clone().unwrap_or_default(),
        ]
    });
    print(&aligned(&std::iter::once(head).chain(rows).collect::<Vec<_>>()))
}
