//! CSV and TSV tables of numbers, with a line of names or without.

use std::path::Path;

use ndarray::Array2;

use super::ParcelSeries;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::text_file;

/// The fewest columns of which counting up is no chance.
const FEWEST_COUNTED: usize = 3;

/// Reads a table, one line a frame. A first line that is not all numbers names the columns; one that counts them, as pandas
/// writes it, is refused: it may be either. `n/a` is NaN; fields may be quoted.
pub(super) fn read(path: &Path, delimiter: u8) -> Result<ParcelSeries> {
    let text = text_file::read(path)?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let (mut names, mut values, mut frames, mut columns) = (None, Vec::new(), 0, 0);
    for record in reader.records() {
        let record = record.map_err(|problem| text_file::csv_error(path, problem))?;
        columns = record.len();
        if frames == 0 && names.is_none() {
            refuse_counted(path, &record)?;
        }
        if frames == 0 && names.is_none() && record.iter().any(|field| number(field).is_none()) {
            names = Some(record.iter().map(str::to_owned).collect());
            continue;
        }
        for (column, field) in record.iter().enumerate() {
            let line = record.position().map_or(0, csv::Position::line);
            let place = || format!("line {line}, column {}", column + 1);
            values.push(
                number(field)
                    .ok_or_else(|| FmriError::format(path, place(), "a number", field, "correct it"))?,
            );
        }
        frames += 1;
    }
    if values.is_empty() {
        return Err(FmriError::format(path, "file", "a line of numbers", "none", "give a table of series"));
    }
    let series = Array2::from_shape_vec((frames, columns), values).map_err(|problem| {
        FmriError::format(path, "file", "lines of equal length", problem, "complete the lines")
    })?;
    Ok(ParcelSeries { series, names, coordinates: None, ids: None, repetition_time: None })
}

/// Refuses a line of the numbers of columns: 0, 1, 2, ... or 1, 2, 3, ..., perhaps after an empty field.
fn refuse_counted(path: &Path, line: &csv::StringRecord) -> Result<()> {
    let has_index = line.get(0) == Some("");
    let fields = || line.iter().skip(usize::from(has_index));
    let from = |start: usize| fields().enumerate().all(|(at, field)| field == (at + start).to_string());
    if line.len() < FEWEST_COUNTED || !(from(0) || from(1)) {
        return Ok(());
    }
    let (before, remedy) = match has_index {
        true => (
            "an empty field and ",
            "save the table without index (`to_csv(index=False)`), and name the columns",
        ),
        false => ("", "remove the line, or put names of the columns in its place"),
    };
    let (first, last) = (fields().next().unwrap_or_default(), fields().last().unwrap_or_default());
    let got = format!("{before}{first} to {last}, which look like numbers of columns");
    let place = format!("line {}", line.position().map_or(1, csv::Position::line));
    Err(FmriError::format(path, place, "the values of the first line, or names", got, remedy))
}

/// The number of a field.
pub(crate) fn number(field: &str) -> Option<f64> {
    if field.eq_ignore_ascii_case("n/a") { Some(f64::NAN) } else { field.parse().ok() }
}
