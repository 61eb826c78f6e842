//! The items of one split.

use std::ops::Range;

/// Items of one split.
///
/// A task that asks for a class has `labels`; one that asks for numbers has `values`, one for each token that is read.
#[derive(Debug, Clone, Default)]
pub struct Split {
    /// `[items, tokens, features]`, row-major.
    pub tokens: Vec<f32>,
    /// The class of each item; empty where numbers are asked for.
    pub labels: Vec<usize>,
    /// The number asked for at each token of `targets`; empty where a class is asked for.
    pub values: Vec<f32>,
    /// The tokens that are read, item after item.
    pub targets: Vec<usize>,
    /// Where each item's entries of `targets` and `values` begin; empty where every item has one.
    pub starts: Vec<usize>,
    /// The unit of each item, such as the puzzle that it is a turned form of; empty where every item is its own.
    pub units: Vec<u32>,
    /// The level of each item, as an index into [`Dataset::levels`](super::Dataset::levels).
    pub levels: Vec<usize>,
}

impl Split {
    /// Number of items.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The entries of `targets` and `values` that are an item's.
    pub(crate) fn read(&self, item: usize) -> Range<usize> {
        match self.starts.get(item) {
            None => item..item + 1,
            Some(&start) => start..self.starts.get(item + 1).copied().unwrap_or(self.targets.len()),
        }
    }

    /// Runs of items with equally many tokens to be read: only such fit into one batch.
    pub(crate) fn groups(&self) -> Vec<Range<usize>> {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for item in 0..self.len() {
            match groups.last_mut() {
                Some(last) if self.read(last.start).len() == self.read(item).len() => last.end = item + 1,
                _ => groups.push(item..item + 1),
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_an_item_unless_starts_say_otherwise() {
        let split = Split { levels: vec![0; 3], targets: vec![4, 5, 6], ..Split::default() };
        assert_eq!((split.read(2), split.groups().len()), (2..3, 1));
        assert_eq!(split.groups()[0], 0..3);
        let levels = vec![0, 0, 1, 1];
        let split = Split { levels, targets: vec![0; 8], starts: vec![0, 1, 2, 5], ..Split::default() };
        assert_eq!([0, 1, 2, 3].map(|item| split.read(item)), [0..1, 1..2, 2..5, 5..8]);
        assert_eq!(split.groups(), [0..2, 2..4]);
        assert!(Split::default().groups().is_empty());
    }
}
