//! Permutations of so many tokens, by the settings of a report.

use streams::Streams;

use super::Settings;
use crate::permutation::Permutations;

/// The most draws of a test whose every draw costs a fit or two matrix products, or that nothing is concluded from.
const FEW: usize = 499;

/// What permutations are drawn with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawing {
    settings: Settings,
}

impl Drawing {
    pub(super) fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// As many as asked for.
    pub(super) fn of(&self, tokens: usize) -> Permutations {
        Permutations::new(tokens, self.settings.permutations, &self.streams())
    }

    /// For tests whose every draw is costly.
    pub(super) fn few(&self, tokens: usize) -> Permutations {
        Permutations::new(tokens, self.count_of_few(), &self.streams())
    }

    /// How many those are.
    pub(super) fn count_of_few(&self) -> usize {
        self.settings.permutations.min(FEW)
    }

    pub(super) fn streams(&self) -> Streams {
        Streams::new(self.settings.seed)
    }
}
