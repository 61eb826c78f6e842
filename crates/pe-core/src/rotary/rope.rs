//! `rope`: rotary encoding of the position id, on all dimensions of a head or on a part of them.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

use super::{check_base, default_base, frequency};
use crate::encoding::{Placement, PositionalEncoding, Rotation, Site, Terms};
use crate::{PeError, Positions};

/// Settings of a rotary encoding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RopeConfig {
    /// Part of the head's dimensions that is turned, in (0, 1]; the first ones are. 0.5 in the code published with
    /// Ito et al. 2025.
    #[serde(default = "whole")]
    pub fraction: f64,
    /// Base of the frequencies, >= 1.
    #[serde(default = "default_base")]
    pub base: f64,
}

fn whole() -> f64 {
    1.0
}

impl Default for RopeConfig {
    fn default() -> Self {
        Self { fraction: whole(), base: default_base() }
    }
}

impl RopeConfig {
    /// A part of every head turns.
    pub(crate) fn of_fraction(fraction: f64) -> Result<Self, PeError> {
        let config = Self { fraction, ..Self::default() };
        config.check_fraction().map(|()| config)
    }

    fn check_fraction(&self) -> Result<(), PeError> {
        match self.fraction > 0.0 && self.fraction <= 1.0 {
            true => Ok(()),
            false => Err(PeError::RotaryFraction(self.fraction)),
        }
    }

    pub(crate) fn validate(&self, site: Site) -> Result<(), PeError> {
        check_base(self.base)?;
        self.check_fraction()?;
        match self.pairs(site) {
            0 => Err(PeError::HeadTooSmall {
                encoding: "rope".to_owned(),
                head_width: site.head_width(),
                least: 2,
            }),
            _ => Ok(()),
        }
    }

    /// Pairs of dimensions that are turned. An odd dimension that is left over stays as it is.
    fn pairs(&self, site: Site) -> usize {
        (self.fraction * site.head_width() as f64 / 2.0 + 1e-9).floor() as usize
    }

    pub(crate) fn init<B: Backend>(&self, site: Site) -> Rope<B> {
        Rope { pairs: self.pairs(site), base: self.base, backend: PhantomData }
    }
}

/// Pair `i` of `m` pairs of the query or key at position id `p` is turned by `p · base^(-i/m)` (Su et al. 2021,
/// RoFormer, section 3.4.2, with pairs of neighbouring dimensions). Nothing is learned.
#[derive(Module, Debug)]
pub struct Rope<B: Backend> {
    pairs: usize,
    base: f64,
    backend: PhantomData<B>,
}

impl<B: Backend> PositionalEncoding<B> for Rope<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        let angle = |id: usize, i: usize| id as f64 * frequency(self.base, i, self.pairs);
        let angles: Vec<f64> =
            positions.ids().iter().flat_map(|&id| (0..self.pairs).map(move |i| angle(id, i))).collect();
        Ok(Placement { rotation: Some(Rotation::new(&angles, self.pairs, device)), ..Placement::nothing() })
    }

    fn terms(&self, _block: usize, placement: &Placement<B>) -> Terms<B> {
        Terms { rotation: placement.rotation.clone(), ..Terms::none() }
    }
}
