//! Items and masks that every model is tested with.

use streams::Streams;

use super::config::masked_nodes;
use super::{Item, MaskedBatch, MaskedData, MaskedError, Masks, Part, draw};

/// Some items of a part, each under one fixed mask. They depend on the stream `mask`, not on what was trained.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluationSet {
    /// Whose items.
    pub part: Part,
    /// The share of nodes that is masked, before rounding to whole nodes.
    pub fraction: f64,
    /// The items, in the order of the part.
    pub items: Vec<Item>,
    /// The masks.
    pub masks: Masks,
}

impl EvaluationSet {
    /// Masks come from the sub-streams `masked/PART/MASKED/RECORDING/FRAME`: other items change none of them.
    pub(crate) fn new(
        part: Part,
        items: &[Item],
        fraction: f64,
        most: usize,
        nodes: usize,
        streams: &Streams,
    ) -> Result<Self, MaskedError> {
        let masked = masked_nodes("evaluation.fractions", fraction, nodes)?;
        let taken = items.len().min(most);
        let items: Vec<Item> = (0..taken).map(|place| items[place * items.len() / taken]).collect();
        let label =
            |item: &Item| format!("masked/{}/{masked}/{}/{}", part.name(), item.recording, item.frame);
        let masks = items.iter().flat_map(|item| draw::mask(&label(item), nodes, masked, streams));
        let nodes = masks.collect();
        Ok(Self { part, fraction, items, masks: Masks { masked, nodes } })
    }

    /// The set in batches of at most `size` items (at least 1), in order.
    pub fn batches<'a>(
        &'a self,
        data: &'a MaskedData,
        size: usize,
    ) -> impl Iterator<Item = Result<MaskedBatch, MaskedError>> + 'a {
        let masked = self.masks.masked;
        let masks = self.masks.nodes.chunks(size.max(1) * masked);
        self.items
            .chunks(size.max(1))
            .zip(masks)
            .map(move |(items, nodes)| data.gather(items, Masks { masked, nodes: nodes.to_vec() }))
    }
}
