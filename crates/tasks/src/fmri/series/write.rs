//! Writing arrays: `.npz` for NumPy, tables for people.

use std::io::{self, Cursor, Write};

use ndarray::ArrayView2;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::table::number;
use crate::fmri::error::{FmriError, Result, shortened};

/// The most names that an error shows.
const SHOWN: usize = 5;

/// An array of an `.npz` archive.
pub enum NpzArray<'a> {
    /// `[rows, columns]` of float64.
    Matrix(ArrayView2<'a, f64>),
    /// float64.
    Vector(&'a [f64]),
    /// int64.
    Integers(&'a [i64]),
    /// Text, which NumPy reads without pickle.
    Texts(&'a [String]),
}

impl NpzArray<'_> {
    /// The array as a `.npy` file.
    pub fn npy_bytes(&self) -> Vec<u8> {
        let (descr, shape) = match self {
            NpzArray::Matrix(matrix) => {
                ("<f8".to_owned(), format!("({}, {})", matrix.nrows(), matrix.ncols()))
            }
            NpzArray::Vector(values) => ("<f8".to_owned(), format!("({},)", values.len())),
            NpzArray::Integers(values) => ("<i8".to_owned(), format!("({},)", values.len())),
            NpzArray::Texts(texts) => (format!("<U{}", width(texts)), format!("({},)", texts.len())),
        };
        let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
        // Magic, version and length are 10 bytes; the whole header a multiple of 64.
        let padded = (10 + dictionary.len() + 1).div_ceil(64) * 64 - 10;
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((padded as u16).to_le_bytes());
        bytes.extend(format!("{dictionary:<0$}\n", padded - 1).bytes());
        match self {
            NpzArray::Matrix(matrix) => matrix.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
            NpzArray::Vector(values) => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
            NpzArray::Integers(values) => values.iter().for_each(|value| bytes.extend(value.to_le_bytes())),
            NpzArray::Texts(texts) => {
                for text in *texts {
                    let characters = text.chars().map(u32::from).chain(std::iter::repeat(0));
                    characters.take(width(texts)).for_each(|character| bytes.extend(character.to_le_bytes()));
                }
            }
        }
        bytes
    }
}

/// NumPy's texts have one length.
fn width(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1)
}

/// An archive of arrays. The same arrays give the same bytes.
///
/// # Errors
/// If an array is too large for the format.
pub fn npz_bytes(arrays: &[(&str, NpzArray<'_>)]) -> io::Result<Vec<u8>> {
    let options =
        SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, array) in arrays {
        archive.start_file(format!("{name}.npy"), options)?;
        archive.write_all(&array.npy_bytes())?;
    }
    Ok(archive.finish()?.into_inner())
}

/// A table with a line of names, one line a frame, as [`read_series`](super::read_series) reads it; fields that need it
/// are quoted.
///
/// # Errors
/// If all names are numbers: their line would be read as a frame. If there is not one name a column.
pub fn table_text(series: ArrayView2<f64>, names: &[String], delimiter: u8) -> Result<String> {
    if names.len() != series.ncols() {
        return Err(FmriError::setting("names", format!("{} names", series.ncols()), names.len()));
    }
    if names.iter().all(|name| number(name.trim()).is_some()) {
        let got = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
        let expected = "a name that is no number, as a header of numbers would be read as a frame";
        let remedy = "rename the parcels, or write an .npz file";
        return Err(FmriError::mismatch("names of parcels", expected, shortened(&got), remedy));
    }
    let field = |value: &f64| if value.is_nan() { "n/a".to_owned() } else { value.to_string() };
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
    let mut write = || -> csv::Result<()> {
        writer.write_record(names)?;
        series.rows().into_iter().try_for_each(|row| writer.write_record(row.iter().map(field)))
    };
    // Writing to memory cannot fail, and what was text is text.
    write().map_err(|problem| FmriError::setting("series", "a table", problem))?;
    let bytes = writer.into_inner().map_err(|problem| FmriError::setting("series", "a table", problem))?;
    String::from_utf8(bytes).map_err(|problem| FmriError::setting("series", "a table of text", problem))
}
