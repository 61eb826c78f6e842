//! The Mantel test, by the name and the conventions that ecology uses.

use super::{Permutations, Tail, rsa};
use crate::StatError;
use crate::compare::Comparison;
use crate::rdm::Rdm;

/// The result of [`mantel`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mantel {
    /// The correlation of the distances.
    pub statistic: f64,
    /// The permutation p. NaN when the statistic is.
    pub p: f64,
    /// The number of items n.
    pub items: usize,
}

/// The Mantel test (Mantel 1967) of two distance matrices, as scikit-bio's `mantel`: the items of `x` are
/// permuted, a tie counts, p = (k + 1)/(B + 1), and the two-sided test compares |r|. When [`Permutations`] holds
/// all n!, p = k/n! is exact. It is [`rsa`], which takes any n.
///
/// `how` is Pearson, Spearman or τ-b in scikit-bio. Fewer than 3 items are an error. A constant matrix has r and
/// p NaN. Items are taken to be exchangeable: autocorrelated ones give too small a p.
pub fn mantel(
    x: &Rdm,
    y: &Rdm,
    how: Comparison,
    tail: Tail,
    permutations: &Permutations,
) -> Result<Mantel, StatError> {
    let items = x.conditions();
    if items < 3 {
        return Err(StatError::TooFew { what: "items of a Mantel test", least: 3, got: items });
    }
    let tested = rsa(x, y, how, tail, permutations)?;
    Ok(Mantel { statistic: tested.value, p: tested.p, items })
}
