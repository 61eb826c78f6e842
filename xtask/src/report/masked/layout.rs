//! Tables laid over the true places: `pictures.layouts` of a `probe.json`.

use serde_json::Value;

use super::numbers;
use crate::report::run::Run;

/// A table of one run in as many components as there are coordinates, laid over the true places: `[tokens, axes]`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::report) struct Layout {
    pub truth: Vec<Vec<f64>>,
    pub found: Vec<Vec<f64>>,
}

/// That of a table in a state.
pub(in crate::report) fn layout(run: &Run, table: &str, state: &str) -> Option<Layout> {
    let layouts = run.probe["pictures"]["layouts"].as_array()?;
    let found = read(layouts.iter().find(|one| one["table"] == table && one["state"] == state)?);
    (!found.truth.is_empty() && found.truth.len() == found.found.len()).then_some(found)
}

/// All layouts of a run: table, state, places.
pub(in crate::report) fn layouts(run: &Run) -> impl Iterator<Item = (String, String, Layout)> {
    let all = run.probe["pictures"]["layouts"].as_array().into_iter().flatten();
    all.map(|one| {
        let word = |key: &str| one[key].as_str().unwrap_or("").to_owned();
        (word("table"), word("state"), read(one))
    })
}

fn read(one: &Value) -> Layout {
    Layout { truth: numbers(&one["truth"]), found: numbers(&one["found"]) }
}
