//! `probe dcor`.

use clap::Args;
use probe::dcor::Centred;
use serde_json::json;

use super::PermutationArgs;
use super::failure::Failure;
use super::input::PairArgs;
use super::outcome::Outcome;

#[derive(Args)]
pub(super) struct DcorArgs {
    #[command(flatten)]
    tables: PairArgs,
    #[command(flatten)]
    permutations: PermutationArgs,
    /// Only the statistics, no permutation tests
    #[arg(long)]
    no_test: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &DcorArgs) -> Result<(), Failure> {
    let pair = args.tables.read()?;
    let [a, b] = pair.views();
    let told = |error| pair.told(error);
    let (a, b) = (Centred::new(a).map_err(told)?, Centred::new(b).map_err(told)?);
    let outcome = Outcome::new("dcor", &["estimator", "value", "p"])
        .fact("tables", pair.facts())
        .fact("distances", "euclidean")
        .fact("n", pair.n());
    let names = ["biased (square root of the V-statistic ratio)", "bias-corrected (squared, U-statistic)"];
    let mut outcome = if args.no_test {
        let found = a.dcor(&b).map_err(told)?;
        let mut outcome = outcome;
        for (name, value) in names.iter().zip([found.biased, found.bias_corrected]) {
            outcome.row([json!(name), json!(value), json!(null)]);
        }
        outcome
    } else {
        let set = args.permutations.of(pair.n());
        let found = a.test(&b, &set).map_err(told)?;
        let mut outcome = outcome.fact("tail", "greater").permutations(&set, &args.permutations);
        for (name, tested) in names.iter().zip([found.biased, found.bias_corrected]) {
            outcome.row([json!(name), json!(tested.value), json!(tested.p)]);
        }
        outcome
    };
    outcome = outcome.fact("mind", "only the bias-corrected one is about 0 for unrelated tables");
    outcome.print(args.json)
}
