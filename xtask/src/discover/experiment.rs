//! The experiment that a recording is asked: two halves of its time, tables that start small and large, some seeds each.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use toml::{Table, Value};

use super::{Channels, at_least_one};

/// σ of the arm that decides.
pub(crate) const SMALL: f64 = 0.1;

/// σ of the arm beside it.
pub(crate) const LARGE: f64 = 2.0;

/// The share of each recording, its end, to test on.
pub(super) const TEST_FRACTION: f64 = 0.15;

/// The name of the one scale in the file: none that a paper's claim could be judged at.
pub(super) const SCALE: &str = "custom";

/// The share of channels that is masked while training, and that the verdict on prediction is about.
pub(super) const MASKED: f64 = 0.5;

/// Items a step.
const BATCH: u64 = 64;

/// How large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scale {
    /// Seconds: a small model, a few hundred steps, one seed a half
    Smoke,
    /// Minutes for some 100 channels: two seeds a half
    Quick,
    /// Six seeds a half, four times the steps
    Standard,
}

/// What is trained.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Settings {
    pub scale: Scale,
    /// Seeds of each half.
    pub seeds: u64,
    /// The first of them; the first half has the first ones.
    pub first_seed: u64,
    /// Optimizer steps of a run.
    pub steps: u64,
    /// Autocorrelation times in a gap.
    pub gap: f64,
    pub test_fraction: f64,
    pub sigma: [f64; 2],
}

/// The user's files and how to read them.
pub(super) struct Own<'a> {
    pub series: &'a [PathBuf],
    pub regions: &'a Path,
    pub parcels_by_frames: bool,
    pub variable: Option<&'a str>,
}

impl Settings {
    pub(super) fn of(scale: Scale, seeds: Option<u64>, steps: Option<u64>, gap: f64) -> Result<Self> {
        let (usual_seeds, usual_steps) = match scale {
            Scale::Smoke => (1, 300),
            Scale::Quick => (2, 1200),
            Scale::Standard => (6, 4800),
        };
        Ok(Self {
            scale,
            seeds: at_least_one("--seeds", seeds.unwrap_or(usual_seeds))?,
            steps: at_least_one("--steps", steps.unwrap_or(usual_steps))?,
            first_seed: 1,
            gap,
            test_fraction: TEST_FRACTION,
            sigma: [SMALL, LARGE],
        })
    }

    /// Width, hidden width, blocks, learning rate.
    fn model(&self) -> (i64, i64, Option<i64>, f64) {
        match self.scale {
            Scale::Smoke => (32, 64, Some(2), 3e-3),
            _ => (64, 256, None, 1e-3),
        }
    }
}

/// The name of the arm of a σ.
pub(super) fn arm(sigma: f64) -> String {
    format!("learn-{sigma:?}")
}

/// The experiment as TOML, for `train plan`.
pub(super) fn text(settings: &Settings, channels: &Channels, own: &Own) -> Result<String> {
    let (width, hidden, blocks, lr) = settings.model();
    let mut model = vec![("preset", "clean".into()), ("width", width.into()), ("hidden", hidden.into())];
    model.extend(blocks.map(|blocks| ("blocks", blocks.into())));
    let frames = |half: usize| channels.recordings.iter().map(|one| one.halves[half]).sum::<u64>();
    // Steps bound the runs, not epochs: a short recording is passed through more often.
    let steps_an_epoch = frames(0).min(frames(1)).div_ceil(BATCH).max(1);
    let epochs = settings.steps.div_ceil(steps_an_epoch);
    let variant = |half: i64| {
        let block = table(vec![("index", half.into()), ("of", 2.into())]);
        table(vec![("task", table(vec![("masked", table(vec![("block", block)]))]))])
    };
    // No seed in both halves: runs of one seed start from the same table, and would agree before any training.
    let count = i64::try_from(settings.seeds).context("--seeds is too large")?;
    let first = i64::try_from(settings.first_seed).context("--seed is too large")?;
    let last = count.checked_mul(2).and_then(|all| first.checked_add(all)).context("--seed is too large")?;
    let middle = last - count;
    let seeds = |half: i64| {
        let own = if half == 0 { first..middle } else { middle..last };
        Value::from(own.collect::<Vec<i64>>())
    };
    let group = |name: &str, half: i64| table(vec![("variant", name.into()), ("seeds", seeds(half))]);
    let stop = table(vec![("epochs", number(epochs)?), ("steps", number(settings.steps)?)]);
    let scale = table(vec![
        ("sigma", settings.sigma.to_vec().into()),
        ("seeds", seeds(0)),
        ("groups", Value::Array(vec![group("first", 0), group("second", 1)])),
        ("set", table(vec![("stop", stop)])),
    ]);
    let whole = table(vec![
        ("schema", 1.into()),
        ("name", "discover".into()),
        (
            "base",
            table(vec![
                ("batch", number(BATCH)?),
                ("model", table(model)),
                ("seeds", table(vec![("pins", table(vec![("data", 1.into()), ("split", 1.into())]))])),
                ("task", task(settings, channels.channels, own)?),
                (
                    "optimizer",
                    table(vec![("kind", "adam-w".into()), ("lr", lr.into()), ("weight_decay", 0.0.into())]),
                ),
                ("record", table(vec![("evaluate_every", number(epochs.div_ceil(8))?)])),
            ]),
        ),
        ("variants", table(vec![("first", variant(0)), ("second", variant(1))])),
        ("scales", table(vec![(SCALE, scale)])),
    ]);
    toml::to_string(&whole).context("the experiment as TOML")
}

fn task(settings: &Settings, channels: usize, own: &Own) -> Result<Value> {
    let path = |path: &Path| -> Result<Value> {
        let whole = std::path::absolute(path).with_context(|| path.display().to_string())?;
        let text = whole.to_str().with_context(|| format!("{}: not UTF-8, rename it", path.display()))?;
        Ok(text.into())
    };
    let mut description = vec![("parcels_by_frames", own.parcels_by_frames.into())];
    description.extend(own.variable.map(|name| ("variable", name.into())));
    let masked = table(vec![
        ("mask", table(vec![("fixed", MASKED.into())])),
        ("batch", number(BATCH)?),
        ("held_out", table(vec![("count", 0.into())])),
        ("test_fraction", settings.test_fraction.into()),
        ("gap", table(vec![("autocorrelation_times", settings.gap.into())])),
        ("standardize", "subject".into()),
        ("evaluation", table(vec![("fractions", fractions(channels).into()), ("most_items", 256.into())])),
    ]);
    let files = own.series.iter().map(|file| path(file)).collect::<Result<Vec<_>>>()?;
    Ok(table(vec![
        ("kind", "recordings".into()),
        ("files", Value::Array(files)),
        ("regions", path(own.regions)?),
        ("description", table(description)),
        ("masked", masked),
    ]))
}

/// The shares that are tested: those that mask some of so many channels, and not all.
fn fractions(channels: usize) -> Vec<f64> {
    let fits = |fraction: &f64| {
        let masked = (fraction * channels as f64).round() as usize;
        (1..channels).contains(&masked)
    };
    [0.15, MASKED, 0.9].into_iter().filter(fits).collect()
}

fn table(pairs: Vec<(&str, Value)>) -> Value {
    Value::Table(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Table>())
}

fn number(value: u64) -> Result<Value> {
    Ok(i64::try_from(value).with_context(|| format!("{value} is too large"))?.into())
}

#[cfg(test)]
mod tests {
    use super::super::Recording;
    use super::*;

    fn made(scale: Scale, frames: u64) -> Table {
        let settings = Settings::of(scale, None, None, 5.0).unwrap();
        let recording = |name: &str| Recording {
            name: name.to_owned(),
            frames: 3 * frames,
            autocorrelation_time: 1.0,
            trend: 0.0,
            halves: [frames, frames],
            test: 100,
        };
        let names = (0..12).map(|i| format!("c{i}")).collect();
        let recordings = vec![recording("a"), recording("b")];
        let channels = Channels { channels: 12, names, axes: None, networks: None, recordings };
        let series = [PathBuf::from("a.csv"), PathBuf::from("b.csv")];
        let own = Own {
            series: &series,
            regions: Path::new("r.csv"),
            parcels_by_frames: true,
            variable: Some("x"),
        };
        text(&settings, &channels, &own).unwrap().parse().unwrap()
    }

    /// Runs of both halves that shared a seed would start alike, and agree without having learned anything.
    #[test]
    fn halves_share_no_seed() {
        for scale in [Scale::Smoke, Scale::Quick, Scale::Standard] {
            let groups = made(scale, 500)["scales"][SCALE]["groups"].clone();
            let groups = groups.as_array().unwrap().clone();
            let seeds = |i: usize| groups[i]["seeds"].as_array().unwrap().clone();
            assert!(!seeds(0).is_empty() && seeds(0).len() == seeds(1).len());
            assert!(seeds(0).iter().all(|seed| !seeds(1).contains(seed)), "{groups:?}");
        }
    }

    /// Steps bound a run: 2 x 500 frames are 16 batches of 64.
    #[test]
    fn a_short_recording_is_passed_through_more_often() {
        let stop = |frames| made(Scale::Quick, frames)["scales"][SCALE]["set"]["stop"].clone();
        assert_eq!(
            (stop(500)["epochs"].as_integer(), stop(500)["steps"].as_integer()),
            (Some(75), Some(1200))
        );
        assert_eq!(stop(20)["epochs"].as_integer(), Some(1200));
    }

    #[test]
    fn shares_that_mask_none_or_all_are_not_tested() {
        assert_eq!((fractions(12), fractions(100)), (vec![0.15, 0.5, 0.9], vec![0.15, 0.5, 0.9]));
        assert_eq!(fractions(3), [0.5]);
    }
}
