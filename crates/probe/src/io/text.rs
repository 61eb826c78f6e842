//! CSV and TSV: one observation a line. A first line without a number is a head; a first column without one, labels.
//!
//! A first column whose head is empty has no name, as the index that pandas and R write: it is labels too, or nothing
//! where it only counts from 0 or 1. A first line that counts columns is refused: it may be a head or an observation.

mod doubt;

use std::path::Path;

use csv::StringRecord;
use ndarray::Array2;

use super::{Loaded, Problem};

/// A line and its number in the file.
type Line = (u64, StringRecord);

pub(super) fn read(path: &Path, delimiter: u8) -> Result<Loaded, Problem> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_path(path)
        .map_err(broken)?;
    let mut lines = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let line = record.position().map_or(0, csv::Position::line);
        lines.push((line, record));
    }
    doubt::no_counted_head(&lines)?;
    let columns = take_head(&mut lines);
    let Some((_, first)) = lines.first() else {
        return Err(Problem::new("its lines", "at least one with numbers", "none", "save the table into it"));
    };
    let unnamed = columns.as_ref().is_some_and(|names| names.first().is_some_and(String::is_empty));
    let labelled = first.len() > 1 && (unnamed || first.get(0).is_some_and(|cell| !is_number(cell)));
    let skip = usize::from(labelled);
    let values = numbers(&lines, skip, delimiter)?;
    let labels: Option<Vec<String>> =
        labelled.then(|| lines.iter().filter_map(|(_, line)| line.get(0)).map(str::to_owned).collect());
    let labels = labels.filter(|labels| !unnamed || !counts(labels.iter().map(String::as_str)));
    let columns = columns.map(|names| names.into_iter().skip(skip).collect());
    Ok(Loaded { name: None, stored: "text".into(), values, labels, columns })
}

/// The cells of all lines but the first `skip` of each.
fn numbers(lines: &[Line], skip: usize, delimiter: u8) -> Result<Array2<f64>, Problem> {
    let width = lines.first().map_or(0, |(_, line)| line.len() - skip);
    let mut values = Vec::with_capacity(lines.len() * width);
    for (line, record) in lines {
        for (column, cell) in record.iter().enumerate().skip(skip) {
            let value = cell.parse::<f64>().map_err(|_| {
                let place = format!("line {line}, column {}", column + 1);
                doubt::other_separator(&place, cell, record.len(), delimiter).unwrap_or_else(|| {
                    let remedy = "repair the cell, or drop its line or column";
                    Problem::new(place, "a number", format!("`{cell}`"), remedy)
                })
            })?;
            values.push(value);
        }
    }
    Array2::from_shape_vec((lines.len(), width), values).map_err(|error| {
        Problem::new("its lines", "as many cells in each", error.to_string(), "repair the lines")
    })
}

/// Removes and returns the first line where none of its cells is a number.
fn take_head(lines: &mut Vec<Line>) -> Option<Vec<String>> {
    let (_, first) = lines.first()?;
    if first.iter().any(is_number) {
        return None;
    }
    let names = first.iter().map(str::to_owned).collect();
    lines.remove(0);
    Some(names)
}

fn is_number(cell: &str) -> bool {
    cell.parse::<f64>().is_ok()
}

/// Whether cells are 0, 1, 2, ... or 1, 2, 3, ...
fn counts<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> bool {
    let from = |start: usize| cells.clone().enumerate().all(|(at, cell)| cell == (at + start).to_string());
    from(0) || from(1)
}

fn broken(error: csv::Error) -> Problem {
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => Problem::new(
            pos.map_or("a line".into(), |pos| format!("line {}", pos.line())),
            format!("{expected_len} cells, as in the first line"),
            len.to_string(),
            "repair the line",
        ),
        _ => Problem::new("its text", "CSV in UTF-8", text, "save it again"),
    }
}
