//! The published accuracy by epoch, averaged over the 15 seeds of the authors' logs.

use std::path::Path;

use anyhow::{Context, Result};

/// One row of `datasets/lst/published_accuracy.csv`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Published {
    pub arm: String,
    pub epoch: u64,
    /// `train`, `test`, or `generalization` (there `validation`).
    pub split: String,
    /// `all` (there `average`), or a level.
    pub level: String,
    pub mean: f64,
    pub sd: f64,
    /// Seeds.
    pub n: u64,
}

impl Published {
    /// Of a learned encoding.
    pub(crate) fn sigma(&self) -> Option<f64> {
        self.arm.strip_prefix("learn-")?.parse().ok()
    }
}

/// Reads the file; names become ours.
pub(crate) fn read(path: &Path) -> Result<Vec<Published>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows = text.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty());
    rows.map(|(i, line)| row(line).with_context(|| format!("{}:{}", path.display(), i + 1))).collect()
}

fn row(line: &str) -> Result<Published> {
    let cells: Vec<&str> = line.split(',').collect();
    let [arm, epoch, split, level, mean, sd, n] = cells[..] else {
        anyhow::bail!("expected 7 columns, got {}", cells.len());
    };
    let rename =
        |name: &str, from: &str, to: &str| if name == from { to.to_owned() } else { name.to_owned() };
    Ok(Published {
        arm: rename(arm, "2dpe", "2d-fixed"),
        epoch: epoch.parse()?,
        split: rename(split, "validation", "generalization"),
        level: rename(level, "average", "all"),
        mean: mean.parse()?,
        sd: sd.parse()?,
        n: n.trim().parse()?,
    })
}

/// The published figure of an arm at an epoch, over all levels.
pub(crate) fn at<'a>(rows: &'a [Published], arm: &str, epoch: u64, split: &str) -> Option<&'a Published> {
    rows.iter().find(|row| row.arm == arm && row.epoch == epoch && row.split == split && row.level == "all")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths;

    /// Figures that stand in the project's notes on the paper.
    #[test]
    fn the_published_figures_are_the_known_ones() {
        let rows = read(&paths::root().join("datasets/lst/published_accuracy.csv")).unwrap();
        for (arm, mean) in [("2d-fixed", 0.9765), ("learn-0.2", 0.9556), ("learn-2.0", 0.3772)] {
            let found = at(&rows, arm, 4000, "generalization").unwrap();
            assert!((found.mean - mean).abs() < 1e-4, "{arm}: {}", found.mean);
            assert_eq!(
                (found.n, found.sigma()),
                (15, arm.strip_prefix("learn-").map(|s| s.parse().unwrap()))
            );
        }
    }

    #[test]
    fn a_short_row_is_an_error() {
        assert!(row("2dpe,0,test").unwrap_err().to_string().contains("7 columns"));
    }
}
