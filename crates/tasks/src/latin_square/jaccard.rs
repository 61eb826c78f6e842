//! How far puzzles are from each other: the Jaccard distance of their one-hot tokens.

use super::Puzzle;
use super::arrays::ones;
use super::grid::{MAX_CELLS, MAX_ORDER};

/// Enough 64-bit words for the tokens of the largest order, flattened.
const MAX_WORDS: usize = (MAX_CELLS * (MAX_ORDER + 1)).div_ceil(64);

/// The two puzzles of two sets that are most alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// Their Jaccard distance, 0 (the same) to 1 (nothing in common).
    pub distance: f64,
    /// The index of the one in the first set.
    pub first: usize,
    /// The index of the one in the second set.
    pub second: usize,
}

/// The smallest Jaccard distance between a puzzle of the first set and one of the second, all of one order;
/// `None` if a set is empty.
///
/// With A and B the sets of ones of the flattened tokens (see [`tokens`](super::tokens)) the distance is
/// `1 - |A ∩ B| / |A ∪ B|`.
pub fn closest(first: &[Puzzle], second: &[Puzzle]) -> Option<Closest> {
    let other = OneHots::of(second);
    let mut best: Option<Closest> = None;
    for (first, puzzle) in first.iter().enumerate() {
        let bits = Bits::of(puzzle.order(), puzzle.cells(), puzzle.target());
        for (second, item) in other.iter().enumerate() {
            let distance = distance(bits.words(), item);
            if best.is_none_or(|best| distance < best.distance) {
                best = Some(Closest { distance, first, second });
            }
        }
    }
    best
}

/// The flattened tokens of one grid as bits.
#[derive(Clone, Copy)]
pub(crate) struct Bits {
    words: [u64; MAX_WORDS],
    len: usize,
}

impl Bits {
    pub(crate) fn of(order: usize, cells: &[u8], target: usize) -> Self {
        let mut bits = Self { words: [0; MAX_WORDS], len: stride(order) };
        for (cell, place) in ones(order, cells, target) {
            let bit = cell * (order + 1) + place;
            bits.words[bit / 64] |= 1 << (bit % 64);
        }
        bits
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words[..self.len]
    }
}

/// The flattened tokens of many grids of one order as bits, one after the other.
pub(crate) struct OneHots {
    stride: usize,
    words: Vec<u64>,
}

impl OneHots {
    pub(crate) fn of(puzzles: &[Puzzle]) -> Self {
        let stride = puzzles.first().map_or(1, |puzzle| stride(puzzle.order()));
        let mut words = Vec::with_capacity(stride * puzzles.len());
        for puzzle in puzzles {
            words.extend_from_slice(Bits::of(puzzle.order(), puzzle.cells(), puzzle.target()).words());
        }
        Self { stride, words }
    }

    fn iter(&self) -> impl Iterator<Item = &[u64]> {
        self.words.chunks_exact(self.stride)
    }

    /// Whether the distance to every one of them is above the threshold.
    pub(crate) fn all_beyond(&self, bits: &Bits, threshold: f64) -> bool {
        self.iter().all(|item| distance(bits.words(), item) > threshold)
    }
}

fn stride(order: usize) -> usize {
    (order * order * (order + 1)).div_ceil(64)
}

/// As the quotient of two counts, which rounds like the decimal a threshold is written in: 16/20 is 0.8, not above.
fn distance(a: &[u64], b: &[u64]) -> f64 {
    let (mut either, mut one) = (0, 0);
    for (a, b) in a.iter().zip(b) {
        either += (a | b).count_ones();
        one += (a ^ b).count_ones();
    }
    f64::from(one) / f64::from(either.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        // {1 at 0, 2 at 1, 3 at 2, target at 3} and {1 at 0, 2 at 1, target at 3, 3 at 7}: 3 of 5 in common.
        let a = Puzzle::from_text("1235000000000000", 4).unwrap();
        let c = Puzzle::from_text("1205000300000000", 4).unwrap();
        let found = closest(&[c.clone(), a.clone()], std::slice::from_ref(&a)).unwrap();
        assert_eq!(found, Closest { distance: 0.0, first: 1, second: 0 });
        assert_eq!(closest(&[a], std::slice::from_ref(&c)).unwrap().distance, 2.0 / 5.0);
        assert_eq!(closest(&[], &[c]), None);
    }

    /// 4 of 20 in common are exactly at 0.8 and must not pass as further.
    #[test]
    fn a_threshold_is_exact() {
        let words = |ones: std::ops::Range<u32>| ones.fold(0u64, |word, bit| word | 1 << bit);
        let (a, b) = ([words(0..12)], [words(8..20)]);
        assert_eq!(distance(&a, &b), 0.8);
        assert_eq!(distance(&[words(0..10)], &[words(3..10)]), 0.3);
    }
}
