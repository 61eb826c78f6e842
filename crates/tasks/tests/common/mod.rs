//! Where the published puzzles lie, for tests that need them.

use std::path::{Path, PathBuf};

/// The folder of the published puzzles: `LST_PUZZLES`, else a checkout's shared folder; `None`, said aloud, if it is
/// not there.
pub(crate) fn published() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/lst");
    let folder = std::env::var_os("LST_PUZZLES").map_or(default, PathBuf::from);
    if folder.join("human108.csv").is_file() {
        return Some(folder);
    }
    eprintln!("skipped: no published puzzles in {}; set LST_PUZZLES to their folder", folder.display());
    None
}
