//! The error on masked tokens of held-out subjects, against σ, by the share that is masked.

use anyhow::Result;

use super::baselines::Baselines;
use super::{Words, percent};
use crate::report::axis::Axis;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::html;
use crate::report::numbers::{exact, fixed, spread};
use crate::report::over_sigma::{ArmValues, OverSigma};
use crate::report::plot::Level;
use crate::report::run::Run;
use crate::report::series::Series;

/// One panel for each share of masked nodes.
pub(in crate::report) fn by_sigma(series: &Series, words: &Words) -> Result<Option<Figure>> {
    let (levels, baselines) = (series.levels(), Baselines::of(series)?);
    let panels: Vec<OverSigma> = levels.iter().map(|level| panel(series, level, &baselines, words)).collect();
    let Some(first) = panels.first() else { return Ok(None) };
    let legend = first.legend();
    Ok(Some(Figure {
        id: "error".into(),
        title: format!("Error on masked {} of {}", words.tokens, words.held_out),
        caption: format!(
            "Mean squared error after training, by the share of {} that is masked; {} seeds an arm. Dotted: {}; all fitted on \
             the training frames and scored on the same masks.",
            words.tokens,
            series.seeds(),
            words.drawn.iter().map(|(name, what)| format!("{name}, {what}")).collect::<Vec<_>>().join("; ")
        ),
        columns: panels.len().min(2),
        panels: panels.into_iter().map(|panel| panel.draw((376.0, 300.0))).collect(),
        aligned: false,
        legend,
        csv: csv(series, &levels, &baselines, words),
    }))
}

fn panel<'a>(series: &'a Series, level: &str, baselines: &Baselines, words: &Words) -> OverSigma<'a> {
    let arms: Vec<ArmValues> = series
        .arms
        .iter()
        .map(|arm| ArmValues {
            arm,
            values: series.values(&arm.name, |run| loss(run, "generalization", level)),
            is_fitted: true,
        })
        .filter(|arm| !arm.values.is_empty())
        .collect();
    let known = words.drawn.iter().enumerate().filter_map(|(index, (name, _))| {
        let y = baselines.mse(name, "generalization", level)?;
        // Levels may lie close together: their names stand apart, and away from the ends, where the arms are.
        let at = [0.75, 0.3, 0.52][index % 3];
        Some(Level { y, name: (*name).to_owned(), at })
    });
    let levels: Vec<Level> = known.collect();
    let values = arms.iter().flat_map(|arm| arm.values.iter().copied()).chain(levels.iter().map(|l| l.y));
    OverSigma {
        // The names of panels are few and the same in every report.
        title: title(level),
        y: Axis::around("mean squared error", values.collect::<Vec<_>>()),
        arms,
        published: Vec::new(),
        levels,
    }
}

fn title(level: &str) -> &'static str {
    match level {
        "0.15" => "15 % masked",
        "0.5" => "50 % masked, as in training",
        "0.75" => "75 % masked",
        "0.9" => "90 % masked",
        _ => "another share masked",
    }
}

/// The last loss of a run on a split and level.
fn loss(run: &Run, split: &str, level: &str) -> Option<f64> {
    run.of(split, level).last().map(|score| score.loss).filter(|loss| loss.is_finite())
}

/// Errors of arms and baselines.
pub(in crate::report) fn table(series: &Series, words: &Words) -> Result<String> {
    let (levels, baselines) = (series.levels(), Baselines::of(series)?);
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (split, split_name) in words.splits {
        for level in &levels {
            let place = || [split_name.to_owned(), percent(level)];
            let mut add = |who: String, error: String| {
                let [split, level] = place();
                rows.push([split, level, who, error]);
            };
            for arm in &series.arms {
                let values = series.values(&arm.name, |run| loss(run, split, level));
                add(arm.name.clone(), spread(&values, 1.0, 3));
            }
            for name in baselines.names() {
                let error = baselines.mse(&name, split, level).map_or("–".to_owned(), |mse| fixed(mse, 3));
                add(format!("baseline: {name}"), error);
            }
        }
    }
    let fit = series.arms.iter().map(|arm| {
        let values = series.values(&arm.name, |run| loss(run, "train-full", "all"));
        ["training frames".to_owned(), "as trained".to_owned(), arm.name.clone(), spread(&values, 1.0, 3)]
    });
    let rows: Vec<[String; 4]> = fit.chain(rows).collect();
    let head = ["split", "masked", "who", "mean squared error"];
    Ok(format!(
        "<details><summary>Errors of all arms and baselines</summary>{}<p class=\"soft\">Mean ± sample standard deviation \
         over seeds; with fewer than 6 seeds, their mean and in brackets the single ones. <code>ridge-all-others</code> \
         sees the other masked {}, too.</p></details>",
        html::table(&head, &[3], rows.into_iter()),
        words.tokens
    ))
}

fn csv(series: &Series, levels: &[String], baselines: &Baselines, words: &Words) -> Csv {
    let mut csv = Csv::new(["source", "name", "seed", "split", "masked", "mse"]);
    for (split, _) in words.splits {
        for level in levels {
            for run in &series.runs {
                let value = loss(run, split, level).map_or(String::new(), exact);
                let (arm, seed) = (run.arm.clone(), run.seed.to_string());
                csv.row(["run".into(), arm, seed, split.into(), level.clone(), value]);
            }
            for name in baselines.names() {
                let value = baselines.mse(&name, split, level).map_or(String::new(), exact);
                csv.row(["baseline".into(), name, String::new(), split.into(), level.clone(), value]);
            }
        }
    }
    csv
}
