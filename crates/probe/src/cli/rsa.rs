//! `probe rsa`.

mod subjects;

use clap::Args;
use probe::compare::{Comparison, NanPolicy, compare};
use probe::io::TablePath;
use probe::permutation::{Permutations, Tail, rsa, rsa_beyond};
use probe::rdm::{Measure, Rdm};
use serde_json::{Value, json};

use super::PermutationArgs;
use super::failure::Failure;
use super::input::{Pair, PairArgs, described, named, same_rows};
use super::outcome::{Outcome, p_formula};
use super::rdm::{distances, kebab, measure};

/// Up to so many pairs Kendall's tau, which sorts anew for each permutation, is tested without being asked.
const FEW_PAIRS: usize = 2_000;

#[derive(Args)]
pub(super) struct RsaArgs {
    #[command(flatten)]
    tables: PairArgs,
    /// More tables like the second one, one a subject: the first is then a model, given with noise ceiling and bootstrap
    more: Vec<TablePath>,
    /// Distances between rows: euclidean, squared-euclidean, correlation, cosine, hamming; `given` for tables that are
    /// square distance matrices
    #[arg(long, default_value = "euclidean", value_parser = measure)]
    measure: Measure,
    /// The same for the second table and those after it [default: as for the first]
    #[arg(long, value_parser = measure)]
    measure_b: Option<Measure>,
    /// Comparisons of distances, such as spearman,kendall-tau-a [default: all]
    #[arg(long, value_delimiter = ',', value_parser = named::<Comparison>)]
    compare: Vec<Comparison>,
    /// A third table; what both share with its distances is taken out (partial correlation). Beyond the Hamming distance of a
    /// full grid whole rows and columns are permuted, else rows one by one, whose p is approximate
    #[arg(long, value_name = "TABLE", conflicts_with = "more")]
    beyond: Option<TablePath>,
    /// Distances of the third table [default: as for the second]
    #[arg(long, value_parser = measure, requires = "beyond")]
    measure_beyond: Option<Measure>,
    /// What counts as extreme: greater, less, two-sided
    #[arg(long, default_value = "greater", value_parser = named::<Tail>)]
    tail: Tail,
    #[command(flatten)]
    permutations: PermutationArgs,
    /// Bootstrap resamples of rows and subjects, where there are several subjects
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    resamples: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &RsaArgs) -> Result<(), Failure> {
    let pair = args.tables.read()?;
    if !args.more.is_empty() {
        return subjects::main(args, pair);
    }
    let measure_b = args.measure_b.unwrap_or(args.measure);
    let (a, b) = (distances(&pair.a, args.measure)?, distances(&pair.b, measure_b)?);
    let set = args.permutations.of(pair.n());
    let mut outcome = Outcome::new("rsa", &["comparison", "value", "p"])
        .fact("tables", pair.facts())
        .fact("measures", [args.measure, measure_b]);
    let beyond = match &args.beyond {
        None => None,
        Some(path) => {
            let table = path.read()?.finite()?;
            same_rows(&pair.a, &table)?;
            let measure = args.measure_beyond.unwrap_or(measure_b);
            outcome = outcome.fact("beyond", described(&table)).fact("measure_beyond", measure);
            Some(distances(&table, measure)?)
        }
    };
    if let Some(control) = &beyond {
        let kept = set.keeping(control);
        outcome = outcome
            .fact("beyond_permuted", kept.permuted())
            .fact("beyond_permutations", kept.count())
            .fact("beyond_p_formula", p_formula(&kept));
    }
    outcome = outcome
        .fact("n", pair.n())
        .fact("pairs", a.values().len())
        .fact("tail", args.tail)
        .permutations(&set, &args.permutations);
    for how in args.comparisons() {
        for (name, value, p) in one(args, &pair, [&a, &b], beyond.as_ref(), how, &set)? {
            outcome.row([json!(name), json!(value), p]);
        }
    }
    if args.compare.is_empty() && a.values().len() > FEW_PAIRS {
        outcome = outcome.fact(
            "mind",
            "p of Kendall's tau costs a sort a permutation: --compare kendall-tau-b asks for it",
        );
    }
    outcome.print(args.json)
}

/// A comparison, and the same beyond the third table where that is defined.
fn one(
    args: &RsaArgs,
    pair: &Pair,
    [a, b]: [&Rdm; 2],
    beyond: Option<&Rdm>,
    how: Comparison,
    set: &Permutations,
) -> Result<Vec<(String, f64, Value)>, Failure> {
    let told = |error| pair.told(error);
    let is_kendall = matches!(how, Comparison::KendallTauA | Comparison::KendallTauB);
    let untested = is_kendall && args.compare.is_empty() && a.values().len() > FEW_PAIRS;
    let plain = match untested {
        true => (kebab(&how), compare(a, b, how, NanPolicy::Refuse).map_err(told)?, Value::Null),
        false => {
            let found = rsa(a, b, how, args.tail, set).map_err(told)?;
            (kebab(&how), found.value, json!(found.p))
        }
    };
    match beyond {
        Some(third) if matches!(how, Comparison::Pearson | Comparison::Spearman) => {
            let found = rsa_beyond(a, b, third, how, args.tail, set).map_err(told)?;
            Ok(vec![plain, (format!("partial-{}", kebab(&how)), found.value, json!(found.p))])
        }
        _ => Ok(vec![plain]),
    }
}

impl RsaArgs {
    fn comparisons(&self) -> Vec<Comparison> {
        if self.compare.is_empty() { Comparison::ALL.to_vec() } else { self.compare.clone() }
    }
}
