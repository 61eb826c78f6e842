//! What a data set holds, in numbers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::dataset::content_hash;
use super::{Level, Puzzle, closest};

/// A data set in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The order of the puzzles.
    pub order: usize,
    /// Training and test puzzles together.
    pub pool: SetSummary,
    /// The generalization set.
    pub generalization: SetSummary,
    /// The smallest Jaccard distance between the two, if both are there.
    pub min_jaccard_distance: Option<f64>,
    /// The hash of all puzzles; see [`LatinSquareData::sha256`](super::LatinSquareData::sha256).
    pub sha256: String,
}

/// One set in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetSummary {
    /// The number of puzzles.
    pub puzzles: usize,
    /// The number of groups among those that have one.
    pub groups: usize,
    /// The levels that occur.
    pub levels: BTreeMap<Level, LevelSummary>,
}

/// The puzzles of one level in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelSummary {
    /// The number of puzzles.
    pub puzzles: usize,
    /// The mean number of givens.
    pub givens_mean: f64,
    /// The smallest number of givens.
    pub givens_min: usize,
    /// The largest number of givens.
    pub givens_max: usize,
    /// How many puzzles have so many givens.
    pub givens: BTreeMap<usize, usize>,
    /// How many puzzles have the answer 1, 2, ...: `order` counts.
    pub answers: Vec<usize>,
    /// How many puzzles have their target in each cell: `order²` counts, row by row.
    pub targets: Vec<usize>,
}

impl Summary {
    /// The numbers of a pool and a generalization set of one order; either can be empty.
    pub fn new(order: usize, pool: &[Puzzle], generalization: &[Puzzle]) -> Self {
        Self {
            order,
            pool: SetSummary::new(order, pool),
            generalization: SetSummary::new(order, generalization),
            min_jaccard_distance: closest(pool, generalization).map(|closest| closest.distance),
            sha256: content_hash(order, pool, generalization),
        }
    }
}

impl SetSummary {
    fn new(order: usize, puzzles: &[Puzzle]) -> Self {
        let mut levels = BTreeMap::new();
        for level in Level::ALL {
            let of_level: Vec<&Puzzle> = puzzles.iter().filter(|puzzle| puzzle.level() == level).collect();
            if let Some(summary) = LevelSummary::new(order, &of_level) {
                levels.insert(level, summary);
            }
        }
        let groups: BTreeSet<u32> = puzzles.iter().filter_map(Puzzle::group).collect();
        Self { puzzles: puzzles.len(), groups: groups.len(), levels }
    }
}

impl LevelSummary {
    fn new(order: usize, puzzles: &[&Puzzle]) -> Option<Self> {
        let mut givens = BTreeMap::new();
        let (mut answers, mut targets) = (vec![0; order], vec![0; order * order]);
        for puzzle in puzzles {
            *givens.entry(puzzle.givens()).or_insert(0) += 1;
            answers[usize::from(puzzle.answer()) - 1] += 1;
            targets[puzzle.target()] += 1;
        }
        let sum: usize = givens.iter().map(|(givens, count)| givens * count).sum();
        Some(Self {
            puzzles: puzzles.len(),
            givens_mean: sum as f64 / puzzles.len() as f64,
            givens_min: *givens.keys().next()?,
            givens_max: *givens.keys().next_back()?,
            givens,
            answers,
            targets,
        })
    }
}
