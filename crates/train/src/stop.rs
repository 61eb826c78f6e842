//! When a run ends.

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::config::setting_error;

/// The rules that end a run; the first that applies does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopRules {
    /// At most so many epochs.
    pub epochs: u64,
    /// At most so many optimizer steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Stop when this accuracy is reached on all training items, so that arms can be compared at equal training
    /// fit. Checked on all items once the running average of an epoch reaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train_accuracy: Option<f64>,
    /// Stop when the training loss no longer falls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plateau: Option<Plateau>,
}

/// When the training loss counts as no longer falling.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plateau {
    /// Epochs without an improvement that end the run.
    pub patience: u64,
    /// The least fall of the epoch's mean training loss that counts as an improvement.
    pub min_delta: f64,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StoppedBy {
    /// The number of epochs.
    Epochs,
    /// The number of steps.
    Steps,
    /// The training accuracy asked for.
    TrainAccuracy,
    /// A plateau of the training loss.
    Plateau,
}

impl StopRules {
    /// At most `epochs` epochs, nothing else.
    pub fn epochs(epochs: u64) -> Self {
        Self { epochs, steps: None, train_accuracy: None, plateau: None }
    }

    pub(crate) fn validate(&self) -> Result<(), TrainError> {
        if self.epochs == 0 {
            return Err(setting_error("stop.epochs", 0, "at least 1"));
        }
        if self.steps == Some(0) {
            return Err(setting_error("stop.steps", 0, "at least 1"));
        }
        if let Some(accuracy) = self.train_accuracy
            && !(accuracy > 0.0 && accuracy <= 1.0)
        {
            return Err(setting_error("stop.train_accuracy", accuracy, "a fraction in (0, 1]"));
        }
        match self.plateau {
            Some(Plateau { patience: 0, .. }) => Err(setting_error("stop.plateau.patience", 0, "at least 1")),
            Some(Plateau { min_delta, .. }) if !(min_delta >= 0.0 && min_delta.is_finite()) => {
                Err(setting_error("stop.plateau.min_delta", min_delta, "a finite number >= 0"))
            }
            _ => Ok(()),
        }
    }

    /// The most steps that a run of `per_epoch` steps an epoch can take.
    pub fn most_steps(&self, per_epoch: u64) -> u64 {
        let by_epochs = self.epochs.saturating_mul(per_epoch);
        self.steps.map_or(by_epochs, |steps| steps.min(by_epochs))
    }
}

/// Follows the training loss from epoch to epoch.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct PlateauWatch {
    best: Option<f64>,
    waited: u64,
}

impl PlateauWatch {
    /// Takes the loss of one more epoch; true when the run has come to a plateau.
    pub fn observe(&mut self, loss: f64, rule: Plateau) -> bool {
        match self.best {
            Some(best) if loss > best - rule.min_delta => self.waited += 1,
            _ => {
                self.best = Some(loss);
                self.waited = 0;
            }
        }
        self.waited >= rule.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plateau_is_patience_epochs_without_improvement() {
        let rule = Plateau { patience: 2, min_delta: 0.1 };
        let mut watch = PlateauWatch::default();
        let stops: Vec<bool> = [1.0, 0.95, 0.8, 0.75, 0.71].map(|loss| watch.observe(loss, rule)).to_vec();
        assert_eq!(stops, [false, false, false, false, true]);
    }

    #[test]
    fn the_smaller_limit_counts() {
        assert_eq!(StopRules::epochs(3).most_steps(64), 192);
        assert_eq!(StopRules { steps: Some(100), ..StopRules::epochs(3) }.most_steps(64), 100);
        assert_eq!(StopRules { steps: Some(1000), ..StopRules::epochs(3) }.most_steps(64), 192);
    }
}
