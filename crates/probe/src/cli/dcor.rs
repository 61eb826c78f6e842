//! `probe dcor`.

use clap::Args;
use probe::dcor::{Centred, dcor};
use probe::io::TablePath;
use serde_json::{Value, json};

use super::PermutationArgs;
use super::failure::Failure;
use super::input::{PairArgs, described, same_rows, told};
use super::outcome::Outcome;

const BIASED: &str = "biased (square root of the V-statistic ratio)";
const CORRECTED: &str = "bias-corrected (squared, U-statistic)";

#[derive(Args)]
pub(super) struct DcorArgs {
    #[command(flatten)]
    tables: PairArgs,
    /// A third table: also the distance correlation of both beyond it (partial, bias-corrected)
    #[arg(long, value_name = "TABLE")]
    given: Option<TablePath>,
    #[command(flatten)]
    permutations: PermutationArgs,
    /// Only the two correlations, no tests: for two single columns in O(n log n)
    #[arg(long, conflicts_with = "given")]
    no_test: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &DcorArgs) -> Result<(), Failure> {
    let pair = args.tables.read()?;
    let [a, b] = pair.views();
    let wrong = |error| pair.told(error);
    let mut outcome = Outcome::new("dcor", &["estimator", "value", "p"])
        .fact("tables", pair.facts())
        .fact("distances", "euclidean")
        .fact("n", pair.n())
        .fact("mind", "only the bias-corrected one is about 0 for unrelated tables");
    if args.no_test {
        let found = dcor(a, b).map_err(wrong)?;
        for (name, value) in [(BIASED, found.biased), (CORRECTED, found.bias_corrected)] {
            outcome.row([json!(name), json!(value), Value::Null]);
        }
        return outcome.print(args.json);
    }
    let (a, b) = (Centred::new(a).map_err(wrong)?, Centred::new(b).map_err(wrong)?);
    let set = args.permutations.of(pair.n());
    outcome = outcome
        .fact("tail", "greater, rows of the first table permuted")
        .permutations(&set, &args.permutations);
    let found = a.test(&b, &set).map_err(wrong)?;
    let covariance = a.covariance(&b).map_err(wrong)?;
    let t = a.t_test(&b).map_err(wrong)?;
    outcome.row([json!(BIASED), json!(found.biased.value), json!(found.biased.p)]);
    outcome.row([json!(CORRECTED), json!(found.bias_corrected.value), json!(found.bias_corrected.p)]);
    let t_name =
        format!("t of the bias-corrected, {} degrees of freedom (for many columns)", t.degrees_of_freedom);
    outcome.row([json!(t_name), json!(t.statistic), json!(t.p)]);
    if let Some(path) = &args.given {
        let table = path.read()?.finite()?;
        same_rows(&pair.a, &table)?;
        let given = Centred::new(table.values.view()).map_err(told(&table))?;
        let partial = a.partial_test(&b, &given, &set).map_err(wrong)?;
        outcome = outcome.fact("given", described(&table));
        outcome.row([json!("partial, bias-corrected"), json!(partial.value), json!(partial.p)]);
    }
    outcome.row([json!("distance covariance, squared V-statistic"), json!(covariance.biased), Value::Null]);
    outcome.row([json!("distance covariance, squared U-statistic"), json!(covariance.unbiased), Value::Null]);
    outcome.print(args.json)
}
