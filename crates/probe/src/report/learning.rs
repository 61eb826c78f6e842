//! How well and how fast a run learned.

use serde::{Deserialize, Serialize};

use crate::inference::mean;
use crate::run_dir::{Evaluation, InputError, RunDir, Split};

/// The accuracy that `epochs_to_090` waits for.
const GOAL: f64 = 0.90;

/// Accuracies of a run, at the end and on the way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Learning {
    /// The last evaluation of each split and level.
    pub last: Vec<LastEvaluation>,
    /// Accuracy on all training items at the last weights that were evaluated so.
    pub train_full_accuracy: Option<f64>,
    /// Last accuracy on items like the training items.
    pub test_accuracy: Option<f64>,
    /// Last accuracy on items unlike the training items.
    pub generalization_accuracy: Option<f64>,
    /// Mean generalization accuracy (all levels) over the evaluations after epoch 0: the area under the
    /// learning curve, over its length. Comparable only between runs of the same number of epochs.
    pub generalization_aulc: Option<f64>,
    /// How many evaluations that mean is over.
    pub generalization_evaluations: usize,
    /// The first evaluated epoch with generalization accuracy of at least 0.90; null when there was none.
    pub epochs_to_090: Option<u64>,
}

/// The last evaluation of one split and level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastEvaluation {
    /// Which items.
    pub split: Split,
    /// `all`, or a level.
    pub level: String,
    /// When.
    pub epoch: u64,
    /// How many items.
    pub n: u64,
    /// Share of right answers, where classes are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// Mean loss.
    pub loss: Option<f64>,
    /// Coefficient of determination, where numbers are asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
}

impl Learning {
    pub(super) fn of(run: &RunDir) -> Result<Self, InputError> {
        let last = last_of_each(&run.evaluations);
        if last.is_empty() {
            return Err(InputError::Value {
                path: run.path.join("metrics.jsonl"),
                place: "lines of kind `evaluation`".into(),
                expected: "at least one".into(),
                got: "none".into(),
                remedy: "evaluate the run at its end".into(),
            });
        }
        let curve: Vec<&Evaluation> = run
            .evaluations
            .iter()
            .filter(|e| e.split == Split::Generalization && e.level == "all" && e.epoch >= 1)
            .collect();
        let accuracies: Vec<f64> = curve.iter().filter_map(|e| e.accuracy).collect();
        let final_accuracy = |split| accuracy(&last, split, "all");
        Ok(Self {
            train_full_accuracy: final_accuracy(Split::TrainFull),
            test_accuracy: final_accuracy(Split::Test),
            generalization_accuracy: final_accuracy(Split::Generalization),
            generalization_aulc: mean(&accuracies),
            generalization_evaluations: accuracies.len(),
            epochs_to_090: curve
                .iter()
                .find(|e| e.accuracy.is_some_and(|accuracy| accuracy >= GOAL))
                .map(|e| e.epoch),
            last,
        })
    }

    /// The last accuracy of a split and level.
    pub fn accuracy(&self, split: Split, level: &str) -> Option<f64> {
        accuracy(&self.last, split, level)
    }

    /// The last loss of a split and level.
    pub fn loss(&self, split: Split, level: &str) -> Option<f64> {
        self.last.iter().find(|e| e.split == split && e.level == level)?.loss
    }
}

fn accuracy(last: &[LastEvaluation], split: Split, level: &str) -> Option<f64> {
    last.iter().find(|e| e.split == split && e.level == level)?.accuracy
}

fn last_of_each(evaluations: &[Evaluation]) -> Vec<LastEvaluation> {
    let mut last: Vec<LastEvaluation> = Vec::new();
    for e in evaluations {
        let now = LastEvaluation {
            split: e.split,
            level: e.level.clone(),
            epoch: e.epoch,
            n: e.n,
            accuracy: e.accuracy,
            loss: e.loss,
            r2: e.r2,
        };
        match last.iter_mut().find(|known| known.split == e.split && known.level == e.level) {
            Some(known) => *known = now,
            None => last.push(now),
        }
    }
    last
}
