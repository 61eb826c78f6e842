//! Where results go: never over what is read, and under a name that says what is written.

use std::path::{Path, PathBuf};

use probe::io::TablePath;

use super::failure::Failure;

/// What makes up a run: an experiment is lost when one of these is written over.
const OF_A_RUN: [&str; 8] = [
    "config.toml",
    "manifest.json",
    "metrics.jsonl",
    "model.safetensors",
    "tensors.safetensors",
    "probe.json",
    "baselines.json",
    "tokens.csv",
];

/// Refuses to write an array to a file that is called something else than .npy, or that is read itself.
pub(super) fn check_npy<'a>(
    option: &str,
    out: Option<&Path>,
    inputs: impl IntoIterator<Item = &'a TablePath>,
) -> Result<(), Failure> {
    let Some(path) = out else { return Ok(()) };
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy")) {
        let path = path.display();
        return Err(Failure::Usage(format!(
            "{option}: expected a name that ends in .npy, as an array of NumPy is written, got {path}; name it so"
        )));
    }
    check(option, path, inputs.into_iter().map(|table| table.path.as_path()))
}

/// Refuses to write over a file that is read.
pub(super) fn check<'a>(
    option: &str,
    out: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    match terminal::overwritten(out, inputs) {
        None => Ok(()),
        Some(input) => Err(Failure::Usage(format!(
            "{option}: expected another file than {}, which is read or belongs to a run, got {}; choose another name",
            input.display(),
            out.display()
        ))),
    }
}

/// The files of runs.
pub(super) fn of_runs(dirs: &[PathBuf]) -> Vec<PathBuf> {
    dirs.iter().flat_map(|dir| OF_A_RUN.map(|name| dir.join(name))).collect()
}
