//! Tables of regions from CSV and TSV.

use std::path::Path;

use csv::StringRecord;
use ndarray::Array2;

use super::{AXES, RegionTable};
use crate::fmri::dataset::Hemisphere;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::text_file;

const REMEDY: &str = "give a table with the column name and, where they are known, x, y, z (or x_mm, y_mm, z_mm), hemisphere, network, cortical; a line a parcel";

/// Where the columns are.
struct Columns {
    name: usize,
    axes: Vec<usize>,
    hemisphere: Option<usize>,
    network: Option<usize>,
    cortical: Option<usize>,
}

impl RegionTable {
    /// Reads a CSV file (`.tsv`: separated by tabs) with the column `name`, and what it has of: `x`, `x` and `y`, or
    /// `x`, `y` and `z` (or `x_mm`, ...); `hemisphere` (L, R, anything else for neither; without the column, names
    /// ending in `_L`, beginning with `lh.` and the like tell it); `network`, any text; `cortical`, 0 or 1. Others are
    /// ignored.
    ///
    /// # Errors
    /// If `name` or an axis before another is missing, a coordinate is not finite, a field is not what its column is
    /// of, or a name is empty or stands twice.
    pub fn read(path: &Path) -> Result<Self> {
        let text = text_file::read(path)?;
        let is_tsv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tsv"));
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(if is_tsv { b'\t' } else { b',' })
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|problem| text_file::csv_error(path, problem))?.clone();
        let columns = Columns::of(&header, path)?;
        let (mut table, mut places) = (Self::named(Vec::new()), Vec::new());
        for record in reader.records() {
            let record = record.map_err(|problem| text_file::csv_error(path, problem))?;
            let line = Line { path, record: &record };
            table.add(&columns, &line)?;
            for &axis in &columns.axes {
                let value = line.field(axis).parse::<f64>().ok().filter(|value| value.is_finite());
                places.push(value.ok_or_else(|| line.wrong(axis, "a finite number"))?);
            }
        }
        if !columns.axes.is_empty() {
            let shape = (table.names.len(), columns.axes.len());
            let wrong = |problem| FmriError::setting("coordinates", "a number for each axis", problem);
            table.coordinates = Some(Array2::from_shape_vec(shape, places).map_err(wrong)?);
        }
        Ok(table)
    }

    fn add(&mut self, columns: &Columns, line: &Line) -> Result<()> {
        let name = line.field(columns.name);
        if name.is_empty() || self.names.iter().any(|known| known == name) {
            return Err(line.wrong(columns.name, "each parcel with a name of its own"));
        }
        self.names.push(name.to_owned());
        self.hemispheres.push(match columns.hemisphere {
            Some(column) => Hemisphere::of_field(line.field(column)),
            None => Hemisphere::of_name(name),
        });
        if let Some(column) = columns.network {
            self.networks.get_or_insert_default().push(line.field(column).to_owned());
        }
        if let Some(column) = columns.cortical {
            let flag = match line.field(column) {
                "0" => false,
                "1" => true,
                _ => return Err(line.wrong(column, "0 or 1")),
            };
            self.cortical.get_or_insert_default().push(flag);
        }
        Ok(())
    }
}

impl Columns {
    fn of(header: &StringRecord, path: &Path) -> Result<Self> {
        let find = |name: &str| header.iter().position(|column| column == name);
        let needed = |name: &str, found: Option<usize>| {
            let got = header.iter().collect::<Vec<_>>().join(", ");
            found.ok_or_else(|| {
                FmriError::format(path, "line 1", format!("a column {name}"), format!("{got:?}"), REMEDY)
            })
        };
        let axis = |name: &str| find(name).or_else(|| find(&format!("{name}_mm")));
        let count = AXES.iter().rposition(|name| axis(name).is_some()).map_or(0, |last| last + 1);
        let axes = AXES[..count].iter().map(|name| needed(name, axis(name))).collect::<Result<_>>()?;
        Ok(Self {
            name: needed("name", find("name"))?,
            axes,
            hemisphere: find("hemisphere"),
            network: find("network"),
            cortical: find("cortical"),
        })
    }
}

/// A line of the file.
struct Line<'a> {
    path: &'a Path,
    record: &'a StringRecord,
}

impl Line<'_> {
    fn field(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default()
    }

    fn wrong(&self, column: usize, expected: &str) -> FmriError {
        let line = self.record.position().map_or(0, csv::Position::line);
        let place = format!("line {line}, column {}", column + 1);
        FmriError::format(self.path, place, expected, format!("{:?}", self.field(column)), REMEDY)
    }
}
