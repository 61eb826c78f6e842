//! The rules behind the levels.

use super::grid::MAX_ORDER;
use super::{Grid, Level};

/// The level of a grid's target and the symbol that its rule gives, or `None` if no rule applies.
///
/// With `n` the order, the first of these that applies (Ito et al. 2025, whose order is 4):
///
/// - *binary*: `n - 1` distinct symbols stand in the target's row, or in its column; the missing one is the answer;
/// - *ternary*: row and column together hold `n - 1` distinct symbols;
/// - *quaternary*: some symbol that stands neither in the target's row nor in its column stands in the column of
///   every other blank cell of the row, so that only the target can take it; or the same with rows and columns
///   exchanged (a hidden single).
///
/// Each rule is sound: if any Latin square has these givens, its target holds the rule's symbol. Whether one has
/// is for [`solve`](super::solve) to say. A target can also be determined by longer reasoning; it then has no level.
pub fn level_and_answer(grid: &Grid) -> Option<(Level, u8)> {
    apply(grid.order(), grid.cells(), grid.target())
}

/// The same for cells that are known to be consistent, with a blank target.
pub(crate) fn apply(order: usize, cells: &[u8], target: usize) -> Option<(Level, u8)> {
    let (row, column) = (target / order, target % order);
    let (rows, columns) = symbols(order, cells);
    let all = (1u16 << order) - 1;
    let wanted = order as u32 - 1;
    for line in [rows[row], columns[column]] {
        if line.count_ones() == wanted {
            return Some((Level::Binary, symbol(all & !line)));
        }
    }
    let absent = all & !(rows[row] | columns[column]);
    if absent.count_ones() == 1 {
        return Some((Level::Ternary, symbol(absent)));
    }
    let (mut in_row, mut in_column) = (absent, absent);
    for other in 0..order {
        if other != column && cells[row * order + other] == 0 {
            in_row &= columns[other];
        }
        if other != row && cells[other * order + column] == 0 {
            in_column &= rows[other];
        }
    }
    let hidden = in_row | in_column;
    (hidden != 0).then(|| (Level::Quaternary, symbol(hidden)))
}

/// The symbols of every row and of every column, symbol `s` as bit `s - 1`.
fn symbols(order: usize, cells: &[u8]) -> ([u16; MAX_ORDER], [u16; MAX_ORDER]) {
    let (mut rows, mut columns) = ([0; MAX_ORDER], [0; MAX_ORDER]);
    for (row, line) in rows.iter_mut().zip(cells.chunks_exact(order)) {
        for (column, &symbol) in columns.iter_mut().zip(line) {
            let bit = (1u16 << symbol) >> 1;
            *row |= bit;
            *column |= bit;
        }
    }
    (rows, columns)
}

/// The first symbol of a set that is not empty.
fn symbol(set: u16) -> u8 {
    set.trailing_zeros() as u8 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Option<(Level, u8)> {
        level_and_answer(&text.parse().unwrap())
    }

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(rule("1235000000000000"), Some((Level::Binary, 4)), "row");
        assert_eq!(rule("5000100020003000"), Some((Level::Binary, 4)), "column");
        assert_eq!(rule("5120300000000000"), Some((Level::Ternary, 4)), "row and column");
        // 4 stands in columns 2, 3 and 4, so it can stand in the first row only in column 1.
        assert_eq!(rule("5000040000400004"), Some((Level::Quaternary, 4)));
        assert_eq!(rule("5000004000044000").map(|(level, _)| level), None, "4 is in the target's column");
        // A filled cell needs no 4 in its column.
        assert_eq!(rule("5100004000040000"), Some((Level::Quaternary, 4)));
        assert_eq!(rule("5000000000000000"), None);
    }

    #[test]
    fn easier_rules_come_first() {
        assert_eq!(rule("5123040000400004"), Some((Level::Binary, 4)), "it is a hidden single, too");
        assert_eq!(rule("5120304000040000"), Some((Level::Ternary, 4)), "it is a hidden single, too");
    }

    /// At order 2, one symbol in row or column makes the target binary, so that nothing is left for ternary.
    #[test]
    fn order_two() {
        assert_eq!(rule("1300"), Some((Level::Binary, 2)));
        assert_eq!(rule("1003"), Some((Level::Quaternary, 1)));
    }
}
