//! Claims about recorded data say nothing of data that were generated in their place.

use super::{Claim, ClaimResult, Contrast, SigmaDetail, Verdict};

/// How a manifest says that data were generated.
const GENERATED: &str = "generated";

/// The result without its verdict, interval and p, where the claim asks for recorded data and some run has generated ones.
/// The figures stay: they are of the stand-in.
pub(super) fn withheld(claim: &Claim, mut result: ClaimResult) -> ClaimResult {
    if !claim.real_data || !result.detail.data.iter().any(|source| source == GENERATED) {
        return result;
    }
    let why = "the runs are on a synthetic stand-in, the claim is about recorded data: the figures say only that the \
               pipeline works";
    let others = result.reason.take().map_or_else(String::new, |reason| format!("; {reason}"));
    result.reason = Some(format!("{why}{others}"));
    result.verdict = Verdict::StandIn;
    (result.interval, result.p) = (None, None);
    result.detail.contrasts.iter_mut().for_each(Contrast::withhold);
    result.detail.over_sigma.iter_mut().for_each(SigmaDetail::withhold);
    result
}
