//! Which recordings, and what is made of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tasks::fmri::StandInConfig;
use tasks::fmri::dataset::Description;
use tasks::masked::MaskedConfig;

use crate::TrainError;

/// Recordings of parcels: a folder of them, single files, or, without either, the synthetic stand-in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordingsConfig {
    /// A folder with a file a subject, `regions.csv` and `dataset.json`
    /// ([`SubjectSet::load_folder`](tasks::fmri::dataset::SubjectSet::load_folder)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Files of recordings instead, one a subject, in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<PathBuf>,
    /// The table of the parcels of `files`: names, and what is known of places, networks and hemispheres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regions: Option<PathBuf>,
    /// How `files` are to be read.
    #[serde(skip_serializing_if = "is_default")]
    pub description: Description,
    /// Content hash of the recordings (`SubjectSet::sha256`), filled in by `train plan`. A run refuses others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The number of parcels, filled in by `train plan`: what is read must have so many. Of the stand-in it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// The number of axes of their places, likewise; 1, their index, where nobody knows places.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axes: Option<usize>,
    /// Whether the mean over parcels stays.
    pub global_signal: GlobalSignal,
    /// The recordings that are made where none are given; `train plan` writes its defaults out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stand_in: Option<StandInConfig>,
    /// How frames become items.
    pub masked: MaskedConfig,
}

/// What becomes of the mean over parcels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GlobalSignal {
    /// It stays.
    #[default]
    Kept,
    /// It is regressed out of every parcel, fitted to the training frames of a training subject alone, and to all
    /// frames of a held-out one.
    Regressed,
}

impl RecordingsConfig {
    /// Parcels, and axes of their places.
    pub(super) fn data_sizes(&self) -> Result<(usize, usize), TrainError> {
        let missing = || {
            TrainError::Config {
            place: "`task`".to_owned(),
            problem: "`tokens` and `axes` of the recordings are missing: make the config with `train plan`, or add them"
                .to_owned(),
        }
        };
        match (self.tokens, self.axes) {
            (Some(tokens), Some(axes)) => Ok((tokens, axes)),
            _ if self.folder.is_none() && self.files.is_empty() => Ok((self.made().regions(), 3)),
            _ => Err(missing()),
        }
    }

    /// The stand-in that is made where no recordings are given.
    pub(super) fn made(&self) -> StandInConfig {
        self.stand_in.clone().unwrap_or_default()
    }

    /// Checks what belongs together.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let bad = |place: &str, problem: &str| {
            Err(TrainError::Config { place: place.to_owned(), problem: problem.to_owned() })
        };
        if self.folder.is_some() && !self.files.is_empty() {
            return bad("`task.files`", "expected either `folder` or `files`, got both: leave one out");
        }
        if self.files.is_empty() && (self.regions.is_some() || !is_default(&self.description)) {
            let problem = "`regions` and `description` belong to `files`, got none: name the files, or put regions.csv and dataset.json into the folder";
            return bad("`task`", problem);
        }
        if self.stand_in.is_some() && (self.folder.is_some() || !self.files.is_empty()) {
            return bad(
                "`task.stand_in`",
                "expected either recordings or a stand-in, got both: leave one out",
            );
        }
        self.made().validate().map_err(|error| TrainError::from(error).at("`task`"))
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
