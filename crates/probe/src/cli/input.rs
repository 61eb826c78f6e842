//! Tables from the command line: finite, and over the same rows where there are several.

use clap::Args;
use ndarray::ArrayView2;
use probe::StatError;
use probe::io::{Table, TablePath};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::failure::Failure;

/// The two tables of the commands that compare and permute.
#[derive(Args)]
pub(super) struct PairArgs {
    /// The first table; its rows are what is permuted
    a: TablePath,
    /// The second table, over the same observations in the same order
    b: TablePath,
}

/// Two tables over the same rows.
pub(super) struct Pair {
    pub(super) a: Table,
    pub(super) b: Table,
}

impl PairArgs {
    pub(super) fn read(&self) -> Result<Pair, Failure> {
        Pair::read(&self.a, &self.b)
    }
}

impl Pair {
    /// Reads both.
    pub(super) fn read(a: &TablePath, b: &TablePath) -> Result<Self, Failure> {
        let (a, b) = (a.read()?.finite()?, b.read()?.finite()?);
        same_rows(&a, &b)?;
        Ok(Self { a, b })
    }

    /// The number of rows.
    pub(super) fn n(&self) -> usize {
        self.a.values.nrows()
    }

    pub(super) fn views(&self) -> [ArrayView2<'_, f64>; 2] {
        [self.a.values.view(), self.b.values.view()]
    }

    /// Both tables as facts of an outcome.
    pub(super) fn facts(&self) -> Value {
        json!([described(&self.a), described(&self.b)])
    }

    /// Names the files in a statistic's error.
    pub(super) fn told(&self, source: StatError) -> Failure {
        Failure::Statistic { files: format!("{} and {}", self.a.source, self.b.source), source }
    }
}

/// Refuses tables of different length, or whose rows have different names.
pub(super) fn same_rows(a: &Table, b: &Table) -> Result<(), Failure> {
    let (rows_a, rows_b) = (a.values.nrows(), b.values.nrows());
    if rows_a != rows_b {
        return Err(Failure::Usage(format!(
            "{}: expected {rows_a} rows, as {} has, got {rows_b}; pass tables over the same observations in the same order",
            b.source, a.source
        )));
    }
    let labels = a.labels.iter().flatten().zip(b.labels.iter().flatten());
    match labels.enumerate().find(|(_, (a, b))| a != b) {
        None => Ok(()),
        Some((row, (name_a, name_b))) => Err(Failure::Usage(format!(
            "{}, row {row}: expected `{name_a}`, as in {}, got `{name_b}`; bring the rows into one order",
            b.source, a.source
        ))),
    }
}

/// A table as a fact of an outcome.
pub(super) fn described(table: &Table) -> Value {
    let (rows, columns) = table.values.dim();
    json!(format!("{} ({rows} x {columns}, {})", table.source, table.stored))
}

/// Names the file in a statistic's error.
pub(super) fn told(table: &Table) -> impl Fn(StatError) -> Failure {
    let files = table.source.to_string();
    move |source| Failure::Statistic { files: files.clone(), source }
}

/// A value by the name that it has in files.
pub(super) fn named<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Value::String(text.to_owned())).map_err(|error| error.to_string())
}
