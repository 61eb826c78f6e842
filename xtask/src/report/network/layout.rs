//! The places that tables tell, laid over the true ones.

use crate::report::csv::Csv;
use crate::report::drawing::{Anchor, Drawing};
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::masked::ends;
use crate::report::masked::layout::{Layout, layout, layouts};
use crate::report::numbers::exact;
use crate::report::plot::Mark;
use crate::report::series::Series;

const SIDE: f64 = 232.0;
const PAD: f64 = 20.0;
const TOP: f64 = 22.0;

/// What stands in one column: a table in a state, and its name.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("all", "final", "all blocks"),
    ("block-0", "final", "block 0"),
    ("all", "change", "all blocks, change"),
    ("block-0", "change", "block 0, change"),
];

/// Small and large σ, one below the other.
pub(super) fn figure(series: &Series) -> Option<Figure> {
    let mut panels = Vec::new();
    for arm in ends(series) {
        for (table, state, name) in COLUMNS {
            // A mean over seeds would shrink all errors: one seed is drawn, all are in the CSV.
            let layout = series.of(&arm.name).find_map(|run| layout(run, table, state))?;
            panels.push(draw(&format!("{}: {name}", arm.name), &layout));
        }
    }
    let first = series.runs.iter().find_map(|run| layout(run, "all", "final"))?;
    let columns = first.truth.first().map_or(0, Vec::len);
    let which = match columns {
        1 => {
            "Places on a line are drawn from left to right, tokens found at the same place one below the other."
        }
        2 => "",
        _ => "Of more than two columns the first two are drawn.",
    };
    Some(Figure {
        id: "layout".into(),
        title: "Places that the encodings tell".into(),
        caption: format!(
            "The tables in as many principal components as there are coordinates, turned, mirrored, scaled and moved onto \
             the true places by least squares; the components are chosen blind to the places. Lines: from the true place \
             (hollow) to the found one. A table that tells nothing draws all nodes to the middle. The first seed of the \
             smallest and of the largest σ. {which}"
        ),
        panels,
        columns: COLUMNS.len(),
        aligned: true,
        legend: vec![
            Entry::point("k0", Mark::Open, "true place"),
            Entry::point("k1", Mark::Full, "found place"),
        ],
        csv: csv(series),
    })
}

fn draw(title: &str, layout: &Layout) -> Drawing {
    let mut drawing = Drawing::new(SIDE + 8.0, TOP + SIDE + 8.0);
    drawing.rect("bg", (0.0, 0.0), (drawing.width, drawing.height));
    drawing.text("u", Anchor::Start, (4.0, 14.0), title);
    let (left, right, top, bottom) = (4.0, 4.0 + SIDE, TOP, TOP + SIDE);
    drawing.path("a", &[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]);
    let at = placing(layout);
    for (truth, found) in layout.truth.iter().zip(&layout.found) {
        drawing.line("j k2", at(truth, 0.0), at(found, 1.0));
    }
    for truth in &layout.truth {
        drawing.circle("o k0", at(truth, 0.0), 2.6);
    }
    for found in &layout.found {
        drawing.circle("p k1", at(found, 1.0), 2.6);
    }
    drawing
}

/// Pixels of a place, at equal scales; of one coordinate, the true places stand above the found ones.
fn placing(layout: &Layout) -> impl Fn(&Vec<f64>, f64) -> (f64, f64) {
    let all = || layout.truth.iter().chain(&layout.found);
    let range = |axis: usize| {
        let values = all().filter_map(move |place| place.get(axis));
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)))
    };
    let is_line = layout.truth.first().is_some_and(|place| place.len() == 1);
    let (x, y) = (range(0), if is_line { (0.0, 1.0) } else { range(1) });
    let (width, height) = (x.1 - x.0, if is_line { 0.0 } else { y.1 - y.0 });
    let scale = (SIDE - 2.0 * PAD) / width.max(height).max(1e-9);
    let (cx, cy) = (4.0 + SIDE / 2.0, TOP + SIDE / 2.0);
    move |place, second| {
        let px = cx + scale * (place.first().copied().unwrap_or(0.0) - (x.0 + x.1) / 2.0);
        let py = match is_line {
            true => cy + (second - 0.5) * SIDE / 3.0,
            false => cy - scale * (place.get(1).copied().unwrap_or(0.0) - (y.0 + y.1) / 2.0),
        };
        (px, py)
    }
}

fn csv(series: &Series) -> Csv {
    let mut csv = Csv::new(["arm", "seed", "table", "state", "node", "axis", "true", "found"]);
    for run in &series.runs {
        for (table, state, layout) in layouts(run) {
            for (node, (truth, found)) in layout.truth.iter().zip(&layout.found).enumerate() {
                for (axis, (truth, found)) in truth.iter().zip(found).enumerate() {
                    csv.row([
                        run.arm.clone(),
                        run.seed.to_string(),
                        table.clone(),
                        state.clone(),
                        (node + 1).to_string(),
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
