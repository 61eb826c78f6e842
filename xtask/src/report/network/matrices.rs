//! Similarity of the encodings beside coupling and correlations.

use super::{ends, numbers};
use crate::report::colour::Map;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::numbers::exact;
use crate::report::pictures::{self, Matrix};
use crate::report::run::Run;
use crate::report::series::Series;
use crate::report::{matrix, series::Arm};

/// The figure: two matrices of the data, then one of each end of σ before and after.
pub(super) fn figure(series: &Series) -> Option<Figure> {
    let run = series.runs.iter().find(|run| known(run, "coupling").is_some())?;
    let (coupling, correlation) = (known(run, "coupling")?, known(run, "correlation")?);
    let groups = groups(&pictures::coordinates(run));
    let most = |map: &Matrix| cells(map).map(|(.., v)| v.abs()).fold(0.0, f64::max);
    let amounts = Map::Root { high: most(&coupling).max(1e-9) };
    let mut drawn: Vec<(String, Matrix)> = vec![("correlation of nodes".to_owned(), correlation)];
    for arm in ends(series) {
        for (table, state, name) in
            [("all", "final", "all blocks"), ("block-0", "final", "block 0"), ("all", "change", "change")]
        {
            drawn.push((format!("{}: {name}", arm.name), mean(series, arm, table, state)?));
        }
    }
    let bound = drawn.iter().map(|(_, map)| most(map)).fold(0.0, f64::max);
    let signed = Map::Signed { bound: ((10.0 * bound).ceil() / 10.0).clamp(0.1, 1.0) };
    let mut csv = Csv::new(["matrix", "node", "other_node", "value"]);
    for (name, map) in std::iter::once(&("coupling".to_owned(), coupling.clone())).chain(&drawn) {
        for (i, j, value) in cells(map) {
            csv.row([name.clone(), (i + 1).to_string(), (j + 1).to_string(), exact(value)]);
        }
    }
    let mut panels = vec![matrix::draw("coupling (row reads column)", &coupling, amounts, &groups)];
    panels.extend(drawn.iter().map(|(title, map)| matrix::draw(title, map, signed, &groups)));
    Some(Figure {
        id: "matrices".into(),
        title: "Similarity of the encoding beside coupling and correlations".into(),
        caption: format!(
            "Coupling of the network (rows add up to 1; colours follow the square root), correlations of nodes over the \
             training frames, and cosines of the rows of tables, the mean row taken off, mean over {} seeds; the diagonal is \
             left empty. Nodes in the order of their first coordinate or module (r1, r2, ...), where there are such groups.",
            series.seeds()
        ),
        columns: 4,
        panels,
        aligned: true,
        legend: vec![Entry::ramp(amounts, "coupling"), Entry::ramp(signed, "correlation, cosine")],
        csv,
    })
}

/// Where the first coordinate changes: rows of a grid, or modules.
fn groups(coordinates: &[Vec<f64>]) -> Vec<matrix::Group> {
    // Of one coordinate the second is of no matter.
    let first: Vec<Vec<f64>> =
        coordinates.iter().map(|place| vec![place.first().copied().unwrap_or(0.0), 0.0]).collect();
    matrix::groups(&first)
}

fn known(run: &Run, name: &str) -> Option<Matrix> {
    let matrices = run.probe["pictures"]["matrices"].as_array()?;
    let found = matrices.iter().find(|one| one["name"] == name)?;
    let rows = numbers(&found["values"]).into_iter().map(|row| row.into_iter().map(Some).collect());
    Some(without_diagonal(rows.collect()))
}

fn mean(series: &Series, arm: &Arm, table: &str, state: &str) -> Option<Matrix> {
    let maps: Vec<Matrix> =
        series.of(&arm.name).filter_map(|run| pictures::cosines(run, table, state)).collect();
    (!maps.is_empty()).then(|| without_diagonal(matrix::mean(&maps)))
}

/// Everything is like itself: the diagonal would outshine the rest.
fn without_diagonal(mut map: Matrix) -> Matrix {
    map.iter_mut().enumerate().for_each(|(i, row)| row[i] = None);
    map
}

fn cells(map: &Matrix) -> impl Iterator<Item = (usize, usize, f64)> {
    let row = |(i, row): (usize, &Vec<Option<f64>>)| {
        let cells = row.iter().enumerate().filter_map(move |(j, value)| value.map(|value| (i, j, value)));
        cells.collect::<Vec<_>>()
    };
    map.iter().enumerate().flat_map(row)
}
