//! Tables as maps of similarity and in principal components, and attention maps.

use super::colour::Map;
use super::components::{self, Edge};
use super::csv::Csv;
use super::drawing::Drawing;
use super::figure::Figure;
use super::legend::Entry;
use super::matrix::{self, cells};
use super::numbers::exact;
use super::pictures::{self, Matrix};
use super::run::Run;
use super::series::{Arm, Series};

/// The most arms that are drawn.
const MOST_ARMS: usize = 6;

/// What stands in one column: a table at a time, and its name.
type Column = (String, String, String);

/// All blocks' tables side by side: before, after, and the change.
pub(super) fn similarity(series: &Series) -> Option<Figure> {
    let of = |state: &str, name: &str| ("all".to_owned(), state.to_owned(), name.to_owned());
    let columns = [of("init", "before"), of("final", "after"), of("change", "change")];
    let what = "All blocks' tables side by side, before training, after it, and the change between.";
    cosine_figure(series, "similarity", "Similarity of the positions", what, &columns)
}

/// The change of each block's table.
pub(super) fn similarity_by_block(series: &Series) -> Option<Figure> {
    let run = series.runs.iter().find(|run| pictures::tables(run).len() > 2)?;
    let blocks = pictures::tables(run).into_iter().filter(|table| table != "all");
    let columns: Vec<Column> =
        blocks.map(|block| (block.clone(), "change".to_owned(), format!("{block}, change"))).collect();
    let title = "Similarity of the positions in what each block's table has learned";
    let what = "The change of each block's table since initialization.";
    cosine_figure(series, "similarity-by-block", title, what, &columns)
}

/// All blocks' tables at the snapshots.
pub(super) fn similarity_on_the_way(series: &Series) -> Option<Figure> {
    let is_snapshot = |state: &String| state.starts_with("epoch-");
    let run = series.runs.iter().find(|run| pictures::states(run).iter().any(is_snapshot))?;
    let states = pictures::states(run).into_iter().filter(|state| state != "change");
    let columns: Vec<Column> = states.map(|state| ("all".to_owned(), state.clone(), state)).collect();
    let title = "Similarity of the positions while training";
    cosine_figure(series, "similarity-while-training", title, "All blocks' tables side by side.", &columns)
}

/// All blocks' tables in two principal components.
pub(super) fn principal_components(series: &Series) -> Option<Figure> {
    let of = |state: &str, name: &str| ("all".to_owned(), state.to_owned(), name.to_owned());
    let columns = [of("init", "before"), of("final", "after"), of("change", "change")];
    let what = "All blocks' tables side by side, before training, after it, and the change between";
    component_figure(series, "components", "Positions in two principal components", what, &columns)
}

/// The change of each block's table in two principal components.
pub(super) fn principal_components_by_block(series: &Series) -> Option<Figure> {
    let run = series.runs.iter().find(|run| pictures::tables(run).len() > 2)?;
    let blocks = pictures::tables(run).into_iter().filter(|table| table != "all");
    let columns: Vec<Column> =
        blocks.map(|block| (block.clone(), "change".to_owned(), format!("{block}, change"))).collect();
    let title = "What each block's table has learned, in two principal components";
    component_figure(series, "components-by-block", title, "The change of each block's table", &columns)
}

/// Mean attention by block.
pub(super) fn attention(series: &Series) -> Option<Figure> {
    let first = series.runs.iter().find(|run| !pictures::maps(run).is_empty())?;
    let mut names = pictures::maps(first);
    names.rotate_left(1);
    let arms = series.some_arms(MOST_ARMS, |run| !pictures::maps(run).is_empty());
    let coordinates = pictures::coordinates(first);
    let mut csv = Csv::new(["arm", "seed", "map", "query", "key", "weight"]);
    let mut drawn: Vec<(String, Matrix)> = Vec::new();
    for arm in &arms {
        // Which block looks where differs from seed to seed: a mean over seeds would blur it.
        let Some(run) = series.of(&arm.name).find(|run| !pictures::maps(run).is_empty()) else { continue };
        for name in &names {
            let map = pictures::attention(run, name).unwrap_or_default();
            for (i, j, value) in cells(&map) {
                let [query, key] = [i, j].map(|token| (token + 1).to_string());
                csv.row([arm.name.clone(), run.seed.to_string(), name.clone(), query, key, exact(value)]);
            }
            let name = if name == "mean" { "mean of blocks" } else { name };
            drawn.push((format!("{}: {name}", arm.name), map));
        }
    }
    let high = drawn.iter().flat_map(|(_, map)| cells(map)).fold(0.0f64, |high, (.., value)| high.max(value));
    let map = Map::Root { high: if high > 0.0 { high } else { 1.0 } };
    let truth = matrix::sharing(&coordinates).map(|rows| {
        let even = |row: Vec<bool>| {
            let share = 1.0 / row.iter().filter(|shares| **shares).count().max(1) as f64;
            row.into_iter().map(|shares| Some(if shares { share } else { 0.0 })).collect()
        };
        ("even over row and column".to_owned(), rows.into_iter().map(even).collect())
    });
    let (panels, columns) = beside_truth(drawn, names.len(), truth, map, &coordinates);
    Some(Figure {
        id: "attention".into(),
        title: "Attention".into(),
        caption: "Attention weights from each position (row of a map) to each position (column), mean over heads \
                  and over the generalization items; positions row by row of the grid (r1, r2, ...). The first seed of each \
                  arm: which block looks where differs between seeds (the others are in their probe.json). The colours \
                  follow the square root of the weight. At the right of the first row: attention that is spread \
                  evenly over row and column."
            .into(),
        panels,
        columns,
        aligned: true,
        legend: vec![Entry::ramp(map, "attention weight")],
        csv,
    })
}

fn cosine_figure(series: &Series, id: &str, title: &str, what: &str, columns: &[Column]) -> Option<Figure> {
    let first = with_tables(series)?;
    let coordinates = pictures::coordinates(first);
    let mut csv = Csv::new(["arm", "runs", "table", "state", "position", "other_position", "cosine"]);
    let mut drawn: Vec<(String, Matrix)> = Vec::new();
    for arm in arms_of(series, columns) {
        for (table, state, name) in columns {
            let (mean, runs) = mean_over(series, arm, |run| pictures::cosines(run, own(run, table), state));
            let mean = matrix::without_diagonal(mean);
            for (i, j, value) in cells(&mean).filter(|(i, j, _)| i < j) {
                let [one, other] = [i, j].map(|token| (token + 1).to_string());
                csv.row([
                    arm.name.clone(),
                    runs.to_string(),
                    table.clone(),
                    state.clone(),
                    one,
                    other,
                    exact(value),
                ]);
            }
            let none = if cells(&mean).next().is_none() { " (none)" } else { "" };
            drawn.push((format!("{}: {name}{none}", arm.name), mean));
        }
    }
    let map = matrix::signed(drawn.iter().map(|(_, map)| map));
    let truth = matrix::sharing(&coordinates).map(|rows| {
        let cell = |i: usize, (j, shares): (usize, bool)| {
            (i != j).then_some(if shares { map.value_at(1.0) } else { 0.0 })
        };
        let row =
            |(i, row): (usize, Vec<bool>)| row.into_iter().enumerate().map(|one| cell(i, one)).collect();
        ("shares row or column".to_owned(), rows.into_iter().enumerate().map(row).collect())
    });
    let (panels, width) = beside_truth(drawn, columns.len(), truth, map, &coordinates);
    Some(Figure {
        id: id.into(),
        title: title.into(),
        caption: format!(
            "{what} Cosine of the rows of two positions, the mean row taken off; mean over {} seeds an arm; \
             positions row by row of the grid (r1, r2, ...); the diagonal is left empty. At the right of \
             the first row: what the task defines, who shares a \
             row (blocks on the diagonal) or a column (lines parallel to it).",
            series.seeds()
        ),
        panels,
        columns: width,
        aligned: true,
        legend: vec![Entry::ramp(map, "cosine similarity")],
        csv,
    })
}

/// The maps in rows of `columns`, and in a last column, in the first row alone, what the task defines.
fn beside_truth(
    maps: Vec<(String, Matrix)>,
    columns: usize,
    truth: Option<(String, Matrix)>,
    map: Map,
    coordinates: &[Vec<f64>],
) -> (Vec<Drawing>, usize) {
    let groups = matrix::groups(coordinates);
    let draw = |(title, values): &(String, Matrix)| matrix::draw(title, values, map, &groups);
    let Some(truth) = truth else {
        return (maps.iter().map(draw).collect(), columns);
    };
    let mut panels = Vec::new();
    for (index, row) in maps.chunks(columns).enumerate() {
        panels.extend(row.iter().map(draw));
        let last = draw(&truth);
        panels.push(if index == 0 { last } else { Drawing::new(last.width, last.height) });
    }
    (panels, columns + 1)
}

fn component_figure(
    series: &Series,
    id: &str,
    title: &str,
    what: &str,
    columns: &[Column],
) -> Option<Figure> {
    let first = with_tables(series)?;
    let arms = arms_of(series, columns);
    let coordinates = pictures::coordinates(first);
    let (edges, names) = (components::rook(&coordinates), components::names(&coordinates));
    let mut csv =
        Csv::new(["arm", "seed", "table", "state", "position", "pc1", "pc2", "explained1", "explained2"]);
    let mut panels = Vec::new();
    for arm in &arms {
        for (table, state, name) in columns {
            for (index, run) in series.of(&arm.name).enumerate() {
                let Some(found) = pictures::components(run, own(run, table), state) else { continue };
                let cell = |value: Option<&f64>| value.map_or(String::new(), |v| exact(*v));
                let share = |i: usize| found.explained.get(i).copied().flatten().map_or(String::new(), exact);
                for (token, score) in found.scores.iter().enumerate() {
                    csv.row([
                        arm.name.clone(),
                        run.seed.to_string(),
                        table.clone(),
                        state.clone(),
                        (token + 1).to_string(),
                        cell(score.first()),
                        cell(score.get(1)),
                        share(0),
                        share(1),
                    ]);
                }
                // Components of different seeds have nothing in common: one seed is drawn, all are in the
                // CSV.
                if index == 0 {
                    let title = format!("{}: {name}", arm.name);
                    panels.push(components::draw(&title, &found.scores, &found.explained, &edges, &names));
                }
            }
        }
    }
    Some(Figure {
        id: id.into(),
        title: title.into(),
        caption: format!(
            "{what}; the first seed of each arm (all seeds are in the CSV), each panel at its own scale. In \
             brackets: the share of the variance. Numbers in the marks: row and column of the position.{}",
            if edges.is_empty() {
                ""
            } else {
                " Lines join positions that share a row or a column, where a rook goes."
            }
        ),
        panels,
        columns: columns.len(),
        aligned: true,
        legend: legend(&edges),
        csv,
    })
}

fn legend(edges: &[Edge]) -> Vec<Entry> {
    let shares = ["share a row", "share a column"];
    let axes = (0..2).filter(|axis| edges.iter().any(|edge| edge.2.min(1) == *axis));
    let lines = axes.map(|axis| Entry::line(&format!("j {}", components::EDGES[axis]), shares[axis]));
    lines.collect()
}

/// A run with tables.
fn with_tables(series: &Series) -> Option<&Run> {
    series.runs.iter().find(|run| !pictures::tables(run).is_empty())
}

/// The arms to be drawn in these columns: where all show a change, those whose tables change.
fn arms_of<'a>(series: &'a Series, columns: &[Column]) -> Vec<&'a Arm> {
    let has = |run: &Run| {
        let is_defined = |(table, state, _): &Column| {
            let map = pictures::cosines(run, own(run, table), state).unwrap_or_default();
            map.iter().enumerate().any(|(i, row)| row.iter().enumerate().any(|(j, v)| i != j && v.is_some()))
        };
        columns.iter().any(is_defined)
    };
    series.some_arms(MOST_ARMS, has)
}

/// An encoding that all blocks share has one table, whatever the block.
fn own<'a>(run: &Run, table: &'a str) -> &'a str {
    let is_shared = table.starts_with("block-") && pictures::tables(run).iter().any(|name| name == "shared");
    if is_shared { "shared" } else { table }
}

/// The mean map over the runs of an arm that have it, and their number.
fn mean_over(series: &Series, arm: &Arm, map: impl Fn(&Run) -> Option<Matrix>) -> (Matrix, usize) {
    let maps: Vec<Matrix> = series.of(&arm.name).filter_map(map).collect();
    (matrix::mean(&maps), maps.len())
}
