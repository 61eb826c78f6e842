//! What the target can be, by search over all completions.

use super::Grid;
use super::grid::MAX_ORDER;

/// What the target's symbol is over all Latin squares with the given cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solution {
    /// The same symbol in all of them.
    Unique(u8),
    /// Several symbols occur.
    Ambiguous,
    /// There is no such Latin square.
    Impossible,
}

/// Which symbols the target takes over all completions of the grid; stops at the second one.
///
/// For each symbol that fits the target, looks for one completion, depth first. It branches where the fewest choices
/// are left: over the symbols of a cell, the columns of a symbol in a row, or the rows of a symbol in a column.
/// (Cells alone can take minutes at order 9: they do not show that a symbol has no place left.)
pub fn solve(grid: &Grid) -> Solution {
    let mut search = Search::new(grid);
    let (row, column) = (grid.target() / grid.order(), grid.target() % grid.order());
    let mut solution = Solution::Impossible;
    for symbol in bits(search.row_symbols[row] & search.column_symbols[column]) {
        search.toggle([row, column, symbol]);
        let completable = search.completable();
        search.toggle([row, column, symbol]);
        if completable {
            if solution != Solution::Impossible {
                return Solution::Ambiguous;
            }
            solution = Solution::Unique(symbol as u8 + 1);
        }
    }
    solution
}

/// What is still open of a grid. Rows, columns and symbols count from 0 and are the bits of the sets.
struct Search {
    order: usize,
    /// The symbols that each row, or column, lacks.
    row_symbols: [u16; MAX_ORDER],
    column_symbols: [u16; MAX_ORDER],
    /// The columns in which each row is blank, and the rows in which each column is.
    row_blanks: [u16; MAX_ORDER],
    column_blanks: [u16; MAX_ORDER],
    /// The rows, and the columns, that lack each symbol.
    symbol_rows: [u16; MAX_ORDER],
    symbol_columns: [u16; MAX_ORDER],
}

/// A choice to make: (row, column, symbol) with one of them open.
#[derive(Clone, Copy)]
enum Choice {
    Symbol(usize, usize),
    Column(usize, usize),
    Row(usize, usize),
}

impl Search {
    fn new(grid: &Grid) -> Self {
        let order = grid.order();
        let all = [(1u16 << order) - 1; MAX_ORDER];
        let mut search = Self {
            order,
            row_symbols: all,
            column_symbols: all,
            row_blanks: all,
            column_blanks: all,
            symbol_rows: all,
            symbol_columns: all,
        };
        for (cell, &symbol) in grid.cells().iter().enumerate().filter(|&(_, &symbol)| symbol != 0) {
            search.toggle([cell / order, cell % order, usize::from(symbol) - 1]);
        }
        search
    }

    /// Places a symbol, or takes it away again.
    fn toggle(&mut self, [row, column, symbol]: [usize; 3]) {
        self.row_symbols[row] ^= 1 << symbol;
        self.column_symbols[column] ^= 1 << symbol;
        self.row_blanks[row] ^= 1 << column;
        self.column_blanks[column] ^= 1 << row;
        self.symbol_rows[symbol] ^= 1 << row;
        self.symbol_columns[symbol] ^= 1 << column;
    }

    fn completable(&mut self) -> bool {
        let Some((choice, options)) = self.tightest() else { return true };
        bits(options).any(|option| {
            let place = match choice {
                Choice::Symbol(row, column) => [row, column, option],
                Choice::Column(row, symbol) => [row, option, symbol],
                Choice::Row(column, symbol) => [option, column, symbol],
            };
            self.toggle(place);
            let completable = self.completable();
            self.toggle(place);
            completable
        })
    }

    /// The choice with the fewest options; `None` if the square is full.
    fn tightest(&self) -> Option<(Choice, u16)> {
        let mut best: Option<(Choice, u16)> = None;
        let mut offer = |choice, options: u16| {
            if best.is_none_or(|(_, fewest)| options.count_ones() < fewest.count_ones()) {
                best = Some((choice, options));
            }
        };
        for line in 0..self.order {
            for column in bits(self.row_blanks[line]) {
                offer(Choice::Symbol(line, column), self.row_symbols[line] & self.column_symbols[column]);
            }
            for symbol in bits(self.row_symbols[line]) {
                offer(Choice::Column(line, symbol), self.row_blanks[line] & self.symbol_columns[symbol]);
            }
            for symbol in bits(self.column_symbols[line]) {
                offer(Choice::Row(line, symbol), self.column_blanks[line] & self.symbol_rows[symbol]);
            }
        }
        best
    }
}

/// The members of a set.
fn bits(set: u16) -> impl Iterator<Item = usize> {
    (0..MAX_ORDER).filter(move |bit| set & (1 << bit) != 0)
}

#[cfg(test)]
mod tests {
    use super::super::MIN_ORDER;
    use super::*;

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(solve(&"1235000000000000".parse().unwrap()), Solution::Unique(4));
        assert_eq!(solve(&"5000000000000000".parse().unwrap()), Solution::Ambiguous);
        assert_eq!(solve(&"1235000400000000".parse().unwrap()), Solution::Impossible, "4 is in the column");
        // No rule of the levels, yet impossible: the last cell of the first row lacks its only symbol.
        assert_eq!(solve(&"1230000500040000".parse().unwrap()), Solution::Impossible);
    }

    /// An empty grid has completions with any symbol at the target, at every order.
    #[test]
    fn an_empty_grid_is_ambiguous_at_every_order() {
        for order in MIN_ORDER..=MAX_ORDER {
            let grid = Grid::new(order, vec![0; order * order], order + 1).unwrap();
            assert_eq!(solve(&grid), Solution::Ambiguous);
        }
    }
}
