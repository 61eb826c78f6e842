//! Which frames are trained on, tested on, and held out.

use std::ops::Range;

use ndarray::s;
use rand::seq::index;
use streams::{Stream, Streams};

use super::{Block, HeldOut, MaskedConfig, MaskedError, Recording};

/// A part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The frames that are trained on.
    Train,
    /// The last frames of the training subjects.
    Test,
    /// All frames of the subjects that are held out.
    HeldOut,
}

impl Part {
    /// The name in labels of random streams and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Test => "test",
            Part::HeldOut => "held-out",
        }
    }
}

/// One item: the window of frames that starts at `frame`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// The number of the recording.
    pub recording: usize,
    /// The first frame of the window.
    pub frame: usize,
}

/// For each recording whether it is held out, and which of its frames are trained and tested on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    held_out: Vec<bool>,
    trained: Vec<Range<usize>>,
    tested: Vec<Range<usize>>,
    frames: Vec<usize>,
}

impl Parts {
    pub(crate) fn new(
        recordings: &[Recording],
        config: &MaskedConfig,
        streams: &Streams,
    ) -> Result<Self, MaskedError> {
        let held_out = held_out(recordings, &config.held_out, streams)?;
        let frames: Vec<usize> = recordings.iter().map(|recording| recording.frames.nrows()).collect();
        let (mut trained, mut tested) = (Vec::new(), Vec::new());
        for (recording, &held_out) in recordings.iter().zip(&held_out) {
            let (train, test) = if held_out { whole(recording, config)? } else { split(recording, config)? };
            trained.push(train);
            tested.push(test);
        }
        Ok(Self { held_out, trained, tested, frames })
    }

    /// The frames of a recording that belong to a part.
    pub(crate) fn frames(&self, part: Part, recording: usize) -> Range<usize> {
        match (part, self.held_out[recording]) {
            (Part::Train, false) => self.trained[recording].clone(),
            (Part::Test, false) => self.tested[recording].clone(),
            (Part::HeldOut, true) => 0..self.frames[recording],
            _ => 0..0,
        }
    }

    /// The frames of a recording that its own statistics may be of: of a training subject those it is trained on, of a
    /// held-out one all.
    pub(crate) fn own(&self, recording: usize) -> Range<usize> {
        let part = if self.held_out[recording] { Part::HeldOut } else { Part::Train };
        self.frames(part, recording)
    }

    /// The items of a part: windows that lie in it as a whole, recording by recording.
    pub(crate) fn items(&self, part: Part, config: &MaskedConfig) -> Vec<Item> {
        let of = |recording: usize| {
            let frames = self.frames(part, recording);
            let end = (frames.end + 1).saturating_sub(config.window);
            (frames.start..end).step_by(config.stride).map(move |frame| Item { recording, frame })
        };
        (0..self.frames.len()).flat_map(of).collect()
    }

    pub(crate) fn is_held_out(&self, recording: usize) -> bool {
        self.held_out[recording]
    }
}

/// A held-out recording, which is neither trained nor tested on.
fn whole(recording: &Recording, config: &MaskedConfig) -> Result<(Range<usize>, Range<usize>), MaskedError> {
    let (purpose, remedy) = ("to make one window of", "lower `window` or leave the subject out");
    enough(&recording.subject, recording.frames.nrows(), config.window, purpose, remedy)?;
    Ok((0..0, 0..0))
}

/// The frames of a training subject to train on, and those to test on.
fn split(recording: &Recording, config: &MaskedConfig) -> Result<(Range<usize>, Range<usize>), MaskedError> {
    let all = recording.frames.nrows();
    let before = all - (config.test_fraction * all as f64).round() as usize;
    let gap = config.gap.frames(recording.frames.slice(s![..before, ..]));
    let end = if before < all { before.saturating_sub(gap) } else { all };
    let trained = config.block.map_or(0..end, |block| block.frames(end, gap));
    let remedy = match gap > 0 || config.block.is_some() {
        true => "lower `gap`, `block.of` or `window`, or leave the subject out",
        false => "lower `window` or leave the subject out",
    };
    enough(&recording.subject, trained.len(), config.window, "to make one window of", remedy)?;
    if config.test_fraction > 0.0 {
        let (purpose, remedy) = ("to test on", "set `test_fraction` to 0 or raise it");
        enough(&recording.subject, all - before, config.window, purpose, remedy)?;
    }
    Ok((trained, before..all))
}

fn enough(
    subject: &str,
    got: usize,
    expected: usize,
    purpose: &'static str,
    remedy: &'static str,
) -> Result<(), MaskedError> {
    let subject = || subject.to_owned();
    let few = || MaskedError::Frames { subject: subject(), expected, purpose, got, remedy };
    if got < expected { Err(few()) } else { Ok(()) }
}

fn held_out(recordings: &[Recording], which: &HeldOut, streams: &Streams) -> Result<Vec<bool>, MaskedError> {
    let subjects = recordings.len();
    let mut held_out = vec![false; subjects];
    match which {
        HeldOut::Count(count) => {
            if *count < subjects {
                let mut rng = streams.rng_for(Stream::Split, "masked/held-out");
                index::sample(&mut rng, subjects, *count).into_iter().for_each(|one| held_out[one] = true);
            }
        }
        HeldOut::Fold(fold) => fold.cut(subjects).for_each(|one| held_out[one] = true),
        HeldOut::Named(names) => {
            for name in names {
                let found = recordings.iter().position(|recording| recording.subject == *name);
                let known =
                    || recordings.iter().map(|one| one.subject.as_str()).collect::<Vec<_>>().join(", ");
                held_out
                    [found.ok_or_else(|| MaskedError::Unknown { got: name.clone(), known: known() })?] = true;
            }
        }
    }
    let wanted = match which {
        HeldOut::Count(count) => *count,
        HeldOut::Named(_) | HeldOut::Fold(_) => held_out.iter().filter(|&&out| out).count(),
    };
    if wanted >= subjects {
        return Err(MaskedError::Setting {
            key: "held_out",
            expected: format!("fewer than all {subjects} subjects, so that some are trained on"),
            got: wanted.to_string(),
        });
    }
    if let HeldOut::Fold(Block { index, of }) = which
        && wanted == 0
    {
        return Err(MaskedError::Setting {
            key: "held_out.fold",
            expected: format!("at most {subjects} folds, so that each has one of the {subjects} subjects"),
            got: format!("index {index} of {of}"),
        });
    }
    Ok(held_out)
}
