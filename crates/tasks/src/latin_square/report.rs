//! What the search for puzzles cost.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::Level;

/// How the candidates of one level fared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All candidates; the other counts add up to it.
    pub candidates: u64,
    /// Those whose target is not determined, or of another level.
    pub other_level: u64,
    /// Those too close to the generalization set.
    pub too_close: u64,
    /// Those that are there already.
    pub repeated: u64,
    /// Those taken; in the generalization set each stands for all its orientations.
    pub accepted: u64,
}

impl Tally {
    /// The share of candidates taken, 0 to 1.
    pub fn acceptance(&self) -> f64 {
        self.accepted as f64 / self.candidates.max(1) as f64
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.candidates += other.candidates;
        self.other_level += other.other_level;
        self.too_close += other.too_close;
        self.repeated += other.repeated;
        self.accepted += other.accepted;
    }

    pub(crate) fn count(&mut self, verdict: Verdict) {
        self.candidates += 1;
        *match verdict {
            Verdict::OtherLevel => &mut self.other_level,
            Verdict::TooClose => &mut self.too_close,
            Verdict::Repeated => &mut self.repeated,
            Verdict::Accepted => &mut self.accepted,
        } += 1;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { other_level, too_close, repeated, .. } = self;
        write!(f, "{other_level} of another level, {too_close} too close, {repeated} repeated")
    }
}

/// What becomes of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    OtherLevel,
    TooClose,
    Repeated,
    Accepted,
}

/// What the search for the puzzles of a data set cost, by set and level.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct GenerationReport {
    /// Of the generalization set.
    pub generalization: BTreeMap<Level, Tally>,
    /// Of the pool.
    pub pool: BTreeMap<Level, Tally>,
}
