//! Permutations of the levels of a grid's axes: whole rows among rows, whole columns among columns.

use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use super::{every, factorial_up_to};
use crate::rdm::Rdm;

/// How far from a whole number of differing axes a distance may be, by rounding.
const WHOLE: f64 = 1e-9;

/// A full grid: every combination of the levels of two axes or more, once.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    /// Levels of each axis.
    sizes: Vec<usize>,
    /// The level of each item on each axis, item by item.
    levels: Vec<usize>,
    /// Which item stands at a combination of levels, the last axis running fastest.
    items: Vec<u32>,
}

impl Grid {
    /// The grid whose Hamming distances these are, up to a factor. None where they are of no full grid, and of one axis
    /// alone: there any order of the items is one of the levels.
    pub(super) fn of_hamming(distances: &Rdm) -> Option<Self> {
        let n = distances.conditions();
        let differing = differing_axes(distances)?;
        let apart = |i: usize, j: usize| differing[i * n + j];
        // The items that differ from the first one on one axis only: those of one axis also do so among themselves.
        let mut axes: Vec<Vec<usize>> = Vec::new();
        for item in (1..n).filter(|&item| apart(0, item) == 1) {
            match axes.iter_mut().find(|axis| apart(axis[1], item) == 1) {
                Some(axis) => axis.push(item),
                None => axes.push(vec![0, item]),
            }
        }
        let sizes: Vec<usize> = axes.iter().map(Vec::len).collect();
        if sizes.len() < 2 || sizes.iter().try_fold(1usize, |all, size| all.checked_mul(*size)) != Some(n) {
            return None;
        }
        // On each axis an item has the level of the one that is nearest to it.
        let level = |item: usize, axis: &Vec<usize>| (0..axis.len()).min_by_key(|&k| apart(item, axis[k]));
        let levels: Vec<usize> =
            (0..n).flat_map(|item| axes.iter().filter_map(move |axis| level(item, axis))).collect();
        let mut grid = Self { sizes, levels, items: vec![u32::MAX; n] };
        for item in 0..n {
            let place = grid.place(grid.of(item).iter().copied());
            grid.items[place] = item as u32;
        }
        let counted =
            |i: usize, j: usize| grid.of(i).iter().zip(grid.of(j)).filter(|(a, b)| a != b).count() as u32;
        let is_full = grid.items.iter().all(|item| *item != u32::MAX);
        (is_full && (0..n).all(|i| (0..n).all(|j| counted(i, j) == apart(i, j)))).then_some(grid)
    }

    /// How many permutations there are, if no more than `limit`.
    pub(super) fn count_up_to(&self, limit: usize) -> Option<usize> {
        self.sizes.iter().try_fold(1usize, |all, &size| {
            all.checked_mul(factorial_up_to(size, limit)?).filter(|count| *count <= limit)
        })
    }

    /// All of them, row after row, the identity first.
    pub(super) fn every(&self) -> Vec<u32> {
        let orders: Vec<(usize, Vec<u32>)> = self.sizes.iter().map(|&size| (size, every(size, 1))).collect();
        let mut combined: Vec<Vec<&[u32]>> = vec![Vec::new()];
        for (size, rows) in &orders {
            let mut longer = Vec::with_capacity(combined.len() * rows.len() / size);
            for before in &combined {
                longer.extend(rows.chunks(*size).map(|row| [&before[..], &[row]].concat()));
            }
            combined = longer;
        }
        let mut rows = Vec::with_capacity(combined.len() * self.items.len());
        combined.iter().for_each(|orders| self.push(orders, &mut rows));
        rows
    }

    /// Permutation number `index` of `streams`, appended to `row`: sub-stream `probe/axis-levels/INDEX`.
    pub(super) fn draw(&self, streams: &Streams, index: usize, row: &mut Vec<u32>) {
        let mut rng = streams.rng_for(Stream::Permutation, &format!("probe/axis-levels/{index}"));
        let mut order = |&size: &usize| {
            let mut order: Vec<u32> = (0..size as u32).collect();
            order.shuffle(&mut rng);
            order
        };
        let orders: Vec<Vec<u32>> = self.sizes.iter().map(&mut order).collect();
        self.push(&orders.iter().map(Vec::as_slice).collect::<Vec<_>>(), row);
    }

    /// For each item the one at its levels after they are reordered.
    fn push(&self, orders: &[&[u32]], row: &mut Vec<u32>) {
        let moved =
            |item: usize| self.of(item).iter().zip(orders).map(|(&level, order)| order[level] as usize);
        row.extend((0..self.items.len()).map(|item| self.items[self.place(moved(item))]));
    }

    fn of(&self, item: usize) -> &[usize] {
        let axes = self.sizes.len();
        &self.levels[item * axes..(item + 1) * axes]
    }

    fn place(&self, levels: impl Iterator<Item = usize>) -> usize {
        levels.zip(&self.sizes).fold(0, |place, (level, size)| place * size + level)
    }
}

/// [n, n] numbers of differing axes; none where distances are no whole multiples of the smallest one.
fn differing_axes(distances: &Rdm) -> Option<Vec<u32>> {
    let n = distances.conditions();
    let unit = distances.values().iter().copied().fold(f64::INFINITY, f64::min);
    if !(unit > 0.0 && unit.is_finite()) {
        return None;
    }
    let whole = |distance: f64| {
        let count = (distance / unit).round();
        ((distance / unit - count).abs() <= WHOLE && count <= n as f64).then_some(count as u32)
    };
    let mut counts = vec![0; n * n];
    let mut values = distances.values().iter();
    for (i, j) in (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))) {
        let count = whole(*values.next()?)?;
        (counts[i * n + j], counts[j * n + i]) = (count, count);
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdm::{Measure, hamming};
    use ndarray::Array2;
    use std::collections::BTreeSet;

    fn coords(sizes: [usize; 3]) -> Array2<f64> {
        let [a, b, c] = sizes;
        // In no order of its own.
        Array2::from_shape_fn((a * b * c, 3), |(at, axis)| {
            let item = (at * 7) % (a * b * c);
            [item / (b * c), item / c % b, item % c][axis] as f64
        })
    }

    /// Every permutation keeps all distances, none comes twice, and there are as many as orders of levels.
    #[test]
    fn they_are_all_that_keep_rows_and_columns() {
        for (sizes, count) in [([4, 4, 1], 576), ([2, 3, 1], 12), ([2, 2, 3], 24), ([2, 2, 1], 4)] {
            let rdm = hamming(coords(sizes).view()).unwrap().scaled(0.5).unwrap();
            let grid = Grid::of_hamming(&rdm).unwrap();
            assert_eq!(grid.count_up_to(count), Some(count));
            assert_eq!(grid.count_up_to(count - 1), None);
            let (n, rows) = (rdm.conditions(), grid.every());
            assert!(rows[..n].iter().copied().eq(0..n as u32), "the identity comes first");
            let mut drawn = Vec::new();
            grid.draw(&Streams::new(1), 5, &mut drawn);
            let distinct: BTreeSet<&[u32]> = rows.chunks(n).collect();
            assert!(distinct.len() == count && distinct.contains(&drawn[..]));
            for row in rows.chunks(n) {
                let kept = |i: usize, j: usize| rdm.get(row[i] as usize, row[j] as usize) == rdm.get(i, j);
                assert!((0..n).all(|i| (0..n).all(|j| kept(i, j))));
            }
        }
    }

    #[test]
    fn what_is_no_full_grid_is_none() {
        let full = coords([4, 4, 1]);
        let none = |coords: Array2<f64>| Grid::of_hamming(&hamming(coords.view()).unwrap()).is_none();
        assert!(none(full.slice(ndarray::s![..15, ..]).to_owned()), "one is missing");
        assert!(none(ndarray::concatenate![ndarray::Axis(0), full, full]), "each twice");
        assert!(none(coords([5, 1, 1])), "one axis");
        assert!(none(Array2::zeros((0, 2))) && none(Array2::zeros((1, 2))));
        let line = Rdm::of_rows(full.view(), Measure::Euclidean).unwrap();
        assert!(Grid::of_hamming(&line).is_none(), "Euclidean distances are no numbers of axes");
        let city = Rdm::from_condensed(3, vec![1.0, 2.0, 1.0], Measure::Given).unwrap();
        assert!(Grid::of_hamming(&city).is_none(), "three places on a line");
    }
}
