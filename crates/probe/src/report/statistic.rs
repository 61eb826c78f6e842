//! A number that may be undefined.

use serde::{Deserialize, Serialize};

use crate::permutation::Tested;

/// A statistic with its permutation p; null where undefined, as for a table that never changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// The statistic.
    pub value: Option<f64>,
    /// The probability of such a value when the tokens are relabelled at random.
    pub p: Option<f64>,
}

impl From<Tested> for Statistic {
    fn from(tested: Tested) -> Self {
        Self { value: finite(tested.value), p: finite(tested.p) }
    }
}

pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
