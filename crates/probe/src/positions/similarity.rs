//! Which positions look alike: cosines between rows, whole, in blocks, and by distance.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use crate::{StatError, checks};

/// A similarity map small enough to draw: means over blocks of positions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SimilarityMap {
    /// Where blocks begin and the last one ends: one more than there are blocks. The same for both sides.
    pub edges: Vec<usize>,
    /// Mean cosine of each pair of blocks, row by row; null where a row is zero.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Mean cosine of positions k apart, k from 1.
    pub by_distance: Vec<Option<f64>>,
}

/// Cosines between all rows of a table [positions, width], [positions, positions]; not centred. NaN to a zero row.
pub fn cosines(table: ArrayView2<f64>) -> Result<Array2<f64>, StatError> {
    checks::finite("table of positions", table)?;
    let products = table.dot(&table.t());
    let norms = products.diag().mapv(f64::sqrt);
    let mut cosines = products;
    for ((i, j), value) in cosines.indexed_iter_mut() {
        // 0/0 is NaN: a zero row has no direction.
        *value /= norms[i] * norms[j];
    }
    Ok(cosines)
}

impl SimilarityMap {
    /// Condenses a map of [`cosines`] into at most `blocks` x `blocks` cells.
    pub fn new(cosines: ArrayView2<f64>, blocks: usize) -> Self {
        let n = cosines.nrows();
        let blocks = blocks.clamp(1, n.max(1));
        let edges: Vec<usize> = (0..=blocks).map(|block| block * n / blocks).collect();
        let cell = |rows: &[usize], columns: &[usize]| {
            let part = cosines.slice(ndarray::s![rows[0]..rows[1], columns[0]..columns[1]]);
            part.mean().filter(|mean| mean.is_finite())
        };
        let cells = edges
            .windows(2)
            .map(|rows| edges.windows(2).map(|columns| cell(rows, columns)).collect())
            .collect();
        let apart = |distance: usize| {
            let total: f64 = (0..n - distance).map(|i| cosines[[i, i + distance]]).sum();
            Some(total / (n - distance) as f64).filter(|mean| mean.is_finite())
        };
        Self { cells, by_distance: (1..n).map(apart).collect(), edges }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn blocks_and_distances_are_means() {
        let table = array![[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -3.0]];
        let cosines = cosines(table.view()).unwrap();
        let map = SimilarityMap::new(cosines.view(), 2);
        assert_eq!(map.edges, [0, 2, 4]);
        assert_eq!(map.cells, [[Some(1.0), Some(0.0)], [Some(0.0), Some(0.0)]]);
        assert_eq!(map.by_distance, [Some(0.0), Some(0.0), Some(0.0)]);
        let whole = SimilarityMap::new(cosines.view(), 99);
        assert_eq!((whole.cells.len(), whole.cells[2][3]), (4, Some(-1.0)));
    }

    #[test]
    fn a_zero_row_is_undefined() {
        let map = SimilarityMap::new(cosines(Array2::zeros((3, 2)).view()).unwrap().view(), 3);
        assert!(map.cells.iter().flatten().chain(&map.by_distance).all(Option::is_none));
    }
}
