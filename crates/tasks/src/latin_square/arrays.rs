//! Puzzles as the arrays that a model reads.

use ndarray::{Array2, Array3};

use super::Puzzle;

/// The cells as one-hot tokens, `[puzzles, order², order + 1]`: the symbols 1 to `order`, then the target mark.
/// A blank cell is all zeros (Ito et al. 2025). No puzzles give an array of shape `[0, 0, 0]`.
///
/// # Panics
/// If the puzzles are not all of one order; those of a [`LatinSquareData`](super::LatinSquareData) are.
pub fn tokens(puzzles: &[Puzzle]) -> Array3<f32> {
    let order = puzzles.first().map(Puzzle::order);
    let (cells, width) = order.map_or((0, 0), |order| (order * order, order + 1));
    let mut tokens = Array3::zeros((puzzles.len(), cells, width));
    for (index, puzzle) in puzzles.iter().enumerate() {
        assert_eq!(Some(puzzle.order()), order, "puzzles of one array are of one order");
        for (cell, bit) in ones(puzzle.order(), puzzle.cells(), puzzle.target()) {
            tokens[[index, cell, bit]] = 1.0;
        }
    }
    tokens
}

/// The classes to predict, 0 to `order - 1`: the answers less one.
pub fn labels(puzzles: &[Puzzle]) -> Vec<usize> {
    puzzles.iter().map(|puzzle| usize::from(puzzle.answer()) - 1).collect()
}

/// The (row, column) of each token, `[order², 2]`, counted from 0.
pub fn coordinates(order: usize) -> Array2<f64> {
    Array2::from_shape_fn((order * order, 2), |(cell, axis)| {
        let coordinate = if axis == 0 { cell / order } else { cell % order };
        coordinate as f64
    })
}

/// Where the tokens of a grid are 1: (cell, place within its token).
pub(crate) fn ones(order: usize, cells: &[u8], target: usize) -> impl Iterator<Item = (usize, usize)> {
    let symbols = cells.iter().enumerate().filter(|&(_, &symbol)| symbol != 0);
    symbols.map(|(cell, &symbol)| (cell, usize::from(symbol) - 1)).chain([(target, order)])
}

#[cfg(test)]
mod tests {
    use ndarray::{array, s};

    use super::*;

    #[test]
    fn one_hot_tokens_of_a_puzzle() {
        let puzzles =
            ["5120300000000000", "1235000000000000"].map(|text| Puzzle::from_text(text, 4).unwrap());
        let tokens = tokens(&puzzles);
        assert_eq!(tokens.dim(), (2, 16, 5));
        assert_eq!(tokens.slice(s![1, 0, ..]), array![1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(tokens.slice(s![1, 2, ..]), array![0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(tokens.slice(s![1, 3, ..]), array![0.0, 0.0, 0.0, 0.0, 1.0], "target");
        assert_eq!(tokens.slice(s![1, 4, ..]), array![0.0, 0.0, 0.0, 0.0, 0.0], "blank");
        assert_eq!(tokens.slice(s![1, .., ..]).sum(), 4.0);
        assert_eq!(labels(&puzzles), [3, 3]);
        assert_eq!(super::tokens(&[]).dim(), (0, 0, 0));
    }

    #[test]
    fn coordinates_are_rows_and_columns() {
        assert_eq!(coordinates(2), array![[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
        assert_eq!(coordinates(4).row(7), array![1.0, 3.0]);
    }
}
