//! Items as arrays that a model reads.

use ndarray::{ArrayView2, s};

use super::{Item, MaskedConfig, MaskedError, Recording};

/// Which nodes are masked in each of some items: the same number in each, in increasing order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masks {
    /// Masked nodes of an item.
    pub masked: usize,
    /// `[items, masked]`, row-major.
    pub nodes: Vec<usize>,
}

impl Masks {
    /// The masked nodes of one item.
    pub fn of(&self, item: usize) -> &[usize] {
        &self.nodes[item * self.masked..][..self.masked]
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.nodes.len() / self.masked.max(1)
    }
}

/// Some items as a model reads them.
#[derive(Debug, Clone, PartialEq)]
pub struct MaskedBatch {
    /// The number of items.
    pub items: usize,
    /// Tokens of an item.
    pub nodes: usize,
    /// Frames of a window.
    pub window: usize,
    /// The first frame of the window that is asked for.
    pub first_asked: usize,
    /// How many frames are asked for, from that one on.
    pub outputs: usize,
    /// `[items, nodes, window + 1]`, row-major: the values of a node, then 1 if it is masked, else 0. The values of
    /// a masked node are 0.
    pub tokens: Vec<f32>,
    /// The masked nodes of each item.
    pub masks: Masks,
    /// `[items, masked, outputs]`, row-major: the values of the masked nodes in the frames that are asked for.
    pub targets: Vec<f32>,
}

impl MaskedBatch {
    /// Values of a token.
    pub fn features(&self) -> usize {
        self.window + 1
    }

    /// The frames of one item that are asked for, `[outputs, nodes]`, with the true values of masked nodes.
    pub fn truth(&self, item: usize) -> Vec<f32> {
        let (features, nodes) = (self.features(), self.nodes);
        let tokens = &self.tokens[item * nodes * features..][..nodes * features];
        let mut truth = vec![0.0; self.outputs * nodes];
        for output in 0..self.outputs {
            for node in 0..nodes {
                truth[output * nodes + node] = tokens[node * features + self.first_asked + output];
            }
            for (place, &node) in self.masks.of(item).iter().enumerate() {
                truth[output * nodes + node] = self.targets_of(item)[place * self.outputs + output];
            }
        }
        truth
    }

    /// `[masked, outputs]`
    pub fn targets_of(&self, item: usize) -> &[f32] {
        let size = self.masks.masked * self.outputs;
        &self.targets[item * size..][..size]
    }
}

/// The batch of these items under these masks.
pub(crate) fn gather(
    recordings: &[Recording],
    config: &MaskedConfig,
    items: &[Item],
    masks: Masks,
) -> Result<MaskedBatch, MaskedError> {
    let nodes = recordings.first().map_or(0, |recording| recording.frames.ncols());
    check_masks(items.len(), nodes, &masks)?;
    let (window, asked) = (config.window, config.asked());
    let mut batch = MaskedBatch {
        items: items.len(),
        nodes,
        window,
        first_asked: asked.start,
        outputs: asked.len(),
        tokens: vec![0.0; items.len() * nodes * (window + 1)],
        targets: Vec::with_capacity(items.len() * masks.masked * asked.len()),
        masks,
    };
    for (number, item) in items.iter().enumerate() {
        let values = window_of(recordings, window, number, item)?;
        let mask = batch.masks.of(number);
        let tokens = &mut batch.tokens[number * nodes * (window + 1)..][..nodes * (window + 1)];
        for (node, token) in tokens.chunks_exact_mut(window + 1).enumerate() {
            token.iter_mut().zip(values.column(node)).for_each(|(to, from)| *to = *from);
        }
        for &node in mask {
            let token = &mut tokens[node * (window + 1)..][..window + 1];
            token.fill(0.0);
            token[window] = 1.0;
            batch.targets.extend(values.slice(s![asked.clone(), node]));
        }
    }
    Ok(batch)
}

fn window_of<'a>(
    recordings: &'a [Recording],
    window: usize,
    number: usize,
    item: &Item,
) -> Result<ArrayView2<'a, f32>, MaskedError> {
    let frames = recordings.get(item.recording).map(|recording| recording.frames.view());
    let fits = |frames: &ArrayView2<f32>| item.frame + window <= frames.nrows();
    match frames.filter(fits) {
        Some(frames) => Ok(frames.slice_move(s![item.frame..item.frame + window, ..])),
        None => Err(MaskedError::Item {
            item: number,
            window,
            recordings: recordings.len(),
            got: format!("{item:?}"),
        }),
    }
}

fn check_masks(items: usize, nodes: usize, masks: &Masks) -> Result<(), MaskedError> {
    let wrong =
        |item: usize, got: String| Err(MaskedError::Mask { item, expected: masks.masked, nodes, got });
    if masks.masked == 0 || masks.masked >= nodes || masks.nodes.len() != items * masks.masked {
        return wrong(0, format!("{} for {items} items", masks.nodes.len()));
    }
    for item in 0..items {
        let mask = masks.of(item);
        if !mask.is_sorted_by(|a, b| a < b) || mask.last().is_some_and(|&last| last >= nodes) {
            return wrong(item, format!("{mask:?}"));
        }
    }
    Ok(())
}
