//! Files that are there whole, or not at all.

use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;

use atomic_write_file::AtomicWriteFile;

/// Writes a file under a temporary name and then renames it: whoever opens `path` finds what was there before, or all of
/// `bytes`. The folder must be there. What was not finished is removed.
///
/// # Errors
/// If the file cannot be written to the disk or renamed, or `path` is a folder.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    // Renaming would fail as well, and leave the temporary file.
    if path.is_dir() {
        return Err(Error::from(ErrorKind::IsADirectory));
    }
    let mut file = AtomicWriteFile::open(path)?;
    // `commit` syncs too, but leaves the temporary file where that fails.
    file.write_all(bytes).and_then(|()| file.as_file().sync_all())?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn files_are_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        for bytes in [&b"one"[..], b"", b"another"] {
            write_whole(&path, bytes).unwrap();
            assert_eq!(fs::read(&path).unwrap(), bytes);
        }
        fs::create_dir(folder.path().join("b")).unwrap();
        let problem = write_whole(&folder.path().join("b"), b"one").unwrap_err();
        assert_eq!(problem.kind(), ErrorKind::IsADirectory);
        assert_eq!(write_whole(&folder.path().join("c/d"), b"").unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "only the file and the folder");
    }
}
