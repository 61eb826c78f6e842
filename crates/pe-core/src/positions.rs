//! The two ways in which an encoding can know a token.

use crate::{Coords, PeError};

/// What encodings are told about tokens: an id each, and coordinates each.
///
/// Tables that are learned or drawn, and the 1D sinusoid, are keyed by id; the rest by coordinates. The tokens of
/// an input may stand in any order, as long as ids and coordinates stand in the same one.
#[derive(Debug, Clone, PartialEq)]
pub struct Positions {
    ids: Vec<usize>,
    coords: Coords,
}

impl Positions {
    /// Positions from ids and coordinates.
    ///
    /// # Errors
    /// When there are not as many ids as coordinate rows.
    pub fn new(ids: Vec<usize>, coords: Coords) -> Result<Self, PeError> {
        if ids.len() != coords.tokens() {
            return Err(PeError::PositionsMismatch { ids: ids.len(), coords: coords.tokens() });
        }
        Ok(Self { ids, coords })
    }

    /// Positions with ids 0, 1, 2, ... in the order of the coordinates.
    pub fn in_order(coords: Coords) -> Self {
        Self { ids: (0..coords.tokens()).collect(), coords }
    }

    /// All points of a grid, numbered row by row. See [`Coords::grid`].
    ///
    /// # Errors
    /// When there is no axis or an axis has no points.
    pub fn grid(sides: &[usize]) -> Result<Self, PeError> {
        Coords::grid(sides).map(Self::in_order)
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.ids.len()
    }

    /// The ids, one per token.
    pub fn ids(&self) -> &[usize] {
        &self.ids
    }

    /// The coordinates, one row per token.
    pub fn coords(&self) -> &Coords {
        &self.coords
    }

    /// The same tokens in another order: token `i` of the result is token `order[i]` of `self`.
    ///
    /// # Panics
    /// When `order` names a token that does not exist.
    pub fn permuted(&self, order: &[usize]) -> Self {
        Self { ids: order.iter().map(|&i| self.ids[i]).collect(), coords: self.coords.permuted(order) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_coordinates_move_together() {
        let positions = Positions::grid(&[2, 2]).unwrap();
        let moved = positions.permuted(&[3, 0, 1, 2]);
        assert_eq!(moved.ids(), [3, 0, 1, 2]);
        assert_eq!(moved.coords().row(0), [1.0, 1.0]);
    }

    #[test]
    fn unequal_lengths_are_refused() {
        let error = Positions::new(vec![0, 1], Coords::grid(&[3]).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "2 ids but 3 coordinate rows: expected one of each per token");
    }
}
