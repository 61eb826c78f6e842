//! `2d-rope`, on any number of axes: axial rotary encoding of the coordinates.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::backend::Backend;
use serde::{Deserialize, Serialize};

use super::{check_base, default_base, frequency};
use crate::additive::Scale;
use crate::encoding::{Placement, PositionalEncoding, Rotation, Site, Terms};
use crate::{PeError, Positions};

/// Settings of an axial rotary encoding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RopeKdConfig {
    /// Base of the frequencies, >= 1.
    #[serde(default = "default_base")]
    pub base: f64,
    /// The unit of the coordinates.
    #[serde(default)]
    pub scale: Scale,
}

impl Default for RopeKdConfig {
    fn default() -> Self {
        Self { base: default_base(), scale: Scale::default() }
    }
}

impl RopeKdConfig {
    pub(crate) fn validate(&self, site: Site) -> Result<(), PeError> {
        check_base(self.base)?;
        check_head(site.head_width(), site.axes)
    }

    pub(crate) fn init<B: Backend>(&self, site: Site) -> RopeKd<B> {
        RopeKd {
            head_width: site.head_width(),
            base: self.base,
            unit_spacing: self.scale == Scale::UnitSpacing,
            backend: PhantomData,
        }
    }
}

fn check_head(head_width: usize, axes: usize) -> Result<(), PeError> {
    if head_width < 2 * axes {
        let encoding = format!("{axes}d-rope");
        return Err(PeError::HeadTooSmall { encoding, head_width, least: 2 * axes });
    }
    Ok(())
}

/// With `k` axes and head width `w`, each axis turns `m = floor(w / 2k)` pairs of its own, the first axis first: pair
/// `i` by `x · base^(-i/m)` at coordinate `x`. Dimensions left over stay as they are. Products of a query and a key
/// depend on the difference of their coordinates only. Nothing is learned.
#[derive(Module, Debug)]
pub struct RopeKd<B: Backend> {
    head_width: usize,
    base: f64,
    unit_spacing: bool,
    backend: PhantomData<B>,
}

impl<B: Backend> PositionalEncoding<B> for RopeKd<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        let given = positions.coords();
        check_head(self.head_width, given.axes())?;
        let coords = if self.unit_spacing { given.with_unit_spacing() } else { given.clone() };
        let pairs = self.head_width / (2 * coords.axes());
        let mut angles = Vec::with_capacity(coords.tokens() * coords.axes() * pairs);
        for token in 0..coords.tokens() {
            for x in coords.row(token) {
                angles.extend((0..pairs).map(|i| x * frequency(self.base, i, pairs)));
            }
        }
        let rotation = Rotation::new(&angles, coords.axes() * pairs, device);
        Ok(Placement { rotation: Some(rotation), ..Placement::nothing() })
    }

    fn terms(&self, _block: usize, placement: &Placement<B>) -> Terms<B> {
        Terms { rotation: placement.rotation.clone(), ..Terms::none() }
    }
}
