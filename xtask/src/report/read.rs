//! What a report needs of a run directory.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// One run.
pub(super) struct RunResult {
    pub arm: String,
    pub seed: u64,
    pub code_version: String,
    pub device: String,
    pub cpu_features: String,
    pub finished: String,
    pub seconds: f64,
    /// `probe.json`.
    pub probe: Value,
    /// The lines of `metrics.jsonl`.
    pub scores: Vec<Score>,
}

/// An evaluation line.
pub(super) struct Score {
    pub epoch: u64,
    pub step: u64,
    pub split: String,
    pub level: String,
    pub accuracy: f64,
    pub loss: f64,
    pub n: u64,
}

impl RunResult {
    pub(super) fn read(dir: &Path) -> Result<Self> {
        let read = |name: &str| {
            let path = dir.join(name);
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
        };
        let json = |name: &str| -> Result<Value> {
            serde_json::from_str(&read(name)?).with_context(|| dir.join(name).display().to_string())
        };
        let (manifest, probe) = (json("manifest.json")?, json("probe.json")?);
        let text = |key: &str| manifest[key].as_str().unwrap_or("?").to_owned();
        let features = manifest["cpu_features"].as_array().into_iter().flatten();
        Ok(Self {
            arm: probe["run"]["arm"].as_str().unwrap_or("?").to_owned(),
            seed: probe["run"]["seed"].as_u64().unwrap_or(0),
            code_version: text("code_version"),
            device: text("device"),
            cpu_features: features.filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            finished: text("finished"),
            seconds: manifest["seconds"].as_f64().unwrap_or(0.0),
            probe,
            scores: read("metrics.jsonl")?.lines().filter_map(score).collect(),
        })
    }

    /// The last accuracy on a split at a level.
    pub(super) fn last(&self, split: &str, level: &str) -> Option<f64> {
        self.of(split, level).last().map(|score| score.accuracy)
    }

    /// The accuracy on a split after an epoch; of a run that has ended before, its last one.
    pub(super) fn at(&self, epoch: u64, split: &str) -> Option<f64> {
        let last = self.of(split, "all").last().filter(|score| score.epoch <= epoch);
        self.of(split, "all").find(|score| score.epoch == epoch).or(last).map(|score| score.accuracy)
    }

    fn of<'a>(&'a self, split: &'a str, level: &'a str) -> impl Iterator<Item = &'a Score> {
        self.scores.iter().filter(move |score| score.split == split && score.level == level)
    }
}

fn score(line: &str) -> Option<Score> {
    let value: Value = serde_json::from_str(line).ok()?;
    if value["kind"] != "evaluation" {
        return None;
    }
    Some(Score {
        epoch: value["epoch"].as_u64()?,
        step: value["step"].as_u64()?,
        split: value["split"].as_str()?.to_owned(),
        level: value["level"].as_str()?.to_owned(),
        accuracy: value["accuracy"].as_f64()?,
        loss: value["loss"].as_f64()?,
        n: value["n"].as_u64()?,
    })
}

/// The arms of a set of runs, in the order of their first run.
pub(super) fn arms(runs: &[RunResult]) -> Vec<&str> {
    let mut arms: Vec<&str> = Vec::new();
    for run in runs {
        if !arms.contains(&run.arm.as_str()) {
            arms.push(&run.arm);
        }
    }
    arms
}

/// The runs of an arm.
pub(super) fn of_arm<'a>(runs: &'a [RunResult], arm: &'a str) -> impl Iterator<Item = &'a RunResult> {
    runs.iter().filter(move |run| run.arm == arm)
}
