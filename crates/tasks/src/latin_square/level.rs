//! The levels of difficulty.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How many constraints have to be combined to know the target's symbol. See [`level_and_answer`] for the rules.
///
/// [`level_and_answer`]: super::level_and_answer
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The target's row alone gives the answer, or its column alone.
    Binary,
    /// The target's row and column together give the answer.
    Ternary,
    /// Other rows or columns are needed: the answer can stand nowhere else in the target's row, or column.
    Quaternary,
}

impl Level {
    /// Every level, easiest first.
    pub const ALL: [Level; 3] = [Level::Binary, Level::Ternary, Level::Quaternary];

    /// The name in configs, reports and file names.
    pub fn name(self) -> &'static str {
        match self {
            Level::Binary => "binary",
            Level::Ternary => "ternary",
            Level::Quaternary => "quaternary",
        }
    }

    /// The name in the column `condition` of the text form.
    pub fn condition(self) -> &'static str {
        match self {
            Level::Binary => "Binary",
            Level::Ternary => "Ternary",
            Level::Quaternary => "Quaternary",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no level's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a level (binary, ternary or quaternary), got {0:?}")]
pub struct UnknownLevel(pub String);

impl FromStr for Level {
    type Err = UnknownLevel;

    /// Reads a name in any case, as the published files write `Binary`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Level::ALL
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(name))
            .ok_or_else(|| UnknownLevel(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for level in Level::ALL {
            assert_eq!(level.name().parse::<Level>().unwrap(), level);
            assert_eq!(level.condition().parse::<Level>().unwrap(), level);
            assert_eq!(serde_json::to_value(level).unwrap(), level.name());
        }
        assert!("unary".parse::<Level>().unwrap_err().to_string().contains("\"unary\""));
    }
}
