//! Items as tensors.

use std::ops::Range;

use burn::tensor::{Tensor, TensorData, backend::Backend};
use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use crate::objective::{Answers, Objective};
use crate::task::{Dataset, Split};

/// One batch.
pub(crate) struct Batch<B: Backend> {
    /// `[batch, tokens, features]`
    pub tokens: Tensor<B, 3>,
    /// What is asked for.
    pub answers: Answers<B>,
    /// The tokens asked for: as many for each item, item after item.
    pub targets: Vec<usize>,
}

impl<B: Backend> Batch<B> {
    /// The items of `split` with these numbers, all of one group of [`Split::groups`].
    pub(crate) fn gather(data: &Dataset, split: &Split, items: &[usize], device: &B::Device) -> Self {
        let answers = match data.objective {
            Objective::CrossEntropy => {
                let classes: Vec<usize> = items.iter().map(|&item| split.labels[item]).collect();
                let labels: Vec<i64> = classes.iter().map(|&class| class as i64).collect();
                let labels = Tensor::from_data(TensorData::new(labels, [items.len()]), device);
                Answers::Classes { labels, classes }
            }
            Objective::SquaredError => {
                let values: Vec<f32> =
                    items.iter().flat_map(|&item| split.values[split.read(item)].iter().copied()).collect();
                let targets = items.iter().flat_map(|&item| &split.targets[split.read(item)]);
                let centres = targets.filter_map(|&token| data.centres.get(token).copied()).collect();
                let shape = [items.len(), values.len() / items.len().max(1)];
                let wanted = Tensor::from_data(TensorData::new(values.clone(), shape), device);
                Answers::Values { wanted, values, centres }
            }
        };
        let targets = items.iter().flat_map(|&item| split.targets[split.read(item)].iter().copied());
        Self { tokens: tokens(data, split, items, device), answers, targets: targets.collect() }
    }
}

/// The tokens of these items alone.
///
/// # Shapes
/// - output: `[items, tokens, features]`
pub(crate) fn tokens<B: Backend>(
    data: &Dataset,
    split: &Split,
    items: &[usize],
    device: &B::Device,
) -> Tensor<B, 3> {
    let (tokens, features) = (data.positions.tokens(), data.features);
    let stride = tokens * features;
    let mut values = Vec::with_capacity(items.len() * stride);
    for &item in items {
        values.extend_from_slice(&split.tokens[item * stride..][..stride]);
    }
    Tensor::from_data(TensorData::new(values, [items.len(), tokens, features]), device)
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
