//! `probe mantel`.

use clap::Args;
use probe::compare::Comparison;
use probe::permutation::{Tail, mantel};
use probe::rdm::Measure;
use serde_json::json;

use super::PermutationArgs;
use super::failure::Failure;
use super::input::{PairArgs, named};
use super::outcome::Outcome;
use super::rdm::{distances, kebab, measure};

/// The correlations that scikit-bio's `mantel` knows.
const METHODS: [Comparison; 3] = [Comparison::Pearson, Comparison::Spearman, Comparison::KendallTauB];

#[derive(Args)]
pub(super) struct MantelArgs {
    #[command(flatten)]
    tables: PairArgs,
    /// Distances between rows, such as euclidean; `given` for tables that are square distance matrices
    #[arg(long, default_value = "euclidean", value_parser = measure)]
    measure: Measure,
    /// The same for the second table [default: as for the first]
    #[arg(long, value_parser = measure)]
    measure_b: Option<Measure>,
    /// pearson, spearman, kendall-tau-b (slow) [default: the first two]
    #[arg(long, value_delimiter = ',', value_parser = named::<Comparison>)]
    method: Vec<Comparison>,
    /// What counts as extreme: greater, less, two-sided
    #[arg(long, default_value = "two-sided", value_parser = named::<Tail>)]
    tail: Tail,
    #[command(flatten)]
    permutations: PermutationArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &MantelArgs) -> Result<(), Failure> {
    if let Some(other) = args.method.iter().find(|method| !METHODS.contains(method)) {
        let got = kebab(other);
        return Err(Failure::Usage(format!(
            "--method: expected pearson, spearman or kendall-tau-b, got {got}; `probe rsa` has all comparisons"
        )));
    }
    let methods = if args.method.is_empty() { &METHODS[..2] } else { &args.method };
    let pair = args.tables.read()?;
    let measure_b = args.measure_b.unwrap_or(args.measure);
    let (a, b) = (distances(&pair.a, args.measure)?, distances(&pair.b, measure_b)?);
    let set = args.permutations.of(pair.n());
    let mut outcome = Outcome::new("mantel", &["method", "statistic", "p"])
        .fact("tables", pair.facts())
        .fact("measures", [args.measure, measure_b])
        .fact("n", pair.n())
        .fact("tail", args.tail)
        .permutations(&set, &args.permutations);
    for &method in methods {
        let found = mantel(&a, &b, method, args.tail, &set).map_err(|error| pair.told(error))?;
        outcome.row([json!(method), json!(found.statistic), json!(found.p)]);
    }
    outcome.print(args.json)
}
