//! The learning rate over time.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::config::setting_error;

/// The factor on the learning rate at each step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Schedule {
    /// 1 throughout, as in Ito et al. 2025. (The braces let serde refuse keys that it has no use for.)
    Constant {},
    /// Rises linearly to 1 over the first `steps`, then stays.
    WarmUp {
        /// Steps of the rise.
        steps: u64,
    },
    /// Rises linearly over `warm_up` steps, then falls along half a cosine to `floor` at the last step.
    Cosine {
        /// Steps of the rise.
        warm_up: u64,
        /// The factor at the end, in [0, 1].
        floor: f64,
    },
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Constant {}
    }
}

impl Schedule {
    /// The factor at `step` (counted from 0) of a run of at most `total` steps.
    pub fn factor(&self, step: u64, total: u64) -> f64 {
        let rise = |steps: u64| (step + 1) as f64 / steps as f64;
        match *self {
            Self::Constant {} => 1.0,
            Self::WarmUp { steps } if step < steps => rise(steps),
            Self::WarmUp { .. } => 1.0,
            Self::Cosine { warm_up, .. } if step < warm_up => rise(warm_up),
            Self::Cosine { warm_up, floor } => {
                let length = total.saturating_sub(1).saturating_sub(warm_up).max(1);
                let progress = ((step - warm_up) as f64 / length as f64).min(1.0);
                floor + (1.0 - floor) * (1.0 + (PI * progress).cos()) / 2.0
            }
        }
    }

    pub(crate) fn validate(&self) -> Result<(), TrainError> {
        match *self {
            Self::WarmUp { steps: 0 } => Err(setting_error("schedule.steps", 0, "at least 1")),
            Self::Cosine { floor, .. } if !(0.0..=1.0).contains(&floor) => {
                Err(setting_error("schedule.floor", floor, "a number in [0, 1]"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warm_up_rises_to_one_and_stays() {
        let schedule = Schedule::WarmUp { steps: 4 };
        let factors: Vec<f64> = (0..6).map(|step| schedule.factor(step, 100)).collect();
        assert_eq!(factors, [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn cosine_starts_at_one_halves_in_the_middle_and_ends_at_the_floor() {
        let schedule = Schedule::Cosine { warm_up: 2, floor: 0.2 };
        assert_eq!(schedule.factor(0, 13), 0.5);
        assert_eq!(schedule.factor(2, 13), 1.0);
        assert!((schedule.factor(7, 13) - 0.6).abs() < 1e-12);
        assert!((schedule.factor(12, 13) - 0.2).abs() < 1e-12);
        assert!((schedule.factor(99, 13) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn constant_is_one() {
        assert_eq!(Schedule::default().factor(5, 10), 1.0);
    }
}
