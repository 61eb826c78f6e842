//! Random candidates for one level and number of givens.

use rand::{Rng, RngExt};

use super::grid::MAX_CELLS;
use super::{Grid, LatinSquareError, Level, SquareSampler, rules};

/// Draws a random square, a random target and a random set of the other cells as givens, and keeps what has the
/// level. So a puzzle is as likely as it has completions among the squares.
///
/// For the binary level the row or the column of the target is among the givens from the start, with the same
/// distribution: a puzzle with both, which could come either way, is dropped every second time.
pub(super) struct Proposal {
    order: usize,
    level: Level,
    givens: usize,
    sampler: SquareSampler,
    square: [u8; MAX_CELLS],
    cells: [u8; MAX_CELLS],
    target: usize,
    /// The cells beside the target; the first `givens` of them, after a draw, are the givens.
    others: Vec<usize>,
}

impl Proposal {
    pub(super) fn new(
        order: usize,
        level: Level,
        givens: usize,
        rng: &mut impl Rng,
    ) -> Result<Self, LatinSquareError> {
        Ok(Self {
            order,
            level,
            givens,
            sampler: SquareSampler::new(order, rng)?,
            square: [0; MAX_CELLS],
            cells: [0; MAX_CELLS],
            target: 0,
            others: Vec::with_capacity(order * order),
        })
    }

    /// Draws a candidate; whether it has the level.
    pub(super) fn draw(&mut self, rng: &mut impl Rng) -> bool {
        let size = self.order * self.order;
        self.sampler.fill(&mut self.square, rng);
        self.target = rng.random_range(0..size);
        self.others.clear();
        self.others.extend((0..size).filter(|&cell| cell != self.target));
        let fixed = if self.level == Level::Binary { self.fix_a_line(rng) } else { 0 };
        for place in fixed..self.givens {
            let other = rng.random_range(place..self.others.len());
            self.others.swap(place, other);
        }
        self.cells[..size].fill(0);
        for &cell in &self.others[..self.givens] {
            self.cells[cell] = self.square[cell];
        }
        if self.level == Level::Binary {
            return !self.both_lines_given() || rng.random();
        }
        rules::apply(self.order, self.cells(), self.target).is_some_and(|(level, _)| level == self.level)
    }

    /// The last candidate.
    pub(super) fn grid(&self) -> Grid {
        Grid::new_unchecked(self.order, self.cells().to_vec(), self.target)
    }

    fn cells(&self) -> &[u8] {
        &self.cells[..self.order * self.order]
    }

    /// Moves the target's row, or its column, to the front; how many cells that are.
    fn fix_a_line(&mut self, rng: &mut impl Rng) -> usize {
        let by_row: bool = rng.random();
        let (order, target) = (self.order, self.target);
        let mut front = 0;
        for place in 0..self.others.len() {
            let cell = self.others[place];
            if if by_row { cell / order == target / order } else { cell % order == target % order } {
                self.others.swap(front, place);
                front += 1;
            }
        }
        front
    }

    fn both_lines_given(&self) -> bool {
        let (row, column) = (self.target / self.order, self.target % self.order);
        let given = |cell: usize| cell == self.target || self.cells[cell] != 0;
        (0..self.order).all(|i| given(row * self.order + i) && given(i * self.order + column))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use streams::{Stream, Streams};

    use super::super::{all_squares, level_and_answer};
    use super::*;

    /// Order 3 with 4 givens, small enough to count every (square, target, givens): each level's puzzles come as
    /// often as they are counted, the binary ones too, whose draws are steered.
    #[test]
    fn puzzles_come_as_often_as_they_have_completions() {
        let mut expected = HashMap::<(Level, Grid), f64>::new();
        for square in all_squares(3).unwrap() {
            for target in 0..9 {
                for chosen in (0u32..512).filter(|set| set.count_ones() == 4 && set & (1 << target) == 0) {
                    let given =
                        |cell: usize| if chosen & (1 << cell) != 0 { square.cells()[cell] } else { 0 };
                    let grid = Grid::new(3, (0..9).map(given).collect(), target).unwrap();
                    if let Some((level, _)) = level_and_answer(&grid) {
                        *expected.entry((level, grid)).or_default() += 1.0;
                    }
                }
            }
        }
        for level in Level::ALL {
            let weights: HashMap<_, _> = expected.iter().filter(|((of, _), _)| *of == level).collect();
            let total: f64 = weights.values().copied().sum();
            let mut rng = Streams::new(11).rng(Stream::Data);
            let mut proposal = Proposal::new(3, level, 4, &mut rng).unwrap();
            let (mut counts, draws) = (HashMap::<Grid, f64>::new(), 100.0 * weights.len() as f64);
            let mut drawn = 0.0;
            while drawn < draws {
                if proposal.draw(&mut rng) {
                    *counts.entry(proposal.grid()).or_default() += 1.0;
                    drawn += 1.0;
                }
            }
            let chi_square: f64 = weights
                .iter()
                .map(|((_, grid), weight)| {
                    let mean = draws * **weight / total;
                    (counts.get(grid).copied().unwrap_or(0.0) - mean).powi(2) / mean
                })
                .sum();
            let freedom = weights.len() as f64 - 1.0;
            assert!(counts.keys().all(|grid| level_and_answer(grid).unwrap().0 == level));
            assert!(
                (chi_square - freedom).abs() < 5.0 * (2.0 * freedom).sqrt(),
                "{level}: {chi_square}, {freedom}"
            );
        }
    }
}
