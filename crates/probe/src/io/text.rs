//! CSV and TSV: one observation a line. A first line without a number is a head; a first column without one, labels.

use std::path::Path;

use ndarray::Array2;

use super::{Loaded, Problem};

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
    let columns = take_head(&mut lines);
    let Some((_, first)) = lines.first() else {
        return Err(Problem::new("its lines", "at least one with numbers", "none", "save the table into it"));
    };
    let labelled = first.get(0).is_some_and(|cell| !is_number(cell)) && first.len() > 1;
    let (skip, width) = (usize::from(labelled), first.len() - usize::from(labelled));
    let mut values = Vec::with_capacity(lines.len() * width);
    for (line, record) in &lines {
        for (column, cell) in record.iter().enumerate().skip(skip) {
            values.push(cell.parse::<f64>().map_err(|_| {
                let place = format!("line {line}, column {}", column + 1);
                Problem::new(
                    place,
                    "a number",
                    format!("`{cell}`"),
                    "repair the cell, or drop its line or column",
                )
            })?);
        }
    }
    let labels =
        labelled.then(|| lines.iter().filter_map(|(_, record)| record.get(0)).map(str::to_owned).collect());
    let values = Array2::from_shape_vec((lines.len(), width), values).map_err(|error| {
        Problem::new("its lines", "as many cells in each", error.to_string(), "repair the lines")
    })?;
    let columns = columns.map(|names| names.into_iter().skip(skip).collect());
    Ok(Loaded { name: None, stored: "text".into(), values, labels, columns })
}

/// Removes and returns the first line where none of its cells is a number.
fn take_head(lines: &mut Vec<(u64, csv::StringRecord)>) -> Option<Vec<String>> {
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
