//! Recordings from files, or made.

use streams::Streams;
use tasks::fmri::dataset::{RegionTable, SubjectSet, subject_names};
use tasks::fmri::stand_in;

use super::RecordingsConfig;
use crate::TrainError;

/// Recordings, what is known of their parcels, and what to call them in errors.
pub(super) struct Loaded {
    pub(super) subjects: SubjectSet,
    pub(super) regions: RegionTable,
    pub(super) place: String,
}

impl Loaded {
    fn new(subjects: SubjectSet, place: String) -> Self {
        let regions = match subjects.regions() {
            Some(regions) => regions.clone(),
            None => RegionTable::numbered(subjects.parcels()),
        };
        Self { subjects, regions, place }
    }
}

pub(super) fn generate(config: &RecordingsConfig, streams: &Streams) -> Result<Loaded, TrainError> {
    let subjects = stand_in(&config.made(), streams).map_err(|error| TrainError::from(error).at("`task`"))?;
    Ok(Loaded::new(subjects, "the stand-in".to_owned()))
}

pub(super) fn read(config: &RecordingsConfig) -> Result<Loaded, TrainError> {
    if let Some(folder) = &config.folder {
        return Ok(Loaded::new(SubjectSet::load_folder(folder)?, folder.display().to_string()));
    }
    let regions = config.regions.as_deref().map(RegionTable::read).transpose()?;
    let files: Vec<_> = subject_names(&config.files).into_iter().zip(config.files.iter().cloned()).collect();
    let subjects = SubjectSet::load(&files, regions, &config.description)?;
    let place = match config.files.as_slice() {
        [one] => one.display().to_string(),
        [first, ..] => format!("{} and {} more", first.display(), config.files.len() - 1),
        [] => String::new(),
    };
    Ok(Loaded::new(subjects, place))
}
