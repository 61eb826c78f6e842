//! Why an input file is refused: always one line with place, expectation, finding and remedy.

use std::path::PathBuf;

use crate::StatError;

/// A run directory, a probe.json or a claims.toml that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The file is not there, or cannot be read.
    #[error("{}: expected a readable file, got: {source}; let the run finish, or write the file as docs/run-directory.md says", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file cannot be parsed.
    #[error("{}, line {line}: expected {format}, got: {}; write the file again", path.display(), one_line(got))]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What the file should hold.
        format: &'static str,
        /// What the parser said.
        got: String,
    },
    /// The file has another layout.
    #[error("{}: expected schema {expected}, got {got}; use the version of probe that belongs to the file", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// The schema that this version reads.
        expected: u32,
        /// The schema that the file names.
        got: String,
    },
    /// A value makes no sense, or does not fit another.
    #[error("{}, {place}: expected {expected}, got {got}; {remedy}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// The key, line or tensor.
        place: String,
        /// What would be right.
        expected: String,
        /// What is there.
        got: String,
        /// What to do.
        remedy: String,
    },
    /// A statistic refused the values of a run.
    #[error("{}: {source}", path.display())]
    Statistic {
        /// The run directory.
        path: PathBuf,
        /// What the statistic said.
        source: StatError,
    },
}

impl InputError {
    /// Whether the input is at fault; else something failed while running.
    pub fn is_bad_input(&self) -> bool {
        !matches!(
            self,
            InputError::Statistic { source: StatError::Svd { .. } | StatError::Unsolved { .. }, .. }
        )
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
