//! Confounds: the `_desc-confounds_timeseries.tsv` of fMRIPrep, or any table of that form.

use std::path::{Path, PathBuf};

use ndarray::Array2;

use super::error::{FmriError, Result};
use super::series::table::number;
use super::text_file;

/// How confounds are taken from a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConfoundOptions {
    /// Fill `n/a` in the first frames by the first value, as derivatives have it. Otherwise it is an error.
    pub backfill: bool,
}

/// A table of named series, `n/a` kept as NaN.
#[derive(Debug, Clone, PartialEq)]
pub struct Confounds {
    path: PathBuf,
    names: Vec<String>,
    /// `[frames, columns]`.
    values: Array2<f64>,
}

impl Confounds {
    /// Reads a TSV file with a header; `.csv` files are separated by commas.
    ///
    /// # Errors
    /// If there is no header, no line, a field is no number and not `n/a`, or a name stands twice.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_file::read(path)?;
        let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(if is_csv { b',' } else { b'\t' })
            .quoting(is_csv)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|problem| text_file::csv_error(path, problem))?;
        let names: Vec<String> = header.iter().map(str::to_owned).collect();
        let wrong = |field: String, expected: &str, got: &str| {
            Err(FmriError::format(
                path,
                field,
                expected,
                format!("{got:?}"),
                "correct the table of confounds",
            ))
        };
        if let Some(name) = names.iter().find(|name| number(name).is_some()) {
            return wrong("line 1".to_owned(), "the names of the columns", name);
        }
        let mut sorted: Vec<&String> = names.iter().collect();
        sorted.sort();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return wrong("line 1".to_owned(), "each name once", pair[0]);
        }
        let (mut values, mut frames) = (Vec::new(), 0);
        for record in reader.records() {
            let record = record.map_err(|problem| text_file::csv_error(path, problem))?;
            let line = record.position().map_or(0, csv::Position::line);
            for (name, field) in names.iter().zip(&record) {
                match number(field) {
                    Some(value) => values.push(value),
                    None => return wrong(format!("line {line}, column {name}"), "a number or n/a", field),
                }
            }
            frames += 1;
        }
        if frames == 0 {
            return wrong("file".to_owned(), "a line a frame", "no line");
        }
        let values = Array2::from_shape_vec((frames, names.len()), values)
            .map_err(|problem| FmriError::setting("confounds", "lines of equal length", problem))?;
        Ok(Confounds { path: path.to_owned(), names, values })
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.values.nrows()
    }

    /// The names of all columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Columns by name; `*` at the end of a name stands for anything. `[frames, columns]` and their names.
    ///
    /// # Errors
    /// If a name is not there, or a value is not finite (except what the options fill in).
    pub fn select(
        &self,
        columns: &[String],
        options: &ConfoundOptions,
    ) -> Result<(Array2<f64>, Vec<String>)> {
        let mut chosen = Vec::new();
        for wanted in columns {
            let found: Vec<usize> = match wanted.strip_suffix('*') {
                Some(start) => {
                    (0..self.names.len()).filter(|index| self.names[*index].starts_with(start)).collect()
                }
                None => self.names.iter().position(|name| name == wanted).into_iter().collect(),
            };
            if found.is_empty() {
                let (expected, got) = (format!("a column {wanted:?}"), self.names.join(", "));
                return Err(FmriError::format(
                    &self.path,
                    "line 1",
                    expected,
                    got,
                    "name columns of this table",
                ));
            }
            chosen.extend(found.into_iter().filter(|index| !chosen.contains(index)).collect::<Vec<_>>());
        }
        let mut values = self.values.select(ndarray::Axis(1), &chosen);
        let names: Vec<String> = chosen.iter().map(|index| self.names[*index].clone()).collect();
        for (mut column, name) in values.columns_mut().into_iter().zip(&names) {
            if let (true, Some(first)) = (options.backfill, column.iter().position(|value| value.is_finite()))
            {
                let value = column[first];
                column.iter_mut().take(first).filter(|old| old.is_nan()).for_each(|old| *old = value);
            }
            if let Some(frame) = column.iter().position(|value| !value.is_finite()) {
                let field = format!("column {name}, frame {}", frame + 1);
                let remedy =
                    "leave the column out, or allow n/a in first frames to be filled by the first value";
                return Err(FmriError::format(&self.path, field, "a finite number", column[frame], remedy));
            }
        }
        Ok((values, names))
    }

    /// The frames in which a column is at most `most`, to scrub the others; `n/a` (the first frame of a displacement)
    /// counts as 0.
    ///
    /// # Errors
    /// If the column is not there, or no frame is left.
    pub fn frames_at_most(&self, column: &str, most: f64) -> Result<Vec<usize>> {
        let Some(index) = self.names.iter().position(|name| name == column) else {
            let (expected, got) = (format!("a column {column:?}"), self.names.join(", "));
            return Err(FmriError::format(
                &self.path,
                "line 1",
                expected,
                got,
                "name a column of this table",
            ));
        };
        let values = self.values.column(index);
        let kept: Vec<usize> =
            (0..values.len()).filter(|frame| values[*frame].is_nan() || values[*frame] <= most).collect();
        if kept.is_empty() {
            let remedy = "raise the threshold";
            return Err(FmriError::format(
                &self.path,
                column,
                format!("a frame of at most {most}"),
                "none",
                remedy,
            ));
        }
        Ok(kept)
    }
}
