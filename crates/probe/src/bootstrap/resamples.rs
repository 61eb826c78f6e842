//! Which conditions and subjects each bootstrap draw holds.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

/// What is resampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Conditions: would it hold for other ones?
    Conditions,
    /// Subjects.
    Subjects,
    /// Both at once.
    Both,
}

/// Draws with replacement of all conditions and subjects.
///
/// Draw i comes from sub-stream i of [`Stream::Bootstrap`], so neither the number of draws nor of threads changes
/// it, and the three values of [`Over`] hold the same conditions and the same subjects where they resample them.
#[derive(Debug, Clone)]
pub struct Resamples {
    conditions: usize,
    subjects: usize,
    over: Over,
    draws: usize,
    streams: Streams,
}

impl Resamples {
    /// `draws` resamples of so many conditions and subjects.
    pub fn new(conditions: usize, subjects: usize, over: Over, draws: usize, streams: &Streams) -> Self {
        Self { conditions, subjects, over, draws, streams: streams.clone() }
    }

    /// The number of conditions.
    pub fn conditions(&self) -> usize {
        self.conditions
    }

    /// The number of subjects.
    pub fn subjects(&self) -> usize {
        self.subjects
    }

    /// What is resampled.
    pub fn over(&self) -> Over {
        self.over
    }

    /// The number of draws.
    pub fn draws(&self) -> usize {
        self.draws
    }

    /// Draw `index`: the conditions in ascending order with repeats, and how often each subject is in it.
    pub fn draw(&self, index: usize) -> (Vec<usize>, Vec<usize>) {
        let mut rng = self.streams.rng_at(Stream::Bootstrap, index as u64);
        // Both are drawn always, so that what is resampled changes nothing in the other.
        let mut conditions: Vec<usize> =
            (0..self.conditions).map(|_| rng.random_range(0..self.conditions)).collect();
        let mut copies = vec![0; self.subjects];
        (0..self.subjects).for_each(|_| copies[rng.random_range(0..self.subjects)] += 1);
        conditions.sort_unstable();
        match self.over {
            Over::Both => (conditions, copies),
            Over::Conditions => (conditions, vec![1; self.subjects]),
            Over::Subjects => ((0..self.conditions).collect(), copies),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_kinds_share_their_draws() {
        let of = |over| Resamples::new(9, 4, over, 5, &Streams::new(1)).draw(3);
        let (conditions, copies) = of(Over::Both);
        assert_eq!(of(Over::Conditions), (conditions, vec![1; 4]));
        assert_eq!(of(Over::Subjects), ((0..9).collect(), copies.clone()));
        assert_eq!(copies.iter().sum::<usize>(), 4);
    }

    /// On average a share of 1 - (1 - 1/n)^n of the conditions is in a draw: 0.6513 for n = 10.
    #[test]
    fn draws_are_with_replacement_and_even() {
        let resamples = Resamples::new(10, 1, Over::Conditions, 2000, &Streams::new(2));
        let mut counts = [0usize; 10];
        let mut distinct = 0;
        for index in 0..2000 {
            let (conditions, _) = resamples.draw(index);
            conditions.iter().for_each(|&c| counts[c] += 1);
            distinct += conditions.chunk_by(|a, b| a == b).count();
        }
        assert!((distinct as f64 / 20_000.0 - (1.0 - 0.9f64.powi(10))).abs() < 0.01);
        // 2000 expected, standard deviation 42.
        assert!(counts.iter().all(|&count| count.abs_diff(2000) < 200), "{counts:?}");
    }
}
