//! Names of BIDS and fMRIPrep, and the files that belong to an image.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::error::{FmriError, Result};
use super::text_file;

/// Entities that say how an image was derived, not from which recording: its confounds do without them.
const DERIVED: [&str; 6] = ["space", "res", "den", "desc", "label", "hemi"];

/// How many folders above an image are searched for metadata that it inherits: session, subject, data set.
const LEVELS: usize = 4;

/// A name such as `sub-01_task-rest_space-MNI152NLin6Asym_desc-preproc_bold.nii.gz`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BidsName {
    /// Pairs of `key-value`, in order.
    pub entities: Vec<(String, String)>,
    /// What kind of data it is: `bold`, `dseg`, `timeseries`.
    pub suffix: String,
    /// With its dot: `.nii.gz`.
    pub extension: String,
}

impl BidsName {
    /// Takes the name of a path apart; nothing if it is not of this form.
    pub fn parse(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let (stem, extension) = name.split_at(name.find('.')?);
        let mut parts: Vec<&str> = stem.split('_').collect();
        let suffix = parts.pop().filter(|suffix| !suffix.is_empty() && !suffix.contains('-'))?;
        let entities = parts.into_iter().map(|part| {
            let (key, value) = part.split_once('-')?;
            (!key.is_empty() && !value.is_empty()).then(|| (key.to_owned(), value.to_owned()))
        });
        let entities = entities.collect::<Option<Vec<_>>>()?;
        Some(BidsName { entities, suffix: suffix.to_owned(), extension: extension.to_owned() })
    }

    /// The value of an entity.
    pub fn entity(&self, key: &str) -> Option<&str> {
        self.entities.iter().find(|(found, _)| found == key).map(|(_, value)| value.as_str())
    }

    /// Whether all entities of `other` are entities of this name.
    fn has_all_of(&self, other: &BidsName) -> bool {
        other.entities.iter().all(|entity| self.entities.contains(entity))
    }

    /// The part of the name that says which recording it is, with an underscore at its end.
    fn recording(&self) -> String {
        let own = self.entities.iter().filter(|(key, _)| !DERIVED.contains(&key.as_str()));
        own.map(|(key, value)| format!("{key}-{value}_")).collect()
    }
}

/// The metadata of an image: its JSON file, and what it inherits from files above it. The nearer file wins.
///
/// # Errors
/// If a JSON file that applies cannot be read, or is no JSON object.
pub fn metadata(image: &Path) -> Result<Map<String, Value>> {
    let Some(name) = BidsName::parse(image) else { return Ok(Map::new()) };
    let mut found = Map::new();
    let mut folder = image.parent();
    for _ in 0..=LEVELS {
        let Some(here) = folder else { break };
        let here = if here.as_os_str().is_empty() { Path::new(".") } else { here };
        // The most entities first: of two files in a folder the more special one wins.
        let mut files: Vec<(usize, PathBuf)> = Vec::new();
        for entry in fs::read_dir(here).into_iter().flatten().flatten() {
            let path = entry.path();
            let applies = |other: &BidsName| {
                other.extension == ".json" && other.suffix == name.suffix && name.has_all_of(other)
            };
            if let Some(other) = BidsName::parse(&path).filter(applies) {
                files.push((other.entities.len(), path));
            }
        }
        files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        for (_, path) in files {
            for (key, value) in read_object(&path)? {
                found.entry(key).or_insert(value);
            }
        }
        // A data set ends where its description is.
        if here.join("dataset_description.json").exists() {
            break;
        }
        folder = here.parent().filter(|_| here != Path::new("."));
    }
    Ok(found)
}

/// `RepetitionTime` of the metadata, in seconds.
///
/// # Errors
/// If it is there and no positive number, or as [`metadata`].
pub fn repetition_time(image: &Path) -> Result<Option<f64>> {
    let Some(value) = metadata(image)?.remove("RepetitionTime") else { return Ok(None) };
    match value.as_f64().filter(|time| time.is_finite() && *time > 0.0) {
        Some(time) => Ok(Some(time)),
        None => {
            let remedy = "correct the JSON file";
            Err(FmriError::format(image, "RepetitionTime in its metadata", "seconds above 0", value, remedy))
        }
    }
}

/// The table of confounds that fMRIPrep writes beside an image, if it is there.
pub fn confounds_of(image: &Path) -> Option<PathBuf> {
    let recording = BidsName::parse(image)?.recording();
    let names = ["desc-confounds_timeseries.tsv", "desc-confounds_regressors.tsv"];
    names.iter().map(|name| image.with_file_name(format!("{recording}{name}"))).find(|path| path.is_file())
}

/// The brain mask that fMRIPrep writes beside an image, if it is there.
pub fn mask_of(image: &Path) -> Option<PathBuf> {
    let name = BidsName::parse(image)?;
    let kept = name.entities.iter().filter(|(key, _)| key != "desc");
    let stem: String = kept.map(|(key, value)| format!("{key}-{value}_")).collect();
    let mask = image.with_file_name(format!("{stem}desc-brain_mask{}", name.extension));
    mask.is_file().then_some(mask)
}

/// A JSON object in a file.
fn read_object(path: &Path) -> Result<Map<String, Value>> {
    let text = text_file::read(path)?;
    let wrong = |got: String| FmriError::format(path, "file", "a JSON object", got, "correct the JSON file");
    match serde_json::from_str(&text).map_err(|problem| wrong(problem.to_string()))? {
        Value::Object(object) => Ok(object),
        other => Err(wrong(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let path = Path::new("a/sub-01_task-rest_run-2_space-MNI_desc-preproc_bold.nii.gz");
        let name = BidsName::parse(path).unwrap();
        assert_eq!(
            (name.entity("run"), name.suffix.as_str(), name.extension.as_str()),
            (Some("2"), "bold", ".nii.gz")
        );
        assert_eq!(name.recording(), "sub-01_task-rest_run-2_");
        for other in ["bold", "sub-01.nii", "sub-_bold.nii", "x_bold.nii", ".nii", "sub-01_task-rest_.nii"] {
            assert_eq!(BidsName::parse(Path::new(other)), None, "{other}");
        }
    }

    #[test]
    fn the_nearer_metadata_win_and_the_rest_is_inherited() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("sub-01").join("func");
        fs::create_dir_all(&folder).unwrap();
        fs::write(root.path().join("dataset_description.json"), "{}").unwrap();
        fs::write(root.path().join("task-rest_bold.json"), r#"{"RepetitionTime": 2.0, "TaskName": "rest"}"#)
            .unwrap();
        fs::write(root.path().join("task-other_bold.json"), r#"{"RepetitionTime": 9}"#).unwrap();
        let image = folder.join("sub-01_task-rest_desc-preproc_bold.nii.gz");
        assert_eq!(repetition_time(&image).unwrap(), Some(2.0));
        fs::write(folder.join("sub-01_task-rest_desc-preproc_bold.json"), r#"{"RepetitionTime": 0.72}"#)
            .unwrap();
        assert_eq!(repetition_time(&image).unwrap(), Some(0.72));
        assert_eq!(metadata(&image).unwrap()["TaskName"], "rest");
        assert_eq!(confounds_of(&image), None);
        let table = folder.join("sub-01_task-rest_desc-confounds_timeseries.tsv");
        fs::write(&table, "a\n1\n").unwrap();
        assert_eq!(confounds_of(&image), Some(table));
        let mask = folder.join("sub-01_task-rest_desc-brain_mask.nii.gz");
        fs::write(&mask, "").unwrap();
        assert_eq!(mask_of(&image), Some(mask));
        fs::write(folder.join("sub-01_bold.json"), r#"{"RepetitionTime": -1}"#).unwrap();
        assert_eq!(repetition_time(&image).unwrap(), Some(0.72));
        fs::write(folder.join("sub-01_task-rest_desc-preproc_bold.json"), r#"{"RepetitionTime": 0}"#)
            .unwrap();
        assert!(repetition_time(&image).is_err());
    }
}
