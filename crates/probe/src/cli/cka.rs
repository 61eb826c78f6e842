//! `probe cka`.

use clap::Args;
use probe::cka::{Estimator, Gram, Kernel};
use serde_json::json;

use super::PermutationArgs;
use super::failure::Failure;
use super::input::PairArgs;
use super::outcome::Outcome;

#[derive(Args)]
pub(super) struct CkaArgs {
    #[command(flatten)]
    tables: PairArgs,
    /// σ of the RBF kernel, over the median distance between rows
    #[arg(long, default_value_t = 0.5)]
    fraction: f64,
    #[command(flatten)]
    permutations: PermutationArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &CkaArgs) -> Result<(), Failure> {
    let pair = args.tables.read()?;
    let set = args.permutations.of(pair.n());
    let mut outcome = Outcome::new("cka", &["kernel", "estimator", "value", "p"])
        .fact("tables", pair.facts())
        .fact("n", pair.n())
        .fact("rbf_sigma_over_median_distance", args.fraction)
        .fact("tail", "greater")
        .permutations(&set, &args.permutations)
        .fact("mind", "only the unbiased one is about 0 for unrelated tables of many columns");
    let told = |error| pair.told(error);
    for (kernel, name) in [(Kernel::Linear, "linear"), (Kernel::Rbf { fraction: args.fraction }, "rbf")] {
        let [a, b] = pair.views();
        let (a, b) = (Gram::new(a, kernel).map_err(told)?, Gram::new(b, kernel).map_err(told)?);
        for (estimator, estimated) in [(Estimator::Unbiased, "unbiased"), (Estimator::Biased, "biased")] {
            let found = a.test(&b, estimator, &set).map_err(told)?;
            outcome.row([json!(name), json!(estimated), json!(found.value), json!(found.p)]);
        }
    }
    outcome.print(args.json)
}
