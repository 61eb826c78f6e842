//! `.npy` arrays.

use std::path::Path;

use super::Stored;
use super::npy_header::{self, NpyHeader};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::source::Source;

/// More than any header of an array of numbers.
const MOST_HEADER: u64 = 1 << 16;
/// How much is decoded at once; a multiple of the size of every type.
const CHUNK: usize = 1 << 16;
const REMEDY: &str = "save a plain numeric array with numpy.save again";

/// Reads a `.npy` file.
pub(super) fn read(path: &Path) -> Result<Stored> {
    read_array(&mut Source::open(path)?, "file")
}

/// Reads an array from a file, or from a part of one that is named.
pub(super) fn read_array(source: &mut Source<'_>, part: &str) -> Result<Stored> {
    let text = header_text(source, part)?;
    let header = parsed(source, part, &text)?;
    let values = values(source, part, &header, 1)?;
    Ok(Stored { shape: header.shape, values, column_major: header.column_major })
}

/// Reads an array of one axis of texts (`<U`), as NumPy saves them without pickle: UTF-32, padded with zeros.
pub(super) fn read_texts(source: &mut Source<'_>, part: &str) -> Result<Vec<String>> {
    let text = header_text(source, part)?;
    let width =
        text.split_once("<U").and_then(|(_, rest)| rest.split(['\'', '"']).next()?.parse::<usize>().ok());
    let Some(width) = width.filter(|width| *width > 0) else {
        return Err(wrong(source, part, "descr", "texts (<U)", text));
    };
    let header = parsed(source, part, &text.replacen(&format!("<U{width}"), "<u4", 1))?;
    if header.shape.len() != 1 {
        return Err(wrong(source, part, "shape", "one axis", format!("{:?}", header.shape)));
    }
    let codes = values(source, part, &header, width)?;
    let character = |code: &f64| char::from_u32(*code as u32).filter(|c| *c != '\0');
    Ok(codes.chunks(width).map(|codes| codes.iter().map_while(character).collect()).collect())
}

fn wrong(source: &Source<'_>, part: &str, field: &str, expected: &str, got: String) -> FmriError {
    FmriError::format(source.path(), format!("{part}: {field}"), expected, got, REMEDY)
}

/// The dictionary of the header.
fn header_text(source: &mut Source<'_>, part: &str) -> Result<String> {
    let mut magic = [0; 8];
    source.fill(&mut magic, part)?;
    let version = magic[6];
    if magic[..6] != *b"\x93NUMPY" || !(1..=3).contains(&version) {
        let got = format!("{:?}", String::from_utf8_lossy(&magic));
        return Err(wrong(source, part, "magic", "a NumPy array of format 1 to 3", got));
    }
    let length = if version == 1 {
        let mut bytes = [0; 2];
        source.fill(&mut bytes, part)?;
        u64::from(u16::from_le_bytes(bytes))
    } else {
        let mut bytes = [0; 4];
        source.fill(&mut bytes, part)?;
        u64::from(u32::from_le_bytes(bytes))
    };
    if length > MOST_HEADER {
        return Err(wrong(source, part, "header length", "at most 65536", length.to_string()));
    }
    Ok(String::from_utf8_lossy(&source.take(length, part)?).into_owned())
}

fn parsed(source: &Source<'_>, part: &str, text: &str) -> Result<NpyHeader> {
    npy_header::parse(text).map_err(|(field, expected, got)| wrong(source, part, field, expected, got))
}

/// The numbers behind the header, `each` for every place of its shape.
fn values(source: &mut Source<'_>, part: &str, header: &NpyHeader, each: usize) -> Result<Vec<f64>> {
    let size = header.datatype.size().checked_mul(each);
    let bytes = size
        .and_then(|size| header.shape.iter().try_fold(size, |product, length| product.checked_mul(*length)));
    let left = source.capacity().saturating_sub(source.position());
    let Some(mut bytes) = bytes.filter(|bytes| *bytes as u64 <= left) else {
        let got = format!("{:?}", header.shape);
        return Err(wrong(source, part, "shape", "as many numbers as the file has bytes for", got));
    };
    let (mut values, mut chunk) = (Vec::new(), vec![0; CHUNK.min(bytes)]);
    while bytes > 0 {
        let Some(piece) = chunk.get_mut(..bytes.min(CHUNK)) else { break };
        source.fill(piece, part)?;
        header.datatype.decode(piece, header.order, (1.0, 0.0), &mut values);
        bytes -= piece.len();
    }
    Ok(values)
}
