//! The claims of one experiment are several tries: their p, adjusted for that.

use std::collections::BTreeMap;

use super::{Claim, ClaimResult, Holm, Role};
use crate::inference::holm;

/// Gives each result with a p the one adjusted over all claims of its experiment that have one. Verdicts stay as they are.
pub(super) fn adjust(claims: &[Claim], results: &mut [ClaimResult]) {
    let mut families: BTreeMap<&str, Vec<(&mut ClaimResult, f64)>> = BTreeMap::new();
    for (claim, result) in claims.iter().zip(results) {
        if let Some(p) = largest(result) {
            families.entry(&claim.experiment).or_default().push((result, p));
        }
    }
    for family in families.into_values() {
        let p: Vec<f64> = family.iter().map(|(_, p)| *p).collect();
        let count = family.len();
        for ((result, _), p) in family.into_iter().zip(holm(&p)) {
            result.holm = Some(Holm { p, claims: count });
        }
    }
}

/// The largest p of the primary figures: all of them must hold. None of a claim that is not judged.
fn largest(result: &ClaimResult) -> Option<f64> {
    let told = result.p?;
    let primary = result.detail.contrasts.iter().filter(|contrast| contrast.role == Role::Primary);
    Some(primary.filter_map(|contrast| contrast.p).fold(told, f64::max))
}
