//! The split of a pool into training and test puzzles.

use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use super::{LatinSquareError, Level, Puzzle};

/// The share of the published pool that is tested on.
pub const TEST_FRACTION: f64 = 0.1;

/// The puzzles to train on and those to test on, each sorted by level, then by grid.
///
/// Each level is split by itself; at least one of its puzzles is on either side. The split depends on the puzzles
/// and the stream `split`, not on the order in which the puzzles come.
pub(crate) fn split(
    pool: Vec<Puzzle>,
    test_fraction: f64,
    streams: &Streams,
) -> Result<(Vec<Puzzle>, Vec<Puzzle>), LatinSquareError> {
    let (mut train, mut test) = (Vec::with_capacity(pool.len()), Vec::new());
    let mut pool = pool;
    pool.sort();
    for level in Level::ALL {
        let mut puzzles: Vec<Puzzle> =
            pool.iter().filter(|puzzle| puzzle.level() == level).cloned().collect();
        if puzzles.len() < 2 {
            return Err(LatinSquareError::TooFew { level, got: puzzles.len() });
        }
        puzzles.shuffle(&mut streams.rng_for(Stream::Split, &format!("latin-square/{level}")));
        let tested = (puzzles.len() as f64 * test_fraction).round() as usize;
        let mut rest = puzzles.split_off(tested.clamp(1, puzzles.len() - 1));
        puzzles.sort();
        rest.sort();
        test.append(&mut puzzles);
        train.append(&mut rest);
    }
    Ok((train, test))
}
