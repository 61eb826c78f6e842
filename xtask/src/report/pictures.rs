//! `pictures` of a `probe.json`.

use serde_json::Value;

use super::matrix;
use super::run::Run;

/// A map between tokens; None where it is undefined.
pub(super) type Matrix = Vec<Vec<Option<f64>>>;

/// One table at one time in two principal components.
pub(super) struct Components {
    pub scores: Vec<Vec<f64>>,
    pub explained: Vec<Option<f64>>,
}

/// Ground-truth coordinates, `[tokens, axes]`; none of a run without pictures.
pub(super) fn coordinates(run: &Run) -> Vec<Vec<f64>> {
    numbers(&run.probe["pictures"]["coordinates"])
}

/// The cosines between the rows of a table at a time.
pub(super) fn cosines(run: &Run, table: &str, state: &str) -> Option<Matrix> {
    let values: Vec<Option<f64>> =
        find(run, table, state)?["cosine"].as_array()?.iter().map(Value::as_f64).collect();
    Some(matrix::full(coordinates(run).len(), &values, 1.0))
}

/// The principal components of a table at a time.
pub(super) fn components(run: &Run, table: &str, state: &str) -> Option<Components> {
    let found = find(run, table, state)?;
    let explained = found["explained"].as_array()?.iter().map(Value::as_f64).collect();
    Some(Components { scores: numbers(&found["scores"]), explained })
}

/// An attention map.
pub(super) fn attention(run: &Run, map: &str) -> Option<Matrix> {
    let maps = run.probe["pictures"]["attention"].as_array()?;
    let found = maps.iter().find(|one| one["map"] == map)?;
    Some(numbers(&found["weights"]).into_iter().map(|row| row.into_iter().map(Some).collect()).collect())
}

/// The names of the tables of a run; `all` comes first.
pub(super) fn tables(run: &Run) -> Vec<String> {
    distinct(run, "tables", "table")
}

/// The times at which tables were kept, in order.
pub(super) fn states(run: &Run) -> Vec<String> {
    distinct(run, "tables", "state")
}

/// The names of the attention maps of a run; `mean` comes first.
pub(super) fn maps(run: &Run) -> Vec<String> {
    distinct(run, "attention", "map")
}

fn find<'a>(run: &'a Run, table: &str, state: &str) -> Option<&'a Value> {
    let tables = run.probe["pictures"]["tables"].as_array()?;
    tables.iter().find(|one| one["table"] == table && one["state"] == state)
}

fn distinct(run: &Run, list: &str, key: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for one in run.probe["pictures"][list].as_array().into_iter().flatten() {
        let name = one[key].as_str().unwrap_or_default().to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn numbers(rows: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    rows.as_array().into_iter().flatten().map(row).collect()
}
