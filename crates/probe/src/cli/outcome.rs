//! What a command found, as an aligned table or as JSON.

use probe::permutation::{Permutations, Permuted};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::failure::Failure;
use super::{PermutationArgs, print};

/// Facts of the computation, and rows of results.
pub(super) struct Outcome {
    facts: Vec<(String, Value)>,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Outcome {
    /// `command` is the statistic; `columns` name the cells of each row.
    pub(super) fn new(command: &str, columns: &[&str]) -> Self {
        let facts = vec![
            ("command".to_owned(), json!(command)),
            ("probe_version".to_owned(), json!(env!("CARGO_PKG_VERSION"))),
        ];
        Self { facts, columns: columns.iter().map(|column| (*column).to_owned()).collect(), rows: Vec::new() }
    }

    /// What was computed, and on what.
    pub(super) fn fact(mut self, key: &str, value: impl Serialize) -> Self {
        self.facts.push((key.to_owned(), json!(value)));
        self
    }

    /// How p was found.
    pub(super) fn permutations(self, set: &Permutations, args: &PermutationArgs) -> Self {
        self.fact("permutations", set.count()).fact("seed", args.seed).fact("p_formula", p_formula(set))
    }

    /// One line of results. A number that is not finite is null.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Value>) {
        self.rows.push(cells.into_iter().collect());
    }

    pub(super) fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            let object = |row: &Vec<Value>| {
                self.columns.iter().cloned().zip(row.iter().cloned()).collect::<Map<_, _>>()
            };
            let mut all: Map<_, _> = self.facts.iter().cloned().collect();
            all.insert("results".into(), self.rows.iter().map(object).map(Value::Object).collect());
            return print(&format!("{:#}\n", Value::Object(all)));
        }
        let facts = self.facts.iter().filter(|(key, _)| key != "probe_version").flat_map(|(key, value)| {
            let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
            let key = key.replace('_', " ");
            values
                .into_iter()
                .enumerate()
                .map(move |(i, value)| vec![if i == 0 { key.clone() } else { String::new() }, shown(&value)])
        });
        let head = listed(&facts.collect::<Vec<_>>());
        let names = self.columns.iter().map(|column| column.replace('_', " ")).collect();
        let rows = self.rows.iter().map(|row| row.iter().map(shown).collect());
        print(&format!(
            "{head}\n{}",
            aligned(&std::iter::once(names).chain(rows).collect::<Vec<Vec<String>>>())
        ))
    }
}

/// How p follows from a count of permutations.
pub(super) fn p_formula(set: &Permutations) -> &'static str {
    match (set.is_exact(), set.permuted()) {
        (false, _) => "(k + 1) / (B + 1)",
        (true, Permuted::Tokens) => "k / n!, all permutations",
        (true, Permuted::AxisLevels) => "k / N, all orders of the levels of each axis",
    }
}

/// A head line and rows below it, columns of equal width; columns of numbers to the right.
pub(super) fn aligned(rows: &[Vec<String>]) -> String {
    let is_number = |cell: &String| cell == "-" || cell.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let numeric =
        |column: usize| column > 0 && rows.iter().skip(1).filter_map(|row| row.get(column)).all(is_number);
    laid_out(rows, numeric)
}

/// Names and what they stand for, both to the left.
pub(super) fn listed(rows: &[Vec<String>]) -> String {
    laid_out(rows, |_| false)
}

fn laid_out(rows: &[Vec<String>], to_the_right: impl Fn(usize) -> bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let layout: Vec<(usize, bool)> =
        (0..columns).map(|column| (width(column).unwrap_or(0), to_the_right(column))).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&layout).map(|(cell, &(width, right))| {
            if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A cell as text: six digits are enough to read, JSON has all.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap_or(f64::NAN);
            let size = value.abs();
            if value == 0.0 || (1e-4..1e6).contains(&size) {
                format!("{value:.6}")
            } else {
                format!("{value:.5e}")
            }
        }
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
