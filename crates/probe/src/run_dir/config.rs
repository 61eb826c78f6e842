//! The keys of `config.toml` that anyone but the trainer needs.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{InputError, check_schema, read_text};

/// What `config.toml` says of a run, as far as probing needs it. Other keys are ignored.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Config {
    /// Which experiment the run belongs to, such as `lst`.
    pub experiment: String,
    /// What is compared across runs, such as `learn-0.2`.
    pub arm: String,
    /// Which of the experiment's groups of runs, where it has several.
    pub variant: Option<String>,
    /// How large the experiment is.
    pub scale: Scale,
    /// The seeds of the run's random streams.
    pub seeds: Seeds,
    /// What is learned.
    pub task: Task,
    /// Who learns it.
    pub model: Model,
}

/// The `seeds` table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Seeds {
    /// The seed: the unit of inference.
    pub seed: u64,
}

/// The `task` table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Task {
    /// Such as `latin-square`. Not an enum: a task that probe has never heard of can be probed.
    pub kind: String,
}

/// The `model` table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Model {
    /// Its positional encoding.
    pub encoding: Encoding,
}

/// The `model.encoding` table.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Encoding {
    /// Such as `learned`. Not an enum: an encoding that probe has never heard of can be probed.
    pub kind: String,
    /// Initial standard deviation, where the encoding has one.
    pub sigma: Option<f64>,
}

/// How large an experiment is. A claim names the smallest scale at which it can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Minutes: does it run, which way does it point?
    Quick,
    /// Hours: six seeds.
    Standard,
    /// The paper's own size.
    Paper,
    /// Anything else: no claim is judged.
    Custom,
}

impl Scale {
    /// Whether a claim that needs `smallest` can be judged at this scale. `custom` is never large enough.
    pub fn suffices(self, smallest: Scale) -> bool {
        let size = |scale| match scale {
            Scale::Custom => None,
            Scale::Quick => Some(0),
            Scale::Standard => Some(1),
            Scale::Paper => Some(2),
        };
        matches!((size(self), size(smallest)), (Some(own), Some(least)) if own >= least)
    }
}

impl fmt::Display for Scale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scale::Quick => "quick",
            Scale::Standard => "standard",
            Scale::Paper => "paper",
            Scale::Custom => "custom",
        })
    }
}

impl Config {
    pub(crate) fn read(path: &Path) -> Result<Self, InputError> {
        let text = read_text(path)?;
        let value: toml::Table = parse_toml(path, &text)?;
        check_schema(path, value.get("schema").map(|schema| schema.to_string()))?;
        parse_toml(path, &text)
    }
}

/// Parses TOML; errors are brought to one line.
pub(crate) fn parse_toml<T: serde::de::DeserializeOwned>(path: &Path, text: &str) -> Result<T, InputError> {
    toml::from_str(text).map_err(|error| InputError::Syntax {
        path: path.to_owned(),
        line: error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count()) + 1,
        format: "TOML with the documented keys",
        got: error.message().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_is_never_enough_and_larger_scales_include_smaller() {
        assert!(Scale::Paper.suffices(Scale::Quick) && Scale::Quick.suffices(Scale::Quick));
        assert!(!Scale::Quick.suffices(Scale::Standard) && !Scale::Custom.suffices(Scale::Quick));
    }
}
