//! Frames that are kept apart: the gap before tested ones, and blocks that are trained on by themselves.

use std::ops::Range;

use ndarray::ArrayView2;
use serde::{Deserialize, Serialize};

use super::MaskedError;
use super::config::check;
use crate::autocorrelation::autocorrelation_time;

/// Frames that are left out between two stretches of a recording, so that neighbours, which are nearly copies of each
/// other, never stand on either side.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Gap {
    /// So many.
    Frames(usize),
    /// So many integrated autocorrelation times, at least 0, rounded up: of each recording's own frames before the
    /// tested ones ([`autocorrelation_time`](crate::fmri::dataset::autocorrelation_time)).
    AutocorrelationTimes(f64),
}

/// One of several contiguous blocks, as even as possible, the last ones smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Which one, counted from 0.
    pub index: usize,
    /// Of how many, at least 1.
    pub of: usize,
}

impl Default for Gap {
    fn default() -> Self {
        Gap::Frames(0)
    }
}

impl Gap {
    pub(crate) fn is_none(&self) -> bool {
        *self == Gap::default()
    }

    pub(super) fn validate(self) -> Result<(), MaskedError> {
        match self {
            Gap::Frames(_) => Ok(()),
            Gap::AutocorrelationTimes(times) => {
                check("gap", times >= 0.0 && times.is_finite(), "a number of times of at least 0", times)
            }
        }
    }

    /// The gap in frames, for a recording whose frames before the tested ones are these, `[frames, nodes]`.
    pub(super) fn frames(self, before: ArrayView2<f32>) -> usize {
        match self {
            Gap::Frames(frames) => frames,
            Gap::AutocorrelationTimes(times) => {
                (times * autocorrelation_time(before.mapv(f64::from).view())).ceil() as usize
            }
        }
    }
}

impl Block {
    pub(super) fn validate(self, key: &'static str) -> Result<(), MaskedError> {
        let got = format!("index {} of {}", self.index, self.of);
        check(key, self.index < self.of, "an `index`, counted from 0, below `of`", got)
    }

    /// The block's part of `0..total`.
    pub(super) fn cut(self, total: usize) -> Range<usize> {
        let (size, longer) = (total / self.of, total % self.of);
        let start = |index: usize| index * size + index.min(longer);
        start(self.index)..start(self.index + 1)
    }

    /// The block's frames of the first `end`, with a gap between blocks; empty if gaps leave nothing.
    pub(super) fn frames(self, end: usize, gap: usize) -> Range<usize> {
        let part = self.cut(end.saturating_sub(gap.saturating_mul(self.of - 1)));
        let before = gap.saturating_mul(self.index).min(end);
        (part.start + before).min(end)..(part.end + before).min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use rand::RngExt;
    use streams::{Stream, Streams};

    #[test]
    fn blocks_are_even_and_the_last_ones_smaller() {
        let sizes = |total: usize, of: usize| -> Vec<usize> {
            (0..of).map(|index| Block { index, of }.cut(total).len()).collect()
        };
        assert_eq!((sizes(7, 3), sizes(6, 3), sizes(2, 3)), (vec![3, 2, 2], vec![2, 2, 2], vec![1, 1, 0]));
    }

    #[test]
    fn blocks_leave_a_gap_between_them_and_reach_the_end() {
        let of = |index| Block { index, of: 3 }.frames(100, 5);
        assert_eq!([of(0), of(1), of(2)], [0..30, 35..65, 70..100]);
        assert!(Block { index: 1, of: 2 }.frames(10, 50).is_empty());
    }

    /// Noise that is held for ten frames each has a time of ten frames.
    #[test]
    fn gaps_in_times_follow_the_recording() {
        let mut rng = Streams::new(5).rng(Stream::Data);
        let drawn = Array2::from_shape_fn((400, 20), |_| rng.random::<f32>());
        let held = Array2::from_shape_fn((4000, 20), |(frame, node)| drawn[[frame / 10, node]]);
        let gap = Gap::AutocorrelationTimes(3.0).frames(held.view());
        assert!((24..=36).contains(&gap), "{gap}");
        assert_eq!(Gap::Frames(7).frames(held.view()), 7);
        assert!(Gap::AutocorrelationTimes(-1.0).validate().is_err());
    }
}
