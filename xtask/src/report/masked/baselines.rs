//! What is reached without a network: `baselines.json`.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::report::numbers::summary;
use crate::report::run::Run;
use crate::report::series::Series;

/// The content of the file.
#[derive(Debug, Clone, Deserialize)]
struct File {
    scores: Vec<Score>,
}

/// One baseline on one level of a split.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Score {
    pub baseline: String,
    pub split: String,
    pub level: String,
    pub mse: Option<f64>,
}

/// The means over the runs of a series; their masks differ by seed, so the scores do a little.
#[derive(Debug, Clone, Default)]
pub(super) struct Baselines {
    scores: Vec<Score>,
}

impl Baselines {
    pub(super) fn of(series: &Series) -> Result<Self> {
        let mut scores = Vec::new();
        for run in &series.runs {
            scores.extend(read(run)?);
        }
        Ok(Self { scores })
    }

    /// The names, in the order written.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for score in &self.scores {
            if !names.contains(&score.baseline) {
                names.push(score.baseline.clone());
            }
        }
        names
    }

    pub(super) fn mse(&self, baseline: &str, split: &str, level: &str) -> Option<f64> {
        let its = |s: &&Score| s.baseline == baseline && s.split == split && s.level == level;
        let values: Vec<f64> = self.scores.iter().filter(its).filter_map(|score| score.mse).collect();
        Some(summary(&values)?.mean)
    }
}

fn read(run: &Run) -> Result<Vec<Score>> {
    let path = run.dir.join("baselines.json");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let file: File = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
    Ok(file.scores)
}
