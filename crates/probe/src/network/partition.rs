//! A division of items into modules.

use std::collections::HashMap;
use std::hash::Hash;

use crate::{StatError, checks, rdm};

/// Which module each of n items belongs to. Modules are numbered from 0 in the order in which they first
/// occur, so that equal divisions are equal values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Partition {
    modules: Vec<usize>,
    count: usize,
}

impl Partition {
    /// From any labels, one an item.
    pub fn new<L: Eq + Hash>(labels: &[L]) -> Self {
        let mut seen = HashMap::new();
        let modules = labels
            .iter()
            .map(|label| {
                let next = seen.len();
                *seen.entry(label).or_insert(next)
            })
            .collect();
        Self { modules, count: seen.len() }
    }

    /// The number of items n.
    pub fn items(&self) -> usize {
        self.modules.len()
    }

    /// The number of modules.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The module of each item, `[n]`.
    pub fn modules(&self) -> &[usize] {
        &self.modules
    }

    /// Condensed indicator (1 or 0) of pairs in the same module, for RSA or
    /// [`attention_test`](crate::attention::attention_test).
    pub fn same_module(&self) -> Vec<f64> {
        let same = |i: usize, j: usize| self.modules[i] == self.modules[j];
        rdm::over_pairs(self.items(), |i, j| if same(i, j) { 1.0 } else { 0.0 })
    }

    /// The adjusted Rand index (Hubert and Arabie 1985): agreement of two partitions of the same items over
    /// that of random ones with these module sizes. 1 when they are equal, about 0 when they are unrelated,
    /// below 0 when they agree less than that. Two partitions into one module each, or into single items, are
    /// equal. scikit-learn's `adjusted_rand_score`.
    pub fn adjusted_rand(&self, other: &Self) -> Result<f64, StatError> {
        checks::same_length("adjusted Rand index: items", self.items(), other.items())?;
        if self == other {
            return Ok(1.0);
        }
        let mut both = vec![0u64; self.count * other.count];
        for (a, b) in self.modules.iter().zip(&other.modules) {
            both[a * other.count + b] += 1;
        }
        let pairs =
            |sizes: &mut dyn Iterator<Item = u64>| sizes.map(|m| (m * m.saturating_sub(1) / 2) as f64).sum();
        let [shared, own, others]: [f64; 3] = [
            pairs(&mut both.iter().copied()),
            pairs(&mut both.chunks(other.count).map(|row| row.iter().sum())),
            pairs(&mut (0..other.count).map(|b| both.iter().skip(b).step_by(other.count).sum())),
        ];
        let expected = own * others / rdm::pairs(self.items()) as f64;
        Ok((shared - expected) / ((own + others) / 2.0 - expected))
    }

    /// The partition in which item i has the module of item `permutation[i]`.
    pub(crate) fn permuted(&self, permutation: &[u32]) -> Vec<usize> {
        permutation.iter().map(|&item| self.modules[item as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_numbered_as_they_occur() {
        let partition = Partition::new(&["b", "a", "b", "c"]);
        assert_eq!((partition.modules(), partition.count()), (&[0, 1, 0, 2][..], 3));
        assert_eq!(partition, Partition::new(&[7, 3, 7, 0]));
        assert_eq!(partition.same_module(), [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    }

    /// By hand, of 4 items: {01}{23} and {02}{13} share no pair, 2 pairs each, expected 2·2/6: (0 - 2/3)/(2 - 2/3).
    #[test]
    fn the_rand_index_is_adjusted() {
        let a = Partition::new(&[0, 0, 1, 1]);
        approx::assert_abs_diff_eq!(a.adjusted_rand(&Partition::new(&[0, 1, 0, 1])).unwrap(), -0.5);
        assert_eq!(a.adjusted_rand(&Partition::new(&[5, 5, 2, 2])).unwrap(), 1.0);
        assert_eq!(a.adjusted_rand(&Partition::new(&[0, 0, 0, 0])).unwrap(), 0.0);
        let none = Partition::new::<u8>(&[]);
        assert_eq!(none.adjusted_rand(&none).unwrap(), 1.0);
        assert!(a.adjusted_rand(&none).is_err());
    }
}
