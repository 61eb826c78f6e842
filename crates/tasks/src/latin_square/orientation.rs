//! The orientations in which people saw a puzzle.

use super::Grid;

/// The grid turned clockwise by `turns` quarters, and its symbols moved on by `turns`, the last to the first.
///
/// These are the orientations of the published generalization set: all 36 puzzles stand there with 0, 1 and 2
/// turns. Level and uniqueness stay as they are, since no rule of Latin squares tells rows from columns, one row
/// from another, or symbols from each other.
pub fn oriented(grid: &Grid, turns: usize) -> Grid {
    (0..turns).fold(grid.clone(), |grid, _| turned(&grid))
}

fn turned(grid: &Grid) -> Grid {
    let order = grid.order();
    // What comes to (row, column) was at (order - 1 - column, row).
    let from = |cell: usize| (order - 1 - cell % order) * order + cell / order;
    let to = |cell: usize| (cell % order) * order + order - 1 - cell / order;
    let shifted = |symbol: u8| if symbol == 0 { 0 } else { symbol % order as u8 + 1 };
    let cells = (0..order * order).map(|cell| shifted(grid.cells()[from(cell)])).collect();
    Grid::new_unchecked(order, cells, to(grid.target()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_by_hand() {
        // 1 . .      . . 2
        // . 2 .  ->  T 3 .
        // . T .      . . .
        let grid: Grid = "100020040".parse().unwrap();
        assert_eq!(oriented(&grid, 1).to_string(), "002430000");
        assert_eq!(oriented(&grid, 0), grid);
        assert_eq!(oriented(&grid, 12), grid, "four turns of the grid, three rounds of the symbols");
    }
}
