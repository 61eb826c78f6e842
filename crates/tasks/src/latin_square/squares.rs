//! Complete Latin squares, and the list of all of an order.

use super::LatinSquareError;
use super::grid::MIN_ORDER;

/// The largest order whose squares can be listed: order 5 has 161,280, order 6 more than 800 million.
pub const MAX_LISTED_ORDER: usize = 5;

/// A complete Latin square: each symbol 1 to `order` once in every row and column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    order: usize,
    cells: Vec<u8>,
}

impl Square {
    /// The caller vouches for the rows and columns.
    pub(crate) fn new_unchecked(order: usize, cells: Vec<u8>) -> Self {
        Self { order, cells }
    }

    /// The number of rows, of columns and of symbols.
    pub fn order(&self) -> usize {
        self.order
    }

    /// The `order²` symbols, row by row, each 1 to `order`.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }
}

/// Every Latin square of an order of 2 to [`MAX_LISTED_ORDER`], in lexicographic order of their cells.
///
/// # Errors
/// [`LatinSquareError::Setting`] for another order.
pub fn all_squares(order: usize) -> Result<Vec<Square>, LatinSquareError> {
    if !(MIN_ORDER..=MAX_LISTED_ORDER).contains(&order) {
        return Err(LatinSquareError::Setting {
            key: "order",
            expected: format!("{MIN_ORDER} to {MAX_LISTED_ORDER}, to list all squares"),
            got: order.to_string(),
        });
    }
    let mut listing = Listing {
        order,
        cells: Vec::new(),
        rows: vec![0; order],
        columns: vec![0; order],
        found: Vec::new(),
    };
    listing.extend();
    Ok(listing.found)
}

/// A square being filled cell by cell, and the finished ones.
struct Listing {
    order: usize,
    cells: Vec<u8>,
    /// The symbols that stand in each row, or column, as bits.
    rows: Vec<u16>,
    columns: Vec<u16>,
    found: Vec<Square>,
}

impl Listing {
    fn extend(&mut self) {
        let (row, column) = (self.cells.len() / self.order, self.cells.len() % self.order);
        if row == self.order {
            self.found.push(Square::new_unchecked(self.order, self.cells.clone()));
            return;
        }
        for symbol in 1..=self.order as u8 {
            let bit = 1 << symbol;
            if (self.rows[row] | self.columns[column]) & bit != 0 {
                continue;
            }
            self.cells.push(symbol);
            self.rows[row] |= bit;
            self.columns[column] |= bit;
            self.extend();
            self.cells.pop();
            self.rows[row] &= !bit;
            self.columns[column] &= !bit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of Latin squares, sequence A002860 of the OEIS.
    #[test]
    fn as_many_as_are_known() {
        for (order, count) in [(2, 2), (3, 12), (4, 576), (5, 161_280)] {
            let squares = all_squares(order).unwrap();
            assert_eq!(squares.len(), count, "order {order}");
            assert!(squares.is_sorted_by(|a, b| a < b), "distinct and in order");
        }
        assert!(all_squares(1).is_err() && all_squares(6).is_err());
    }
}
