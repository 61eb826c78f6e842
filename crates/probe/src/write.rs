//! Results as files, whole or not at all.

mod rows;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

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

/// A temporary file this old is nobody's any more: writing one takes far less.
const ABANDONED: Duration = Duration::from_secs(600);

/// Writes `value` as indented JSON, lists of numbers in one line each, under a temporary name and renames it: a reader
/// sees the old file or the new one. What an earlier, killed writer of the same file left behind is removed.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<(), WriteError> {
    let mut bytes = Vec::new();
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, rows::Rows::default()))
        .map_err(|error| WriteError { path: path.to_owned(), source: error.into() })?;
    bytes.push(b'\n');
    write_bytes(path, &bytes)
}

/// [`write_json`] for any bytes.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    sweep(path);
    let written = || -> std::io::Result<()> {
        let mut file = AtomicWriteFile::open(path)?;
        // `commit` syncs too, but leaves the temporary file where that fails.
        file.write_all(bytes).and_then(|()| file.as_file().sync_all())?;
        file.commit()
    };
    written().map_err(|source| WriteError { path: path.to_owned(), source })
}

/// Removes abandoned temporary files of `path`: `.NAME.` and 6 characters, ten minutes old. That this fails is no
/// reason not to write.
fn sweep(path: &Path) {
    let (Some(name), Some(folder)) = (path.file_name().and_then(|name| name.to_str()), path.parent()) else {
        return;
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let prefix = format!(".{name}.");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let file_name = entry.file_name();
        let random = file_name.to_str().and_then(|found| found.strip_prefix(&prefix));
        let age = || entry.metadata().and_then(|data| data.modified()).ok()?.elapsed().ok();
        if random.is_some_and(|random| random.len() == 6) && age().is_some_and(|age| age > ABANDONED) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_a_killed_writer_left_is_swept_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * ABANDONED;
        for (name, when) in [
            (".probe.json.a1B2c3", old),
            (".probe.json.young1", SystemTime::now()),
            (".probe.json.longer-name", old),
            (".other.json.a1B2c3", old),
        ] {
            File::create(dir.path().join(name)).unwrap().set_modified(when).unwrap();
        }
        write_json(&dir.path().join("probe.json"), &1).unwrap();
        let mut left: Vec<String> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(
            left,
            [".other.json.a1B2c3", ".probe.json.longer-name", ".probe.json.young1", "probe.json"]
        );
    }
}
