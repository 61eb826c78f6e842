//! What all tasks of masked tokens are shown by: errors beside baselines, what tables have to do with the truth, how that
//! came.

mod baselines;
pub(super) mod correlations;
pub(super) mod emergence;
pub(super) mod error;
pub(super) mod layout;
pub(super) mod similarity;
pub(super) mod truth;

use serde_json::Value;

use super::run::Run;
use super::series::{Arm, Series};

/// What a task calls its tokens, and what its tables are held against.
pub(super) struct Words {
    /// Such as `nodes`.
    pub tokens: &'static str,
    /// Whom the generalization split is of, such as `a held-out subject`.
    pub held_out: &'static str,
    /// The splits of the table, and what they are called.
    pub splits: [(&'static str, &'static str); 2],
    /// The baselines that are drawn, and what they are.
    pub drawn: &'static [(&'static str, &'static str)],
    /// References of `probe.json` that are truths, and what they are called; the first one of a run is drawn over time.
    pub truths: &'static [(&'static str, &'static str)],
}

/// A reference of `probe.json` that a table is held against: how it is named there, and what it is called.
pub(super) type Truth = (&'static str, &'static str);

impl Words {
    /// The truths that a series has.
    pub(super) fn truths_of(&self, series: &Series) -> Vec<Truth> {
        let has = |name: &str| {
            let found = |run: &Run| {
                let tables = run.probe["tables"].as_array().into_iter().flatten();
                let mut references =
                    tables.flat_map(|table| table["references"].as_array().into_iter().flatten());
                references.any(|one| one["reference"] == name)
            };
            series.runs.iter().any(found)
        };
        self.truths.iter().filter(|(name, _)| has(name)).copied().collect()
    }
}

/// The smallest and the largest σ among learned arms.
pub(super) fn ends(series: &Series) -> Vec<&Arm> {
    let learned: Vec<&Arm> = series.arms.iter().filter(|arm| arm.sigma.is_some()).collect();
    match learned.as_slice() {
        [] => Vec::new(),
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
    }
}

/// Rows of numbers in a JSON array of arrays.
pub(super) fn numbers(rows: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| row.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    rows.as_array().into_iter().flatten().map(row).collect()
}

/// `0.9` as `90 %`.
fn percent(level: &str) -> String {
    level.parse::<f64>().map_or(level.to_owned(), |share| format!("{:.0} %", 100.0 * share))
}
