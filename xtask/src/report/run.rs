//! What a report needs of a run directory.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use crate::sha256;

/// One finished and probed run.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub dir: PathBuf,
    /// `manifest.json`.
    pub manifest: Value,
    /// `probe.json`.
    pub probe: Value,
    /// `config.toml`.
    pub config: toml::Table,
    pub experiment: String,
    /// Which of the experiment's groups of runs, where it has several.
    pub variant: Option<String>,
    pub arm: String,
    pub seed: u64,
    pub scale: String,
    pub sigma: Option<f64>,
    pub config_hash: String,
    /// The evaluations of `metrics.jsonl`, in the order written.
    pub scores: Vec<Score>,
    /// The looks at the encoding of `metrics.jsonl`.
    pub looks: Vec<Look>,
}

/// An evaluation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Score {
    pub epoch: u64,
    pub step: u64,
    pub split: String,
    pub level: String,
    /// A fraction; NaN where the task has none.
    pub accuracy: f64,
    /// NaN where it was not finite.
    pub loss: f64,
    pub n: u64,
}

/// A look at a table of the encoding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Look {
    pub epoch: u64,
    pub step: u64,
    pub table: String,
    pub rms: f64,
    pub change_rms: f64,
    pub effective_rank: f64,
    pub token_rms: f64,
}

/// How far a directory has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Training goes on, or was stopped.
    Unfinished,
    /// Trained, without `probe.json`.
    Unprobed,
    /// All there.
    Ready,
}

/// How far the run in a directory has come.
pub(super) fn state(dir: &Path) -> Result<State> {
    let manifest = json(&dir.join("manifest.json"))?;
    Ok(if manifest["status"] != "complete" {
        State::Unfinished
    } else if dir.join("probe.json").is_file() {
        State::Ready
    } else {
        State::Unprobed
    })
}

impl Run {
    pub(super) fn read(dir: &Path) -> Result<Self> {
        let (manifest, probe) = (json(&dir.join("manifest.json"))?, json(&dir.join("probe.json"))?);
        let config = toml(&dir.join("config.toml"))?;
        let (mut scores, mut looks) = (Vec::new(), Vec::new());
        let metrics = dir.join("metrics.jsonl");
        for (index, line) in text(&metrics)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let place = || format!("{}:{}", metrics.display(), index + 1);
            let value: Value = serde_json::from_str(line).with_context(place)?;
            match value["kind"].as_str() {
                Some("evaluation") => scores.push(score(&value).with_context(place)?),
                Some("encoding") => looks.push(look(&value).with_context(place)?),
                _ => {}
            }
        }
        anyhow::ensure!(
            !scores.is_empty(),
            "{}: expected lines of kind `evaluation`, got none: copy the file again, or train the run again",
            metrics.display()
        );
        let of = &probe["run"];
        let word = |key: &str| {
            let missing = || {
                format!("{}: `run.{key}` is missing: probe the run again", dir.join("probe.json").display())
            };
            of[key].as_str().map(str::to_owned).with_context(missing)
        };
        let run = Self {
            dir: dir.to_owned(),
            experiment: word("experiment")?,
            variant: of["variant"].as_str().map(str::to_owned),
            arm: word("arm")?,
            seed: of["seed"].as_u64().context("probe.json: `run.seed` is missing: probe the run again")?,
            scale: word("scale")?,
            sigma: of["sigma"].as_f64(),
            config_hash: word("config_hash")?,
            manifest,
            probe,
            config,
            scores,
            looks,
        };
        let trained = run.manifest["config_hash"].as_str().unwrap_or_default();
        anyhow::ensure!(
            trained == run.config_hash,
            "{}: probe.json is of config {}, the run of {trained}: probe the run again",
            dir.display(),
            run.config_hash
        );
        Ok(run)
    }

    /// Which runs it may be compared with: the hash of all that its config says, save what an arm or a seed
    /// is, and
    /// where its data lay.
    pub(super) fn protocol(&self) -> String {
        let mut config = self.config.clone();
        config.remove("arm");
        let mut table = |name: &str, keys: &[&str]| {
            if let Some(table) = config.get_mut(name).and_then(toml::Value::as_table_mut) {
                keys.iter().for_each(|key| drop(table.remove(*key)));
            }
        };
        table("seeds", &["seed"]);
        // c-nope is nope with a causal mask.
        table("model", &["encoding", "causal"]);
        table("task", &["puzzles", "folder", "files", "regions", "description"]);
        // Tables of `toml` are sorted by key.
        sha256(config.to_string().as_bytes())[..6].to_owned()
    }

    /// A word of the manifest, or a question mark.
    pub(super) fn said(&self, key: &str) -> &str {
        self.manifest[key].as_str().unwrap_or("?")
    }

    /// Wall time of the training.
    pub(super) fn seconds(&self) -> f64 {
        self.manifest["seconds"].as_f64().unwrap_or(f64::NAN)
    }

    /// Where it ran: device, threads, features of the CPU.
    pub(super) fn machine(&self) -> String {
        let features = self.manifest["cpu_features"].as_array().into_iter().flatten();
        let features = features.filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
        let threads = self.manifest["threads"].as_u64().unwrap_or(1);
        let features = if features.is_empty() { features } else { format!(" ({features})") };
        format!("{}, {threads} thread{}{features}", self.said("device"), if threads == 1 { "" } else { "s" })
    }

    /// The evaluations of a split at a level.
    pub(super) fn of<'a>(&'a self, split: &'a str, level: &'a str) -> impl Iterator<Item = &'a Score> {
        self.scores.iter().filter(move |score| score.split == split && score.level == level)
    }

    /// The last accuracy on a split at a level.
    pub(super) fn accuracy(&self, split: &str, level: &str) -> Option<f64> {
        self.of(split, level).last().map(|score| score.accuracy).filter(|accuracy| accuracy.is_finite())
    }

    /// The accuracy on a split after an epoch; of a run that has ended before, its last one.
    pub(super) fn accuracy_at(&self, epoch: u64, split: &str) -> Option<f64> {
        let last = self.of(split, "all").last().filter(|score| score.epoch <= epoch);
        self.of(split, "all").find(|score| score.epoch == epoch).or(last).map(|score| score.accuracy)
    }
}

fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

pub(super) fn json(path: &Path) -> Result<Value> {
    serde_json::from_str(&text(path)?).with_context(|| format!("{}: not JSON", path.display()))
}

/// What is wrong with TOML stands in one line, as `probe` says it.
fn toml(path: &Path) -> Result<toml::Table> {
    let text = text(path)?;
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().map_or("", |span| &text[..span.start.min(text.len())]);
        let line = before.matches('\n').count() + 1;
        let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        anyhow!("{}, line {line}: expected TOML, got: {message}", path.display())
    })
}

fn score(value: &Value) -> Option<Score> {
    Some(Score {
        epoch: value["epoch"].as_u64()?,
        step: value["step"].as_u64()?,
        split: value["split"].as_str()?.to_owned(),
        level: value["level"].as_str()?.to_owned(),
        accuracy: value["accuracy"].as_f64().unwrap_or(f64::NAN),
        loss: value["loss"].as_f64().unwrap_or(f64::NAN),
        n: value["n"].as_u64()?,
    })
}

fn look(value: &Value) -> Option<Look> {
    let number = |key: &str| value[key].as_f64().unwrap_or(f64::NAN);
    Some(Look {
        epoch: value["epoch"].as_u64()?,
        step: value["step"].as_u64()?,
        table: value["table"].as_str()?.to_owned(),
        rms: number("rms"),
        change_rms: number("change_rms"),
        effective_rank: number("effective_rank"),
        token_rms: number("token_rms"),
    })
}
