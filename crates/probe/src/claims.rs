//! Verdicts on claims, across runs.
//!
//! The seed is the unit of inference. A claim is judged by its one primary endpoint; what else is measured is
//! secondary and corrected for being many. Verdicts are of each claim by itself; the p adjusted for the claims of an
//! experiment being many stands beside.

mod contrast;
mod many;
mod metric;
mod result;
mod runs;
mod sigma;
mod spec;
mod stand_in;
mod table;

pub use contrast::{Contrast, LeftOut, Pair, Role};
pub use metric::{Metric, ModuleStatistic, Relation, SimilarityKind, TableStatistic};
pub use result::{ClaimResult, Detail, Holm, Interval, Verdict};
pub use runs::{Run, Runs};
pub use sigma::{SigmaDetail, SigmaPoint};
pub use spec::{Claim, ClaimsFile, Direction, Published, Rule};
pub use table::aligned;

use crate::run_dir::InputError;

/// From this number of seeds on a claim is judged for good; with fewer it agrees or disagrees *so far*.
///
/// Six is the least for which the exact sign-flip test can reach p < 0.05 (2^-5 = 0.031).
pub const SEEDS_TO_JUDGE: usize = 6;

/// The level below which a p counts, and of which the intervals are the complement.
pub const ALPHA: f64 = 0.05;

/// Judges every claim of `file` on `runs`, in the order of the file.
pub fn judge(file: &ClaimsFile, runs: &Runs) -> Result<Vec<ClaimResult>, InputError> {
    let judged = |claim: &Claim| {
        let result = match &claim.rule {
            Rule::SpearmanOverSigma { .. } => sigma::judge(claim, runs),
            _ => contrast::judge(claim, runs),
        };
        result.map(|result| stand_in::withheld(claim, result))
    };
    let mut results = file.claim.iter().map(judged).collect::<Result<Vec<_>, _>>()?;
    many::adjust(&file.claim, &mut results);
    Ok(results)
}
