//! What runs on a recording say: the content of `discover.json`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use super::experiment::{LARGE, SMALL, arm};
use super::predictions::Predictions;
use super::{Channels, Recording, Settings};
use crate::report::numbers::summary;

/// The level at which a verdict says that there is something.
pub(crate) const LEVEL: f64 = 0.01;

/// Everything that is found.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Findings {
    pub schema: u32,
    pub name: String,
    /// The files.
    pub series: Vec<String>,
    pub channels: usize,
    /// Axes of known places.
    pub axes: Option<usize>,
    pub recordings: Vec<Recording>,
    pub settings: Settings,
    pub level: f64,
    pub verdict: Verdict,
    pub predictions: Predictions,
    /// The arm that starts small, which decides, then the one that starts large.
    pub arms: Vec<ArmFindings>,
    /// The same in words.
    pub words: Vec<String>,
}

/// The answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    /// Whether masked channels can be predicted at all.
    pub is_predictable: bool,
    /// Do tables of the two halves agree?
    pub geometry: Found,
    /// Do the tables agree with the places? Null where these are not known.
    pub coordinates: Option<Found>,
}

/// An answer at the level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Found {
    Found,
    None,
}

/// One σ.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ArmFindings {
    pub arm: String,
    pub sigma: f64,
    pub runs: usize,
    /// Tables of one half against those of the other: `variants` of `probe agreement`.
    pub halves: Value,
    /// Seeds of one half against each other, beside untrained tables: `seeds` of `probe agreement`.
    pub seeds: Value,
    pub coordinates: Option<Coordinates>,
    pub labels: Option<Labels>,
}

/// Tables against known places.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Coordinates {
    /// Bias-corrected squared distance correlation, mean over runs.
    pub dcor: f64,
    /// Of each run.
    pub values: Vec<f64>,
    /// Of each run, from permuted channels.
    pub p_values: Vec<f64>,
    /// Twice the mean p, at most 1: a p however the runs hang together (Vovk and Wang 2020, Biometrika 107, 791).
    pub p: f64,
    /// Cross-validated R² of decoding each axis, mean over runs; null where undefined.
    pub decoding_r2: Vec<Option<f64>>,
}

/// Tables against known labels.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Labels {
    /// Modularity of the table by the labels, mean over runs.
    pub modularity: f64,
    /// Of each run.
    pub values: Vec<f64>,
    /// Of each run, from permuted channels.
    pub p_values: Vec<f64>,
    /// As [`Coordinates::p`].
    pub p: f64,
    /// The same from surrogates as smooth over the places as the table is, where places are known. Labels that follow
    /// the places are known by any table that does: permuted channels would find them always.
    pub p_spatial: Option<f64>,
}

impl Labels {
    /// The p that decides: where places are known that among surrogates, which there may not be.
    pub(crate) fn deciding_p(&self, has_places: bool) -> Option<f64> {
        if has_places { self.p_spatial } else { Some(self.p) }
    }
}

impl Findings {
    /// Of probed runs and of what `probe agreement` wrote.
    pub(super) fn of(
        name: &str,
        dirs: &[PathBuf],
        agreement: &Path,
        channels: &Channels,
        settings: &Settings,
    ) -> Result<Self> {
        let said = read(agreement)?;
        let arms = [SMALL, LARGE]
            .into_iter()
            .map(|sigma| ArmFindings::of(sigma, dirs, &said, channels))
            .collect::<Result<Vec<_>>>()?;
        let predictions = Predictions::of(dirs)?;
        let small = &arms[0];
        // Tables that do not differ by token have no correlation: that finds nothing, as the words say.
        let p = small.halves["p"].as_f64();
        let verdict = Verdict {
            is_predictable: predictions.is_predictable,
            geometry: p.map_or(Found::None, Found::at),
            coordinates: small.coordinates.as_ref().map(|coordinates| Found::at(coordinates.p)),
        };
        Ok(Self {
            schema: 1,
            name: name.to_owned(),
            series: Vec::new(),
            channels: channels.channels,
            axes: channels.axes,
            recordings: channels.recordings.clone(),
            settings: settings.clone(),
            level: LEVEL,
            verdict,
            predictions,
            arms,
            words: Vec::new(),
        })
    }

    /// The arm that decides.
    pub(crate) fn small(&self) -> &ArmFindings {
        &self.arms[0]
    }
}

impl Found {
    fn at(p: f64) -> Self {
        if p < LEVEL { Found::Found } else { Found::None }
    }
}

impl ArmFindings {
    fn of(sigma: f64, dirs: &[PathBuf], agreement: &Value, channels: &Channels) -> Result<Self> {
        let arm = arm(sigma);
        let arms = agreement["arms"].as_array().context("agreement.json: `arms` is missing")?;
        let said = arms.iter().find(|one| one["arm"] == arm.as_str());
        let said = said.with_context(|| format!("agreement.json: no arm `{arm}`"))?;
        let mut own = Vec::new();
        for dir in dirs {
            if arm_of(dir)? == arm {
                own.push(read(&dir.join("probe.json"))?);
            }
        }
        Ok(Self {
            arm,
            sigma,
            runs: own.len(),
            halves: said["variants"].clone(),
            seeds: said["seeds"].clone(),
            coordinates: channels.axes.map(|_| Coordinates::of(&own)).transpose()?,
            labels: channels.networks.as_ref().map(|_| Labels::of(&own)).transpose()?,
        })
    }
}

impl Coordinates {
    fn of(probes: &[Value]) -> Result<Self> {
        let tables: Vec<&Value> = probes.iter().filter_map(whole_table).collect();
        let (values, p_values) = tested("the places", probes, |table| {
            let references = table["references"].as_array()?;
            Some(&references.iter().find(|one| one["reference"] == "positions")?["dcor_bias_corrected"])
        })?;
        let axes = tables.iter().filter_map(|table| table["decoding"]["axes"].as_array());
        let axes: Vec<&Vec<Value>> = axes.collect();
        let count = axes.first().map_or(0, |axes| axes.len());
        let decoding_r2 = (0..count).map(|axis| {
            let values: Vec<f64> = axes.iter().filter_map(|all| all.get(axis)?["r2"].as_f64()).collect();
            summary(&values).map(|summary| summary.mean)
        });
        Ok(Self {
            dcor: mean(&values),
            p: p_of_all(&p_values),
            decoding_r2: decoding_r2.collect(),
            values,
            p_values,
        })
    }
}

impl Labels {
    fn of(probes: &[Value]) -> Result<Self> {
        fn of(table: &Value) -> Option<&Value> {
            Some(&table["modules"]["modularity"])
        }
        let (values, p_values) = tested("the labels", probes, of)?;
        let spatial: Option<Vec<f64>> =
            probes.iter().map(|probe| of(whole_table(probe)?)?["p_spatial"].as_f64()).collect();
        let p_spatial = spatial.map(|p_values| p_of_all(&p_values));
        Ok(Self { modularity: mean(&values), p: p_of_all(&p_values), p_spatial, values, p_values })
    }
}

/// A statistic of the whole table of each run, and its p.
fn tested(
    what: &str,
    probes: &[Value],
    statistic: impl Fn(&Value) -> Option<&Value>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let of = |probe| {
        let found = statistic(whole_table(probe)?)?;
        Some((found["value"].as_f64()?, found["p"].as_f64()?))
    };
    let all: Vec<(f64, f64)> = probes.iter().filter_map(of).collect();
    anyhow::ensure!(
        all.len() == probes.len() && !all.is_empty(),
        "expected a comparison with {what} in each of {} probed runs, got {}: where {what} or the tables do not differ \
         from channel to channel there is none; leave {what} out, or train longer",
        probes.len(),
        all.len()
    );
    Ok(all.into_iter().unzip())
}

fn mean(values: &[f64]) -> f64 {
    summary(values).map_or(f64::NAN, |summary| summary.mean)
}

/// Twice the mean p, at most 1.
fn p_of_all(p_values: &[f64]) -> f64 {
    (2.0 * mean(p_values)).min(1.0)
}

/// All blocks' tables after training.
fn whole_table(probe: &Value) -> Option<&Value> {
    probe["tables"].as_array()?.iter().find(|table| table["table"] == "all" && table["state"] == "final")
}

/// The arm of a run directory.
pub(super) fn arm_of(dir: &Path) -> Result<String> {
    let path = dir.join("config.toml");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let config: toml::Table = text.parse().with_context(|| path.display().to_string())?;
    let arm = config.get("arm").and_then(|arm| arm.as_str());
    Ok(arm.with_context(|| format!("{}: `arm` is missing", path.display()))?.to_owned())
}

/// A file of JSON.
pub(super) fn read(path: &Path) -> Result<Value> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{}: not JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn probe(value: f64, p: f64, r2: Option<f64>) -> Value {
        json!({"tables": [
            {"table": "all", "state": "init", "references": []},
            {"table": "all", "state": "final", "decoding": {"axes": [{"axis": 0, "r2": r2, "p": 0.5}]},
             "references": [{"reference": "correlations"},
                            {"reference": "positions", "dcor_bias_corrected": {"value": value, "p": p}}]},
        ]})
    }

    /// The p of several runs on one recording: twice their mean, never the smallest of them.
    #[test]
    fn runs_share_their_data_and_their_p_are_not_independent() {
        let found = Coordinates::of(&[probe(0.4, 0.001, Some(0.3)), probe(0.2, 0.007, None)]).unwrap();
        assert!((found.p - 0.008).abs() < 1e-12 && (found.dcor - 0.3).abs() < 1e-12, "{found:?}");
        assert_eq!((Found::at(found.p), Found::at(0.01)), (Found::Found, Found::None));
        assert_eq!(found.decoding_r2, [Some(0.3)]);
        assert_eq!(Coordinates::of(&[probe(0.0, 0.9, None)]).unwrap().p, 1.0);
        assert!(Coordinates::of(&[json!({"tables": []})]).is_err());
    }

    /// Where places are known, permuted channels do not decide on labels: they find any that follow the places.
    #[test]
    fn labels_are_judged_among_tables_as_smooth() {
        let probe = |p_spatial: Option<f64>| {
            let modularity = json!({"value": 0.3, "p": 0.0001, "p_spatial": p_spatial});
            json!({"tables": [{"table": "all", "state": "final", "modules": {"modularity": modularity}}]})
        };
        let found = Labels::of(&[probe(Some(0.2)), probe(Some(0.3))]).unwrap();
        assert_eq!(
            (found.p, found.deciding_p(true), found.deciding_p(false)),
            (0.0002, Some(0.5), Some(0.0002))
        );
        let none = Labels::of(&[probe(None), probe(Some(0.3))]).unwrap();
        assert_eq!((none.deciding_p(true), none.deciding_p(false)), (None, Some(0.0002)));
    }
}
