//! Does what a model attends to, or what its table looks like, go with how it generalizes? Run by run.

use super::axis::Axis;
use super::csv::Csv;
use super::figure::Figure;
use super::geometry::statistic;
use super::legend::Entry;
use super::numbers::exact;
use super::plot::{Mark, Plot};
use super::run::Run;
use super::series::Series;

/// What might predict: the heading, the axis, the number.
type Predictor = (&'static str, &'static str, fn(&Run) -> Option<f64>);

const PREDICTORS: [Predictor; 2] = [
    ("Attention along rows and columns", "attention and sharing a row or column (r)", sharing),
    ("Distance of the table to the 2-D sinusoid", "Procrustes distance (units of the table)", distance),
];

/// The figure; `is_fitted` tells runs that have fitted their training data.
pub(super) fn figure(series: &Series, is_fitted: fn(&Run) -> bool) -> Option<Figure> {
    let mut csv = Csv::new(["arm", "seed", "predictor", "value", "generalization_accuracy", "fitted"]);
    let mut panels = Vec::new();
    for (title, label, number) in PREDICTORS {
        let runs: Vec<(&Run, f64, f64)> = series
            .runs
            .iter()
            .filter_map(|run| Some((run, number(run)?, run.accuracy("generalization", "all")?)))
            .collect();
        if runs.is_empty() {
            continue;
        }
        let x = Axis::around(label, runs.iter().map(|(_, x, _)| *x));
        let mut plot = Plot::new(title, (376.0, 308.0), x, Axis::percent("generalization accuracy"), 0.0);
        for (run, x, accuracy) in runs {
            let arm = series.arms.iter().find(|arm| arm.name == run.arm);
            let mark = if is_fitted(run) { Mark::Full } else { Mark::Open };
            let at = plot.x_at(x);
            plot.point(arm.map_or("k0", |arm| &arm.class), mark, at, 100.0 * accuracy);
            let (seed, fitted) = (run.seed.to_string(), is_fitted(run).to_string());
            csv.row([run.arm.clone(), seed, label.to_owned(), exact(x), exact(accuracy), fitted]);
        }
        panels.push(plot.drawing);
    }
    if panels.is_empty() {
        return None;
    }
    let mut legend: Vec<Entry> =
        series.arms.iter().map(|arm| Entry::point(&arm.class, Mark::Full, &arm.name)).collect();
    if series.runs.iter().any(|run| !is_fitted(run)) {
        legend.push(Entry::point("k0", Mark::Open, "training data not fitted"));
    }
    Some(Figure {
        id: "predicts".into(),
        title: "What goes with generalization".into(),
        caption: "Each mark is a run. Left: correlation of the mean attention map with sharing a row or a \
            column. Right: Procrustes distance (rotation and reflection allowed, not scaled) of all blocks' \
            tables to the 2-D sinusoid, which grows with σ \
                  whatever was learned. A claim about such a relation counts fitted runs only."
            .into(),
        columns: panels.len(),
        panels,
        aligned: false,
        legend,
        csv,
    })
}

fn sharing(run: &Run) -> Option<f64> {
    let maps = run.probe["attention"].as_array()?;
    maps.iter().find(|map| map["map"] == "mean")?["sharing_any"]["value"].as_f64()
}

fn distance(run: &Run) -> Option<f64> {
    statistic(run, "all", "final", &["sinusoid-2d", "procrustes", "frobenius"])
}
