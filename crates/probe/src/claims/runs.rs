//! The runs that claims are judged on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Claim;
use crate::report::ProbeReport;
use crate::run_dir::{InputError, Manifest, Scale};

/// One probed run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its directory.
    pub path: PathBuf,
    /// Its numbers.
    pub report: ProbeReport,
}

/// Probed runs of one scale, at most one for each experiment, group, arm and seed.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    scale: Option<Scale>,
    runs: Vec<Run>,
}

impl Runs {
    /// Reads `probe.json` of every directory. With `scale`, other runs are passed over; without, all must be
    /// of one scale. The same run given twice counts once; the same arm and seed with another config is an
    /// error.
    pub fn read(paths: &[PathBuf], scale: Option<Scale>) -> Result<Self, InputError> {
        let mut kept = Self { scale, runs: Vec::new() };
        let mut seen = BTreeMap::new();
        for path in paths {
            let run = Run::read(path)?;
            let identity = &run.report.run;
            if scale.is_some_and(|scale| scale != identity.scale) {
                continue;
            }
            let common = *kept.scale.get_or_insert(identity.scale);
            if common != identity.scale {
                return Err(wrong(
                    path,
                    "scale",
                    &format!("`{common}`, as before"),
                    &format!("`{}`", identity.scale),
                    "name the scale with --scale",
                ));
            }
            let group = (identity.experiment.clone(), identity.variant.clone());
            let key = (group, identity.arm.clone(), identity.seed);
            match seen.insert(key, (identity.config_hash.clone(), path)) {
                None => kept.runs.push(run),
                Some((hash, _)) if hash == identity.config_hash => {}
                Some((hash, other)) => {
                    let place = format!("arm `{}`, seed {}", identity.arm, identity.seed);
                    let expected = format!("one config ({hash}, as in {})", other.display());
                    return Err(wrong(
                        path,
                        &place,
                        &expected,
                        &identity.config_hash,
                        "leave one of the two out",
                    ));
                }
            }
        }
        Ok(kept)
    }

    /// The scale of all runs; `None` when there are none.
    pub fn scale(&self) -> Option<Scale> {
        self.scale
    }

    /// The runs that a claim is judged on, of its experiment and group, in the order given.
    pub fn of_claim<'a>(&'a self, claim: &'a Claim) -> impl Iterator<Item = &'a ProbeReport> {
        let is_its = |report: &&ProbeReport| {
            report.run.experiment == claim.experiment && report.run.variant == claim.variant
        };
        self.runs.iter().map(|run| &run.report).filter(is_its)
    }

    /// Where the data of a claim's runs are from, each once: `files`, `generated`.
    pub fn sources(&self, claim: &Claim) -> Vec<String> {
        let sources = self.of_claim(claim).map(|report| report.run.dataset.source.clone());
        sources.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// How many different data sets a claim's runs were trained on.
    pub fn data_sets(&self, claim: &Claim) -> usize {
        self.of_claim(claim).map(|report| &report.run.dataset.sha256).collect::<BTreeSet<_>>().len()
    }

    /// The runs of one arm by seed.
    pub fn of_arm<'a>(&'a self, claim: &'a Claim, arm: &str) -> BTreeMap<u64, &'a ProbeReport> {
        self.of_claim(claim)
            .filter(|report| report.run.arm == arm)
            .map(|report| (report.run.seed, report))
            .collect()
    }
}

impl Run {
    /// Reads `probe.json` of a directory.
    ///
    /// # Errors
    /// If it is missing, of another shape or schema, or of another config than `manifest.json`.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let file = path.join("probe.json");
        if !file.exists() {
            let remedy = format!("run `probe run {}` first", path.display());
            return Err(wrong(path, "probe.json", "a file", "none", &remedy));
        }
        let report = ProbeReport::read(&file)?;
        let manifest = Manifest::read(&path.join("manifest.json"))?;
        if manifest.config_hash != report.run.config_hash {
            let remedy = format!("the run has changed since: run `probe run {}` again", path.display());
            return Err(wrong(
                &file,
                "run.config_hash",
                &manifest.config_hash,
                &report.run.config_hash,
                &remedy,
            ));
        }
        Ok(Self { path: path.to_owned(), report })
    }
}

fn wrong(path: &Path, place: &str, expected: &str, got: &str, remedy: &str) -> InputError {
    InputError::Value {
        path: path.to_owned(),
        place: place.to_owned(),
        expected: expected.to_owned(),
        got: got.to_owned(),
        remedy: remedy.to_owned(),
    }
}
