//! The settings of the stand-in.

use serde::{Deserialize, Serialize};

use crate::fmri::error::{FmriError, Result};
use crate::network::DynamicsConfig;

/// What [`stand_in`](super::stand_in) makes. The default is of the size of the open recordings: 94 regions, 7 subjects
/// of 1,200 frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StandInConfig {
    /// Regions of a hemisphere, 2 to 200.
    pub pairs: usize,
    /// How many of them lie in the inner part, fewer than all.
    pub inner_pairs: usize,
    /// Independent subjects, at least 1.
    pub subjects: usize,
    /// Frames of each, at least 2.
    pub frames: usize,
    /// The distance in mm at which coupling has fallen to `exp(-1/2)`.
    pub length: f64,
    /// Coupling to the counterpart, in units of all coupling that falls with distance.
    pub homotopic: f64,
    /// Coupling to distant regions, in the same units.
    pub distant: f64,
    /// The strength of all coupling.
    pub gain: f64,
    /// The size of the noise.
    pub noise: f64,
    /// The size of the common signal, in standard deviations of the activity.
    pub common: f64,
    /// How much its size differs between regions: the standard deviation of its logarithm.
    pub spread: f64,
    /// Its size in inner regions, as a share.
    pub inner: f64,
    /// Its correlation with itself one frame later, at least 0 and below 1.
    pub memory: f64,
}

impl Default for StandInConfig {
    fn default() -> Self {
        Self {
            pairs: 47,
            inner_pairs: 7,
            subjects: 7,
            frames: 1200,
            length: 12.0,
            homotopic: 0.6,
            distant: 0.2,
            gain: 1.0,
            noise: 0.28,
            common: 0.45,
            spread: 0.6,
            inner: 0.2,
            memory: 0.8,
        }
    }
}

impl StandInConfig {
    /// Distant partners that are drawn for a region; it also becomes that of others.
    pub const DISTANT: usize = 2;

    /// Regions of both hemispheres.
    pub fn regions(&self) -> usize {
        2 * self.pairs
    }

    /// Checks each setting by itself, before anything is allocated.
    ///
    /// # Errors
    /// [`FmriError::Setting`], naming the first setting that is wrong.
    pub fn validate(&self) -> Result<()> {
        let size = |key, got: usize, least: usize, most: usize| {
            check(key, (least..=most).contains(&got), &format!("{least} to {most}"), got)
        };
        size("stand_in.pairs", self.pairs, 2, 200)?;
        size("stand_in.inner_pairs", self.inner_pairs, 0, self.pairs - 1)?;
        size("stand_in.subjects", self.subjects, 1, 10_000)?;
        size("stand_in.frames", self.frames, 2, 1_000_000)?;
        let values = self.subjects * self.frames * self.regions();
        check("stand_in.frames", values <= MOST, "at most 2^28 values of all subjects", values)?;
        let positive = [("stand_in.length", self.length), ("stand_in.noise", self.noise)];
        for (key, value) in positive {
            check(key, value > 0.0 && value.is_finite(), "a number above 0", value)?;
        }
        for (key, value) in [
            ("stand_in.homotopic", self.homotopic),
            ("stand_in.distant", self.distant),
            ("stand_in.gain", self.gain),
            ("stand_in.common", self.common),
            ("stand_in.spread", self.spread),
            ("stand_in.inner", self.inner),
        ] {
            check(key, value >= 0.0 && value.is_finite(), "a number of at least 0", value)?;
        }
        check("stand_in.memory", (0.0..1.0).contains(&self.memory), "at least 0 and below 1", self.memory)
    }

    pub(super) fn dynamics(&self) -> DynamicsConfig {
        DynamicsConfig { gain: self.gain, noise: self.noise, ..DynamicsConfig::default() }
    }
}

const MOST: usize = 1 << 28;

fn check(key: &'static str, valid: bool, expected: &str, got: impl ToString) -> Result<()> {
    if valid { Ok(()) } else { Err(FmriError::setting(key, expected, got)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_setting_is_named() {
        let default = StandInConfig::default;
        default().validate().unwrap();
        for (key, config) in [
            ("stand_in.pairs", StandInConfig { pairs: 1, ..default() }),
            ("stand_in.inner_pairs", StandInConfig { inner_pairs: 47, ..default() }),
            ("stand_in.subjects", StandInConfig { subjects: 0, ..default() }),
            ("stand_in.frames", StandInConfig { frames: usize::MAX, ..default() }),
            ("stand_in.length", StandInConfig { length: 0.0, ..default() }),
            ("stand_in.noise", StandInConfig { noise: f64::NAN, ..default() }),
            ("stand_in.homotopic", StandInConfig { homotopic: -1.0, ..default() }),
            ("stand_in.memory", StandInConfig { memory: 1.0, ..default() }),
        ] {
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(&format!("`{key}`")) && !message.contains('\n'), "{message}");
        }
    }
}
