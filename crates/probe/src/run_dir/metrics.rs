//! `metrics.jsonl`: one line per evaluated split and level.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{InputError, read_text};

/// Which items were evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Running average over the epoch's own batches.
    Train,
    /// All training items at the weights of that epoch.
    TrainFull,
    /// Items like the training items.
    Test,
    /// Items unlike the training items.
    Generalization,
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Split::Train => "train",
            Split::TrainFull => "train-full",
            Split::Test => "test",
            Split::Generalization => "generalization",
        })
    }
}

/// One evaluation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Evaluation {
    /// Steps taken by then.
    pub step: u64,
    /// Epochs taken by then; 0 is before training.
    pub epoch: u64,
    /// Which items.
    pub split: Split,
    /// `all`, or the name of a level of difficulty.
    pub level: String,
    /// How many answers.
    pub n: u64,
    /// Mean loss; `None` when it was not finite.
    pub loss: Option<f64>,
    /// Share of right answers, where classes are asked for.
    pub accuracy: Option<f64>,
    /// Coefficient of determination, where numbers are asked for.
    pub r2: Option<f64>,
}

/// Reads the evaluations. Lines of another kind (a look at the encoding) are for others and passed over.
pub(crate) fn read(path: &Path) -> Result<Vec<Evaluation>, InputError> {
    #[derive(Deserialize)]
    struct Kind {
        kind: String,
    }
    let text = read_text(path)?;
    let mut evaluations = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let syntax = |error: serde_json::Error| InputError::Syntax {
            path: path.to_owned(),
            line: index + 1,
            format: "one JSON object with `kind`",
            got: error.to_string(),
        };
        let Kind { kind } = serde_json::from_str(line).map_err(syntax)?;
        if kind != "evaluation" {
            continue;
        }
        let evaluation: Evaluation = serde_json::from_str(line).map_err(syntax)?;
        if let Some(accuracy) = evaluation.accuracy.filter(|accuracy| !(0.0..=1.0).contains(accuracy)) {
            return Err(InputError::Value {
                path: path.to_owned(),
                place: format!("line {}, accuracy", index + 1),
                expected: "a fraction from 0 to 1".into(),
                got: accuracy.to_string(),
                remedy: "write fractions, not percent".into(),
            });
        }
        evaluations.push(evaluation);
    }
    Ok(evaluations)
}
