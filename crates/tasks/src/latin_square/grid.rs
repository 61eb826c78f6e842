//! A partly filled Latin square with a target cell, and its text form.

use std::fmt;
use std::str::FromStr;

use super::PuzzleError;

/// The smallest order of a grid.
pub const MIN_ORDER: usize = 2;
/// The largest order of a grid: symbols are single digits.
pub const MAX_ORDER: usize = 9;
/// The largest number of cells.
pub(crate) const MAX_CELLS: usize = MAX_ORDER * MAX_ORDER;

/// Givens that repeat no symbol in a row or column, and the blank cell that is asked for.
///
/// The text form is one character a cell, row by row: `0` blank, `1` to `n` symbols, and the target as
/// [`target_mark`] (`5` at order 4). Whether the target has an answer is what [`solve`](super::solve) tells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grid {
    order: usize,
    cells: Vec<u8>,
    target: usize,
}

impl Grid {
    /// A grid from its `order²` cells, row by row (0 blank, 1 to `order` symbols), and the index of its target.
    ///
    /// # Errors
    /// [`PuzzleError`] if the order is not 2 to 9, the number of cells or a symbol does not fit it, the target
    /// is not blank, or a symbol stands twice in a row or column.
    pub fn new(order: usize, cells: Vec<u8>, target: usize) -> Result<Self, PuzzleError> {
        check_length(order, cells.len(), || format!("{cells:?}"))?;
        if let Some(cell) = cells.iter().position(|&symbol| usize::from(symbol) > order) {
            return Err(PuzzleError::Symbol { order, cell, got: cells[cell] });
        }
        if cells.get(target) != Some(&0) {
            return Err(PuzzleError::Target { cells: cells.len(), got: target });
        }
        check_repeats(order, &cells)?;
        Ok(Self { order, cells, target })
    }

    /// A grid of a known order from its text form.
    ///
    /// # Errors
    /// Those of [`Grid::new`], and if there is not exactly one target.
    pub fn from_text(text: &str, order: usize) -> Result<Self, PuzzleError> {
        check_length(order, text.chars().count(), || text.to_owned())?;
        let mark = target_mark(order);
        let mut cells = Vec::with_capacity(order * order);
        let mut targets = Vec::new();
        for (index, got) in text.chars().enumerate() {
            let symbol = match got.to_digit(10) {
                _ if got == mark => {
                    targets.push(index);
                    0
                }
                Some(digit) if digit as usize <= order => digit as u8,
                _ => return Err(PuzzleError::Character { order, mark, position: index + 1, got }),
            };
            cells.push(symbol);
        }
        match targets[..] {
            [target] => Self::new(order, cells, target),
            _ => Err(PuzzleError::Targets { mark, got: targets.len() }),
        }
    }

    /// The caller vouches for what [`Grid::new`] checks.
    pub(crate) fn new_unchecked(order: usize, cells: Vec<u8>, target: usize) -> Self {
        Self { order, cells, target }
    }

    /// The number of rows, of columns and of symbols.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The `order²` cells, row by row: 0 blank (the target too), 1 to `order` symbols.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The index of the target among the cells.
    pub fn target(&self) -> usize {
        self.target
    }

    /// The number of cells that hold a symbol.
    pub fn givens(&self) -> usize {
        self.cells.iter().filter(|&&symbol| symbol != 0).count()
    }
}

/// How the text form marks the target: the digit after the last symbol, and `T` at order 9, which has none left.
pub fn target_mark(order: usize) -> char {
    u32::try_from(order + 1).ok().and_then(|digit| char::from_digit(digit, 10)).unwrap_or('T')
}

/// The order whose grids have a text form of this length.
pub(crate) fn order_of_length(length: usize) -> Option<usize> {
    (MIN_ORDER..=MAX_ORDER).find(|order| order * order == length)
}

fn check_length(order: usize, got: usize, text: impl Fn() -> String) -> Result<(), PuzzleError> {
    if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
        return Err(PuzzleError::Order { got: order });
    }
    let expected = order * order;
    if got != expected {
        let text = text().chars().take(MAX_CELLS + 9).collect();
        return Err(PuzzleError::Length { order, expected, got, text });
    }
    Ok(())
}

fn check_repeats(order: usize, cells: &[u8]) -> Result<(), PuzzleError> {
    let (mut rows, mut columns) = ([0u16; MAX_ORDER], [0u16; MAX_ORDER]);
    for (cell, &symbol) in cells.iter().enumerate().filter(|&(_, &symbol)| symbol != 0) {
        let (row, column, bit) = (cell / order, cell % order, 1 << symbol);
        if rows[row] & bit != 0 {
            return Err(PuzzleError::Repeated { line: "row", index: row + 1, symbol });
        }
        if columns[column] & bit != 0 {
            return Err(PuzzleError::Repeated { line: "column", index: column + 1, symbol });
        }
        rows[row] |= bit;
        columns[column] |= bit;
    }
    Ok(())
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = target_mark(self.order);
        let text = self
            .cells
            .iter()
            .enumerate()
            .map(|(index, &symbol)| if index == self.target { mark } else { char::from(b'0' + symbol) });
        f.pad(&text.collect::<String>())
    }
}

impl FromStr for Grid {
    type Err = PuzzleError;

    /// Reads the text form; the order follows from the length (4 if the length is no square's).
    fn from_str(text: &str) -> Result<Self, PuzzleError> {
        Self::from_text(text, order_of_length(text.chars().count()).unwrap_or(4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_at_every_order() {
        for order in MIN_ORDER..=MAX_ORDER {
            let cells: Vec<u8> =
                (0..order * order).map(|i| if i < order - 1 { i as u8 + 1 } else { 0 }).collect();
            let grid = Grid::new(order, cells, order - 1).unwrap();
            let text = grid.to_string();
            assert_eq!(text.chars().nth(order - 1), Some(target_mark(order)));
            assert_eq!(text.parse::<Grid>().unwrap(), grid);
            assert_eq!(grid.givens(), order - 1);
        }
        assert_eq!((target_mark(4), target_mark(8), target_mark(9)), ('5', '9', 'T'));
    }

    #[test]
    fn each_mistake_is_named() {
        let error = |text: &str| Grid::from_text(text, 4).unwrap_err();
        assert!(matches!(error("123500000000000"), PuzzleError::Length { expected: 16, got: 15, .. }));
        assert!(matches!(error("1235000000000005"), PuzzleError::Targets { got: 2, .. }));
        assert!(matches!(error("1230000000000000"), PuzzleError::Targets { got: 0, .. }));
        assert!(matches!(error("1265000000000000"), PuzzleError::Character { position: 3, got: '6', .. }));
        assert!(matches!(error("1T35000000000000"), PuzzleError::Character { position: 2, got: 'T', .. }));
        assert!(matches!(
            error("1215000000000000"),
            PuzzleError::Repeated { line: "row", index: 1, symbol: 1 }
        ));
        assert!(matches!(error("1005100000000000"), PuzzleError::Repeated { line: "column", .. }));
        assert!(matches!(Grid::new(4, vec![0; 16], 16), Err(PuzzleError::Target { cells: 16, got: 16 })));
        assert!(matches!(Grid::new(4, vec![5; 16], 0), Err(PuzzleError::Symbol { got: 5, .. })));
        assert!(matches!(Grid::new(1, vec![0], 0), Err(PuzzleError::Order { got: 1 })));
        assert!(!error("1\n2").to_string().contains('\n'), "one line, whatever the text");
    }
}
