//! How the tables took on the truth while the loss fell, block by block.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Truth, Words};
use crate::report::axis::Axis;
use crate::report::csv::Csv;
use crate::report::drawing::Drawing;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::numbers::{exact, summary};
use crate::report::plot::Plot;
use crate::report::run::Run;
use crate::report::series::{Arm, Series};

const SIZE: (f64, f64) = (376.0, 268.0);

/// The most arms that are drawn.
const MOST_ARMS: usize = 6;

/// A panel for all tables together and for each block, then one of the loss.
pub(in crate::report) fn figure(series: &Series, words: &Words) -> Option<Figure> {
    let is_followed = |(truth, _): &Truth| series.runs.iter().any(|run| points(run, truth).next().is_some());
    let (truth, truth_name) = words.truths_of(series).into_iter().find(is_followed)?;
    let of = |run: &Run| points(run, truth).next().is_some();
    let arms = series.some_arms(MOST_ARMS, of);
    let tables = tables(series, truth);
    let values: Vec<f64> = series
        .runs
        .iter()
        .flat_map(|run| points(run, truth))
        .flat_map(|point| [point.value, point.change])
        .flatten()
        .collect();
    let last = series.runs.iter().flat_map(|run| &run.scores).map(|score| score.epoch).max()?;
    if arms.is_empty() || last == 0 {
        return None;
    }
    let epochs = || Axis::new("epochs", 0.0, 1.03 * last as f64);
    let y = Axis::around("bias-corrected dcor²", values.into_iter().chain([0.0]));
    let mut panels: Vec<Drawing> = Vec::new();
    for table in &tables {
        let name = if table == "all" { "All blocks" } else { table };
        let mut plot = Plot::new(name, SIZE, epochs(), y.clone(), 0.0);
        for arm in &arms {
            let own = series.of(&arm.name).flat_map(|run| points(run, truth));
            let own = own.filter(|point| point.table == *table);
            let own: Vec<Point> = own.collect();
            line(&mut plot, &arm.class, own.iter().filter_map(|point| Some((point.epoch, point.value?))));
            let change = own.iter().filter_map(|point| Some((point.epoch, point.change?)));
            line(&mut plot, &format!("d {}", arm.class), change);
        }
        panels.push(plot.drawing);
    }
    panels.push(loss(series, &arms, epochs()));
    Some(Figure {
        id: "emergence".into(),
        title: "How the truth emerges in the tables".into(),
        caption: format!(
            "Bias-corrected squared distance correlation of the tables with {} at the epochs at which tables were \
             kept (dashed: of their change since initialization), and the training loss (running mean over the \
             epoch's own masks). Means over {} seeds an arm; single seeds and the cosine RSA are in the CSV.",
            truth_name,
            series.seeds()
        ),
        panels,
        columns: 3,
        aligned: false,
        legend: legend(&arms),
        csv: csv(series),
    })
}

fn legend(arms: &[&Arm]) -> Vec<Entry> {
    let tables = arms.iter().map(|arm| Entry::line(&arm.class, &arm.name));
    tables.chain([Entry::line("d k0", "change since initialization")]).collect()
}

/// One table at one time.
struct Point {
    table: String,
    epoch: u64,
    value: Option<f64>,
    change: Option<f64>,
}

fn points<'a>(run: &'a Run, truth: &'a str) -> impl Iterator<Item = Point> + 'a {
    let all = run.probe["emergence"].as_array().into_iter().flatten();
    let point = |one: &Value| {
        Some(Point {
            table: one["table"].as_str()?.to_owned(),
            epoch: one["epoch"].as_u64()?,
            value: one["dcor_bias_corrected"].as_f64(),
            change: one["change_dcor_bias_corrected"].as_f64(),
        })
    };
    all.filter(move |one| one["reference"] == truth).filter_map(point)
}

fn tables(series: &Series, truth: &str) -> Vec<String> {
    let mut tables: Vec<String> = Vec::new();
    for point in series.runs.iter().flat_map(|run| points(run, truth)) {
        if !tables.contains(&point.table) {
            tables.push(point.table);
        }
    }
    tables
}

fn line(plot: &mut Plot, class: &str, points: impl Iterator<Item = (u64, f64)>) {
    let mut at: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (epoch, value) in points {
        at.entry(epoch).or_default().push(value);
    }
    let line: Vec<(f64, f64)> =
        at.iter().filter_map(|(epoch, of)| Some((*epoch as f64, summary(of)?.mean))).collect();
    plot.line(&format!("l {class}"), &line);
}

fn loss(series: &Series, arms: &[&Arm], x: Axis) -> Drawing {
    let of = |arm: &Arm| -> Vec<(u64, f64)> {
        let scores = series.of(&arm.name).flat_map(|run| run.of("train", "all"));
        scores.map(|score| (score.epoch, score.loss)).filter(|(_, loss)| loss.is_finite()).collect()
    };
    let values: Vec<f64> = arms.iter().flat_map(|arm| of(arm)).map(|(_, loss)| loss).collect();
    let mut plot = Plot::new("Training loss", SIZE, x, Axis::around("mean squared error", values), 0.0);
    for arm in arms {
        line(&mut plot, &arm.class, of(arm).into_iter());
    }
    plot.drawing
}

fn csv(series: &Series) -> Csv {
    let mut csv = Csv::new([
        "arm",
        "seed",
        "epoch",
        "table",
        "reference",
        "dcor_bias_corrected",
        "rsa_cosine",
        "change_dcor_bias_corrected",
    ]);
    for run in &series.runs {
        for one in run.probe["emergence"].as_array().into_iter().flatten() {
            let word = |key: &str| one[key].as_str().unwrap_or("").to_owned();
            let number = |key: &str| one[key].as_f64().map_or(String::new(), exact);
            let epoch = one["epoch"].as_u64().map_or(String::new(), |epoch| epoch.to_string());
            csv.row([
                run.arm.clone(),
                run.seed.to_string(),
                epoch,
                word("table"),
                word("reference"),
                number("dcor_bias_corrected"),
                number("rsa_cosine"),
                number("change_dcor_bias_corrected"),
            ]);
        }
    }
    csv
}
