//! CSV and TSV tables of numbers, with a line of names or without.

use std::path::Path;

use ndarray::Array2;

use super::ParcelSeries;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::text_file;

/// Reads a table, one line a frame. A first line that is not all numbers names the columns. `n/a` is NaN.
pub(super) fn read(path: &Path, delimiter: u8) -> Result<ParcelSeries> {
    let text = text_file::read(path)?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter == b',')
        .has_headers(false)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let (mut names, mut values, mut frames, mut columns) = (None, Vec::new(), 0, 0);
    for record in reader.records() {
        let record = record.map_err(|problem| text_file::csv_error(path, problem))?;
        columns = record.len();
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

/// The number of a field.
pub(crate) fn number(field: &str) -> Option<f64> {
    if field.eq_ignore_ascii_case("n/a") { Some(f64::NAN) } else { field.parse().ok() }
}
