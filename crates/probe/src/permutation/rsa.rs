//! Representational similarity analysis with its permutation test (a Mantel test).

use super::{Permutations, Tail, Tested, permuted_dot};
use crate::compare::{Comparison, dot, partial_of, standardised};
use crate::rdm::{Rdm, square};
use crate::{StatError, checks};

/// Correlates two RDMs; conditions of the first are permuted, rows and columns jointly.
///
/// One-sided for a positive correlation (`Tail::Greater`) unless `tail` says otherwise. An RDM that is
/// constant or has an undefined pair gives NaN for both value and p.
pub fn rsa(
    a: &Rdm,
    b: &Rdm,
    how: Comparison,
    tail: Tail,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    let [x, y] = unit_vectors([a, b], how, permutations)?;
    let full = square(a.conditions(), &x, 0.0);
    Ok(permutations.test(dot(&x, &y), tail, |row| permuted_dot(&full, row, &y)))
}

/// Correlates two RDMs beyond a third (a partial Mantel test): conditions of the first are permuted.
///
/// NaN as in [`rsa`], and when the third explains either of the others entirely.
pub fn rsa_beyond(
    a: &Rdm,
    b: &Rdm,
    beyond: &Rdm,
    how: Comparison,
    tail: Tail,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    let [x, y, z] = unit_vectors([a, b, beyond], how, permutations)?;
    let full = square(a.conditions(), &x, 0.0);
    let yz = dot(&y, &z);
    let observed = partial_of(dot(&x, &y), dot(&x, &z), yz);
    Ok(permutations.test(observed, tail, |row| {
        partial_of(permuted_dot(&full, row, &y), permuted_dot(&full, row, &z), yz)
    }))
}

fn unit_vectors<const N: usize>(
    rdms: [&Rdm; N],
    how: Comparison,
    permutations: &Permutations,
) -> Result<[Vec<f64>; N], StatError> {
    for rdm in &rdms {
        checks::same_length("RSA: conditions", permutations.conditions(), rdm.conditions())?;
    }
    // A permutation would move undefined pairs onto defined ones, so nothing can be left out here.
    let complete = rdms.iter().all(|rdm| rdm.is_complete() && !rdm.values().is_empty());
    Ok(rdms.map(|rdm| match complete {
        true => standardised(rdm.values(), how),
        false => vec![f64::NAN; rdm.values().len().max(1)],
    }))
}
