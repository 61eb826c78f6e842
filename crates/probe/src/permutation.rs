//! Permutation of conditions: how often does a random relabelling do as well?

mod levels;
mod mantel;
mod regression;
mod rsa;

pub use mantel::{Mantel, mantel};
pub use regression::{RegressionTest, rsa_regression};
pub use rsa::{rsa, rsa_beyond};

use std::borrow::Cow;

use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use crate::rdm::Rdm;
use levels::Grid;

/// Statistics this close to the observed one count as equal to it: the order of summation differs by
/// permutation.
const TIE: f64 = 1e-12;

/// Permutations handed to one thread at a time: large enough to be worth the hand-over.
const CHUNK: usize = 256;

/// Up to this many entries (64 MiB) permutations are kept, else each is drawn again when it is asked for.
const MOST_KEPT: usize = 1 << 24;

/// Which statistics count as at least as extreme as the observed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// As large or larger.
    Greater,
    /// As small or smaller.
    Less,
    /// As far from 0 or farther.
    TwoSided,
}

impl Tail {
    pub(crate) fn reached(self, observed: f64, permuted: f64) -> bool {
        match self {
            Tail::Greater => permuted >= observed - TIE,
            Tail::Less => permuted <= observed + TIE,
            Tail::TwoSided => permuted.abs() >= observed.abs() - TIE,
        }
    }
}

/// A statistic and its permutation p. Both are NaN when the statistic is undefined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tested {
    /// The statistic.
    pub value: f64,
    /// The probability of such a value under relabelling of the conditions.
    pub p: f64,
}

/// What is relabelled: that which is exchangeable under the null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permuted {
    /// Every condition on its own.
    Tokens,
    /// The levels of each axis of a grid: whole rows among rows, whole columns among columns.
    AxisLevels,
}

/// A set of permutations of n conditions, the same for every test.
///
/// All n! are enumerated when there are no more of them than draws asked for (n <= 7 for 10,000); then p =
/// k/n!, the identity among the k. Else p = (k + 1)/(B + 1). Permutation number i is drawn from sub-stream i
/// of [`Stream::Permutation`], so neither the number of draws nor of threads changes it. At most 64 MiB of them are
/// kept. [`keeping`](Self::keeping) has those of a smaller group instead.
#[derive(Debug, Clone)]
pub struct Permutations {
    conditions: usize,
    /// How many were asked for, and where they are drawn from.
    asked: usize,
    streams: Streams,
    /// Where only levels of axes are permuted.
    grid: Option<Grid>,
    rows: Rows,
    count: usize,
    exact: bool,
}

#[derive(Debug, Clone)]
enum Rows {
    /// Row after row.
    Kept(Vec<u32>),
    /// Too many: each is drawn when it is asked for.
    Drawn,
}

impl Permutations {
    /// At most `draws` permutations of `conditions` conditions.
    pub fn new(conditions: usize, draws: usize, streams: &Streams) -> Self {
        Self::of_group(conditions, draws, streams, None)
    }

    /// Those that leave a control's distances as they are, as many as were asked for: what is exchangeable under the null
    /// that nothing is there beyond the control.
    ///
    /// Where the control is the Hamming distance of a full grid (each combination of levels once, two axes or more; a
    /// factor is allowed), the levels of each axis are permuted: R! C! for R rows and C columns, 576 of a 4 x 4 grid. Of any
    /// other control nothing is known to be exchangeable, and they stay as they are.
    pub fn keeping(&self, control: &Rdm) -> Cow<'_, Self> {
        if self.grid.is_some() || control.conditions() != self.conditions {
            return Cow::Borrowed(self);
        }
        match Grid::of_hamming(control) {
            None => Cow::Borrowed(self),
            grid => Cow::Owned(Self::of_group(self.conditions, self.asked, &self.streams, grid)),
        }
    }

    fn of_group(conditions: usize, asked: usize, streams: &Streams, grid: Option<Grid>) -> Self {
        let all = match &grid {
            None => factorial_up_to(conditions, asked),
            Some(grid) => grid.count_up_to(asked),
        };
        let few = conditions.checked_mul(asked).is_some_and(|entries| entries <= MOST_KEPT);
        let rows = match (&grid, all) {
            (None, Some(count)) => Rows::Kept(every(conditions, count)),
            (Some(grid), Some(_)) => Rows::Kept(grid.every()),
            (None, None) if few => Rows::Kept(drawn(conditions, asked, streams)),
            _ => Rows::Drawn,
        };
        let (count, exact, streams) = (all.unwrap_or(asked), all.is_some(), streams.clone());
        Self { conditions, asked, streams, grid, rows, count, exact }
    }

    /// What `of` makes of each permutation, `at_once` of them in one go.
    fn each<T: Send>(
        &self,
        at_once: usize,
        of: impl Fn(&[u32]) -> T + Sync + Send,
    ) -> impl ParallelIterator<Item = T> {
        let n = self.conditions;
        let row = move |buffer: &mut Vec<u32>, index: usize| match &self.rows {
            Rows::Kept(rows) => of(&rows[index * n..(index + 1) * n]),
            Rows::Drawn => {
                buffer.clear();
                match &self.grid {
                    Some(grid) => grid.draw(&self.streams, index, buffer),
                    None => {
                        buffer.extend(0..n as u32);
                        shuffle(buffer, &self.streams, index);
                    }
                }
                of(buffer)
            }
        };
        (0..self.count).into_par_iter().with_min_len(at_once).map_init(Vec::new, row)
    }

    /// The number of conditions n.
    pub fn conditions(&self) -> usize {
        self.conditions
    }

    /// What is relabelled.
    pub fn permuted(&self) -> Permuted {
        if self.grid.is_some() { Permuted::AxisLevels } else { Permuted::Tokens }
    }

    /// The number of permutations: all there are when exact (n! of tokens), B otherwise.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether all permutations are there.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The p of `observed`, given what `statistic` is under each permutation. NaN when `observed` is NaN.
    ///
    /// `statistic` gets `p`, where `p[i]` is the condition that takes the place of condition i. An undefined
    /// permuted statistic counts as extreme, which can only make p larger.
    pub fn p(&self, observed: f64, tail: Tail, statistic: impl Fn(&[u32]) -> f64 + Sync) -> f64 {
        if observed.is_nan() {
            return f64::NAN;
        }
        let reached = |permutation: &[u32]| {
            let value = statistic(permutation);
            value.is_nan() || tail.reached(observed, value)
        };
        // Counting whole numbers: the sum does not depend on how the work is split.
        let extreme: usize = self.each(CHUNK, |row| usize::from(reached(row))).sum();
        self.share(extreme)
    }

    /// [`p`](Self::p) of several statistics that are computed together.
    pub(crate) fn p_each(
        &self,
        observed: &[f64],
        tail: Tail,
        statistics: impl Fn(&[u32]) -> Vec<f64> + Sync,
    ) -> Vec<f64> {
        let reached = |permutation: &[u32]| -> Vec<usize> {
            let permuted = statistics(permutation);
            let extreme = |(seen, new): (&f64, &f64)| usize::from(new.is_nan() || tail.reached(*seen, *new));
            observed.iter().zip(&permuted).map(extreme).collect()
        };
        let add = |sums: Vec<usize>, more: Vec<usize>| sums.iter().zip(&more).map(|(a, b)| a + b).collect();
        // Each is costly: one at a time.
        let counts = self.each(1, reached).reduce(|| vec![0; observed.len()], add);
        let p = |(seen, extreme): (&f64, usize)| if seen.is_nan() { f64::NAN } else { self.share(extreme) };
        observed.iter().zip(counts).map(p).collect()
    }

    fn share(&self, extreme: usize) -> f64 {
        match self.exact {
            true if self.conditions == 0 => f64::NAN,
            true => extreme as f64 / self.count as f64,
            false => (extreme as f64 + 1.0) / (self.count as f64 + 1.0),
        }
    }

    /// [`p`](Self::p) together with its statistic.
    pub fn test(&self, observed: f64, tail: Tail, statistic: impl Fn(&[u32]) -> f64 + Sync) -> Tested {
        Tested { value: observed, p: self.p(observed, tail, statistic) }
    }
}

/// The inner product over pairs i < j of a permuted full matrix and a condensed one.
pub(crate) fn permuted_dot(full: &[f64], permutation: &[u32], condensed: &[f64]) -> f64 {
    let n = permutation.len();
    let mut rest = condensed;
    let mut sum = 0.0;
    for (i, &pi) in permutation.iter().enumerate() {
        let row = &full[pi as usize * n..(pi as usize + 1) * n];
        let (now, later) = rest.split_at(n - 1 - i);
        sum += gathered_dot(row, &permutation[i + 1..], now);
        rest = later;
    }
    sum
}

/// The inner product of `row[at]` and `y`, in four partial sums: one would wait for each addition.
fn gathered_dot(row: &[f64], at: &[u32], y: &[f64]) -> f64 {
    let ((at4, at_rest), (y4, y_rest)) = (at.as_chunks::<4>(), y.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (at, y) in at4.iter().zip(y4) {
        for lane in 0..4 {
            sums[lane] += row[at[lane] as usize] * y[lane];
        }
    }
    let rest: f64 = at_rest.iter().zip(y_rest).map(|(&at, y)| row[at as usize] * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn factorial_up_to(n: usize, limit: usize) -> Option<usize> {
    let mut product = 1usize;
    for factor in 2..=n {
        product = product.checked_mul(factor).filter(|&p| p <= limit)?;
    }
    Some(product)
}

fn drawn(n: usize, draws: usize, streams: &Streams) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..draws).flat_map(|_| 0..n as u32).collect();
    rows.par_chunks_mut(n).enumerate().for_each(|(index, row)| shuffle(row, streams, index));
    rows
}

fn shuffle(row: &mut [u32], streams: &Streams, index: usize) {
    row.shuffle(&mut streams.rng_at(Stream::Permutation, index as u64));
}

/// All permutations in lexicographic order.
fn every(n: usize, count: usize) -> Vec<u32> {
    let mut current: Vec<u32> = (0..n as u32).collect();
    let mut rows = Vec::with_capacity(n * count);
    loop {
        rows.extend_from_slice(&current);
        let Some(pivot) = (1..n).rev().find(|&i| current[i - 1] < current[i]) else { return rows };
        let successor = (pivot..n).rev().find(|&i| current[i] > current[pivot - 1]).unwrap_or(pivot);
        current.swap(pivot - 1, successor);
        current[pivot..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(set: &Permutations) -> Vec<Vec<u32>> {
        set.each(1, <[u32]>::to_vec).collect()
    }

    #[test]
    fn small_sets_are_enumerated_without_repeats() {
        let all = Permutations::new(5, 120, &Streams::new(0));
        assert!(all.is_exact());
        let distinct: std::collections::BTreeSet<Vec<u32>> = rows(&all).into_iter().collect();
        assert_eq!((all.count(), distinct.len()), (120, 120));
        assert!(!Permutations::new(5, 119, &Streams::new(0)).is_exact());
    }

    #[test]
    fn more_draws_keep_the_earlier_ones() {
        let [few, many] = [50, 400].map(|draws| Permutations::new(16, draws, &Streams::new(3)));
        assert_eq!(rows(&few), rows(&many)[..50]);
        for mut sorted in rows(&many) {
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..16));
        }
    }

    #[test]
    fn what_is_too_much_to_keep_is_drawn_again_alike() {
        let kept = Permutations::new(16, 400, &Streams::new(3));
        let drawn = Permutations { rows: Rows::Drawn, ..kept.clone() };
        assert_eq!(rows(&kept), rows(&drawn));
        let many = Permutations::new(1 << 20, 100, &Streams::new(3));
        assert!(matches!(many.rows, Rows::Drawn) && matches!(kept.rows, Rows::Kept(_)));
    }

    #[test]
    fn the_smallest_p_is_one_over_draws_plus_one() {
        let set = Permutations::new(10, 99, &Streams::new(1));
        assert_eq!(set.p(1.0, Tail::Greater, |_| 0.0), 0.01);
        assert_eq!(set.p(1.0, Tail::Less, |_| 0.0), 1.0);
        assert_eq!(set.p(-1.0, Tail::TwoSided, |_| 1.0), 1.0);
        assert!(set.p(f64::NAN, Tail::Less, |_| 0.0).is_nan());
    }

    #[test]
    fn threads_do_not_change_a_p() {
        let noise: Vec<f64> = (0..256).map(|i| f64::from((i * 7919) % 257)).collect();
        let p = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let set = Permutations::new(16, 3000, &Streams::new(8));
                set.p(15_400.0, Tail::Greater, |row| permuted_dot(&noise, row, &noise[..120]))
            })
        };
        assert_eq!(p(1), p(5));
    }
}
