//! Partial distance correlation: what x and y share beyond z.

use super::Centred;
use crate::StatError;
use crate::centring::{lane_dot, permuted_dot};
use crate::permutation::{Permutations, Tail, Tested};
use crate::rdm::square;

/// What two tables share beyond a third.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Partial {
    /// `<P_x, P_y> / (n(n-3))`, P the U-centred distances with the part along z's removed.
    pub covariance: f64,
    /// `<P_x, P_y> / (|P_x| |P_y|)` = `(R_xy - R_xz R_yz) / sqrt((1 - R_xz²)(1 - R_yz²))`, R bias-corrected.
    pub correlation: f64,
}

impl Centred {
    /// Partial distance covariance and correlation of `self` and `other` given `given` (Székely and Rizzo
    /// 2014).
    ///
    /// About 0 when the tables share nothing beyond `given`; not exactly so in the population, unlike the
    /// plain one (0 does not imply conditional independence). NaN for fewer than 4 items, for a constant
    /// table, and when `given` explains a table entirely; a constant `given` explains nothing.
    pub fn partial(&self, other: &Self, given: &Self) -> Result<Partial, StatError> {
        let [x, y] = self.beyond(other, given)?;
        let n = self.0.items() as f64;
        let inner = 2.0 * lane_dot(&x.pairs, &y.pairs);
        Ok(Partial { covariance: inner / (n * (n - 3.0)), correlation: inner / (x.norm * y.norm) })
    }

    /// The partial distance correlation with its permutation p (one-sided, large is extreme).
    ///
    /// The items of the projected `self` are permuted, as the R package energy does: exact only when x and z
    /// are independent, approximate otherwise.
    pub fn partial_test(
        &self,
        other: &Self,
        given: &Self,
        permutations: &Permutations,
    ) -> Result<Tested, StatError> {
        self.permutable(permutations)?;
        let [x, y] = self.beyond(other, given)?;
        let norm = x.norm * y.norm / 2.0;
        let full = square(self.0.items(), &x.pairs, 0.0);
        let observed = lane_dot(&x.pairs, &y.pairs) / norm;
        Ok(permutations.test(observed, Tail::Greater, |row| permuted_dot(&full, row, &y.pairs) / norm))
    }

    fn beyond(&self, other: &Self, given: &Self) -> Result<[Projected; 2], StatError> {
        self.same_items(other)?;
        self.same_items(given)?;
        Ok([self, other].map(|table| Projected::new(table, given)))
    }
}

/// U-centred distances without their part along another table's.
struct Projected {
    pairs: Vec<f64>,
    norm: f64,
}

impl Projected {
    fn new(table: &Centred, given: &Centred) -> Self {
        let (_, own_norm) = table.0.norms();
        let (_, given_norm) = given.0.norms();
        // NaN marks a constant table, which has nothing to remove.
        let along = table.0.corrected_inner(&given.0) / (given_norm * given_norm);
        let along = if given_norm.is_nan() { 0.0 } else { along };
        let pairs: Vec<f64> =
            table.0.pairs().iter().zip(given.0.pairs()).map(|(own, z)| own - along * z).collect();
        let norm = (2.0 * lane_dot(&pairs, &pairs)).sqrt();
        // Of what is explained entirely only rounding is left. NaN norms must stay NaN.
        let norm = if norm > 1e-7 * own_norm { norm } else { f64::NAN };
        Self { pairs, norm }
    }
}
