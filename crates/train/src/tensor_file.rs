//! Files of a run, written atomically; tensors in the form of [`pe_core::weights`].

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use pe_core::PeError;
use pe_core::weights::{self, Weights};

use crate::TrainError;

/// Writes tensors and metadata under a temporary name, then renames.
pub(crate) fn write(path: &Path, tensors: &Weights, metadata: &[(&str, String)]) -> Result<(), TrainError> {
    weights::write(path, tensors, metadata).map_err(|error| of_a_run(error, "write", path))
}

/// Reads what [`write`] wrote.
pub(crate) fn read(path: &Path) -> Result<(Weights, HashMap<String, String>), TrainError> {
    weights::read(path).map_err(|error| of_a_run(error, "read", path))
}

/// Reads a file that somebody names, rather than one of a run's own.
pub(crate) fn read_given(path: &Path) -> Result<Weights, TrainError> {
    match weights::read(path) {
        Ok((tensors, _)) => Ok(tensors),
        Err(PeError::Io { place, source }) => {
            Err(TrainError::Config { place, problem: format!("cannot read it ({source}): check the path") })
        }
        Err(other) => Err(other.into()),
    }
}

/// The same error with what to do about a file that a run has written.
fn of_a_run(error: PeError, action: &'static str, path: &Path) -> TrainError {
    match error {
        PeError::Io { source, .. } => TrainError::io(action, path)(source),
        PeError::Weights { place, problem } => TrainError::Damaged {
            path: place,
            problem: format!("{problem}; if a run wrote it, delete it and start the run again"),
        },
        other => other.into(),
    }
}

/// Writes bytes under a temporary name, then renames.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let io = TrainError::io("write", path);
    let mut file = atomic_write_file::AtomicWriteFile::open(path).map_err(&io)?;
    // `commit` syncs too, but leaves the temporary file where that fails.
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(&io)?;
    file.commit().map_err(&io)
}
