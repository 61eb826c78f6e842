//! Why a table is refused: always one line with place, expectation, finding and remedy.

use std::path::{Path, PathBuf};

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file is not there, or cannot be read.
    #[error("{}: expected a readable file, got: {source}; check the path and its rights", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file does not hold a table that can be used.
    #[error("{}, {place}: expected {expected}, got {got}; {remedy}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The part of it.
        place: String,
        /// What would be right.
        expected: String,
        /// What is there.
        got: String,
        /// What to do.
        remedy: String,
    },
}

/// A [`TableError`] by a reader that need not know the file's name.
pub(super) enum Problem {
    Read(std::io::Error),
    Content { place: String, expected: String, got: String, remedy: String },
}

impl Problem {
    pub(super) fn new(
        place: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        let got: String = got.into();
        Self::Content {
            place: place.into(),
            expected: expected.into(),
            got: got.split_whitespace().collect::<Vec<_>>().join(" "),
            remedy: remedy.into(),
        }
    }

    pub(super) fn in_file(self, path: &Path) -> TableError {
        let path = path.to_owned();
        match self {
            Problem::Read(source) => TableError::Read { path, source },
            Problem::Content { place, expected, got, remedy } => {
                TableError::Content { path, place, expected, got, remedy }
            }
        }
    }
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Problem::Read(error)
    }
}
