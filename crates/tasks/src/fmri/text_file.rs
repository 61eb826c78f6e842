//! Text files: UTF-8, of bounded size.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::{FmriError, Result};

/// More than any table of confounds or labels.
const MOST: u64 = 1 << 30;

/// The text of a file, without a byte order mark.
pub(crate) fn read(path: &Path) -> Result<String> {
    let failed = |problem| FmriError::Read { path: path.to_owned(), problem };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST {
        let got = "more";
        return Err(FmriError::format(
            path,
            "file",
            format!("at most {MOST} bytes of text"),
            got,
            "give the right file",
        ));
    }
    let mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    bytes.drain(..mark);
    String::from_utf8(bytes).map_err(|problem| {
        FmriError::format(path, "file", "UTF-8 text", problem.utf8_error(), "save it as UTF-8")
    })
}

/// What a table's parser says.
pub(crate) fn csv_error(path: &Path, problem: csv::Error) -> FmriError {
    let line = problem.position().map_or(1, csv::Position::line);
    match problem.into_kind() {
        csv::ErrorKind::Io(problem) => FmriError::Read { path: path.to_owned(), problem },
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => FmriError::format(
            path,
            format!("line {line}"),
            format!("{expected_len} fields as in the header"),
            len,
            "complete the line",
        ),
        other => FmriError::format(
            path,
            format!("line {line}"),
            "a table",
            format!("{other:?}"),
            "correct the line",
        ),
    }
}
