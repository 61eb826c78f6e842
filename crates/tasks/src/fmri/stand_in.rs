//! Recordings with planted places, for whoever has no scans at hand: **no brain, and no evidence about one**.
//!
//! Regions are mirrored pairs in an ellipsoid of the size of a brain, most of them in its outer shell. Coupling falls
//! with distance; pairs of one name in both hemispheres are coupled as well, and so are some distant ones, chosen at
//! random. The activity is that of the project's rate dynamics (`tasks::network`) on this coupling, and a slow common
//! signal that reaches regions more or less. The settings were chosen by what is known of the open recordings (how well
//! the global mean, the nearest region, the counterpart and ridge regression predict a region, and how correlation
//! falls with distance), never by what a trained model then shows; `tasks fmri stats` prints both side by side.

mod config;
mod layout;

use ndarray::Array2;
use rand::RngExt;
use rand_distr::StandardNormal;
use streams::{Stream, Streams};

pub use config::StandInConfig;

use super::FmriError;
use super::dataset::{Subject, SubjectSet};
use super::error::Result;
use crate::network::{Coupling, NetworkError, Operator, simulate};
use layout::{Layout, layout};

/// Synthetic recordings of these settings: the same settings and seed give the same bytes. Places come from the
/// sub-stream `stand-in/places` of `data`, distant couplings from `stand-in/coupling`, how far the common signal reaches
/// from `stand-in/reach`, and of each subject noise and common signal from `stand-in/noise/N` and `stand-in/common/N`.
///
/// # Errors
/// If a setting is not valid, the regions find no room, or the dynamics run away.
pub fn stand_in(config: &StandInConfig, streams: &Streams) -> Result<SubjectSet> {
    config.validate()?;
    let layout = layout(config, streams)?;
    let coupling = coupling(config, &layout, streams)?;
    let dynamics = config.dynamics();
    dynamics.check(&coupling).map_err(unstable)?;
    let operator = Operator::new(&coupling, dynamics.storage);
    let reach = reach(config, &layout, streams);
    let subject = |number: usize| {
        let label = |what: &str| format!("stand-in/{what}/{number}");
        let mut noise = streams.rng_for(Stream::Data, &label("noise"));
        let own = simulate(&operator, &dynamics, config.frames, &mut noise).map_err(unstable)?;
        let common = common_signal(config, streams, &label("common"));
        let width = config.subjects.to_string().len();
        let name = format!("subject-{:0width$}", number + 1);
        Ok(Subject { name, series: mixed(own.mapv(f64::from), &common, &reach) })
    };
    let subjects = (0..config.subjects).map(subject).collect::<Result<Vec<Subject>>>()?;
    Ok(SubjectSet::new(subjects, Some(layout.table()), None)?.marked_synthetic(true))
}

/// Rows add up to 1. Before that, in units of the sum of what falls with distance: `homotopic` to the counterpart,
/// and `distant` spread over the partners that were drawn, the same in both hemispheres.
fn coupling(config: &StandInConfig, layout: &Layout, streams: &Streams) -> Result<Coupling> {
    let (regions, pairs) = (2 * config.pairs, config.pairs);
    let near =
        |i: usize, j: usize| (-layout.squared_distance(i, j) / (2.0 * config.length * config.length)).exp();
    let mut weights =
        Array2::from_shape_fn((regions, regions), |(i, j)| if i == j { 0.0 } else { near(i, j) });
    scale_rows(&mut weights);
    for region in 0..regions {
        weights[[region, region ^ 1]] += config.homotopic;
    }
    let mut rng = streams.rng_for(Stream::Data, "stand-in/coupling");
    let share = config.distant / (2.0 * StandInConfig::DISTANT as f64);
    for pair in 0..pairs {
        for other in rand::seq::index::sample(&mut rng, pairs - 1, StandInConfig::DISTANT.min(pairs - 1)) {
            let other = if other >= pair { other + 1 } else { other };
            for side in 0..2 {
                weights[[2 * pair + side, 2 * other + side]] += share;
                weights[[2 * other + side, 2 * pair + side]] += share;
            }
        }
    }
    scale_rows(&mut weights);
    Coupling::from_dense(&weights).map_err(unstable)
}

fn scale_rows(weights: &mut Array2<f64>) {
    for mut row in weights.rows_mut() {
        let sum = row.sum();
        row /= sum;
    }
}

/// How strongly the common signal reaches each region, in units of the activity's own standard deviation: log-normal,
/// the same in both hemispheres, and weak in inner regions.
fn reach(config: &StandInConfig, layout: &Layout, streams: &Streams) -> Vec<f64> {
    let mut rng = streams.rng_for(Stream::Data, "stand-in/reach");
    let of_pair = |pair: usize| {
        let factor = (config.spread * rng.sample::<f64, _>(StandardNormal)).exp();
        let inner = if layout.cortical[2 * pair] { 1.0 } else { config.inner };
        [config.common * factor * inner; 2]
    };
    (0..config.pairs).flat_map(of_pair).collect()
}

/// An autoregressive signal of variance 1.
fn common_signal(config: &StandInConfig, streams: &Streams, label: &str) -> Vec<f64> {
    let mut rng = streams.rng_for(Stream::Data, label);
    let keep = config.memory;
    let mut now = rng.sample::<f64, _>(StandardNormal);
    let mut signal = Vec::with_capacity(config.frames);
    for _ in 0..config.frames {
        signal.push(now);
        now = keep * now + (1.0 - keep * keep).sqrt() * rng.sample::<f64, _>(StandardNormal);
    }
    signal
}

/// The activity in units of its standard deviation over all regions, and the common signal on top.
fn mixed(mut own: Array2<f64>, common: &[f64], reach: &[f64]) -> Array2<f64> {
    let scale = own.std(0.0);
    for (mut frame, common) in own.rows_mut().into_iter().zip(common) {
        frame.iter_mut().zip(reach).for_each(|(value, reach)| {
            // Single precision, so that a file of it is the same in either.
            *value = f64::from((*value / scale + reach * common) as f32);
        });
    }
    own
}

fn unstable(problem: NetworkError) -> FmriError {
    FmriError::setting("stand_in", "settings at which the dynamics are bounded", problem)
}
