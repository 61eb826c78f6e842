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
    /// The probability of such a value under surrogates of the table that are as smooth in space as it is (see
    /// [`crate::spatial`]); only of recordings whose tokens have places, and of statistics that know no places, or are beyond
    /// them. At most 499 surrogates. Missing where surrogates are not like the table: [`SpatialReport`](super::SpatialReport)
    /// says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_spatial: Option<f64>,
}

impl Statistic {
    /// What is not defined.
    pub(super) const UNDEFINED: Self = Self { value: None, p: None, p_spatial: None };
}

impl From<Tested> for Statistic {
    fn from(tested: Tested) -> Self {
        Self { value: finite(tested.value), p: finite(tested.p), p_spatial: None }
    }
}

pub(super) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}
