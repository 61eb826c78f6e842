//! Recordings of parcels as items: each parcel a token, some of them masked. Brain regions, electrodes, stations.

mod config;
mod source;

use std::path::PathBuf;

use pe_core::{Coords, EncoderConfig, Positions};
use streams::Streams;
use tasks::fmri::dataset::RegionTable;
use tasks::masked::{MaskedData, remove_global_signal};

pub use config::{GlobalSignal, RecordingsConfig};
use source::Loaded;

use super::masked::{self, Known, MaskedItems, numbers};
use super::{Dataset, Objective, Task, Truth};
use crate::TrainError;

impl Task for RecordingsConfig {
    fn objective(&self) -> Objective {
        Objective::SquaredError
    }

    fn sizes(&self) -> [usize; 4] {
        let (tokens, axes) = self.data_sizes().unwrap_or_default();
        [masked::features(&self.masked), 1, tokens, axes]
    }

    fn resolve(&mut self) -> Result<(), TrainError> {
        self.check()?;
        if self.is_generated() {
            self.stand_in = Some(self.made());
            return Ok(());
        }
        // A run may be started from another folder than the plan.
        let whole = |path: &mut PathBuf| *path = std::path::absolute(&*path).unwrap_or_else(|_| path.clone());
        self.folder.iter_mut().chain(&mut self.files).chain(&mut self.regions).for_each(whole);
        let regions = source::read(self)?.regions;
        self.tokens = Some(regions.names.len());
        self.axes = Some(axes(&regions));
        Ok(())
    }

    fn validate(&self, model: &EncoderConfig, batch: usize) -> Result<(), TrainError> {
        self.check()?;
        let (tokens, _) = self.data_sizes()?;
        self.masked.validate(tokens).map_err(|error| TrainError::from(error).at("`task.masked`"))?;
        masked::validate(&self.masked, model, batch)
    }

    fn load(&self, streams: &Streams) -> Result<Dataset, TrainError> {
        load(self, streams)
    }

    fn is_generated(&self) -> bool {
        self.folder.is_none() && self.files.is_empty()
    }

    fn set_hash(&mut self, sha256: &str) {
        self.sha256 = Some(sha256.to_owned());
    }

    fn forget_place(&mut self) {
        if self.sha256.is_some() {
            self.folder = None;
            self.files.clear();
            self.regions = None;
            self.description = Default::default();
        }
    }

    fn set_place(&mut self, folder: PathBuf) -> Result<(), TrainError> {
        self.folder = Some(folder);
        self.stand_in = None;
        self.files.clear();
        self.regions = None;
        self.description = Default::default();
        Ok(())
    }
}

/// Axes of a model for these parcels; where nobody knows their places, the index is the only one.
fn axes(regions: &RegionTable) -> usize {
    regions.coordinates.as_ref().map_or(1, |places| places.ncols())
}

fn load(config: &RecordingsConfig, streams: &Streams) -> Result<Dataset, TrainError> {
    let Loaded { subjects, regions, place } = match config.is_generated() {
        true => source::generate(config, streams)?,
        false => source::read(config)?,
    };
    let sha256 = subjects.sha256();
    if let Some(expected) = &config.sha256
        && *expected != sha256
    {
        return Err(TrainError::OtherData { place, expected: expected.clone(), got: sha256 });
    }
    let (tokens, expected_axes) = config.data_sizes()?;
    let got = (regions.names.len(), axes(&regions));
    if got != (tokens, expected_axes) {
        let problem = format!(
            "{} parcels with {} axes, the config says {tokens} and {expected_axes}: make it anew with `train plan`",
            got.0, got.1
        );
        return Err(TrainError::Config { place, problem });
    }
    let data = MaskedData::cleaned(subjects.recordings(), &config.masked, streams, |recording, fit| {
        match config.global_signal {
            GlobalSignal::Kept => Ok(()),
            GlobalSignal::Regressed => {
                let over = format!("the frames of subject {}", recording.subject);
                remove_global_signal(recording.frames.view_mut(), fit, &over)
            }
        }
    })?;
    let partners = regions.partners();
    let partners = partners.iter().any(Option::is_some).then_some(partners);
    let items = MaskedItems::new(data, regions.distances(), partners);
    let coords = coords(&regions)?;
    let known = Known {
        name: "recordings",
        // Made up is made up, also in a folder.
        source: if subjects.is_synthetic() { "generated" } else { "files" },
        sha256,
        // Encodings of coordinates are made for steps of a grid, not for millimetres.
        positions: Positions::in_order(coords.with_unit_spacing()),
        places: Some(coords),
        truth: truth(&regions, &items),
        tokens: Some(regions.to_csv(true)),
    };
    items.into_dataset(known)
}

/// Where parcels are; where nobody knows, their index.
fn coords(regions: &RegionTable) -> Result<Coords, TrainError> {
    Ok(match &regions.coordinates {
        Some(places) => Coords::new(places.iter().copied().collect(), places.ncols())?,
        None => Coords::new((0..regions.names.len()).map(|index| index as f64).collect(), 1)?,
    })
}

/// Correlations over the training frames, and what the table of parcels knows.
fn truth(regions: &RegionTable, items: &MaskedItems) -> Vec<Truth> {
    let mut all = vec![items.correlations()];
    if regions.coordinates.is_none() {
        all.push(numbers("placeless", std::iter::once(1.0)));
    }
    if let Some(modules) = regions.modules() {
        all.push(numbers("modules", modules.into_iter().map(|module| module as f32)));
    }
    if regions.has_sides() {
        all.push(numbers("hemisphere", regions.hemispheres.iter().map(|side| side.sign() as f32)));
    }
    if let Some(cortical) = &regions.cortical {
        all.push(numbers("cortical", cortical.iter().map(|&flag| f32::from(u8::from(flag)))));
    }
    all
}
