//! `probe decode`.

use std::path::PathBuf;

use clap::Args;
use probe::decode::{Alpha, Decoder, Folds};
use probe::io::{TablePath, write_npy};
use probe::permutation::Permutations;
use serde_json::{Value, json};
use streams::Streams;

use super::failure::Failure;
use super::input::Pair;
use super::outcome::{Outcome, p_formula};
use super::output;

#[derive(Args)]
pub(super) struct DecodeArgs {
    /// The table that is read, such as a learned one
    a: TablePath,
    /// What is read off it, such as coordinates, over the same observations in the same order; its rows are permuted
    b: TablePath,
    /// Folds of the cross-validation; as many as rows leaves one out at a time
    #[arg(long, default_value_t = 5)]
    folds: usize,
    /// Neighbouring rows stay in one fold, instead of random ones
    #[arg(long)]
    contiguous: bool,
    /// The ridge penalty [default: by leave-one-out error within each training fold]
    #[arg(long)]
    alpha: Option<f64>,
    /// Permutations of the test; each decodes anew
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    permutations: u32,
    /// Seed of folds and permutations
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Also write the out-of-fold predictions as .npy
    #[arg(long, value_name = "FILE.npy")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &DecodeArgs) -> Result<(), Failure> {
    output::check_npy("--out", args.out.as_deref(), [&args.a, &args.b])?;
    let pair = Pair::read(&args.a, &args.b)?;
    let told = |error| pair.told(error);
    let [x, y] = pair.views();
    let streams = Streams::new(args.seed);
    let folds = match args.contiguous {
        true => Folds::contiguous(pair.n(), args.folds),
        false => Folds::shuffled(pair.n(), args.folds, &streams),
    };
    let alpha = args.alpha.map_or_else(Alpha::nested, Alpha::Fixed);
    let decoder = Decoder::new(x, &folds.map_err(told)?, alpha).map_err(told)?;
    let found = decoder.decode(y).map_err(told)?;
    if let Some(out) = &args.out {
        write_npy(out, found.predictions.view())?;
    }
    let set = Permutations::new(pair.n(), args.permutations as usize, &streams);
    let tested = decoder.test(y, &set).map_err(told)?;
    let mut outcome = Outcome::new("decode", &["axis", "r2", "p"])
        .fact("tables", pair.facts())
        .fact("estimator", "out-of-fold R² of ridge regression, predictions of all folds pooled")
        .fact("n", pair.n())
        .fact("folds", format!("{}, {}", args.folds, if args.contiguous { "contiguous" } else { "random" }))
        .fact("penalty_of_each_fold", format!("{:.3e}", Listed(&found.alphas)))
        .fact("tail", "greater, rows of the second table permuted")
        .fact("permutations", set.count())
        .fact("seed", args.seed)
        .fact("p_formula", p_formula(&set));
    let name = |axis: usize| match &pair.b.columns {
        Some(names) => json!(names[axis]),
        None => json!(format!("{axis}")),
    };
    for (axis, r2) in found.r2.iter().enumerate() {
        outcome.row([name(axis), json!(r2), Value::Null]);
    }
    outcome.row([json!("mean of axes"), json!(found.r2_mean), json!(tested.p)]);
    outcome.row([json!("weighted by variance"), json!(found.r2_weighted), Value::Null]);
    outcome.print(args.json)
}

/// Numbers with commas.
struct Listed<'a>(&'a [f64]);

impl std::fmt::LowerExp for Listed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (k, value) in self.0.iter().enumerate() {
            if k > 0 {
                f.write_str(", ")?;
            }
            std::fmt::LowerExp::fmt(value, f)?;
        }
        Ok(())
    }
}
