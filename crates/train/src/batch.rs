//! Items as tensors.

use std::ops::Range;

use burn::tensor::{Int, Tensor, TensorData, backend::Backend};
use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use crate::task::{Dataset, Split};

/// One batch of a classification task.
pub(crate) struct Batch<B: Backend> {
    /// `[batch, tokens, features]`
    pub tokens: Tensor<B, 3>,
    /// `[batch]`
    pub labels: Tensor<B, 1, Int>,
    /// The same as numbers.
    pub classes: Vec<usize>,
    /// The token asked for, per item.
    pub targets: Vec<usize>,
}

impl<B: Backend> Batch<B> {
    /// The items of `split` with these numbers.
    pub(crate) fn gather(data: &Dataset, split: &Split, items: &[usize], device: &B::Device) -> Self {
        let (tokens, features) = (data.positions.tokens(), data.features);
        let stride = tokens * features;
        let mut values = Vec::with_capacity(items.len() * stride);
        for &item in items {
            values.extend_from_slice(&split.tokens[item * stride..][..stride]);
        }
        let classes: Vec<usize> = items.iter().map(|&item| split.labels[item]).collect();
        let labels: Vec<i64> = classes.iter().map(|&class| class as i64).collect();
        Self {
            tokens: Tensor::from_data(TensorData::new(values, [items.len(), tokens, features]), device),
            labels: Tensor::from_data(TensorData::new(labels, [items.len()]), device),
            targets: items.iter().map(|&item| split.targets[item]).collect(),
            classes,
        }
    }
}

/// The order of the training items in an epoch (counted from 0): a function of the seed and the epoch alone, so
/// that a resumed run needs no stored generator.
pub(crate) fn epoch_order(items: usize, epoch: u64, streams: &Streams) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    order.shuffle(&mut streams.rng_at(Stream::Order, epoch));
    order
}

/// Which items of an epoch's order make batch number `batch`. The last one may be smaller.
pub(crate) fn batch_range(items: usize, size: usize, batch: u64) -> Range<usize> {
    let start = batch as usize * size;
    start..(start + size).min(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_cover_every_item_once() {
        let order = epoch_order(10, 3, &Streams::new(1));
        let seen: Vec<usize> = (0..3).flat_map(|b| order[batch_range(10, 4, b)].to_vec()).collect();
        assert_eq!(seen, order);
        let mut sorted = seen;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
    }

    #[test]
    fn epochs_differ_and_repeat() {
        let streams = Streams::new(1);
        assert_eq!(epoch_order(50, 0, &streams), epoch_order(50, 0, &streams));
        assert_ne!(epoch_order(50, 0, &streams), epoch_order(50, 1, &streams));
    }
}
