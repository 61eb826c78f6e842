//! Similarity of the encodings beside functional connectivity.

use super::tokens::{Order, Tokens};
use crate::report::csv::Csv;
use crate::report::drawing::Drawing;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::masked::ends;
use crate::report::masked::similarity::{known, mean};
use crate::report::matrix::{self, Marks, cells, signed};
use crate::report::numbers::exact;
use crate::report::pictures::Matrix;
use crate::report::series::Series;

/// Pixels of a map: a region must be seen.
const SIDE: f64 = 200.0;

const IN_THE_CSV: &str = "In the CSV regions are numbered as recorded.";

/// The tables that are drawn, and their names.
const TABLES: [(&str, &str, &str); 3] = [
    ("all", "final", "all blocks"),
    ("block-0", "final", "block 0"),
    ("all", "change", "change, all blocks"),
];

/// Ordered by network or hemisphere.
pub(super) fn figure(series: &Series, tokens: &Tokens) -> Option<Figure> {
    let order = tokens.order();
    draw(series, tokens, "matrices", "Similarity of the encoding beside functional connectivity", &order)
}

/// Ordered by the communities of the data.
pub(super) fn by_community(series: &Series, tokens: &Tokens) -> Option<Figure> {
    let order = tokens.order_by_community()?;
    let title = "The same, ordered by the communities of the data";
    // The values are those of the other figure.
    let figure = draw(series, tokens, "matrices-by-community", title, &order)?;
    let mut csv = Csv::new(["place", "region", "name", "community"]);
    for (place, &token) in order.tokens.iter().enumerate() {
        let name = tokens.names.get(token).cloned().unwrap_or_default();
        let community = tokens.communities[token] + 1;
        csv.row([(place + 1).to_string(), (token + 1).to_string(), name, community.to_string()]);
    }
    let caption =
        figure.caption.replace(IN_THE_CSV, "The values are in matrices.csv, the communities in this CSV.");
    Some(Figure { caption, csv, ..figure })
}

fn draw(series: &Series, tokens: &Tokens, id: &str, title: &str, order: &Order) -> Option<Figure> {
    let correlation = series.runs.iter().find_map(|run| known(run, "correlation"))?;
    let mut rows: Vec<Vec<(String, Matrix)>> = Vec::new();
    for arm in ends(series) {
        let of = |(table, state, name): (&str, &str, &str)| {
            Some((format!("{}: {name}", arm.name), mean(series, arm, table, state)?))
        };
        rows.push(TABLES.into_iter().filter_map(of).collect());
    }
    let map = signed(rows.iter().flatten().map(|(_, map)| map).chain([&correlation]));
    let panel = |(title, values): &(String, Matrix)| {
        matrix::sized(title, &reordered(values, &order.tokens), map, Marks::Groups(&order.groups), SIDE)
    };
    let connectivity = ("functional connectivity".to_owned(), correlation.clone());
    let mut panels = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let first = panel(&connectivity);
        panels.push(if index == 0 { first } else { Drawing::new(first.width, first.height) });
        panels.extend(row.iter().map(panel));
    }
    let mut csv = Csv::new(["matrix", "region", "other_region", "name", "other_name", "value"]);
    for (title, values) in std::iter::once(&connectivity).chain(rows.iter().flatten()) {
        for (i, j, value) in cells(values).filter(|(i, j, _)| i < j) {
            let name = |token: usize| tokens.names.get(token).cloned().unwrap_or_default();
            let (one, other) = ((i + 1).to_string(), (j + 1).to_string());
            csv.row([title.clone(), one, other, name(i), name(j), exact(value)]);
        }
    }
    Some(Figure {
        id: id.into(),
        title: title.into(),
        caption: format!(
            "Functional connectivity: correlation of regions over the training frames. Beside it cosines of the rows of \
             tables, the mean row taken off, mean over {} seeds; the diagonal is left empty. Regions {}. {IN_THE_CSV}",
            series.seeds(),
            order.by
        ),
        columns: 1 + TABLES.len(),
        panels,
        aligned: true,
        legend: vec![Entry::ramp(map, "correlation, cosine")],
        csv,
    })
}

/// A map with its tokens in another order.
fn reordered(map: &Matrix, order: &[usize]) -> Matrix {
    let cell = |i: usize, j: usize| map.get(i).and_then(|row| row.get(j)).copied().flatten();
    order.iter().map(|&i| order.iter().map(|&j| cell(i, j)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_are_put_in_one_order() {
        let map = vec![vec![Some(0.0), Some(1.0)], vec![Some(2.0), None]];
        assert_eq!(reordered(&map, &[1, 0]), [[None, Some(2.0)], [Some(1.0), Some(0.0)]]);
    }
}
