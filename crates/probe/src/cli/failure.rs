//! What ends the program early.

use probe::io::TableError;
use probe::run_dir::InputError;
use probe::{StatError, WriteError};

/// One line, and an exit code.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    Table(#[from] TableError),
    #[error("{0}")]
    Input(#[from] InputError),
    #[error("{files}: {source}")]
    Statistic { files: String, source: StatError },
    /// Options or tables that do not go together.
    #[error("{0}")]
    Usage(String),
    #[error("{0}")]
    Write(#[from] WriteError),
    #[error("standard output: expected to write the result, got: {0}; check the free space")]
    Output(std::io::Error),
}

impl Failure {
    /// 2 for bad input, 1 for what failed while running.
    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Failure::Statistic { source: StatError::Svd { .. } | StatError::Unsolved { .. }, .. } => 1,
            Failure::Input(error) if !error.is_bad_input() => 1,
            Failure::Table(_) | Failure::Input(_) | Failure::Statistic { .. } | Failure::Usage(_) => 2,
            Failure::Write(_) | Failure::Output(_) => 1,
        }
    }
}
