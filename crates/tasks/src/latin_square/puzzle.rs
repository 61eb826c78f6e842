//! A grid whose target has a known answer and level.

use std::fmt;

use super::{Grid, Level, PuzzleError, Solution, level_and_answer, solve};

/// A grid, the one symbol that fits its target, and the level of the rule that finds it.
///
/// Every value is checked: the solver and the rule agree on the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Puzzle {
    grid: Grid,
    answer: u8,
    level: Level,
    group: Option<u32>,
}

impl Puzzle {
    /// The puzzle of a grid, with its answer by the solver and its level by the rules.
    ///
    /// # Errors
    /// [`PuzzleError::Impossible`], [`PuzzleError::Ambiguous`], or [`PuzzleError::NoLevel`] if the target is
    /// determined, but by none of the rules.
    pub fn new(grid: Grid) -> Result<Self, PuzzleError> {
        match (solve(&grid), level_and_answer(&grid)) {
            (Solution::Impossible, _) => Err(PuzzleError::Impossible),
            (Solution::Ambiguous, _) => Err(PuzzleError::Ambiguous),
            (Solution::Unique(answer), Some((level, by_rule))) if answer == by_rule => {
                Ok(Self { grid, answer, level, group: None })
            }
            (Solution::Unique(_), _) => Err(PuzzleError::NoLevel),
        }
    }

    /// The puzzle of a text form (see [`Grid`]) of a known order.
    ///
    /// # Errors
    /// Those of [`Grid::from_text`] and of [`Puzzle::new`].
    pub fn from_text(text: &str, order: usize) -> Result<Self, PuzzleError> {
        Self::new(Grid::from_text(text, order)?)
    }

    /// The same puzzle as one of a group: items that are orientations of one puzzle share its number.
    pub fn with_group(mut self, group: Option<u32>) -> Self {
        self.group = group;
        self
    }

    /// The grid with its target.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The number of rows, of columns and of symbols.
    pub fn order(&self) -> usize {
        self.grid.order()
    }

    /// The `order²` cells, row by row: 0 blank (the target too), 1 to `order` symbols.
    pub fn cells(&self) -> &[u8] {
        self.grid.cells()
    }

    /// The index of the target among the cells.
    pub fn target(&self) -> usize {
        self.grid.target()
    }

    /// The number of cells that hold a symbol.
    pub fn givens(&self) -> usize {
        self.grid.givens()
    }

    /// The target's symbol, 1 to `order`.
    pub fn answer(&self) -> u8 {
        self.answer
    }

    /// The level of the rule that finds the answer.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The puzzle that this is an orientation of (`LST_num` in the published files): the unit to resample by.
    pub fn group(&self) -> Option<u32> {
        self.group
    }
}

impl fmt::Display for Puzzle {
    /// The text form of the grid.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.grid.fmt(f)
    }
}
