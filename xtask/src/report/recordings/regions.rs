//! Regions at their true places, coloured by the principal components of the tables.

use super::tokens::Tokens;
use super::views::Views;
use crate::report::colour::Map;
use crate::report::csv::Csv;
use crate::report::drawing::Drawing;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::masked::ends;
use crate::report::numbers::{exact, fixed};
use crate::report::pictures;
use crate::report::run::Run;
use crate::report::series::Series;

/// The tables that are drawn, and their names.
const TABLES: [(&str, &str); 2] = [("all", "all blocks"), ("block-0", "block 0")];

/// Components are coloured from the lowest to the highest score of each.
const COLOURS: Map = Map::Signed { bound: 1.0 };

/// How many components are drawn.
const COMPONENTS: usize = 3;

/// Small and large σ, one below the other: a panel for each component.
pub(super) fn figure(series: &Series, tokens: &Tokens) -> Option<Figure> {
    let first = series.runs.iter().find(|run| has_places(run))?;
    let places = pictures::coordinates(first);
    let views = Views::around(places.iter())?;
    let mut panels = Vec::new();
    for arm in ends(series) {
        for (table, name) in TABLES {
            // Components of different seeds have nothing in common: one seed is drawn, all are in the CSV.
            let of = |run: &Run| pictures::components(run, table, "final");
            let Some(found) = series.of(&arm.name).find_map(of) else { continue };
            for component in 0..COMPONENTS.min(found.explained.len()) {
                let share = found.explained[component]
                    .map_or(String::new(), |share| format!(" ({} %)", fixed(100.0 * share, 0)));
                let title = format!("{}: {name}, PC {}{share}", arm.name, component + 1);
                let scores: Vec<f64> =
                    found.scores.iter().map(|row| row.get(component).copied().unwrap_or(0.0)).collect();
                panels.push(draw(&title, &views, &places, &scores));
            }
        }
    }
    (!panels.is_empty()).then(|| Figure {
        id: "regions".into(),
        title: "Regions coloured by the principal components of the encoding".into(),
        caption: "Each region at its true place, its colour its score in a principal component of the rows of the table \
                  after training, over the largest score of that component; in brackets the share of the variance. The sign \
                  of a component means nothing. Seen from the right, \
                  the right side hides the left. The first seed of the smallest and of the largest σ; all seeds are in the CSV."
            .into(),
        panels,
        columns: COMPONENTS,
        aligned: false,
        legend: vec![Entry::ramp(COLOURS, "score, over the largest of its panel")],
        csv: csv(series, tokens),
    })
}

/// Whether regions have places: only then tables are laid over them.
fn has_places(run: &Run) -> bool {
    run.probe["pictures"]["layouts"].as_array().is_some_and(|layouts| !layouts.is_empty())
}

fn draw(title: &str, views: &Views, places: &[Vec<f64>], scores: &[f64]) -> Drawing {
    let mut drawing = views.panel(title);
    let most = scores.iter().fold(0.0f64, |most, score| most.max(score.abs())).max(1e-12);
    for view in 0..views.count() {
        for token in views.order(view, places) {
            let colour = COLOURS.shade(scores.get(token).copied().unwrap_or(0.0) / most);
            drawing.disc(colour, "b", views.at(view, &places[token]), 3.6);
        }
    }
    drawing
}

fn csv(series: &Series, tokens: &Tokens) -> Csv {
    let mut csv = Csv::new(["arm", "seed", "table", "region", "name", "pc1", "pc2", "pc3"]);
    for run in &series.runs {
        for (table, _) in TABLES {
            let Some(found) = pictures::components(run, table, "final") else { continue };
            for (token, scores) in found.scores.iter().enumerate() {
                let cell = |i: usize| scores.get(i).map_or(String::new(), |score| exact(*score));
                csv.row([
                    run.arm.clone(),
                    run.seed.to_string(),
                    table.to_owned(),
                    (token + 1).to_string(),
                    tokens.names.get(token).cloned().unwrap_or_default(),
                    cell(0),
                    cell(1),
                    cell(2),
                ]);
            }
        }
    }
    csv
}
