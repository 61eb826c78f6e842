//! Maps between tokens: of the data, and of tables.

use crate::report::matrix;
use crate::report::pictures::{self, Matrix};
use crate::report::run::Run;
use crate::report::series::{Arm, Series};

use super::numbers;

/// A matrix of the truth or the data, such as `correlation`; the diagonal is left empty.
pub(in crate::report) fn known(run: &Run, name: &str) -> Option<Matrix> {
    let matrices = run.probe["pictures"]["matrices"].as_array()?;
    let found = matrices.iter().find(|one| one["name"] == name)?;
    let rows = numbers(&found["values"]).into_iter().map(|row| row.into_iter().map(Some).collect());
    Some(without_diagonal(rows.collect()))
}

/// Cosines between the rows of a table, mean over the seeds of an arm; the diagonal is left empty.
pub(in crate::report) fn mean(series: &Series, arm: &Arm, table: &str, state: &str) -> Option<Matrix> {
    let maps: Vec<Matrix> =
        series.of(&arm.name).filter_map(|run| pictures::cosines(run, table, state)).collect();
    (!maps.is_empty()).then(|| without_diagonal(matrix::mean(&maps)))
}

/// Everything is like itself: the diagonal would outshine the rest.
fn without_diagonal(mut map: Matrix) -> Matrix {
    map.iter_mut().enumerate().for_each(|(i, row)| row[i] = None);
    map
}

/// The defined cells of a map.
pub(in crate::report) fn cells(map: &Matrix) -> impl Iterator<Item = (usize, usize, f64)> {
    map.iter().enumerate().flat_map(|(i, row)| {
        row.iter().enumerate().filter_map(move |(j, value)| value.map(|value| (i, j, value)))
    })
}

/// The largest size of a cell.
pub(in crate::report) fn most(map: &Matrix) -> f64 {
    cells(map).map(|(.., value)| value.abs()).fold(0.0, f64::max)
}
