//! What `claims.toml` may say.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Metric, TableStatistic};
use crate::report::{Reference, State};
use crate::run_dir::{InputError, SCHEMA, Scale, parse_toml, read_text};

/// A file of claims.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimsFile {
    /// The layout of the file: 1.
    pub schema: u32,
    /// The claims.
    pub claim: Vec<Claim>,
}

/// One claim, written before the runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Such as `lst.learns-sooner`.
    pub id: String,
    /// The experiment whose runs it is judged on.
    pub experiment: String,
    /// The group of runs it is judged on, where the experiment has several.
    pub variant: Option<String>,
    /// The claim in words.
    pub statement: String,
    /// Where the claim is from.
    pub source: String,
    /// What was published.
    pub published: Published,
    /// The primary endpoint in words.
    pub primary: String,
    /// The smallest scale at which it can be judged.
    pub smallest_scale: Scale,
    /// Whether it is about recorded data: on data that were generated in their place it is not judged.
    #[serde(default)]
    pub real_data: bool,
    /// How it is judged.
    pub rule: Rule,
    /// What is measured beside, with the same arms; Benjamini-Hochberg over all of a claim's secondary
    /// contrasts.
    #[serde(default)]
    pub secondary: Vec<Metric>,
}

/// A published figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// In words, with its source.
    pub text: String,
    /// The number that the claim's value can be held against, where there is one.
    pub value: Option<f64>,
}

/// Which way a difference or a correlation must point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Above 0.
    Greater,
    /// Below 0.
    Less,
}

impl Direction {
    /// 1 or -1.
    pub fn sign(self) -> f64 {
        if self == Direction::Greater { 1.0 } else { -1.0 }
    }
}

/// How a claim is judged. Differences are treatment minus control, paired by seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Rule {
    /// The treatment differs from every control in one direction (all must hold, so p is the largest).
    Contrast {
        /// Arm.
        treatment: String,
        /// Arms.
        controls: Vec<String>,
        /// The primary endpoint.
        metric: Metric,
        /// Of the difference.
        direction: Direction,
        /// The least training accuracy that both runs of every pair must reach.
        matched_fit: Option<f64>,
        /// The most by which the final losses on all training items may differ in every pair, as a share of the
        /// smaller one.
        matched_loss: Option<f64>,
        /// Whether only pairs of runs of the same number of epochs count.
        #[serde(default)]
        same_epochs: bool,
    },
    /// The treatment is at most `margin` below the control: the 95 % interval of the difference lies above
    /// -margin.
    NonInferior {
        /// Arm.
        treatment: String,
        /// Arm.
        control: String,
        /// The primary endpoint, of which more is better.
        metric: Metric,
        /// The difference that would still not matter.
        margin: f64,
        /// The least training accuracy that both runs of every pair must reach.
        matched_fit: Option<f64>,
    },
    /// The treatment's final table has the reference's geometry: the statistic is above 0, and above the
    /// control's. It says nothing of whether the control has any: its own value, held against 0, is secondary. So are
    /// the change since initialization, and the change masked by noise, which tell *not learned* from *learned but
    /// masked*.
    Geometry {
        /// Arm.
        treatment: String,
        /// Arm.
        control: String,
        /// `all`, unless there is a reason.
        table: String,
        /// The truth.
        reference: Reference,
        /// One that is 0 for an unrelated table.
        statistic: TableStatistic,
    },
    /// Over the values of σ, x and y rise and fall together (`greater`), or against each other (`less`).
    SpearmanOverSigma {
        /// What the arms' names begin with.
        arms: String,
        /// What predicts.
        x: Metric,
        /// What is predicted.
        y: Metric,
        /// The sign of the correlation.
        direction: Direction,
        /// The least magnitude of the correlation over the means by σ.
        at_least: f64,
        /// The fewest values of σ, at least 5.
        fewest_sigmas: usize,
        /// The least training accuracy of a run that counts.
        matched_fit: Option<f64>,
    },
}

impl ClaimsFile {
    /// Reads and checks a file of claims.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let file: Self = parse_toml(path, &read_text(path)?)?;
        if file.schema != SCHEMA {
            let (path, got) = (path.to_owned(), file.schema.to_string());
            return Err(InputError::Schema { path, expected: SCHEMA, got });
        }
        let mut seen = BTreeSet::new();
        for claim in &file.claim {
            let wrong = |expected: &str, got: String| InputError::Value {
                path: path.to_owned(),
                place: format!("claim `{}`", claim.id),
                expected: expected.to_owned(),
                got,
                remedy: "correct the claim".into(),
            };
            if !seen.insert(&claim.id) {
                return Err(wrong("an id of its own", "a second claim of that id".into()));
            }
            claim.rule.check().map_err(|(expected, got)| wrong(expected, got))?;
        }
        Ok(file)
    }
}

impl Rule {
    fn check(&self) -> Result<(), (&'static str, String)> {
        match self {
            Rule::Contrast { controls, .. } if controls.is_empty() => {
                Err(("at least one control", "none".into()))
            }
            Rule::Contrast { matched_fit: Some(_), matched_loss: Some(_), .. } => {
                Err(("matched_fit or matched_loss", "both".into()))
            }
            Rule::Contrast { matched_loss: Some(share), .. } if share.is_nan() || *share <= 0.0 => {
                Err(("a matched_loss above 0", share.to_string()))
            }
            Rule::NonInferior { margin, .. } if margin.is_nan() || *margin <= 0.0 => {
                Err(("a margin above 0", margin.to_string()))
            }
            Rule::SpearmanOverSigma { fewest_sigmas, .. } if *fewest_sigmas < 5 => {
                Err(("fewest_sigmas of at least 5", fewest_sigmas.to_string()))
            }
            Rule::SpearmanOverSigma { at_least, .. } if !(0.0..=1.0).contains(at_least) => {
                Err(("at_least from 0 to 1", at_least.to_string()))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn matched_fit(&self) -> Option<f64> {
        match self {
            Rule::Contrast { matched_fit, .. }
            | Rule::NonInferior { matched_fit, .. }
            | Rule::SpearmanOverSigma { matched_fit, .. } => *matched_fit,
            Rule::Geometry { .. } => None,
        }
    }

    /// What both runs of a pair must have in common for a difference between them to be one of generalization.
    pub(super) fn matched(&self) -> Option<Matched> {
        match self {
            Rule::Contrast { matched_loss: Some(share), .. } => Some(Matched::Loss(*share)),
            _ => self.matched_fit().map(Matched::Accuracy),
        }
    }
}

/// When two runs fit their training data alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Matched {
    /// Both have at least this training accuracy.
    Accuracy(f64),
    /// Their training losses differ by at most this share of the smaller one.
    Loss(f64),
}

impl fmt::Display for Matched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Matched::Accuracy(fit) => write!(f, "training accuracy >= {fit}"),
            Matched::Loss(share) => write!(f, "training losses within {} %", 100.0 * share),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |direction: &Direction| if *direction == Direction::Greater { ">" } else { "<" };
        match self {
            Rule::Contrast { treatment, controls, metric, direction, .. } => {
                write!(f, "{metric}: {treatment} {} {}", side(direction), controls.join(" and "))?;
            }
            Rule::NonInferior { treatment, control, metric, margin, .. } => {
                write!(f, "{metric}: {treatment} > {control} - {margin}")?;
            }
            Rule::Geometry { treatment, control, table, reference, statistic } => {
                let metric = Metric::table(table, State::Final, *reference, *statistic);
                write!(f, "{metric}: {treatment} > 0 and > {control}")?;
            }
            Rule::SpearmanOverSigma { x, y, direction, at_least, .. } => {
                let bound = direction.sign() * at_least;
                let sign = if *direction == Direction::Greater { ">=" } else { "<=" };
                write!(f, "Spearman over sigma of {x} and {y} {sign} {bound}")?;
            }
        }
        match self.matched() {
            Some(matched) => write!(f, "; {matched}"),
            None => Ok(()),
        }
    }
}
