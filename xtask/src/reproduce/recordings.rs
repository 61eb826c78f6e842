//! Which recordings an experiment gets: those named, else those fetched, else the synthetic stand-in.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::plan::Plan;

use crate::report::provenance::{self, Known};
use crate::{bad_input, datasets, say};

/// The experiment that is about a brain.
pub(super) const WITH_RECORDINGS: &str = "fmri";

/// The data set that it reads where it is here.
const SET: &str = "hcp-aal2";

/// A folder of recordings, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recordings {
    pub folder: PathBuf,
    pub known: Known,
}

/// The recordings for an experiment; `None` for the stand-in, and of experiments that have none.
pub(super) fn choose(given: Option<&Path>, experiment: &str) -> Result<Option<Recordings>> {
    let folder = match given {
        Some(folder) if !folder.is_dir() => {
            return Err(bad_input(format!(
                "--recordings {}: expected a folder with a file a subject, got {}",
                folder.display(),
                if folder.exists() { "a file" } else { "nothing" }
            )));
        }
        Some(folder) => Some(folder.to_owned()),
        None if experiment == WITH_RECORDINGS => datasets::fetched(SET)?,
        None => None,
    };
    folder.map(|folder| Ok(Recordings { known: known(&folder)?, folder })).transpose()
}

/// A data set of ours is known by the hashes of its files, any other folder by its name.
fn known(folder: &Path) -> Result<Known> {
    if let Some(known) = datasets::known(folder)? {
        return Ok(known);
    }
    // The name of `.` is that of the folder it is.
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name =
        whole.file_name().map_or_else(|| "a folder".into(), |name| name.to_string_lossy().into_owned());
    Ok(Known { title: format!("recordings from {name}"), acknowledgement: None })
}

/// Says which data a plan is on, and how to get the real ones; nothing where the data are no recordings.
pub(super) fn announce(plan: &Plan, recordings: Option<&Recordings>) {
    let experiment = &plan.experiment;
    match (plan.dataset.name.as_str(), plan.dataset.source.as_str(), recordings) {
        // A folder may hold a stand-in, too: its description says so.
        ("recordings", "generated", _) => say(&format!(
            "{experiment}: data shown: {}\n  the real ones: {}\n  or your own:   cargo xtask reproduce fmri --recordings DIR",
            provenance::STAND_IN,
            provenance::REAL
        )),
        ("recordings", _, Some(Recordings { folder, known })) => {
            say(&format!("{experiment}: data shown: {} ({})", known.title, folder.display()));
        }
        ("recordings", ..) => say(&format!("{experiment}: data shown: {}", provenance::FILES)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_known_by_its_name_and_what_is_none_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("stations");
        std::fs::create_dir(&folder).unwrap();
        let found = choose(Some(&folder), "mine").unwrap().unwrap();
        assert_eq!(found.known.title, "recordings from stations");
        let error = choose(Some(&dir.path().join("nowhere")), "fmri").unwrap_err().to_string();
        assert!(error.contains("expected a folder with a file a subject, got nothing"), "{error}");
        assert_eq!(choose(None, "lst").unwrap(), None);
    }
}
