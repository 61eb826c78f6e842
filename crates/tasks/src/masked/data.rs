//! Masked-token items of some subjects.

use std::ops::Range;

use ndarray::{ArrayView2, s};
use streams::Streams;

use super::batch::gather;
use super::parts::Parts;
use super::recording::check;
use super::{
    EvaluationSet, Item, MaskedBatch, MaskedConfig, MaskedError, Masks, Part, Recording, Score, Standardize,
    Standardizer, draw,
};
use crate::masked::baseline::Moments;

/// Standardised recordings, and the items that training, test and held-out subjects give.
#[derive(Debug, Clone)]
pub struct MaskedData {
    config: MaskedConfig,
    streams: Streams,
    recordings: Vec<Recording>,
    parts: Parts,
    train: Vec<Item>,
    means: Vec<f64>,
}

impl MaskedData {
    /// Splits subjects and frames, and standardises them. Held-out subjects come from the stream `split` if only their
    /// number is given; the order of training items from `order`, masks from `mask`.
    ///
    /// # Errors
    /// If the settings are not valid, recordings do not fit together, or hold too little for the settings.
    pub fn new(
        recordings: Vec<Recording>,
        config: &MaskedConfig,
        streams: &Streams,
    ) -> Result<Self, MaskedError> {
        Self::cleaned(recordings, config, streams, |_, _| Ok(()))
    }

    /// The same, with each recording cleaned before it is standardised. `clean` is given the frames that it may fit
    /// anything to: of a training subject those that are trained on, of a held-out subject all of its own.
    ///
    /// # Errors
    /// Those of [`MaskedData::new`] and of `clean`.
    pub fn cleaned(
        mut recordings: Vec<Recording>,
        config: &MaskedConfig,
        streams: &Streams,
        clean: impl Fn(&mut Recording, Range<usize>) -> Result<(), MaskedError>,
    ) -> Result<Self, MaskedError> {
        check(&recordings)?;
        config.validate(recordings[0].frames.ncols())?;
        let parts = Parts::new(&recordings, config, streams)?;
        for (number, recording) in recordings.iter_mut().enumerate() {
            clean(recording, parts.own(number))?;
        }
        standardize(&mut recordings, &parts, config.standardize)?;
        let train = parts.items(Part::Train, config);
        let means = Moments::fit(training_frames(&recordings, &parts)).mean().to_vec();
        Ok(Self { config: config.clone(), streams: streams.clone(), recordings, parts, train, means })
    }

    /// Tokens of an item.
    pub fn nodes(&self) -> usize {
        self.means.len()
    }

    /// Values of a token: the window, and the flag.
    pub fn features(&self) -> usize {
        self.config.window + 1
    }

    /// Values asked for at each masked node.
    pub fn outputs(&self) -> usize {
        self.config.asked().len()
    }

    /// The settings.
    pub fn config(&self) -> &MaskedConfig {
        &self.config
    }

    /// The subjects, standardised.
    pub fn recordings(&self) -> &[Recording] {
        &self.recordings
    }

    /// The names of the subjects that are trained on, or held out. Test frames are of training subjects.
    pub fn subjects(&self, part: Part) -> Vec<&str> {
        let named = self.recordings.iter().enumerate();
        let wanted = named.filter(|(number, _)| self.parts.is_held_out(*number) == (part == Part::HeldOut));
        wanted.map(|(_, recording)| recording.subject.as_str()).collect()
    }

    /// The items of a part, recording by recording.
    pub fn items(&self, part: Part) -> Vec<Item> {
        self.parts.items(part, &self.config)
    }

    /// The mean of each node over the standardised frames that are trained on: what R² is about.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// The standardised frames that are trained on, of each training subject `[frames, nodes]`.
    pub fn training_frames(&self) -> impl Iterator<Item = ArrayView2<'_, f32>> + Clone {
        training_frames(&self.recordings, &self.parts)
    }

    /// Batches of an epoch.
    pub fn batches(&self) -> usize {
        self.train.len().div_ceil(self.config.batch)
    }

    /// A batch of an epoch, both counted from 0. It is a function of the seed and of these two numbers.
    ///
    /// The order of items is a shuffle from `order` at the epoch. The number of masked nodes is that of the batch; the
    /// mask of an item comes from its place in the epoch, whatever the size of batches.
    ///
    /// # Errors
    /// [`MaskedError::Setting`] if the epoch has no such batch.
    pub fn train_batch(&self, epoch: u64, batch: usize) -> Result<MaskedBatch, MaskedError> {
        let order = draw::order(self.train.len(), epoch, &self.streams);
        let start = batch.saturating_mul(self.config.batch);
        let places = start.min(order.len())..start.saturating_add(self.config.batch).min(order.len());
        if places.is_empty() {
            return Err(MaskedError::Setting {
                key: "batch",
                expected: format!("a batch below {}", self.batches()),
                got: batch.to_string(),
            });
        }
        let masked = draw::count(&self.config.mask, self.nodes(), epoch, batch, &self.streams)?;
        let mask =
            |place| draw::mask(&format!("masked/train/{epoch}/{place}"), self.nodes(), masked, &self.streams);
        let nodes = places.clone().flat_map(mask).collect();
        let items: Vec<Item> = order[places].iter().map(|&item| self.train[item]).collect();
        self.gather(&items, Masks { masked, nodes })
    }

    /// The fixed masks of a part, one set for each fraction of the settings. None for a part without items.
    ///
    /// # Errors
    /// [`MaskedError::Fraction`] if a fraction does not fit the nodes.
    pub fn evaluation(&self, part: Part) -> Result<Vec<EvaluationSet>, MaskedError> {
        let items = self.items(part);
        if items.is_empty() {
            return Ok(Vec::new());
        }
        let setting = &self.config.evaluation;
        let set = |&fraction: &f64| {
            EvaluationSet::new(part, &items, fraction, setting.most_items, self.nodes(), &self.streams)
        };
        setting.fractions.iter().map(set).collect()
    }

    /// The batch of these items under these masks.
    ///
    /// # Errors
    /// [`MaskedError::Mask`] or [`MaskedError::Item`] for what does not fit the data.
    pub fn gather(&self, items: &[Item], masks: Masks) -> Result<MaskedBatch, MaskedError> {
        gather(&self.recordings, &self.config, items, masks)
    }

    /// Scores predictions `[items, masked, outputs]` for a batch; its R² is about the training means of the nodes.
    ///
    /// # Errors
    /// [`MaskedError::Shape`] if they are not as many as the targets.
    pub fn score(&self, batch: &MaskedBatch, predictions: &[f32]) -> Result<Score, MaskedError> {
        Score::of(batch, predictions, &self.means)
    }
}

fn training_frames<'a>(
    recordings: &'a [Recording],
    parts: &'a Parts,
) -> impl Iterator<Item = ArrayView2<'a, f32>> + Clone {
    let trained = recordings.iter().enumerate().filter(|(number, _)| !parts.is_held_out(*number));
    trained.map(|(number, recording)| recording.frames.slice(s![parts.frames(Part::Train, number), ..]))
}

fn standardize(recordings: &mut [Recording], parts: &Parts, how: Standardize) -> Result<(), MaskedError> {
    match how {
        Standardize::None => {}
        Standardize::Training => {
            let standardizer = Standardizer::fit(training_frames(recordings, parts), "the training frames")?;
            recordings.iter_mut().for_each(|recording| standardizer.apply(recording.frames.view_mut()));
        }
        Standardize::Subject => {
            for (number, recording) in recordings.iter_mut().enumerate() {
                let own = recording.frames.slice(s![parts.own(number), ..]);
                let over = format!("the frames of subject {}", recording.subject);
                let standardizer = Standardizer::fit(std::iter::once(own), &over)?;
                standardizer.apply(recording.frames.view_mut());
            }
        }
    }
    Ok(())
}
