//! What can go wrong with a run, and the exit code that says whose fault it is.

use std::path::{Path, PathBuf};

use pe_core::PeError;
use tasks::fmri::FmriError;
use tasks::latin_square::LatinSquareError;
use tasks::masked::MaskedError;
use tasks::network::NetworkError;

/// Every error of this crate, one line each: expected, got, where, what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// An error, and the file or part of it that it is about.
    #[error("{place}: {problem}")]
    At {
        /// The file, or the part of it.
        place: String,
        /// What is wrong there.
        problem: Box<TrainError>,
    },
    /// A config, plan or experiment that cannot be read as such.
    #[error("{place}: {problem}")]
    Config {
        /// The file, or the flag.
        place: String,
        /// Expected, got, remedy.
        problem: String,
    },
    /// A setting out of range.
    #[error("`{field}` is {got}: expected {expected}")]
    Setting {
        /// Path of the setting in the config.
        field: &'static str,
        /// What was given.
        got: String,
        /// What is allowed.
        expected: &'static str,
    },
    /// A file of another schema.
    #[error("{path} has schema {got}, this program reads schema {expected}: {remedy}")]
    Schema {
        /// The file.
        path: String,
        /// The schema of the file.
        got: String,
        /// The schema of this program.
        expected: u32,
        /// What to do.
        remedy: &'static str,
    },
    /// A run directory that belongs to another config.
    #[error(
        "{path} holds a run of config {got}, not of {expected}: choose another output directory or delete this one"
    )]
    OtherRun {
        /// The directory.
        path: String,
        /// Hash of the config asked for.
        expected: String,
        /// Hash of the config found.
        got: String,
    },
    /// Another process trains this run.
    #[error("{0} is being trained by another process: wait for it, or stop it first")]
    Locked(String),
    /// Data that are not those of the config.
    #[error(
        "the data of {place} have SHA-256 {got}, the config says {expected}: give the same data, or make a new plan"
    )]
    OtherData {
        /// Where the data are from.
        place: String,
        /// Hash in the config.
        expected: String,
        /// Hash of what was read.
        got: String,
    },
    /// A checkpoint or weight file that is damaged.
    #[error("{path}: {problem}")]
    Damaged {
        /// The file.
        path: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The loss is no longer a number.
    #[error(
        "the loss became {loss} at step {step}: lower `optimizer.lr` or the σ of the encoding, or set `clip`"
    )]
    Diverged {
        /// The optimizer step.
        step: u64,
        /// The loss.
        loss: f64,
    },
    /// Whoever started this run is gone.
    #[error(
        "nobody reads the progress any more: the run stops, and continues from its checkpoint when started again"
    )]
    Orphaned,
    /// Reading or writing failed; a full disk, for instance.
    #[error("cannot {action} {path}: {source}; {}", io_remedy(source))]
    Io {
        /// `read`, `write` or the like.
        action: &'static str,
        /// The file.
        path: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A device that this machine or build does not have.
    #[error("{0}")]
    Device(String),
    /// From the encoder.
    #[error(transparent)]
    Pe(#[from] PeError),
    /// From the puzzles.
    #[error("{0}{remedy}", remedy = puzzles_remedy(.0))]
    LatinSquare(#[from] LatinSquareError),
    /// From the simulated network.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// From the recordings.
    #[error(transparent)]
    Fmri(#[from] FmriError),
    /// From the masked items.
    #[error(transparent)]
    Masked(#[from] MaskedError),
}

impl TrainError {
    /// 2 for bad input, 1 for what failed while running.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::At { problem, .. } => problem.exit_code(),
            Self::Diverged { .. } | Self::Io { .. } | Self::Locked(_) | Self::Orphaned => 1,
            Self::Pe(PeError::Io { .. }) => 1,
            Self::LatinSquare(error) if !error.is_input() => 1,
            Self::Network(error) if !error.is_input() => 1,
            Self::Fmri(error) if !error.is_input() => 1,
            _ => 2,
        }
    }

    /// The same error, and where.
    pub(crate) fn at(self, place: impl Into<String>) -> Self {
        Self::At { place: place.into(), problem: Box::new(self) }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Self {
        let path: PathBuf = path.to_owned();
        move |source| Self::Io { action, path: path.display().to_string(), source }
    }
}

fn io_remedy(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{FileTooLarge, NotFound, PermissionDenied, QuotaExceeded, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded => "free some space and start again, nothing that is finished is lost",
        FileTooLarge => {
            "raise the limit on the size of files and start again, nothing that is finished is lost"
        }
        PermissionDenied => "make it writable and readable for this user, or choose another folder",
        NotFound => "check the path; if another program removed it, start again",
        _ => "check the disk and the folder, and start again",
    }
}

/// What `tasks` cannot know: how the path got here.
fn puzzles_remedy(error: &LatinSquareError) -> &'static str {
    match error {
        LatinSquareError::Io { .. } => "; check `task.puzzles` or --puzzles",
        _ => "",
    }
}
