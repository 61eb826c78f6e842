//! A folder of recordings, one file a subject.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::names::{KINDS, without_kind};
use super::region_table::RegionTable;
use super::subjects::{Subject, SubjectSet};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::series::{Layout, SeriesOptions, read_series};
use crate::fmri::text_file;

/// The file of a folder that says how to read the others.
pub const DESCRIPTION: &str = "dataset.json";
/// The table of parcels of a folder.
pub const REGIONS: &str = "regions.csv";

/// How the recordings of a folder are to be read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Description {
    /// Whether the arrays are `[parcels, frames]`.
    pub parcels_by_frames: bool,
    /// Which array of each file.
    pub variable: Option<String>,
    /// Seconds from frame to frame, where the files do not say.
    pub repetition_time: Option<f64>,
    /// Whether the recordings are made up: nothing found on them is evidence about anything else.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
}

impl SubjectSet {
    /// Reads every recording of a folder, sorted by name, as its [`DESCRIPTION`] says, with the parcels of its
    /// [`REGIONS`]. Both files may be missing.
    ///
    /// # Errors
    /// If there is no recording, the name of one is not UTF-8, a file is damaged, repetition times differ, or as
    /// [`SubjectSet::new`].
    pub fn load_folder(folder: &Path) -> Result<Self> {
        let description = Description::read(&folder.join(DESCRIPTION))?;
        let regions = Some(folder.join(REGIONS)).filter(|path| path.exists());
        let regions = regions.map(|path| RegionTable::read(&path)).transpose()?;
        let failed = |problem| FmriError::Read { path: folder.to_owned(), problem };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            files.extend(subject_name(&path)?.map(|name| (name, path)));
        }
        files.sort();
        if files.is_empty() {
            let expected = format!("recordings ({})", KINDS.join(", "));
            return Err(FmriError::format(
                folder,
                "folder",
                expected,
                "none",
                "give the folder of the recordings",
            ));
        }
        Self::load(&files, regions, &description)
    }

    /// Reads named recordings. Where their files name parcels, the table is joined to them by name, and need not be
    /// given: the files' own names and, of the first that has them, coordinates then stand for it.
    ///
    /// # Errors
    /// If two files have one name, a file is damaged, repetition times or names differ, the table lacks a parcel, or as
    /// [`SubjectSet::new`].
    pub fn load(
        files: &[(String, PathBuf)],
        regions: Option<RegionTable>,
        how: &Description,
    ) -> Result<Self> {
        each_name_once(files)?;
        let layout = if how.parcels_by_frames { Layout::ParcelsByFrames } else { Layout::FramesByParcels };
        let options = SeriesOptions { layout, variable: how.variable.clone() };
        let (mut subjects, mut time) = (Vec::new(), how.repetition_time);
        let (mut named, mut places) = (None::<(&Path, Vec<String>)>, None);
        for (name, path) in files {
            let read = read_series(path, &options)?;
            match (time, read.repetition_time) {
                (Some(known), Some(found)) if (known - found).abs() > 1e-6 * known => {
                    let what = format!("{}: repetition time", path.display());
                    let remedy = "load recordings of one repetition time";
                    return Err(FmriError::mismatch(what, format!("{known} s, as before"), found, remedy));
                }
                (None, found) => time = found,
                _ => {}
            }
            places = places.or(read.coordinates);
            match (&named, read.names) {
                (Some((first, known)), Some(names)) if *known != names => {
                    return Err(other_names(path, &names, first, known));
                }
                (None, Some(names)) => named = Some((path, names)),
                _ => {}
            }
            subjects.push(Subject { name: name.clone(), series: read.series });
        }
        if let Some((path, names)) = &named {
            let twice = names.iter().enumerate().find(|(place, name)| names[..*place].contains(name));
            if let Some((place, name)) = twice {
                let what = format!("{}: parcel {}", path.display(), place + 1);
                let remedy = "give each parcel a name of its own";
                return Err(FmriError::mismatch(
                    what,
                    "a name that no other has",
                    format!("{name:?}"),
                    remedy,
                ));
            }
        }
        // Parcels that have names in the series are joined by them, never by their place.
        let regions = match (regions, named) {
            (Some(table), Some((path, names))) => Some(table.select(&names, &path.display().to_string())?),
            (None, Some((_, names))) => {
                Some(RegionTable { coordinates: places, ..RegionTable::named(names) })
            }
            (table, None) => table,
        };
        Ok(Self::new(subjects, regions, time)?.marked_synthetic(how.synthetic))
    }
}

fn each_name_once(files: &[(String, PathBuf)]) -> Result<()> {
    let mut known = BTreeMap::new();
    for (name, path) in files {
        if let Some(other) = known.insert(name, path) {
            let expected = format!("another name or file than {}", other.display());
            let remedy = "give each recording once, and each file a name of its own";
            return Err(FmriError::mismatch(
                path.display().to_string(),
                expected,
                format!("{name:?} again"),
                remedy,
            ));
        }
    }
    Ok(())
}

fn other_names(path: &Path, names: &[String], first: &Path, known: &[String]) -> FmriError {
    let differs = (0..names.len().max(known.len())).find(|&i| names.get(i) != known.get(i)).unwrap_or(0);
    let name = |all: &[String]| all.get(differs).map_or("none".to_owned(), |name| format!("{name:?}"));
    let what = format!("{}: parcel {}", path.display(), differs + 1);
    let expected = format!("{}, as in {}", name(known), first.display());
    FmriError::mismatch(what, expected, name(names), "give recordings of the same parcels in one order")
}

impl Description {
    fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = text_file::read(path)?;
        let wrong = |problem: serde_json::Error| {
            let expected = "parcels_by_frames, variable, repetition_time, synthetic";
            FmriError::format(path, "file", expected, problem, "correct the description of the data set")
        };
        serde_json::from_str(&text).map_err(wrong)
    }
}

/// The name of a file without its kind; nothing for files that are no recordings.
fn subject_name(path: &Path) -> Result<Option<String>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name == REGIONS || name.starts_with('.') {
        return Ok(None);
    }
    let Some(stem) = without_kind(&name) else { return Ok(None) };
    if path.file_name().and_then(OsStr::to_str).is_none() {
        let expected = "a name of UTF-8 text, as subjects are called by it";
        return Err(FmriError::format(path, "name", expected, "other bytes", "rename the file"));
    }
    Ok(Some(stem.to_owned()))
}
