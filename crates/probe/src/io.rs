//! Tables from files: .npy, .npz, .safetensors and CSV, one observation a row.

mod element;
mod error;
mod npy;
mod npz;
mod safetensors;
mod text;

pub use error::TableError;
pub use npy::write_npy;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use error::Problem;
use ndarray::Array2;

/// A table [observations, variables] and where it is from.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// The values, widened to f64; not checked to be finite, see [`Table::finite`].
    pub values: Array2<f64>,
    /// Where they are from.
    pub source: TablePath,
    /// As what they are stored, such as `f32 [1, 197, 768]`.
    pub stored: String,
    /// Names of the rows, where the file has them: CSV with a first column that is no number, or that has an empty cell in
    /// the head line, as an index has; one that only counts the rows names nothing.
    pub labels: Option<Vec<String>>,
    /// Names of the columns, where the file has them (CSV with a head line).
    pub columns: Option<Vec<String>>,
}

/// A file, and which array of it. Written `FILE` or `FILE::NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TablePath {
    /// The file; its extension says the format.
    pub path: PathBuf,
    /// The array of a .npz or .safetensors file; not needed when there is only one.
    pub name: Option<String>,
}

/// One array of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayInfo {
    /// Its name; empty in formats that hold one array.
    pub name: String,
    /// Its size.
    pub shape: Vec<usize>,
}

/// The formats, told by the extension.
enum Format {
    Npy,
    Npz,
    SafeTensors,
    Text { delimiter: u8 },
}

impl TablePath {
    /// A file with a single array.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), name: None }
    }

    /// Names the array.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Reads the table.
    ///
    /// A vector becomes one column; leading dimensions of size 1 are dropped ([1, 197, 768] is 197 x 768); anything
    /// else with more than 2 dimensions is refused. Of a .safetensors file only the header and the one array are read.
    pub fn read(&self) -> Result<Table, TableError> {
        let array = self.load().map_err(|problem| problem.in_file(&self.path))?;
        Ok(Table { source: Self { path: self.path.clone(), name: array.name.clone() }, ..array.into_table() })
    }

    /// The arrays of the file, in its order.
    pub fn arrays(&self) -> Result<Vec<ArrayInfo>, TableError> {
        let path = &self.path;
        let listed = || match Format::of(path)? {
            Format::Npz => npz::arrays(path),
            Format::SafeTensors => safetensors::arrays(path),
            Format::Npy => Ok(vec![ArrayInfo { name: String::new(), shape: npy::shape(path)? }]),
            Format::Text { delimiter } => {
                let (rows, columns) = text::read(path, delimiter)?.values.dim();
                Ok(vec![ArrayInfo { name: String::new(), shape: vec![rows, columns] }])
            }
        };
        listed().map_err(|problem| problem.in_file(path))
    }

    fn load(&self) -> Result<Loaded, Problem> {
        let (path, name) = (&self.path, self.name.as_deref());
        let format = Format::of(path)?;
        if let (Some(name), Format::Npy | Format::Text { .. }) = (name, &format) {
            return Err(Problem::new(
                "the name",
                "a name only for .npz and .safetensors, which hold several arrays",
                format!("`{name}`"),
                "leave the name out",
            ));
        }
        match format {
            Format::Npy => npy::read(path),
            Format::Npz => npz::read(path, name),
            Format::SafeTensors => safetensors::read(path, name),
            Format::Text { delimiter } => text::read(path, delimiter),
        }
    }
}

impl Table {
    /// The table, if all its values are finite.
    pub fn finite(self) -> Result<Self, TableError> {
        match self.values.indexed_iter().find(|(_, value)| !value.is_finite()) {
            None => Ok(self),
            Some(((row, column), value)) => Err(Problem::new(
                format!("row {row}, column {column} (from 0)"),
                "a finite number",
                value.to_string(),
                "drop or repair the row first",
            )
            .in_file(&self.source.path)),
        }
    }
}

impl FromStr for TablePath {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.rsplit_once("::") {
            // A file that really has such a name is that file.
            Some((path, name)) if !Path::new(text).exists() => Self::file(path).named(name),
            _ => Self::file(text),
        })
    }
}

impl fmt::Display for TablePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{}::{name}", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

impl Format {
    fn of(path: &Path) -> Result<Self, Problem> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "npy" => Ok(Format::Npy),
            "npz" => Ok(Format::Npz),
            "safetensors" => Ok(Format::SafeTensors),
            "csv" => Ok(Format::Text { delimiter: b',' }),
            "tsv" => Ok(Format::Text { delimiter: b'\t' }),
            _ => Err(Problem::new(
                "the file name",
                "one that ends in .npy, .npz, .safetensors, .csv or .tsv",
                format!("`.{extension}`"),
                "save the table in one of these formats (`numpy.save`, `safetensors.torch.save_file`)",
            )),
        }
    }
}

/// What a reader found.
struct Loaded {
    name: Option<String>,
    stored: String,
    values: Array2<f64>,
    labels: Option<Vec<String>>,
    columns: Option<Vec<String>>,
}

impl Loaded {
    /// An array of any shape as a table; `values` in row-major order.
    fn new(
        name: Option<String>,
        element: element::Element,
        shape: &[usize],
        values: Vec<f64>,
    ) -> Result<Self, Problem> {
        let place = || name.clone().unwrap_or_else(|| "the array".into());
        let ones = shape.iter().take(shape.len().saturating_sub(2)).take_while(|&&size| size == 1).count();
        let dimensions = match shape[ones..] {
            [rows, columns] => (rows, columns),
            [rows] => (rows, 1),
            _ => {
                return Err(Problem::new(
                    place(),
                    "a table with 2 dimensions, observations x variables",
                    format!("shape {shape:?}"),
                    "reshape it, or save the part that is meant",
                ));
            }
        };
        let values = Array2::from_shape_vec(dimensions, values).map_err(|error| {
            Problem::new(place(), "as many values as its shape says", error.to_string(), "save it again")
        })?;
        Ok(Self { name, stored: format!("{element} {shape:?}"), values, labels: None, columns: None })
    }

    fn into_table(self) -> Table {
        Table {
            values: self.values,
            source: TablePath::file(""),
            stored: self.stored,
            labels: self.labels,
            columns: self.columns,
        }
    }
}

/// The array that is asked for, or the only one.
fn choose<'a>(names: &'a [String], asked: Option<&str>) -> Result<&'a str, Problem> {
    let list = || {
        let shown: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
        let more = names.len().saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    };
    match (asked, names) {
        (None, [only]) => Ok(only),
        (None, []) => Err(Problem::new("its arrays", "at least one", "none", "save the table into it")),
        (None, _) => Err(Problem::new(
            "its arrays",
            "one, or a name",
            format!("{}: {}", names.len(), list()),
            "name one as FILE::NAME",
        )),
        (Some(asked), _) => names.iter().find(|name| *name == asked).map(String::as_str).ok_or_else(|| {
            Problem::new("its arrays", format!("`{asked}`"), list(), "name one of these as FILE::NAME")
        }),
    }
}
