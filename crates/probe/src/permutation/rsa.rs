//! Representational similarity analysis with its permutation test (a Mantel test).

use super::{Permutations, Tail, Tested, permuted_dot};
use crate::compare::{
    Comparison, Ordered, Prepared, dot, only_pearson_or_spearman, partial_of, standardised,
};
use crate::rdm::{Rdm, over_pairs, square};
use crate::{StatError, checks};

/// Compares two RDMs; conditions of the first are permuted, rows and columns jointly.
///
/// One-sided for a positive value (`Tail::Greater`) unless `tail` says otherwise. NaN for both value and p where
/// the comparison is undefined, as for a constant RDM, and when any pair is undefined: a permutation would move
/// it onto a defined one. Distances are ranked (or whitened, for independent and equally noisy patterns) once.
pub fn rsa(
    a: &Rdm,
    b: &Rdm,
    how: Comparison,
    tail: Tail,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    check_sizes(&[a, b], permutations)?;
    if !testable(&[a, b]) {
        return Ok(Tested { value: f64::NAN, p: f64::NAN });
    }
    let n = a.conditions();
    let x = Prepared::new(n, a.values(), None, how)?;
    let y = Prepared::new(n, b.values(), None, how)?;
    let (full, observed) = (square(n, &x.pairs, 0.0), x.with(&y));
    if how.is_kendall() {
        let ordered = Ordered::by(&y.pairs);
        return Ok(permutations.test(observed, tail, |row| {
            let permuted = over_pairs(n, |i, j| full[row[i] as usize * n + row[j] as usize]);
            if how == Comparison::KendallTauA { ordered.tau_a(&permuted) } else { ordered.tau_b(&permuted) }
        }));
    }
    Ok(permutations.test(observed, tail, |row| {
        let diagonal: f64 = row.iter().zip(&y.diagonal).map(|(&i, y)| x.diagonal[i as usize] * y).sum();
        permuted_dot(&full, row, &y.pairs) + diagonal
    }))
}

/// Correlates two RDMs beyond a third, the control (a partial Mantel test). Pearson or Spearman.
///
/// What is permuted is what is exchangeable given the control ([`Permutations::keeping`]). Beyond the Hamming distance of a
/// full grid these are the levels of each axis, not single cells: under the null a table has effects of rows and of columns,
/// in no order, and cells that share a row stay together. p = k/N with the identity counted where all N orders are
/// enumerated (576 for 4 x 4), else (k + 1)/(B + 1). With **any other control** the conditions are permuted one by one; the
/// null is then that the first is unrelated to both others, and p is approximate, often too small, under "nothing beyond the
/// control" (Legendre 2000), above all when all three are smooth in space. NaN as in [`rsa`], and when the third explains
/// either of the others entirely.
pub fn rsa_beyond(
    a: &Rdm,
    b: &Rdm,
    beyond: &Rdm,
    how: Comparison,
    tail: Tail,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    only_pearson_or_spearman("partial RSA", how)?;
    check_sizes(&[a, b, beyond], permutations)?;
    if !testable(&[a, b, beyond]) {
        return Ok(Tested { value: f64::NAN, p: f64::NAN });
    }
    let [x, y, z] = [a, b, beyond].map(|rdm| standardised(rdm.values(), how));
    let full = square(a.conditions(), &x, 0.0);
    let yz = dot(&y, &z);
    let observed = partial_of(dot(&x, &y), dot(&x, &z), yz);
    let permutations = permutations.keeping(beyond);
    Ok(permutations.test(observed, tail, |row| {
        partial_of(permuted_dot(&full, row, &y), permuted_dot(&full, row, &z), yz)
    }))
}

pub(super) fn check_sizes(rdms: &[&Rdm], permutations: &Permutations) -> Result<(), StatError> {
    rdms.iter().try_for_each(|rdm| {
        checks::same_length("RSA: conditions", permutations.conditions(), rdm.conditions())
    })
}

/// Whether every RDM has all its pairs, and at least one.
pub(super) fn testable(rdms: &[&Rdm]) -> bool {
    rdms.iter().all(|rdm| rdm.is_complete() && !rdm.values().is_empty())
}
