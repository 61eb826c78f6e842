//! Random masks. Each is a function of the seed and of what it is for, so that nothing has to be stored to resume.

use rand::RngExt;
use rand::seq::{SliceRandom, index};
use streams::{Stream, Streams};

use super::config::masked_nodes;
use super::{MaskFraction, MaskedError};

/// How many nodes are masked in a batch of an epoch.
pub(crate) fn count(
    fraction: &MaskFraction,
    nodes: usize,
    epoch: u64,
    batch: usize,
    streams: &Streams,
) -> Result<usize, MaskedError> {
    let rng = || streams.rng_for(Stream::Mask, &format!("masked/fraction/{epoch}/{batch}"));
    let fraction = match fraction {
        MaskFraction::Fixed(fraction) => *fraction,
        MaskFraction::OneOf(fractions) if fractions.is_empty() => 0.0,
        MaskFraction::OneOf(fractions) => fractions[rng().random_range(0..fractions.len())],
        MaskFraction::Between(least, most) => least + (most - least) * rng().random::<f64>(),
    };
    masked_nodes("mask", fraction, nodes)
}

/// `masked` different nodes, increasing, all sets of that size alike probable.
pub(crate) fn mask(label: &str, nodes: usize, masked: usize, streams: &Streams) -> Vec<usize> {
    let mut rng = streams.rng_for(Stream::Mask, label);
    let mut mask = index::sample(&mut rng, nodes, masked).into_vec();
    mask.sort_unstable();
    mask
}

/// The order of items in an epoch.
pub(crate) fn order(items: usize, epoch: u64, streams: &Streams) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    order.shuffle(&mut streams.rng_at(Stream::Order, epoch));
    order
}
