//! Results as JSON, whole or not at all.

mod rows;

use std::io::Write;
use std::path::{Path, PathBuf};

use atomic_write_file::AtomicWriteFile;
use serde::Serialize;

/// A result that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: expected to write the result, got: {source}; check the folder, its rights and the free space", path.display())]
pub struct WriteError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What went wrong.
    pub source: std::io::Error,
}

/// Writes `value` as indented JSON, lists of numbers in one line each, under a temporary name and renames it: a reader sees the old file or the
/// new one.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let written = || -> std::io::Result<()> {
        let mut bytes = Vec::new();
        value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, rows::Rows::default()))?;
        bytes.push(b'\n');
        let mut file = AtomicWriteFile::open(path)?;
        file.write_all(&bytes)?;
        file.commit()
    };
    written().map_err(|source| WriteError { path: path.to_owned(), source })
}
