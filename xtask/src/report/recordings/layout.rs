//! The places that tables tell, laid over the true ones, in three views.

use super::tokens::Tokens;
use super::views::Views;
use crate::report::csv::Csv;
use crate::report::drawing::Drawing;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::masked::ends;
use crate::report::masked::layout::{Layout, layout, layouts};
use crate::report::numbers::exact;
use crate::report::plot::Mark;
use crate::report::series::Series;

/// The tables that are drawn, and their names.
const TABLES: [(&str, &str, &str); 3] = [
    ("all", "final", "all blocks"),
    ("block-0", "final", "block 0"),
    ("all", "change", "change, all blocks"),
];

/// Colours of the sides: left, neither, right.
const SIDES: [(&str, &str); 3] = [("k1", "left"), ("k3", "neither"), ("k4", "right")];

/// Small and large σ, one below the other.
pub(super) fn figure(series: &Series, tokens: &Tokens) -> Option<Figure> {
    let mut drawn: Vec<(String, Layout)> = Vec::new();
    for arm in ends(series) {
        for (table, state, name) in TABLES {
            // A mean over seeds would shrink all errors: one seed is drawn, all are in the CSV.
            let found = series.of(&arm.name).find_map(|run| layout(run, table, state))?;
            drawn.push((format!("{}: {name}", arm.name), found));
        }
    }
    let views = Views::around(drawn.iter().flat_map(|(_, one)| one.truth.iter().chain(&one.found)))?;
    let panels = drawn.iter().map(|(title, layout)| draw(title, &views, layout, tokens)).collect();
    let sides = SIDES.iter().enumerate().filter(|(index, _)| {
        let side = *index as i8 - 1;
        (0..tokens.names.len()).any(|token| tokens.side(token) == side)
    });
    let found =
        sides.map(|(_, (class, name))| Entry::point(class, Mark::Full, &format!("found place, {name}")));
    Some(Figure {
        id: "layout".into(),
        title: "Places that the encodings tell".into(),
        caption: "The tables in as many principal components as there are coordinates, turned, mirrored, scaled and moved \
                  onto the true places by least squares; the components are chosen blind to the places. Lines: from the true \
                  place (hollow) to the found one. A table that tells nothing draws all regions to the middle; one that \
                  confuses the hemispheres draws them onto the midplane. All panels have one scale. The first seed of the \
                  smallest and of the largest σ; all seeds are in the CSV."
            .into(),
        panels,
        columns: TABLES.len(),
        aligned: false,
        legend: std::iter::once(Entry::point("k0", Mark::Open, "true place")).chain(found).collect(),
        csv: csv(series, tokens),
    })
}

fn draw(title: &str, views: &Views, layout: &Layout, tokens: &Tokens) -> Drawing {
    let mut drawing = views.panel(title);
    for view in 0..views.count() {
        let order = views.order(view, &layout.truth);
        for &token in &order {
            drawing.line("n k0", views.at(view, &layout.truth[token]), views.at(view, &layout.found[token]));
        }
        for &token in &order {
            drawing.circle("o k0", views.at(view, &layout.truth[token]), 1.8);
        }
        for &token in &order {
            let (class, _) = SIDES[usize::from((tokens.side(token) + 1).unsigned_abs())];
            drawing.circle(&format!("p {class}"), views.at(view, &layout.found[token]), 2.4);
        }
    }
    drawing
}

fn csv(series: &Series, tokens: &Tokens) -> Csv {
    let mut csv = Csv::new(["arm", "seed", "table", "state", "region", "name", "axis", "true", "found"]);
    for run in &series.runs {
        for (table, state, layout) in layouts(run) {
            for (token, (truth, found)) in layout.truth.iter().zip(&layout.found).enumerate() {
                for (axis, (truth, found)) in truth.iter().zip(found).enumerate() {
                    csv.row([
                        run.arm.clone(),
                        run.seed.to_string(),
                        table.clone(),
                        state.clone(),
                        (token + 1).to_string(),
                        tokens.names.get(token).cloned().unwrap_or_default(),
                        (axis + 1).to_string(),
                        exact(*truth),
                        exact(*found),
                    ]);
                }
            }
        }
    }
    csv
}
