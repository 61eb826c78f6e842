//! Which rows are left out together.

use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use crate::StatError;

/// A division of n items into folds, each left out once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    of_item: Vec<usize>,
    count: usize,
}

impl Folds {
    /// `count` folds of random items, sizes equal up to one, drawn from sub-stream `probe/folds` of
    /// [`Stream::Split`]. 2 <= count <= items.
    pub fn shuffled(items: usize, count: usize, streams: &Streams) -> Result<Self, StatError> {
        let mut folds = Self::contiguous(items, count)?;
        folds.of_item.shuffle(&mut streams.rng_for(Stream::Split, "probe/folds"));
        Ok(folds)
    }

    /// `count` folds of neighbouring items, the first ones larger by one when sizes differ: scikit-learn's
    /// `KFold(shuffle=False)`. 2 <= count <= items.
    pub fn contiguous(items: usize, count: usize) -> Result<Self, StatError> {
        if count < 2 || count > items {
            return Err(StatError::Parameter {
                what: "number of folds",
                expected: format!("2 to {items}, the number of items"),
                got: count.to_string(),
            });
        }
        let size = |fold| items / count + usize::from(fold < items % count);
        let of_item = (0..count).flat_map(|fold| std::iter::repeat_n(fold, size(fold))).collect();
        Ok(Self { of_item, count })
    }

    /// Each item alone.
    pub fn leave_one_out(items: usize) -> Result<Self, StatError> {
        Self::contiguous(items, items)
    }

    /// One fold per value of `group`, such as a row of the grid or a hemisphere. At least two must occur.
    pub fn by_group(group: &[usize]) -> Result<Self, StatError> {
        let mut values = group.to_vec();
        values.sort_unstable();
        values.dedup();
        if values.len() < 2 {
            return Err(StatError::TooFew { what: "groups to make folds of", least: 2, got: values.len() });
        }
        let of_item = group.iter().map(|value| values.partition_point(|other| other < value)).collect();
        Ok(Self { of_item, count: values.len() })
    }

    /// The number of items.
    pub fn items(&self) -> usize {
        self.of_item.len()
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The fold in which each item is left out.
    pub fn of_items(&self) -> &[usize] {
        &self.of_item
    }

    /// The items to fit on and those left out, both ascending.
    pub fn split(&self, fold: usize) -> (Vec<usize>, Vec<usize>) {
        (0..self.items()).partition(|&item| self.of_item[item] != fold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_left_out_once() {
        let streams = Streams::new(4);
        let all = [
            Folds::shuffled(11, 4, &streams).unwrap(),
            Folds::contiguous(11, 4).unwrap(),
            Folds::leave_one_out(11).unwrap(),
            Folds::by_group(&[5, 5, 9, 2, 2, 2, 9, 9, 9, 5, 2]).unwrap(),
        ];
        for folds in &all {
            let mut left_out: Vec<usize> = (0..folds.count()).flat_map(|fold| folds.split(fold).1).collect();
            left_out.sort_unstable();
            assert!(left_out.into_iter().eq(0..11), "{folds:?}");
            assert!(
                (0..folds.count()).all(|fold| folds.split(fold).0.len() + folds.split(fold).1.len() == 11)
            );
        }
        assert_eq!(all[1].of_items(), [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
        assert_ne!(all[0], all[1]);
        assert_eq!(all[0], Folds::shuffled(11, 4, &streams).unwrap());
    }

    #[test]
    fn impossible_folds_are_refused() {
        assert!(Folds::contiguous(5, 1).is_err() && Folds::contiguous(5, 6).is_err());
        assert!(Folds::leave_one_out(1).is_err() && Folds::by_group(&[3, 3]).is_err());
        assert!(Folds::shuffled(0, 2, &Streams::new(0)).is_err());
    }
}
