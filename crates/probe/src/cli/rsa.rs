//! `probe rsa`.

use clap::Args;
use probe::compare::Comparison;
use probe::io::{Table, TablePath};
use probe::permutation::{Tail, rsa, rsa_beyond};
use probe::rdm::{Measure, Rdm};
use serde_json::json;

use super::PermutationArgs;
use super::failure::Failure;
use super::input::{PairArgs, described, named, same_rows, told};
use super::outcome::Outcome;

#[derive(Args)]
pub(super) struct RsaArgs {
    #[command(flatten)]
    tables: PairArgs,
    /// Distances between rows: euclidean, squared-euclidean, correlation, cosine, hamming
    #[arg(long, default_value = "euclidean", value_parser = named::<Measure>)]
    measure: Measure,
    /// The same for the second table [default: as for the first]
    #[arg(long, value_parser = named::<Measure>)]
    measure_b: Option<Measure>,
    /// A third table; what both share with its distances is taken out (partial correlation)
    #[arg(long, value_name = "TABLE")]
    beyond: Option<TablePath>,
    /// Distances of the third table [default: as for the second]
    #[arg(long, value_parser = named::<Measure>, requires = "beyond")]
    measure_beyond: Option<Measure>,
    /// What counts as extreme: greater, less, two-sided
    #[arg(long, default_value = "greater", value_parser = named::<Tail>)]
    tail: Tail,
    #[command(flatten)]
    permutations: PermutationArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &RsaArgs) -> Result<(), Failure> {
    let pair = args.tables.read()?;
    let measure_b = args.measure_b.unwrap_or(args.measure);
    let rdm = |table: &Table, measure| Rdm::of_rows(table.values.view(), measure).map_err(told(table));
    let (a, b) = (rdm(&pair.a, args.measure)?, rdm(&pair.b, measure_b)?);
    let set = args.permutations.of(pair.n());
    let mut outcome = Outcome::new("rsa", &["estimator", "value", "p"])
        .fact("tables", pair.facts())
        .fact("measures", [args.measure, measure_b]);
    let beyond = match &args.beyond {
        None => None,
        Some(path) => {
            let table = path.read()?.finite()?;
            same_rows(&pair.a, &table)?;
            let measure = args.measure_beyond.unwrap_or(measure_b);
            outcome = outcome.fact("beyond", described(&table)).fact("measure_beyond", measure);
            Some(rdm(&table, measure)?)
        }
    };
    outcome = outcome
        .fact("n", pair.n())
        .fact("pairs", a.values().len())
        .fact("tail", args.tail)
        .permutations(&set, &args.permutations);
    for (how, name) in [(Comparison::Spearman, "spearman"), (Comparison::Pearson, "pearson")] {
        let plain = rsa(&a, &b, how, args.tail, &set).map_err(|error| pair.told(error))?;
        outcome.row([json!(name), json!(plain.value), json!(plain.p)]);
        if let Some(third) = &beyond {
            let partial =
                rsa_beyond(&a, &b, third, how, args.tail, &set).map_err(|error| pair.told(error))?;
            outcome.row([json!(format!("partial-{name}")), json!(partial.value), json!(partial.p)]);
        }
    }
    outcome.print(args.json)
}
