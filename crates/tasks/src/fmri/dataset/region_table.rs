//! The names and places of parcels.

use std::path::Path;

use ndarray::Array2;

use crate::fmri::error::{FmriError, Result};
use crate::fmri::text_file;

const REMEDY: &str = "give a table with the columns name, x, y, z (or x_mm, y_mm, z_mm), a line a parcel";

/// What is known of the parcels, in the order of the columns of the series.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionTable {
    /// Their names.
    pub names: Vec<String>,
    /// Their places in mm, `[parcels, 3]`.
    pub coordinates: Array2<f64>,
    /// Whether each is cortical, where the table says so.
    pub cortical: Option<Vec<bool>>,
}

impl RegionTable {
    /// Reads a CSV file (`.tsv`: separated by tabs) with the columns `name`, `x`, `y`, `z` (or `x_mm`, ...), and if
    /// it has one, `cortical` (0 or 1). Others are ignored.
    ///
    /// # Errors
    /// If a column is missing, a coordinate is not finite, or a name stands twice.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_file::read(path)?;
        let is_tsv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tsv"));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(if is_tsv { b'\t' } else { b',' })
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let wrong = |field: String, expected: &str, got: &str| {
            FmriError::format(path, field, expected, format!("{got:?}"), REMEDY)
        };
        let header = reader.headers().map_err(|problem| text_file::csv_error(path, problem))?.clone();
        let find = |name: &str| header.iter().position(|column| column == name);
        let column = |name: &str| {
            let found = find(name).or_else(|| find(&format!("{name}_mm")));
            found.ok_or_else(|| {
                wrong(
                    "line 1".to_owned(),
                    &format!("a column {name}"),
                    &header.iter().collect::<Vec<_>>().join(", "),
                )
            })
        };
        let (name, axes, cortical) =
            (column("name")?, [column("x")?, column("y")?, column("z")?], find("cortical"));
        let (mut names, mut places, mut flags) = (Vec::<String>::new(), Vec::new(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(|problem| text_file::csv_error(path, problem))?;
            let line = record.position().map_or(0, csv::Position::line);
            let field = |column: usize| record.get(column).unwrap_or_default();
            let place = |column: usize| format!("line {line}, column {}", column + 1);
            if names.iter().any(|known| known == field(name)) {
                return Err(wrong(place(name), "each name once", field(name)));
            }
            names.push(field(name).to_owned());
            for axis in axes {
                let value = field(axis).parse::<f64>().ok().filter(|value| value.is_finite());
                places.push(value.ok_or_else(|| wrong(place(axis), "a finite number of mm", field(axis)))?);
            }
            if let Some(column) = cortical {
                flags.push(match field(column) {
                    "0" => false,
                    "1" => true,
                    other => return Err(wrong(place(column), "0 or 1", other)),
                });
            }
        }
        let coordinates = Array2::from_shape_vec((names.len(), 3), places)
            .map_err(|problem| FmriError::setting("coordinates", "three numbers a parcel", problem))?;
        Ok(RegionTable { names, coordinates, cortical: cortical.map(|_| flags) })
    }
}
