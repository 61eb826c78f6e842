//! Tables held against places of all regions and of some, and against functional connectivity; places read off them.

use serde_json::Value;

use super::tokens::Tokens;
use crate::report::axis::Axis;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::geometry::statistic;
use crate::report::masked::{Words, correlations};
use crate::report::numbers::exact;
use crate::report::over_sigma::{ArmValues, OverSigma};
use crate::report::plot::Level;
use crate::report::run::Run;
use crate::report::series::Series;

const SIZE: (f64, f64) = (376.0, 280.0);

/// A panel for each reference, and one of what places tell beyond connectivity.
pub(super) fn figure(series: &Series, words: &Words) -> Option<Figure> {
    let truths = words.truths_of(series);
    let of = |run: &Run, name: &str| statistic(run, "all", "final", &[name, "dcor_bias_corrected"]);
    let beyond = |run: &Run, name: &str| statistic(run, "all", "final", &[name, "beyond", "rsa_cosine"]);
    let values: Vec<f64> = series
        .runs
        .iter()
        .flat_map(|run| truths.iter().map(move |(name, _)| of(run, name)))
        .flatten()
        .collect();
    // One reference alone is drawn already, in all states.
    if values.is_empty() || truths.len() < 2 {
        return None;
    }
    let y = Axis::around("bias-corrected dcor²", values.into_iter().chain([0.0]));
    let mut csv = Csv::new(["arm", "seed", "statistic", "reference", "regions", "value"]);
    let mut panels = Vec::new();
    for (name, _) in &truths {
        let count = tokens_of(series, name).map_or(String::new(), |count| count.to_string());
        let title = match count.as_str() {
            "" => (*name).to_owned(),
            count => format!("{name} ({count} regions)"),
        };
        panels.push(panel(series, &title, y.clone(), &|run| of(run, name)));
        add(&mut csv, series, ["bias-corrected dcor²", name, &count], &|run| of(run, name));
        add(&mut csv, series, ["cosine RSA beyond the other", name, &count], &|run| beyond(run, name));
        for one in correlations::baselines(series, &[name, "beyond", "rsa_cosine"]) {
            let statistic = "cosine RSA beyond the other, no training";
            for value in one.values.iter().map(|&value| exact(value)) {
                csv.row([&one.name, "", statistic, name, &count, &value].map(str::to_owned));
            }
        }
    }
    let both = ["positions", "correlations"].map(|name| {
        let values: Vec<f64> = series.runs.iter().filter_map(|run| beyond(run, name)).collect();
        (name, values, untrained(series, name))
    });
    let drawn = |(_, values, levels): &(&str, Vec<f64>, Vec<Level>)| {
        values.iter().copied().chain(levels.iter().map(|level| level.y)).collect::<Vec<_>>()
    };
    let y = Axis::around("partial ρ", both.iter().flat_map(drawn).chain([0.0]));
    for (name, values, levels) in both {
        if !values.is_empty() {
            let other = if name == "positions" { "correlations" } else { "positions" };
            let title = format!("{name} beyond {other}");
            let mut panel = over(series, &title, y.clone(), &|run| beyond(run, name));
            panel.levels.extend(levels);
            panels.push(panel.draw(SIZE));
        }
    }
    let legend = over(series, "", y, &|run| of(run, truths[0].0)).legend();
    let named: Vec<String> = truths.iter().map(|(name, what)| format!("{name}: {what}")).collect();
    Some(Figure {
        id: "references".into(),
        title: "What the encoding is like".into(),
        caption: format!(
            "All blocks' tables after training held against {}. Bias-corrected squared distance correlation; of a part of the \
             regions, with their rows of the table alone. Last: partial Spearman correlation of cosine RDMs, given the other; lines: \
             of tables made of the correlations alone, without training, their rows and their leading principal components. \
             Only what lies above them may tell more than correlations do. {} seeds an arm.",
            named.join("; "),
            series.seeds()
        ),
        panels,
        columns: 3,
        aligned: false,
        legend,
        csv,
    })
}

/// What tables made of the correlations alone have of a reference beyond the other one, as levels.
fn untrained(series: &Series, name: &str) -> Vec<Level> {
    let tables = correlations::baselines(series, &[name, "beyond", "rsa_cosine"]);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let level = |(index, one): (usize, correlations::Baseline)| {
        // Side by side, since the levels may be close.
        Level {
            y: mean(&one.values),
            name: one.name.replace(" of the correlations", ""),
            at: [0.0, 0.5, 1.0][index % 3],
        }
    };
    tables.into_iter().enumerate().map(level).collect()
}

/// How well each coordinate is read off the tables.
pub(super) fn decoding(series: &Series, tokens: &Tokens) -> Option<Figure> {
    let axes = series.runs.iter().filter_map(|run| Some(decoded(run)?["axes"].as_array()?.len())).max()?;
    let r2 = |run: &Run, axis: usize| decoded(run)?["axes"][axis]["r2"].as_f64();
    let values: Vec<f64> =
        series.runs.iter().flat_map(|run| (0..axes).filter_map(move |axis| r2(run, axis))).collect();
    if values.is_empty() {
        return None;
    }
    let is_brain = axes == 3 && !tokens.sides.is_empty();
    let name = |axis: usize| match (is_brain, axis) {
        (true, 0) => "x: left to right".to_owned(),
        (true, 1) => "y: back to front".to_owned(),
        (true, 2) => "z: below to above".to_owned(),
        _ => format!("axis {}", axis + 1),
    };
    let y = Axis::around("out-of-fold R²", values.into_iter().chain([0.0]));
    let mut csv = Csv::new(["arm", "seed", "axis", "r2", "p"]);
    for run in &series.runs {
        for one in decoded(run).and_then(|found| found["axes"].as_array()).into_iter().flatten() {
            let number = |key: &str| one[key].as_f64().map_or(String::new(), exact);
            let axis = one["axis"].as_u64().map_or(String::new(), |axis| (axis + 1).to_string());
            csv.row([run.arm.clone(), run.seed.to_string(), axis, number("r2"), number("p")]);
        }
    }
    let legend = over(series, "", y.clone(), &|run| r2(run, 0)).legend();
    let method = series.runs.iter().find_map(|run| decoded(run)?["method"].as_str()).unwrap_or_default();
    Some(Figure {
        id: "decoding".into(),
        title: "Places read off the encoding".into(),
        caption: format!(
            "R² of each coordinate, read off the rows of all blocks' tables after training ({method}); 0 or below for a table \
             that tells nothing of it. {} seeds an arm.",
            series.seeds()
        ),
        panels: (0..axes).map(|axis| panel(series, &name(axis), y.clone(), &|run| r2(run, axis))).collect(),
        columns: 3,
        aligned: false,
        legend,
        csv,
    })
}

/// The decoding of all blocks' final tables.
fn decoded(run: &Run) -> Option<&Value> {
    let tables = run.probe["tables"].as_array()?;
    let table = tables.iter().find(|table| table["table"] == "all" && table["state"] == "final")?;
    Some(&table["decoding"]).filter(|found| !found.is_null())
}

/// Over how many regions a reference is.
fn tokens_of(series: &Series, name: &str) -> Option<u64> {
    series.runs.iter().find_map(|run| {
        let tables = run.probe["tables"].as_array()?;
        let mut references =
            tables.iter().flat_map(|table| table["references"].as_array().into_iter().flatten());
        references.find(|one| one["reference"] == name)?["tokens"].as_u64()
    })
}

fn panel(
    series: &Series,
    title: &str,
    y: Axis,
    number: &dyn Fn(&Run) -> Option<f64>,
) -> crate::report::drawing::Drawing {
    over(series, title, y, number).draw(SIZE)
}

fn over<'a>(
    series: &'a Series,
    title: &'a str,
    y: Axis,
    number: &dyn Fn(&Run) -> Option<f64>,
) -> OverSigma<'a> {
    let arms = series.arms.iter().map(|arm| ArmValues {
        arm,
        values: series.values(&arm.name, number),
        is_fitted: true,
    });
    let arms = arms.filter(|arm| !arm.values.is_empty()).collect();
    let levels = vec![Level { y: 0.0, name: String::new(), at: 0.0 }];
    OverSigma { title, y, arms, published: Vec::new(), levels }
}

fn add(
    csv: &mut Csv,
    series: &Series,
    [statistic, reference, regions]: [&str; 3],
    number: &dyn Fn(&Run) -> Option<f64>,
) {
    for run in &series.runs {
        csv.row([
            run.arm.clone(),
            run.seed.to_string(),
            statistic.to_owned(),
            reference.to_owned(),
            regions.to_owned(),
            number(run).map_or(String::new(), exact),
        ]);
    }
}
