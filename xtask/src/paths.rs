//! Where things are.

use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    // xtask/ lies in the root. Should the checkout have moved since the build, the current directory is it.
    let root = manifest.parent().unwrap_or(manifest);
    if root.join("Cargo.toml").exists() { root.to_owned() } else { PathBuf::from(".") }
}

/// A binary of the workspace, built for release. xtask lies in the same target directory, wherever that is.
pub(crate) fn binary(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let target = own.ancestors().nth(2).map_or_else(|| root().join("target"), Path::to_owned);
    target.join("release").join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// What went wrong when a binary of the workspace does not start.
pub(crate) fn cannot_start(name: &str) -> String {
    format!("cannot start {}; without --no-build it is built first", binary(name).display())
}
