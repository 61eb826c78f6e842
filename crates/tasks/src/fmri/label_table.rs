//! The names of labels, joined by id.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::{FmriError, Result};
use super::text_file;

const REMEDY: &str = "give a table with an id and a name a line";

/// Columns that hold ids, and columns that hold names, of the tables in use; the first found is taken.
const ID_COLUMNS: [&str; 6] = ["index", "id", "label_id", "roi_id", "aal2_code", "value"];
const NAME_COLUMNS: [&str; 6] = ["name", "label", "region", "roi", "roi_name", "abbreviation"];

/// Names by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelTable {
    names: BTreeMap<i64, String>,
}

impl LabelTable {
    /// Reads a table: TSV (BIDS `_dseg.tsv`) or CSV with a header that names an id and a name column, or a
    /// look-up table of FreeSurfer (`id name R G B A`).
    ///
    /// # Errors
    /// If no id or name column is there, an id is no whole number, or an id has two names.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_file::read(path)?;
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let by_tab = first.contains('\t');
        if by_tab || first.contains(',') {
            columns(path, &text, if by_tab { b'\t' } else { b',' })
        } else {
            lookup(path, &text)
        }
    }

    /// Adds a name, or says which one the id has already.
    pub(crate) fn insert(&mut self, id: i64, name: &str) -> std::result::Result<(), String> {
        match self.names.get(&id) {
            Some(earlier) => Err(earlier.clone()),
            None => {
                self.names.insert(id, name.to_owned());
                Ok(())
            }
        }
    }

    /// The name of an id.
    pub fn name(&self, id: i64) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }

    /// All ids and names, by id.
    pub fn iter(&self) -> impl Iterator<Item = (i64, &str)> {
        self.names.iter().map(|(id, name)| (*id, name.as_str()))
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of each id.
    pub(crate) fn names(&self, source: &str, ids: &[i64]) -> Result<Vec<String>> {
        let name = |id: &i64| {
            self.name(*id).map(str::to_owned).ok_or_else(|| {
                let remedy = "complete the table, or leave it out to name labels by their ids";
                FmriError::mismatch(source, format!("a name for label {id}"), "none", remedy)
            })
        };
        ids.iter().map(name).collect()
    }
}

fn columns(path: &Path, text: &str, delimiter: u8) -> Result<LabelTable> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter == b',')
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let wrong = |line: u64, expected: &str, got: &str| {
        FmriError::format(path, format!("line {line}"), expected, format!("{got:?}"), REMEDY)
    };
    let header = reader.headers().map_err(|problem| text_file::csv_error(path, problem))?.clone();
    let find = |candidates: [&str; 6]| {
        candidates
            .into_iter()
            .find_map(|name| header.iter().position(|column| column.eq_ignore_ascii_case(name)))
    };
    let got = header.iter().collect::<Vec<_>>().join(", ");
    let id_column = find(ID_COLUMNS)
        .ok_or_else(|| wrong(1, &format!("a column of ids ({})", ID_COLUMNS.join(", ")), &got))?;
    let name_column = find(NAME_COLUMNS)
        .ok_or_else(|| wrong(1, &format!("a column of names ({})", NAME_COLUMNS.join(", ")), &got))?;
    let mut table = LabelTable::default();
    for record in reader.records() {
        let record = record.map_err(|problem| text_file::csv_error(path, problem))?;
        let line = record.position().map_or(0, csv::Position::line);
        let (id, name) =
            (record.get(id_column).unwrap_or_default(), record.get(name_column).unwrap_or_default());
        let id = id.parse().map_err(|_| wrong(line, "a whole number as id", id))?;
        table.insert(id, name).map_err(|earlier| wrong(line, &format!("id {id} once ({earlier})"), name))?;
    }
    Ok(table)
}

fn lookup(path: &Path, text: &str) -> Result<LabelTable> {
    let mut table = LabelTable::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let (Some(id), name) = (words.next(), words.next()) else { continue };
        let wrong = |expected: &str, got: &str| {
            FmriError::format(path, format!("line {}", number + 1), expected, format!("{got:?}"), REMEDY)
        };
        let id = id.parse::<i64>().map_err(|_| wrong("a whole number as id", id))?;
        let name = name.ok_or_else(|| wrong("a name behind the id", line))?;
        table.insert(id, name).map_err(|earlier| wrong(&format!("id {id} once ({earlier})"), name))?;
    }
    Ok(table)
}
