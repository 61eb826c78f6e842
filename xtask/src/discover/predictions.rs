//! How well masked channels are predicted in frames that no run was trained on, beside what needs no network.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use super::experiment::MASKED;
use super::findings::{arm_of, read};
use crate::report::numbers::summary;

/// A share of the variance below which nothing counts as predicted.
const LEAST_R2: f64 = 0.01;

/// The baseline that also sees the other masked channels: no rival, since it answers another question.
const SEES_MORE: &str = "ridge-all-others";

/// Prediction on the tested frames.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Predictions {
    /// The share of channels masked that the verdict is about.
    pub masked: f64,
    /// Whether any model or rival baseline explains more than `threshold` of the variance there.
    pub is_predictable: bool,
    pub threshold: f64,
    /// Every arm, then every baseline, at every share masked.
    pub scores: Vec<Prediction>,
}

/// Means over runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Prediction {
    /// An arm, or a baseline.
    pub who: String,
    pub is_baseline: bool,
    /// The share of channels masked.
    pub level: String,
    /// Of variance about the training means; null where undefined.
    pub r2: Option<f64>,
    pub mse: Option<f64>,
    /// Runs.
    pub n: usize,
}

/// Whether it is a baseline, who, and the level.
type Key = (bool, String, String);

impl Predictions {
    pub(super) fn of(dirs: &[PathBuf]) -> Result<Self> {
        // In the order in which they were first met.
        let mut order: Vec<Key> = Vec::new();
        let mut values: BTreeMap<Key, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
        let mut add = |key: Key, r2: &Value, mse: &Value| {
            if !order.contains(&key) {
                order.push(key.clone());
            }
            let (r2s, mses) = values.entry(key).or_default();
            r2s.extend(r2.as_f64());
            mses.extend(mse.as_f64());
        };
        for dir in dirs {
            let arm = arm_of(dir)?;
            for line in last_tests(&dir.join("metrics.jsonl"))? {
                let level = line["level"].as_str().unwrap_or_default().to_owned();
                add((false, arm.clone(), level), &line["r2"], &line["loss"]);
            }
            let baselines = read(&dir.join("baselines.json"))?;
            for score in
                baselines["scores"].as_array().into_iter().flatten().filter(|one| one["split"] == "test")
            {
                let word = |key: &str| score[key].as_str().unwrap_or_default().to_owned();
                add((true, word("baseline"), word("level")), &score["r2"], &score["mse"]);
            }
        }
        order.sort_by_key(|(is_baseline, ..)| *is_baseline);
        let scores = order.into_iter().map(|key| {
            let (r2, mse) = values.remove(&key).unwrap_or_default();
            let (is_baseline, who, level) = key;
            let mean = |values: &[f64]| summary(values).map(|summary| summary.mean);
            Prediction { who, is_baseline, level, r2: mean(&r2), mse: mean(&mse), n: mse.len() }
        });
        let mut found =
            Self { masked: MASKED, is_predictable: false, threshold: LEAST_R2, scores: scores.collect() };
        let is_predicted =
            |score: &Prediction| score.who != SEES_MORE && score.r2.is_some_and(|r2| r2 > LEAST_R2);
        let is_predictable = found.at_verdict().any(is_predicted);
        found.is_predictable = is_predictable;
        Ok(found)
    }

    /// The scores at the share masked that the verdict is about.
    pub(crate) fn at_verdict(&self) -> impl Iterator<Item = &Prediction> {
        let level = self.masked.to_string();
        self.scores.iter().filter(move |score| score.level == level)
    }
}

/// The evaluations on the test block after the last epoch, level by level.
fn last_tests(path: &std::path::Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut lines = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let value: Value =
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))?;
        if value["kind"] == "evaluation" && value["split"] == "test" && value["level"] != "all" {
            lines.push(value);
        }
    }
    let last = lines.iter().filter_map(|line| line["step"].as_u64()).max();
    lines.retain(|line| line["step"].as_u64() == last);
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(dir: &std::path::Path, model: f64, baseline: f64) -> PathBuf {
        let run = dir.join(format!("run-{model}"));
        std::fs::create_dir_all(&run).unwrap();
        std::fs::write(run.join("config.toml"), "arm = \"learn-0.1\"\n").unwrap();
        let line = |step: u64, level: &str, r2: f64| {
            format!(
                "{{\"kind\":\"evaluation\",\"split\":\"test\",\"level\":\"{level}\",\"step\":{step},\"r2\":{r2},\"loss\":0.5}}\n"
            )
        };
        let metrics =
            line(0, "0.5", 0.9) + &line(8, "0.5", model) + &line(8, "all", 0.9) + &line(8, "0.9", 0.8);
        std::fs::write(run.join("metrics.jsonl"), metrics).unwrap();
        let score = |name: &str, r2: f64| serde_json::json!({"baseline": name, "split": "test", "level": "0.5", "r2": r2, "mse": 1.0});
        let scores = serde_json::json!({"scores": [score("gaussian", baseline), score(SEES_MORE, 0.7)]});
        std::fs::write(run.join("baselines.json"), scores.to_string()).unwrap();
        run
    }

    /// Neither the model before training, nor another level, nor who sees more makes a recording predictable.
    #[test]
    fn the_last_step_at_the_trained_share_decides() {
        let dir = tempfile::tempdir().unwrap();
        let (nothing, little) = (run(dir.path(), -0.25, 0.0), run(dir.path(), 0.25, 0.004));
        let none = Predictions::of(std::slice::from_ref(&nothing)).unwrap();
        assert!(!none.is_predictable, "{none:?}");
        let names: Vec<&str> = none.at_verdict().map(|score| score.who.as_str()).collect();
        assert_eq!(names, ["learn-0.1", "gaussian", SEES_MORE]);
        assert!(Predictions::of(std::slice::from_ref(&little)).unwrap().is_predictable);
        let both = Predictions::of(&[nothing, little]).unwrap();
        assert_eq!((both.scores[0].r2, both.scores[0].n, both.is_predictable), (Some(0.0), 2, false));
    }
}
