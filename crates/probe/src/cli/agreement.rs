//! `probe agreement`.

use std::path::PathBuf;

use clap::Args;
use probe::agreement::{AgreementReport, ArmAgreement, agreement_report};
use probe::run_dir::RunDir;
use probe::write_json;

use super::failure::Failure;
use super::outcome::aligned;
use super::{output, print};

#[derive(Args)]
pub(super) struct AgreementArgs {
    /// Run directories of one experiment
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Which table: all (every block's side by side), block-B or shared
    #[arg(long, default_value = "all")]
    table: String,
    /// Permutations of the tokens, for runs of different variants
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    permutations: u32,
    /// Draws of untrained tables, for runs of different seeds
    #[arg(long, default_value_t = 199, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    draws: u32,
    /// Seed of both
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Also write the JSON to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &AgreementArgs) -> Result<(), Failure> {
    if let Some(out) = &args.out {
        output::check("--out", out, output::of_runs(&args.dirs).iter().map(PathBuf::as_path))?;
    }
    let runs = args.dirs.iter().map(|dir| RunDir::open(dir)).collect::<Result<Vec<_>, _>>()?;
    let (permutations, draws) = (args.permutations as usize, args.draws as usize);
    let report = agreement_report(&runs, &args.table, permutations, draws, args.seed)?;
    if let Some(out) = &args.out {
        write_json(out, &report)?;
    }
    match args.json {
        true => print(&format!("{:#}\n", serde_json::json!(report))),
        false => print(&text(&report)),
    }
}

fn text(report: &AgreementReport) -> String {
    let head = format!(
        "experiment {}, table {}, after training, {} tokens, seed {}\n\
         seeds: pairs of runs of one variant; RSA (Spearman, Euclidean RDMs) minus that of untrained tables, p from {} draws\n\
         variants: pairs of runs of different variants and seeds; mean RSA, p from {} permutations of the tokens\n\n",
        report.experiment, report.table, report.n, report.seed, report.draws, report.permutations
    );
    let columns = ["arm", "runs", "seed pairs", "excess", "p", "variant pairs", "RSA", "p", "note"];
    let rows = std::iter::once(columns.map(str::to_owned).to_vec()).chain(report.arms.iter().map(row));
    let left_out = report.left_out.iter().map(|one| format!("left out: {}: {}\n", one.arm, one.reason));
    head + &aligned(&rows.collect::<Vec<_>>()) + &left_out.collect::<String>()
}

fn row(arm: &ArmAgreement) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
    let count = |pairs: Option<usize>| pairs.map_or_else(|| "-".to_owned(), |pairs| pairs.to_string());
    let (seeds, variants) = (arm.seeds.as_ref(), arm.variants.as_ref());
    vec![
        arm.arm.clone(),
        arm.runs.to_string(),
        count(seeds.map(|one| one.pairs)),
        number(seeds.and_then(|one| one.rsa.excess)),
        number(seeds.and_then(|one| one.rsa.p)),
        count(variants.map(|one| one.pairs)),
        number(variants.and_then(|one| one.value)),
        number(variants.and_then(|one| one.p)),
        arm.reason.clone().unwrap_or_default(),
    ]
}
