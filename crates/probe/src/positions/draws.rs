//! The random choices of one repetition: in which order the rows stand, and which pairs are asked for.

use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use super::PAIRS;

/// One repetition of both readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draw {
    /// A permutation of the positions: the order in which the folds cut them.
    pub order: Vec<usize>,
    /// Distinct ordered pairs of positions, both the same one included.
    pub pairs: Vec<(usize, usize)>,
}

impl Draw {
    /// Repetition number `index` for `n` positions: its own sub-streams of [`Stream::Permutation`] and
    /// [`Stream::Split`], so that more repetitions keep the earlier ones. At most n² pairs.
    pub fn new(n: usize, index: u64, streams: &Streams) -> Self {
        let mut order: Vec<usize> = (0..n).collect();
        order.shuffle(&mut streams.rng_at(Stream::Permutation, index));
        let mut rng = streams.rng_at(Stream::Split, index);
        let cells = rand::seq::index::sample(&mut rng, n * n, PAIRS.min(n * n));
        Self { order, pairs: cells.into_iter().map(|cell| (cell / n, cell % n)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn pairs_are_distinct_and_orders_whole() {
        let draw = Draw::new(40, 3, &Streams::new(1));
        assert_eq!(draw.pairs.iter().collect::<BTreeSet<_>>().len(), PAIRS);
        assert!(draw.pairs.iter().all(|&(i, j)| i < 40 && j < 40));
        assert_eq!(draw.order.iter().collect::<BTreeSet<_>>().len(), 40);
        assert_eq!(Draw::new(10, 0, &Streams::new(1)).pairs.len(), 100);
        assert_ne!(draw, Draw::new(40, 4, &Streams::new(1)));
    }
}
