//! Learning curves on two axes: optimizer steps, and training accuracy.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::csv::Csv;
use super::figure::Figure;
use super::legend::Entry;
use super::numbers::{FEW, exact};
use super::plot::{Mark, Plot};
use super::published::{self, Published};
use super::series::{Arm, Series};

const SIZE: (f64, f64) = (376.0, 308.0);

/// More points than these are a smear.
const MOST_POINTS: usize = 60;

/// One curve of an arm: by epoch, the step, and each seed's accuracies.
struct Curve<'a> {
    arm: &'a Arm,
    seeds: usize,
    at: BTreeMap<u64, Moment>,
}

#[derive(Default)]
struct Moment {
    step: u64,
    /// Per cent; by seed.
    generalization: Vec<f64>,
    /// Per cent, over the epoch's own batches; by seed.
    training: Vec<f64>,
}

/// The figure; `published` may be empty.
pub(super) fn figure(series: &Series, published: &[Published]) -> Option<Figure> {
    let curves: Vec<Curve> = series.arms.iter().map(|arm| Curve::of(series, arm)).collect();
    let last = curves.iter().flat_map(|curve| curve.at.values()).map(|moment| moment.step).max()?;
    if last == 0 {
        return None;
    }
    let thousands = |step: u64| step as f64 / 1e3;
    let steps = || Axis::new("optimizer steps (thousands)", 0.0, 1.03 * thousands(last));
    let mut by_step = Plot::new(
        "Generalization while training",
        SIZE,
        steps(),
        Axis::percent("generalization accuracy"),
        0.0,
    );
    let mut fit =
        Plot::new("Training accuracy while training", SIZE, steps(), Axis::percent("training accuracy"), 0.0);
    let (x, y) = (Axis::percent("training accuracy"), Axis::percent("generalization accuracy"));
    let mut by_fit = Plot::new("Generalization at equal training accuracy", SIZE, x, y, 0.0);
    by_fit.line("q", &[(0.0, 0.0), (100.0, 100.0)]);

    for curve in &curves {
        let moments = |f: fn(&Moment) -> &Vec<f64>| {
            curve.at.values().map(move |moment| (thousands(moment.step), f(moment)))
        };
        curve.draw(&mut by_step, moments(|m| &m.generalization).map(|(x, y)| (vec![x; y.len()], y.clone())));
        curve.draw(&mut fit, moments(|m| &m.training).map(|(x, y)| (vec![x; y.len()], y.clone())));
        let paired = curve.at.values().filter(|m| m.training.len() == m.generalization.len());
        curve.draw(&mut by_fit, paired.map(|m| (m.training.clone(), m.generalization.clone())));
        let class = &curve.arm.class;
        for (epoch, fitted, accuracy) in theirs(published, &curve.arm.name) {
            let at = by_fit.x_at(fitted);
            by_fit.point(class, Mark::Open, at, accuracy);
            let step = epoch as f64 * steps_per_epoch(series);
            if step <= last as f64 {
                let at = by_step.x_at(step / 1e3);
                by_step.point(class, Mark::Open, at, accuracy);
                fit.point(class, Mark::Open, at, fitted);
            }
        }
    }
    Some(Figure {
        id: "curves".into(),
        title: "Learning curves".into(),
        caption: caption(series, !published.is_empty()),
        panels: vec![by_step.drawing, fit.drawing, by_fit.drawing],
        columns: 3,
        aligned: false,
        legend: legend(&curves, !published.is_empty()),
        csv: csv(series, published),
    })
}

impl<'a> Curve<'a> {
    fn of(series: &'a Series, arm: &'a Arm) -> Self {
        let mut at: BTreeMap<u64, Moment> = BTreeMap::new();
        for score in series.of(&arm.name).flat_map(|run| run.of("generalization", "all")) {
            at.entry(score.epoch).or_default().step = score.step;
        }
        for (&epoch, moment) in &mut at {
            let of = |split: &str| -> Vec<f64> {
                series
                    .of(&arm.name)
                    .filter_map(|run| run.accuracy_at(epoch, split))
                    .map(|v| 100.0 * v)
                    .collect()
            };
            (moment.generalization, moment.training) = (of("generalization"), of("train"));
        }
        Self { arm, seeds: series.of(&arm.name).count(), at }
    }

    /// The mean as a line, and few seeds as points.
    fn draw(&self, plot: &mut Plot, moments: impl Iterator<Item = (Vec<f64>, Vec<f64>)>) {
        let moments: Vec<_> = moments.filter(|(x, y)| !x.is_empty() && !y.is_empty()).collect();
        let class = &self.arm.class;
        if self.seeds < FEW && moments.len() <= MOST_POINTS {
            for (x, y) in moments.iter().flat_map(|(xs, ys)| xs.iter().zip(ys)) {
                let x = plot.x_at(*x);
                plot.point(class, Mark::Faint, x, *y);
            }
        }
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let line: Vec<_> = moments.iter().map(|(x, y)| (mean(x), mean(y))).collect();
        plot.line(&format!("l {}", self.arm.line), &line);
    }
}

/// What was published of an arm: epoch, training accuracy, generalization accuracy, the latter two in per
/// cent.
fn theirs(published: &[Published], arm: &str) -> Vec<(u64, f64, f64)> {
    let own = published.iter().filter(|p| p.arm == arm && p.split == "generalization" && p.level == "all");
    own.filter_map(|p| {
        let fit = published::at(published, arm, p.epoch, "train")?;
        Some((p.epoch, 100.0 * fit.mean, 100.0 * p.mean))
    })
    .collect()
}

fn steps_per_epoch(series: &Series) -> f64 {
    let last = series.runs.iter().flat_map(|run| &run.scores).max_by_key(|score| score.epoch);
    last.filter(|score| score.epoch > 0).map_or(f64::NAN, |score| score.step as f64 / score.epoch as f64)
}

fn caption(series: &Series, has_published: bool) -> String {
    let mut text = format!(
        "Means over {} seeds an arm (points: single seeds, where they are fewer than 6); a run that has \
         ended keeps its last value. Training accuracy is the running average over the epoch's own batches. \
         The right panel removes learning speed: arms are compared at the training accuracy that they have \
         reached; on the dotted diagonal both accuracies are equal.",
        series.seeds()
    );
    if has_published {
        text += " Hollow marks: published means over 15 seeds, every 200 epochs from epoch 0, at learning \
            rate 1e-4 [D]; over steps only as far as the runs here go.";
    }
    text
}

fn legend(curves: &[Curve], has_published: bool) -> Vec<Entry> {
    let arms = curves
        .iter()
        .map(|curve| Entry::line(&curve.arm.line, &format!("{} (n = {})", curve.arm.name, curve.seeds)));
    let published = has_published.then(|| Entry::point("k0", Mark::Open, "published, in the same colours"));
    arms.chain(published).collect()
}

/// Every evaluation of every run, then what is drawn of the published ones.
fn csv(series: &Series, published: &[Published]) -> Csv {
    let mut csv =
        Csv::new(["source", "arm", "seed", "epoch", "step", "split", "level", "n", "accuracy", "loss"]);
    for run in &series.runs {
        for s in &run.scores {
            let (epoch, step, n) = (s.epoch.to_string(), s.step.to_string(), s.n.to_string());
            let (split, level) = (s.split.clone(), s.level.clone());
            let (arm, seed) = (run.arm.clone(), run.seed.to_string());
            csv.row([
                "run".into(),
                arm,
                seed,
                epoch,
                step,
                split,
                level,
                n,
                exact(s.accuracy),
                exact(s.loss),
            ]);
        }
    }
    let drawn =
        |p: &&Published| p.level == "all" && p.split != "test" && series.arms.iter().any(|a| a.name == p.arm);
    for p in published.iter().filter(drawn) {
        let (arm, epoch, split) = (p.arm.clone(), p.epoch.to_string(), p.split.clone());
        let none = String::new;
        csv.row([
            "published".into(),
            arm,
            none(),
            epoch,
            none(),
            split,
            "all".into(),
            none(),
            exact(p.mean),
            none(),
        ]);
    }
    csv
}
