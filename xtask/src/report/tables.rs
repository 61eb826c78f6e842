//! Position tables of trained models (Wang and Chen 2020): what `probe positions` has read off them, drawn and judged.
//!
//! A folder of readings is to tables what a run directory is to a run: whoever has it can draw the page again.

mod figures;
mod reading;
mod readings;
mod verdicts;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

pub(super) use reading::{INDEX, read_folder};
pub(crate) use reading::{Index, Reading};

use super::claims::{Claim, ClaimsFile, Judgement};
use super::html;
use super::run::json;
use super::section::Section;
use crate::{check_status, paths};

/// The folder of figures and of readings, and the name of the section in the page.
pub(crate) const NAME: &str = "tables";

/// All tables with what is said of them.
pub(super) struct Tables {
    pub readings: Vec<Reading>,
    pub judged: Vec<Judgement>,
}

/// The part of `xtask/tables.toml` that stands in the page beside its claims.
#[derive(Deserialize)]
struct Notes {
    published: Vec<Published>,
}

/// Figures of the paper.
#[derive(Deserialize)]
struct Published {
    model: String,
    absolute: f64,
    order: f64,
    /// Whether somebody has checked them against the paper's text.
    verified: bool,
}

/// The claims about tables.
pub(super) fn claims() -> Result<Vec<Claim>> {
    Ok(ClaimsFile::of("tables.toml")?.claim)
}

impl Tables {
    /// Judges all claims on the tables, and leaves `claims.json` in the folder.
    pub(super) fn judge(readings: Vec<Reading>, folder: &Path) -> Result<Self> {
        let out = folder.join("claims.json");
        let status = Command::new(paths::binary("probe"))
            .arg("tables")
            .args(readings.iter().map(|reading| &reading.file))
            .arg("--claims")
            .arg(paths::root().join("xtask").join("tables.toml"))
            .arg("--out")
            .arg(&out)
            .stdout(Stdio::null())
            .status();
        check_status("`probe tables`", status.with_context(|| paths::cannot_start("probe"))?)?;
        let Value::Array(claims) = json(&out)? else {
            anyhow::bail!("{}: expected a list of claims", out.display());
        };
        Ok(Self { readings, judged: claims.into_iter().map(Judgement).collect() })
    }

    /// Figures and text.
    pub(super) fn section(&self) -> Result<Section> {
        let path = paths::root().join("xtask").join("tables.toml");
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let notes: Notes = toml::from_str(&text).with_context(|| path.display().to_string())?;
        let mut section = Section::default();
        section.text(html::paragraph(
            "How well positions, and which of two comes first, can be read off the position table of a model that others \
             have trained, beside a random and a sinusoidal table of the same shape.",
        ));
        section.heading("Readings");
        section.text(readings::table(&self.readings));
        section.heading("Published figures");
        section.text(readings::published(&self.readings, &notes.published));
        section.figure(figures::errors(&self.readings));
        section.figure(figures::similarity(&self.readings));
        section.figure(figures::by_distance(&self.readings));
        section.figure(figures::spectra(&self.readings));
        section.text(readings::spectra(&self.readings));
        section.text(verdicts::details(&self.judged));
        Ok(section)
    }

    /// The files beside the figures: name and content.
    pub(super) fn files(&self) -> [(&'static str, String); 1] {
        [("readings.csv", readings::csv(&self.readings).text().to_owned())]
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
