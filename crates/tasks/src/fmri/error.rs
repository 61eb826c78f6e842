//! What can go wrong with scanner files and parcel series, each in one line: where, expected, got, what to do.

use std::io;
use std::path::{Path, PathBuf};

/// What can go wrong in [`crate::fmri`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FmriError {
    /// A file that is not what its format says, or that says what cannot be.
    #[error("{path}: {field}: expected {expected}, got {got}; {remedy}", path = path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The field of the header, the column or the part of the file.
        field: String,
        /// What it can be.
        expected: String,
        /// What it is.
        got: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Two inputs that do not belong together.
    #[error("{what}: expected {expected}, got {got}; {remedy}")]
    Mismatch {
        /// What is compared.
        what: String,
        /// What the one says.
        expected: String,
        /// What the other says.
        got: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Parcels without a voxel, or without a finite value.
    #[error("parcels {parcels}: expected {expected}, got none; {remedy}")]
    Lost {
        /// The ids.
        parcels: String,
        /// What each needs.
        expected: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A setting that cannot be, by itself or with these data.
    #[error("setting `{key}`: expected {expected}, got {got}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// What it can be.
        expected: String,
        /// What it is.
        got: String,
    },
    /// Reading failed.
    #[error("{path}: cannot read: {problem}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        problem: io::Error,
    },
    /// Writing failed.
    #[error("{path}: cannot write: {problem}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        problem: io::Error,
    },
}

/// Shorthand of this module.
pub(crate) type Result<T> = std::result::Result<T, FmriError>;

impl FmriError {
    /// Whether the cause is the input (a file, a setting, a path that is not there), not what failed while running.
    pub fn is_input(&self) -> bool {
        use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
        match self {
            FmriError::Read { problem, .. } => {
                matches!(problem.kind(), NotFound | IsADirectory | NotADirectory)
            }
            FmriError::Write { .. } => false,
            _ => true,
        }
    }

    pub(crate) fn format(
        path: &Path,
        field: impl Into<String>,
        expected: impl Into<String>,
        got: impl ToString,
        remedy: &'static str,
    ) -> Self {
        let (path, got) = (path.to_owned(), shortened(&got.to_string()));
        FmriError::Format { path, field: field.into(), expected: expected.into(), got, remedy }
    }

    pub(crate) fn setting(key: &'static str, expected: impl Into<String>, got: impl ToString) -> Self {
        FmriError::Setting { key, expected: expected.into(), got: got.to_string() }
    }

    pub(crate) fn mismatch(
        what: impl Into<String>,
        expected: impl ToString,
        got: impl ToString,
        remedy: &'static str,
    ) -> Self {
        let (expected, got) = (expected.to_string(), got.to_string());
        FmriError::Mismatch { what: what.into(), expected, got, remedy }
    }

    /// A problem while reading: a stream that ends early or does not decompress is bad input, a failing disk is not.
    pub(crate) fn reading(path: &Path, part: &str, problem: io::Error) -> Self {
        use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        let remedy = "the file is damaged: copy or fetch it again";
        match problem.kind() {
            UnexpectedEof => Self::format(path, part, "more bytes", "the end of the file", remedy),
            InvalidData | InvalidInput => Self::format(path, part, "a readable stream", problem, remedy),
            _ => FmriError::Read { path: path.to_owned(), problem },
        }
    }
}

/// A text that fits into one line of a terminal.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut cut: String = clean.clone().take(MOST).collect();
    if clean.count() > MOST {
        cut.push_str("...");
    }
    cut
}
