//! Maps between tokens: of the data, and of tables.

use serde_json::Value;

use crate::report::matrix::{self, without_diagonal};
use crate::report::pictures::{self, Matrix};
use crate::report::run::Run;
use crate::report::series::{Arm, Series};

/// A matrix of the truth or the data, such as `correlation`; the diagonal is left empty.
pub(in crate::report) fn known(run: &Run, name: &str) -> Option<Matrix> {
    let matrices = run.probe["pictures"]["matrices"].as_array()?;
    let found = &matrices.iter().find(|one| one["name"] == name)?["values"];
    let row = |row: &Value| row.as_array().into_iter().flatten().map(Value::as_f64).collect();
    Some(without_diagonal(found.as_array()?.iter().map(row).collect()))
}

/// Cosines between the rows of a table, mean over the seeds of an arm; the diagonal is left empty.
pub(in crate::report) fn mean(series: &Series, arm: &Arm, table: &str, state: &str) -> Option<Matrix> {
    mean_of(series.of(&arm.name), table, state)
}

/// The same over any runs; `None` where none has such a table.
pub(in crate::report) fn mean_of<'a>(
    runs: impl Iterator<Item = &'a Run>,
    table: &str,
    state: &str,
) -> Option<Matrix> {
    let maps: Vec<Matrix> = runs.filter_map(|run| pictures::cosines(run, table, state)).collect();
    (!maps.is_empty()).then(|| without_diagonal(matrix::mean(&maps)))
}
