//! The stochastic network: what is predicted beside what linear predictors reach, the places that tables tell, how they
//! came, and tables beside coupling and correlations.

mod baselines;
mod emergence;
mod error;
mod geometry;
mod layout;
mod matrices;

use anyhow::Result;
use serde_json::Value;

use super::run::Run;
use super::section::{Kind, Section};
use super::series::{Arm, Series};
use super::{html, norms};

/// How its runs are shown.
pub(super) const KIND: Kind = Kind { task: "network", title: "Stochastic network", section };

fn section(series: &Series) -> Result<Section> {
    let mut section = Section::default();
    section.heading("Prediction of masked nodes");
    section.text(preamble(series));
    section.figure(error::by_sigma(series)?);
    section.text(error::table(series)?);
    section.heading("The truth in the encodings");
    section.figure(geometry::figure(series));
    section.figure(geometry::modules(series));
    section.text(geometry::table(series));
    section.figure(layout::figure(series));
    section.figure(emergence::figure(series));
    section.figure(matrices::figure(series));
    section.figure(norms::figure(series));
    Ok(section)
}

fn preamble(series: &Series) -> String {
    let Some(run) = series.runs.first() else { return String::new() };
    let count =
        |key: &str| run.manifest["dataset"][key].as_u64().map_or("?".to_owned(), super::numbers::grouped);
    let graph = run.config.get("task").and_then(|task| task.get("network")?.get("graph"));
    html::paragraph(&format!(
        "Nodes of a simulated rate network ({}), each a token: its activity, or a flag where it is masked. Trained on {} \
         frames with masks that are drawn anew each epoch, tested on later frames of the same subjects and, as \
         generalization, on a subject that was held out, under fixed masks. Values are standardised, so that the mean of \
         each node alone has an error of about 1. R² is about these means.",
        graph.map_or("unknown graph".to_owned(), |graph| graph.to_string().replace('\n', ", ")),
        count("train"),
    ))
}

/// The smallest and the largest σ among learned arms, and all fixed ones that have tables.
fn ends(series: &Series) -> Vec<&Arm> {
    let learned: Vec<&Arm> = series.arms.iter().filter(|arm| arm.sigma.is_some()).collect();
    match learned.as_slice() {
        [] => Vec::new(),
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
    }
}

/// The references of a series that are recorded truths, as they are named in `probe.json`.
fn truths(series: &Series) -> Vec<&'static str> {
    let has = |name: &&&str| {
        let found = |run: &Run| {
            let tables = run.probe["tables"].as_array().into_iter().flatten();
            let mut references =
                tables.flat_map(|table| table["references"].as_array().into_iter().flatten());
            references.any(|one| one["reference"] == ***name)
        };
        series.runs.iter().any(found)
    };
    ["positions", "modules"].iter().filter(has).copied().collect()
}

/// What a truth is called.
fn truth_name(truth: &str) -> &'static str {
    match truth {
        "modules" => "being of different modules",
        _ => "the distance of nodes",
    }
}

/// `0.9` as `90 %`.
fn percent(level: &str) -> String {
    level.parse::<f64>().map_or(level.to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

/// Rows of numbers in a JSON array of arrays.
fn numbers(rows: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    rows.as_array().into_iter().flatten().map(row).collect()
}
