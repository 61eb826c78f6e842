//! Random Latin squares.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::grid::{MAX_CELLS, MAX_ORDER, MIN_ORDER};
use super::{LatinSquareError, Square, all_squares};

/// Up to this order a square is drawn from the list of all.
const LISTED: usize = 4;

/// Draws random Latin squares of one order.
///
/// - **Orders 2 to 4**: uniform over the list of all squares, draws independent.
/// - **Orders 5 to 9**: the Markov chain of Jacobson and Matthews (1996), whose stationary distribution is uniform
///   over all squares, followed by random permutations of rows, columns and symbols. The chain starts at the
///   cyclic square and passes `n³` proper squares first, and `n` before each draw, so that consecutive draws of
///   orders 5 to 9 can be related in their isotopy class. How fast it mixes is not proven;
///   the permutations make every draw exactly uniform within its isotopy class.
#[derive(Debug, Clone)]
pub struct SquareSampler {
    order: usize,
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    /// The cells of all squares, one square after the other.
    Listed(Vec<u8>),
    Chain(Box<Chain>),
}

impl SquareSampler {
    /// A sampler of squares of an order of 2 to 9. Draws from `rng` to warm up.
    ///
    /// # Errors
    /// [`LatinSquareError::Puzzle`] for another order.
    pub fn new(order: usize, rng: &mut impl Rng) -> Result<Self, LatinSquareError> {
        if !(MIN_ORDER..=MAX_ORDER).contains(&order) {
            return Err(super::PuzzleError::Order { got: order }.into());
        }
        let source = if order <= LISTED {
            Source::Listed(all_squares(order)?.iter().flat_map(|square| square.cells().to_vec()).collect())
        } else {
            let mut chain = Chain::cyclic(order);
            chain.advance(order.pow(3), rng);
            Source::Chain(Box::new(chain))
        };
        Ok(Self { order, source })
    }

    /// The next random square.
    pub fn sample(&mut self, rng: &mut impl Rng) -> Square {
        let mut cells = [0; MAX_CELLS];
        self.fill(&mut cells, rng);
        Square::new_unchecked(self.order, cells[..self.order * self.order].to_vec())
    }

    /// Writes the next random square into the first `order²` cells.
    pub(crate) fn fill(&mut self, cells: &mut [u8; MAX_CELLS], rng: &mut impl Rng) {
        let size = self.order * self.order;
        match &mut self.source {
            Source::Listed(all) => {
                let start = size * rng.random_range(0..all.len() / size);
                cells[..size].copy_from_slice(&all[start..start + size]);
            }
            Source::Chain(chain) => {
                chain.advance(self.order, rng);
                let [rows, columns, symbols] = [(); 3].map(|()| permutation(self.order, rng));
                for (cell, symbol) in cells[..size].iter_mut().enumerate() {
                    *symbol =
                        symbols[chain.symbol(rows[cell / self.order], columns[cell % self.order])] as u8 + 1;
                }
            }
        }
    }
}

fn permutation(order: usize, rng: &mut impl Rng) -> [usize; MAX_ORDER] {
    let mut permutation = std::array::from_fn(|i| i);
    permutation[..order].shuffle(rng);
    permutation
}

/// The incidence cube of a square: 1 at (row, column, symbol) where the symbol stands, else 0; every line along
/// an axis sums to 1. Between proper squares the chain passes improper ones, with a -1 in one place.
#[derive(Debug, Clone)]
struct Chain {
    order: usize,
    cube: [[[i8; MAX_ORDER]; MAX_ORDER]; MAX_ORDER],
    improper: Option<[usize; 3]>,
}

impl Chain {
    fn cyclic(order: usize) -> Self {
        let mut cube = [[[0; MAX_ORDER]; MAX_ORDER]; MAX_ORDER];
        for (row, plane) in cube.iter_mut().enumerate().take(order) {
            for (column, line) in plane.iter_mut().enumerate().take(order) {
                line[(row + column) % order] = 1;
            }
        }
        Self { order, cube, improper: None }
    }

    /// On to the proper square that is so many proper squares away. Counting moves instead, and then going on to
    /// the next proper square, would favour squares with many improper neighbours.
    fn advance(&mut self, squares: usize, rng: &mut impl Rng) {
        for _ in 0..squares {
            self.step(rng);
            while self.improper.is_some() {
                self.step(rng);
            }
        }
    }

    /// One ±1 move. From a proper square at a random 0 of the cube, where each line holds one 1; from an improper
    /// one at its -1, where each line holds two 1s, of which one is taken at random.
    fn step(&mut self, rng: &mut impl Rng) {
        let [r, c, s] = self.improper.unwrap_or_else(|| self.random_zero(rng));
        let row = self.one_of(|this, row| this.cube[row][c][s], rng);
        let column = self.one_of(|this, column| this.cube[r][column][s], rng);
        let symbol = self.one_of(|this, symbol| this.cube[r][c][symbol], rng);
        for [r, c, s] in [[r, c, s], [r, column, symbol], [row, c, symbol], [row, column, s]] {
            self.cube[r][c][s] += 1;
        }
        for [r, c, s] in [[row, c, s], [r, column, s], [r, c, symbol], [row, column, symbol]] {
            self.cube[r][c][s] -= 1;
        }
        self.improper = (self.cube[row][column][symbol] < 0).then_some([row, column, symbol]);
    }

    fn random_zero(&self, rng: &mut impl Rng) -> [usize; 3] {
        loop {
            let place = [(); 3].map(|()| rng.random_range(0..self.order));
            if self.cube[place[0]][place[1]][place[2]] == 0 {
                return place;
            }
        }
    }

    /// The only 1 of a line, or one of its two at random.
    fn one_of(&self, entry: impl Fn(&Self, usize) -> i8, rng: &mut impl Rng) -> usize {
        let skip = self.improper.is_some() && rng.random::<bool>();
        let mut ones = (0..self.order).filter(|&index| entry(self, index) == 1);
        let first = ones.next().unwrap_or(0);
        if skip { ones.next().unwrap_or(first) } else { first }
    }

    fn symbol(&self, row: usize, column: usize) -> usize {
        self.cube[row][column].iter().position(|&entry| entry == 1).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use streams::{Stream, StreamRng, Streams};

    use super::*;

    fn rng() -> StreamRng {
        Streams::new(3).rng(Stream::Data)
    }

    fn is_latin(order: usize, cells: &[u8]) -> bool {
        let line_is_full = |line: Vec<u8>| (1..=order as u8).all(|symbol| line.contains(&symbol));
        (0..order).all(|i| {
            line_is_full(cells[i * order..(i + 1) * order].to_vec())
                && line_is_full(cells.iter().skip(i).step_by(order).copied().collect())
        })
    }

    #[test]
    fn every_draw_is_a_latin_square() {
        for order in MIN_ORDER..=MAX_ORDER {
            let mut rng = rng();
            let mut sampler = SquareSampler::new(order, &mut rng).unwrap();
            for _ in 0..200 {
                let square = sampler.sample(&mut rng);
                assert!(is_latin(order, square.cells()), "{square:?}");
            }
        }
        assert!(SquareSampler::new(10, &mut rng()).is_err());
    }

    /// The chain alone, without the permutations, at the order whose squares are all known: the chi-square
    /// statistic against the uniform distribution has mean 575 and standard deviation 34.
    #[test]
    fn the_chain_is_uniform_over_the_576_squares() {
        let (mut rng, mut chain) = (rng(), Chain::cyclic(4));
        let mut counts = HashMap::<Vec<usize>, u32>::new();
        let draws = 200 * 576;
        for _ in 0..draws {
            chain.advance(40, &mut rng);
            let square = (0..16).map(|cell| chain.symbol(cell / 4, cell % 4)).collect();
            *counts.entry(square).or_default() += 1;
        }
        assert_eq!(counts.len(), 576);
        let chi_square: f64 = counts.values().map(|&n| (f64::from(n) - 200.0).powi(2) / 200.0).sum();
        assert!((chi_square - 575.0).abs() < 5.0 * 34.0, "{chi_square}");
    }

    /// Both isotopy classes of order 5 occur as often as they have members: 17,280 of the 161,280 squares are
    /// isotopic to the cyclic group, and those alone have no 2 x 2 subsquare.
    #[test]
    fn isotopy_classes_of_order_five() {
        let mut rng = rng();
        let mut sampler = SquareSampler::new(5, &mut rng).unwrap();
        let draws = 20_000;
        let cyclic = (0..draws).filter(|_| !has_subsquare(5, sampler.sample(&mut rng).cells())).count();
        let expected = 17_280.0 / 161_280.0;
        let deviation = (expected * (1.0 - expected) / f64::from(draws)).sqrt();
        let got = cyclic as f64 / f64::from(draws);
        assert!((got - expected).abs() < 5.0 * deviation, "{got} against {expected}");
    }

    fn has_subsquare(order: usize, cells: &[u8]) -> bool {
        let at = |row: usize, column: usize| cells[row * order + column];
        let pairs = || (0..order).flat_map(move |b| (0..b).map(move |a| (a, b)));
        pairs().any(|(r, s)| pairs().any(|(c, d)| at(r, c) == at(s, d) && at(r, d) == at(s, c)))
    }
}
