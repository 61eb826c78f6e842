//! Where the regions of the stand-in are.

use ndarray::Array2;
use rand::RngExt;
use streams::{Stream, Streams};

use super::StandInConfig;
use crate::fmri::dataset::{Hemisphere, RegionTable};
use crate::fmri::error::{FmriError, Result};

/// Half axes of a brain in mm: right, anterior, superior.
const HALF_AXES: [f64; 3] = [62.0, 82.0, 58.0];
/// Its centre in MNI space, mm.
const CENTRE: [f64; 3] = [0.0, -18.0, 8.0];
/// Shares of the half axes between which regions of the shell and inner regions lie.
const SHELL: std::ops::Range<f64> = 0.7..1.0;
const INNER: std::ops::Range<f64> = 0.12..0.45;
/// The least distance from the plane between the hemispheres, mm.
const MIDLINE: f64 = 5.0;
/// The least distance of regions of one hemisphere for 47 of them, mm; of more it shrinks with the volume of each.
const APART: f64 = 11.0;
/// Places that are tried for one region.
const TRIES: usize = 100_000;

/// Places and kinds of regions: pair `p` is `2p` on the left and `2p + 1` on the right.
pub(super) struct Layout {
    places: Vec<[f64; 3]>,
    pub(super) cortical: Vec<bool>,
}

/// Draws the regions of the left hemisphere and mirrors them, those of the shell first.
pub(super) fn layout(config: &StandInConfig, streams: &Streams) -> Result<Layout> {
    let mut rng = streams.rng_for(Stream::Data, "stand-in/places");
    let apart = APART * (47.0 / config.pairs as f64).cbrt().min(1.0);
    let shell = config.pairs - config.inner_pairs;
    let mut left: Vec<[f64; 3]> = Vec::new();
    for pair in 0..config.pairs {
        let within = if pair < shell { SHELL } else { INNER };
        let mut draw = || {
            let unit: [f64; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
            let radius = unit.iter().map(|u| u * u).sum::<f64>().sqrt();
            let mut place: [f64; 3] = std::array::from_fn(|axis| unit[axis] * HALF_AXES[axis]);
            place[0] = -place[0].abs();
            let free = left.iter().all(|other| squared(&place, other) >= apart * apart);
            (within.contains(&radius) && place[0] <= -MIDLINE && free).then_some(place)
        };
        let place = (0..TRIES).find_map(|_| draw()).ok_or_else(|| {
            let got = format!("{} of the {} pairs", pair, config.pairs);
            FmriError::setting("stand_in.pairs", "as many as find room, fewer of them inner ones", got)
        })?;
        left.push(place);
    }
    let moved = |place: &[f64; 3], side: f64| {
        let place = [place[0] * side, place[1], place[2]];
        std::array::from_fn(|axis| round(place[axis] + CENTRE[axis]))
    };
    let places = left.iter().flat_map(|place| [moved(place, 1.0), moved(place, -1.0)]).collect();
    let cortical = (0..config.pairs).flat_map(|pair| [pair < shell; 2]).collect();
    Ok(Layout { places, cortical })
}

impl Layout {
    pub(super) fn squared_distance(&self, i: usize, j: usize) -> f64 {
        squared(&self.places[i], &self.places[j])
    }

    /// The table of regions, named `P01_L`, `P01_R`, `P02_L` and so on.
    pub(super) fn table(&self) -> RegionTable {
        let width = (self.places.len() / 2).to_string().len().max(2);
        let name = |region: usize| {
            format!("P{:0width$}_{}", region / 2 + 1, if region.is_multiple_of(2) { "L" } else { "R" })
        };
        let names: Vec<String> = (0..self.places.len()).map(name).collect();
        let coordinates = Array2::from_shape_fn((self.places.len(), 3), |(i, axis)| self.places[i][axis]);
        RegionTable {
            hemispheres: names.iter().map(|name| Hemisphere::of_name(name)).collect(),
            names,
            coordinates: Some(coordinates),
            networks: None,
            cortical: Some(self.cortical.clone()),
        }
    }
}

/// To a hundredth of a millimetre, so that a table of places is short.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn squared(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
