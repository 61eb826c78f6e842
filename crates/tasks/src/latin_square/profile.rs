//! How many givens the puzzles of each level have.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{LatinSquareError, Level};

/// For each level, the numbers of givens and their weights: pairs (givens, weight), in any order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivensProfile {
    /// Of binary puzzles.
    pub binary: Vec<(usize, u32)>,
    /// Of ternary puzzles.
    pub ternary: Vec<(usize, u32)>,
    /// Of quaternary puzzles.
    pub quaternary: Vec<(usize, u32)>,
}

impl GivensProfile {
    /// Of the published training pool: the counts of givens in `binary.csv`, `ternary.csv` and `quaternary.csv`,
    /// 3,000 puzzles each (means 8.15, 6.34 and 5.98). Counted from the files; a test counts again.
    pub fn published_pool() -> Self {
        Self {
            binary: counts(3, [12, 105, 234, 476, 363, 307, 441, 688, 374]),
            ternary: counts(3, [103, 430, 579, 769, 387, 209, 225, 215, 83]),
            quaternary: counts(3, [96, 557, 669, 756, 369, 228, 150, 146, 29]),
        }
    }

    /// Of the published generalization set: the counts of givens in `human108.csv`, 12 puzzles a level, each in
    /// three orientations. Counted from the file; a test counts again.
    pub fn published_generalization() -> Self {
        Self {
            binary: counts(4, [0, 0, 1, 3, 2, 3, 2, 1]),
            ternary: counts(4, [0, 1, 2, 2, 4, 0, 2, 1]),
            quaternary: counts(4, [1, 3, 3, 3, 0, 2, 0, 0]),
        }
    }

    /// This profile of order 4 carried over to another order: the givens stay the same share of the `n² - 1` cells
    /// beside the target, rounded, and are at least `n - 1`. At order 4 it is the profile itself.
    pub fn scaled_to(&self, order: usize) -> Self {
        let scale = |pairs: &[(usize, u32)]| {
            let mut scaled = BTreeMap::new();
            for &(givens, weight) in pairs {
                let share = givens as f64 / 15.0;
                let givens = (share * (order * order - 1) as f64).round() as usize;
                *scaled.entry(givens.max(order - 1)).or_default() += weight;
            }
            scaled.into_iter().collect()
        };
        Self {
            binary: scale(&self.binary),
            ternary: scale(&self.ternary),
            quaternary: scale(&self.quaternary),
        }
    }

    /// The pairs of one level.
    pub fn of(&self, level: Level) -> &[(usize, u32)] {
        match level {
            Level::Binary => &self.binary,
            Level::Ternary => &self.ternary,
            Level::Quaternary => &self.quaternary,
        }
    }

    /// How many of `total` puzzles of a level get each number of givens: in proportion to the weights, the rest to
    /// the largest remainders, fewer givens first. Exact where the weights divide the total.
    pub(crate) fn quotas(&self, level: Level, total: usize) -> Vec<(usize, usize)> {
        let mut pairs = self.of(level).to_vec();
        pairs.sort_unstable();
        let sum: u64 = pairs.iter().map(|&(_, weight)| u64::from(weight)).sum();
        let share = |weight: u32| u64::from(weight) * total as u64;
        let mut quotas: Vec<_> =
            pairs.iter().map(|&(givens, weight)| (givens, (share(weight) / sum) as usize)).collect();
        let rest = total - quotas.iter().map(|&(_, quota)| quota).sum::<usize>();
        let mut by_remainder: Vec<usize> = (0..pairs.len()).collect();
        by_remainder.sort_by_key(|&index| std::cmp::Reverse(share(pairs[index].1) % sum));
        for &index in by_remainder.iter().take(rest) {
            quotas[index].1 += 1;
        }
        quotas.retain(|&(_, quota)| quota > 0);
        quotas
    }

    /// Checks that every level has a weight, and only numbers of givens that its puzzles can have.
    pub(crate) fn validate(&self, key: &'static str, order: usize) -> Result<(), LatinSquareError> {
        for level in Level::ALL {
            let pairs = self.of(level);
            let wrong = |expected: String, got: String| LatinSquareError::Setting { key, expected, got };
            if pairs.iter().all(|&(_, weight)| weight == 0) {
                return Err(wrong(format!("a positive weight for level {level}"), "none".to_owned()));
            }
            let least = if level == Level::Binary { order - 1 } else { 1 };
            let most = order * order - 1;
            for (index, &(givens, _)) in pairs.iter().enumerate() {
                if !(least..=most).contains(&givens) {
                    let expected = format!("{least} to {most} givens for level {level} of order {order}");
                    return Err(wrong(expected, givens.to_string()));
                }
                if pairs[..index].iter().any(|&(other, _)| other == givens) {
                    let expected = format!("each number of givens once for level {level}");
                    return Err(wrong(expected, format!("{givens} twice")));
                }
            }
        }
        Ok(())
    }
}

/// Weights of consecutive numbers of givens, without the zeros.
fn counts<const N: usize>(first: usize, weights: [u32; N]) -> Vec<(usize, u32)> {
    (first..).zip(weights).filter(|&(_, weight)| weight > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means and ranges as the authors' data has them: 8.15, 6.34, 5.98 in the pool, 3 to 11 givens.
    #[test]
    fn published_means() {
        let mean = |pairs: &[(usize, u32)]| {
            let sum: f64 = pairs.iter().map(|&(givens, weight)| givens as f64 * f64::from(weight)).sum();
            sum / pairs.iter().map(|&(_, weight)| f64::from(weight)).sum::<f64>()
        };
        let pool = GivensProfile::published_pool();
        for (level, expected) in Level::ALL.into_iter().zip([8.15, 6.34, 5.98]) {
            assert!((mean(pool.of(level)) - expected).abs() < 0.005, "{level}");
        }
        let items = GivensProfile::published_generalization();
        for (level, expected) in Level::ALL.into_iter().zip([8.4, 7.8, 6.3]) {
            assert!((mean(items.of(level)) - expected).abs() < 0.06, "{level}");
        }
    }

    #[test]
    fn quotas_are_exact_or_nearest() {
        let pool = GivensProfile::published_pool();
        for level in Level::ALL {
            let exact: Vec<_> = pool.of(level).iter().map(|&(g, weight)| (g, weight as usize)).collect();
            assert_eq!(pool.quotas(level, 3000), exact);
            for total in [1, 7, 100] {
                let quotas = pool.quotas(level, total);
                assert_eq!(quotas.iter().map(|&(_, quota)| quota).sum::<usize>(), total);
                for (givens, quota) in quotas {
                    let (_, weight) = pool.of(level).iter().find(|&&(g, _)| g == givens).unwrap();
                    let share = f64::from(*weight) * total as f64 / 3000.0;
                    assert!((quota as f64 - share).abs() < 1.0);
                }
            }
        }
    }

    #[test]
    fn scaled_profiles_are_valid_at_every_order() {
        for profile in [GivensProfile::published_pool(), GivensProfile::published_generalization()] {
            assert_eq!(profile.scaled_to(4), profile);
            for order in 2..=9 {
                profile.scaled_to(order).validate("pool_givens", order).unwrap();
            }
        }
    }
}
