//! `2d-fixed`, on any number of axes: what Ito et al. 2025 take as the ground truth of the Latin Square Task.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::{Tensor, TensorData, backend::Backend};
use serde::{Deserialize, Serialize};

use crate::encoding::{Placement, PositionalEncoding, Site};
use crate::{PeError, Positions};

/// The unit in which coordinates enter the sinusoid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// As they are: grid steps, in the paper.
    #[default]
    Grid,
    /// Scaled to a median nearest-neighbour distance of 1, for coordinates in millimetres.
    UnitSpacing,
}

/// Settings of a sinusoid of the coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SinusoidKdConfig {
    /// The unit of the coordinates.
    #[serde(default)]
    pub scale: Scale,
}

impl SinusoidKdConfig {
    pub(crate) fn validate(&self, site: Site) -> Result<(), PeError> {
        check_width(site.width, site.axes)
    }

    pub(crate) fn init<B: Backend>(&self, site: Site) -> SinusoidKd<B> {
        SinusoidKd { width: site.width, unit_spacing: self.scale == Scale::UnitSpacing, backend: PhantomData }
    }
}

/// A sinusoid of each coordinate, side by side.
///
/// With `k` axes and width `d`, each axis gets `s = 2·floor(d / 2k)` dimensions, the **last axis first**: on a
/// (row, column) grid the first half encodes the column, the last half the row, as in the published code. Within
/// its part, an axis at coordinate `x` has `sin(x / 10000^(2i/s))` at `2i` and the cosine at `2i + 1`. Dimensions
/// left over are 0.
#[derive(Module, Debug)]
pub struct SinusoidKd<B: Backend> {
    width: usize,
    unit_spacing: bool,
    backend: PhantomData<B>,
}

impl<B: Backend> PositionalEncoding<B> for SinusoidKd<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        let given = positions.coords();
        check_width(self.width, given.axes())?;
        let coords = if self.unit_spacing { given.with_unit_spacing() } else { given.clone() };
        let part = 2 * (self.width / (2 * coords.axes()));
        let mut values = vec![0.0; coords.tokens() * self.width];
        for (token, row) in values.chunks_mut(self.width).enumerate() {
            for (part, &x) in row.chunks_mut(part).zip(coords.row(token).iter().rev()) {
                fill_sinusoid(part, x);
            }
        }
        let table = Tensor::from_data(TensorData::new(values, [coords.tokens(), self.width]), device);
        Ok(Placement { table: Some(table), ..Placement::nothing() })
    }

    fn table(&self, _block: usize, placement: &Placement<B>) -> Option<Tensor<B, 2>> {
        placement.table.clone()
    }
}

fn check_width(width: usize, axes: usize) -> Result<(), PeError> {
    if width < 2 * axes {
        let encoding = format!("{axes}d-fixed");
        return Err(PeError::WidthTooSmall { encoding, width, axes, least: 2 * axes });
    }
    Ok(())
}

/// Sines on even, cosines on odd dimensions, base 10000 over the length of `out`.
pub(super) fn fill_sinusoid(out: &mut [f32], x: f64) {
    let width = out.len();
    for (i, pair) in out.chunks_exact_mut(2).enumerate() {
        let angle = x / 10_000f64.powf(2.0 * i as f64 / width as f64);
        pair[0] = angle.sin() as f32;
        pair[1] = angle.cos() as f32;
    }
}
