//! How large the tables are and how many dimensions they fill, while training.

use std::collections::BTreeMap;

use super::axis::Axis;
use super::csv::Csv;
use super::figure::Figure;
use super::legend::Entry;
use super::numbers::{exact, summary};
use super::plot::Plot;
use super::run::Look;
use super::series::{Arm, Series};

/// What is drawn of a look: the heading, the axis, the number.
type Panel = (&'static str, &'static str, fn(&Look) -> f64);

const PANELS: [Panel; 4] = [
    ("Size of the tables", "root mean square of the entries", |look| look.rms),
    ("Change since initialization", "root mean square of the change", |look| look.change_rms),
    ("Effective rank", "effective rank (dimensions)", |look| look.effective_rank),
    ("Size beside the tokens", "rms of encoding / rms of tokens", |look| look.rms / look.token_rms),
];

/// The figure; None where no encoding has a table.
pub(super) fn figure(series: &Series) -> Option<Figure> {
    let looks = || series.runs.iter().flat_map(|run| &run.looks);
    let last = looks().map(|look| look.step).max().filter(|step| *step > 0)?;
    let thousands = |step: u64| step as f64 / 1e3;
    let panels = PANELS.map(|(title, label, number)| {
        let x = Axis::new("optimizer steps (thousands)", 0.0, 1.03 * thousands(last));
        let y = Axis::around(label, looks().map(number).chain([0.0]));
        let mut plot = Plot::new(title, (376.0, 278.0), x, y, 0.0);
        // Dashed ones last, so that what lies below shows through.
        let mut order = arms(series);
        order.sort_by_key(|(_, class)| class.starts_with('d'));
        for (arm, class) in order {
            let mut at: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
            for look in series.of(&arm.name).flat_map(|run| &run.looks) {
                at.entry(look.step).or_default().push(number(look));
            }
            let line: Vec<(f64, f64)> =
                at.iter().filter_map(|(step, of)| Some((thousands(*step), summary(of)?.mean))).collect();
            plot.line(&format!("l {class}"), &line);
        }
        plot.drawing
    });
    Some(Figure {
        id: "norms".into(),
        title: "Norm and rank of the encoding while training".into(),
        caption: format!(
            "Means over {} seeds an arm and over the tables of all blocks; the tables one by one are in the \
             CSV. Effective rank: exp of the entropy of the singular values over their sum (Roy and \
             Vetterli 2007), at most the number of positions.",
            series.seeds()
        ),
        panels: panels.to_vec(),
        columns: 2,
        aligned: false,
        legend: arms(series).iter().map(|(arm, class)| Entry::line(class, &arm.name)).collect(),
        csv: csv(series),
    })
}

/// The arms with tables, and how their lines are drawn: every second one dashed, since lines may lie upon
/// each other.
fn arms(series: &Series) -> Vec<(&Arm, String)> {
    let with_tables = series.arms.iter().filter(|arm| series.of(&arm.name).any(|run| !run.looks.is_empty()));
    let class =
        |(i, arm): (usize, &Arm)| if i % 2 == 0 { arm.class.clone() } else { format!("d {}", arm.class) };
    with_tables.enumerate().map(|(i, arm)| (arm, class((i, arm)))).collect()
}

fn csv(series: &Series) -> Csv {
    let mut csv = Csv::new([
        "arm",
        "seed",
        "epoch",
        "step",
        "table",
        "rms",
        "change_rms",
        "effective_rank",
        "token_rms",
    ]);
    for run in &series.runs {
        for look in &run.looks {
            csv.row([
                run.arm.clone(),
                run.seed.to_string(),
                look.epoch.to_string(),
                look.step.to_string(),
                look.table.clone(),
                exact(look.rms),
                exact(look.change_rms),
                exact(look.effective_rank),
                exact(look.token_rms),
            ]);
        }
    }
    csv
}
