//! Similarity of the encodings beside coupling and correlations.

use crate::report::colour::Map;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::masked::ends;
use crate::report::masked::similarity::{known, mean};
use crate::report::matrix::{self, cells, most, signed};
use crate::report::numbers::exact;
use crate::report::pictures::{self, Matrix};
use crate::report::series::Series;

/// The figure: two matrices of the data, then one of each end of σ before and after.
pub(super) fn figure(series: &Series) -> Option<Figure> {
    let run = series.runs.iter().find(|run| known(run, "coupling").is_some())?;
    let (coupling, correlation) = (known(run, "coupling")?, known(run, "correlation")?);
    let groups = groups(&pictures::coordinates(run));
    let amounts = Map::Root { high: most(&coupling).max(1e-9) };
    let mut drawn: Vec<(String, Matrix)> = vec![("correlation of nodes".to_owned(), correlation)];
    for arm in ends(series) {
        for (table, state, name) in
            [("all", "final", "all blocks"), ("block-0", "final", "block 0"), ("all", "change", "change")]
        {
            drawn.push((format!("{}: {name}", arm.name), mean(series, arm, table, state)?));
        }
    }
    let signed = signed(drawn.iter().map(|(_, map)| map));
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
