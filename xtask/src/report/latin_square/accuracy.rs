//! Accuracy at the end: over σ, by level, and as a table.

use super::{FITTED, is_fitted, mean_while_learning};
use crate::report::axis::Axis;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::html;
use crate::report::numbers::{exact, fixed, spread};
use crate::report::over_sigma::{ArmValues, OverSigma, PublishedValue};
use crate::report::plot::Level;
use crate::report::published::Published;
use crate::report::series::Series;

/// People (n = 40) on the generalization items, by level, in %. Source: the data published with the task \[C\].
const PEOPLE: [(&str, f64); 3] = [("binary", 96.67), ("ternary", 87.01), ("quaternary", 66.25)];

/// Of four symbols.
const CHANCE: f64 = 25.0;

/// The last published epoch.
const LAST: u64 = 4000;

/// Generalization accuracy and training accuracy over σ.
pub(super) fn by_sigma(series: &Series, published: &[Published]) -> Option<Figure> {
    let panels = [
        plot(series, published, "Generalization", "generalization", "all"),
        plot(series, published, "Puzzles like the training puzzles", "test", "all"),
        plot(series, published, "Training puzzles", "train-full", "all"),
    ];
    let legend = panels.first()?.legend();
    Some(Figure {
        id: "accuracy".into(),
        title: "Accuracy after training, by the initial σ of the encoding".into(),
        caption: format!(
            "Accuracy at the end of training on three sets of puzzles; {} seeds an arm, σ is the standard \
             deviation from which a learned encoding starts. The dotted level is chance. Hollow marks: \
             training accuracy below {} %.{}",
            series.seeds(),
            100.0 * FITTED,
            if published.is_empty() {
                ""
            } else {
                " The published training accuracy is a running average over the epoch."
            }
        ),
        panels: panels.into_iter().map(|panel| panel.draw((376.0, 308.0))).collect(),
        columns: 3,
        aligned: false,
        legend,
        csv: csv(series, published, &["generalization", "test", "train-full"], |level| level == "all"),
    })
}

/// Generalization accuracy over σ, level by level.
pub(super) fn by_level(series: &Series, published: &[Published]) -> Option<Figure> {
    let levels = series.levels();
    let panels: Vec<OverSigma> =
        levels.iter().map(|level| plot(series, published, level, "generalization", level)).collect();
    let legend = panels.first()?.legend();
    let people =
        if published.is_empty() { "" } else { ", and what 40 people reach on the published puzzles [C]" };
    Some(Figure {
        id: "levels".into(),
        title: "Generalization accuracy by level of difficulty".into(),
        caption: format!(
            "Binary: one line of the square decides; ternary: row and column together; quaternary: other \
             lines are needed. Dotted levels: chance{people}. {} seeds an arm; hollow marks: training \
             accuracy below {} %.",
            series.seeds(),
            100.0 * FITTED
        ),
        panels: panels.into_iter().map(|panel| panel.draw((376.0, 308.0))).collect(),
        columns: 3,
        aligned: false,
        legend,
        csv: csv(series, published, &["generalization"], |level| level != "all"),
    })
}

fn plot<'a>(
    series: &'a Series,
    published: &[Published],
    title: &'a str,
    split: &'a str,
    level: &'a str,
) -> OverSigma<'a> {
    let arms = series.arms.iter().map(|arm| ArmValues {
        arm,
        values: series.values(&arm.name, |run| run.accuracy(split, level).map(|accuracy| 100.0 * accuracy)),
        is_fitted: series.of(&arm.name).all(is_fitted),
    });
    // The authors' running average over an epoch is the nearest that they published.
    let theirs = if split == "train-full" { "train" } else { split };
    let known = published.iter().filter(|p| p.epoch == LAST && p.split == theirs && p.level == level);
    let mut levels = vec![Level { y: CHANCE, name: "chance".to_owned(), at: 0.0 }];
    let people = PEOPLE.iter().filter(|(name, _)| *name == level && !published.is_empty());
    levels.extend(people.map(|(_, percent)| Level {
        y: *percent,
        name: format!("people {}", fixed(*percent, 2)),
        at: 1.0,
    }));
    OverSigma {
        title,
        y: Axis::percent("accuracy"),
        arms: arms.collect(),
        published: known
            .map(|p| PublishedValue {
                arm: p.arm.clone(),
                sigma: p.sigma(),
                mean: 100.0 * p.mean,
                sd: 100.0 * p.sd,
            })
            .collect(),
        levels,
    }
}

/// The marks of a figure, as fractions: runs, then what was published, then people.
fn csv(series: &Series, published: &[Published], splits: &[&str], wanted: fn(&str) -> bool) -> Csv {
    let mut csv =
        Csv::new(["source", "arm", "sigma", "seed", "split", "level", "accuracy", "sd", "n", "fitted"]);
    let sigma = |sigma: Option<f64>| sigma.map_or(String::new(), exact);
    let all = std::iter::once("all".to_owned()).chain(series.levels()).filter(|level| wanted(level));
    let levels: Vec<String> = all.collect();
    for run in &series.runs {
        for (split, level) in splits.iter().flat_map(|split| levels.iter().map(move |level| (*split, level)))
        {
            let Some(accuracy) = run.accuracy(split, level) else { continue };
            csv.row([
                "run".to_owned(),
                run.arm.clone(),
                sigma(run.sigma),
                run.seed.to_string(),
                split.to_owned(),
                level.clone(),
                exact(accuracy),
                String::new(),
                "1".to_owned(),
                is_fitted(run).to_string(),
            ]);
        }
    }
    let ours = |split: &str| if split == "train" { "train-full".to_owned() } else { split.to_owned() };
    let shown =
        |p: &&Published| p.epoch == LAST && wanted(&p.level) && splits.contains(&ours(&p.split).as_str());
    for p in published.iter().filter(shown) {
        let (arm, split, level) = (p.arm.clone(), p.split.clone(), p.level.clone());
        let n = p.n.to_string();
        csv.row([
            "published".into(),
            arm,
            sigma(p.sigma()),
            String::new(),
            split,
            level,
            exact(p.mean),
            exact(p.sd),
            n,
            String::new(),
        ]);
    }
    for (level, percent) in PEOPLE.iter().filter(|(level, _)| wanted(level) && !published.is_empty()) {
        let accuracy = exact(percent / 100.0);
        let blank = String::new;
        csv.row([
            "people".into(),
            blank(),
            blank(),
            blank(),
            "generalization".into(),
            (*level).into(),
            accuracy,
            blank(),
            "40".into(),
            blank(),
        ]);
    }
    csv
}

/// The same numbers as text.
pub(super) fn table(series: &Series) -> String {
    let rows = series.arms.iter().map(|arm| {
        let of = |split: &str, level: &str| {
            spread(&series.values(&arm.name, |run| run.accuracy(split, level)), 100.0, 1)
        };
        let fitted = series.of(&arm.name).filter(|run| is_fitted(run)).count();
        let runs = series.of(&arm.name).count();
        [
            arm.name.clone(),
            runs.to_string(),
            of("generalization", "all"),
            of("generalization", "binary"),
            of("generalization", "ternary"),
            of("generalization", "quaternary"),
            of("test", "all"),
            of("train-full", "all"),
            format!("{fitted} of {runs}"),
            spread(&series.values(&arm.name, mean_while_learning), 100.0, 1),
        ]
    });
    let head = [
        "arm",
        "seeds",
        "generalization, %",
        "binary, %",
        "ternary, %",
        "quaternary, %",
        "test, %",
        "training, %",
        "fitted",
        "generalization while learning, %",
    ];
    format!(
        "<details><summary>The numbers by arm</summary>{}<p class=\"soft\">Mean ± sample standard \
         deviation over seeds; with fewer than 6 seeds, their mean and in brackets the single ones. \
         <em>Fitted</em>: runs with training accuracy of at least {} %. <em>While learning</em>: mean over \
         the evaluations after epoch 0, comparable only between \
         runs of the same length.</p></details>",
        html::table(&head, &[1, 2, 3, 4, 5, 6, 7, 8, 9], rows),
        100.0 * FITTED
    )
}
