//! `.npy` arrays.

use std::path::Path;

use super::Stored;
use super::npy_header;
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
    let path = source.path().to_owned();
    let wrong = |field: &str, expected: &str, got: String| {
        FmriError::format(&path, format!("{part}: {field}"), expected, got, REMEDY)
    };
    let mut magic = [0; 8];
    source.fill(&mut magic, part)?;
    let version = magic[6];
    if magic[..6] != *b"\x93NUMPY" || !(1..=3).contains(&version) {
        return Err(wrong(
            "magic",
            "a NumPy array of format 1 to 3",
            format!("{:?}", String::from_utf8_lossy(&magic)),
        ));
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
        return Err(wrong("header length", "at most 65536", length.to_string()));
    }
    let text = source.take(length, part)?;
    let header = npy_header::parse(&String::from_utf8_lossy(&text))
        .map_err(|(field, expected, got)| wrong(field, expected, got))?;
    let size = header.datatype.size();
    let bytes = header.shape.iter().try_fold(size, |product, length| product.checked_mul(*length));
    let left = source.capacity().saturating_sub(source.position());
    let Some(mut bytes) = bytes.filter(|bytes| *bytes as u64 <= left) else {
        return Err(wrong(
            "shape",
            "as many numbers as the file has bytes for",
            format!("{:?}", header.shape),
        ));
    };
    let (mut values, mut chunk) = (Vec::new(), vec![0; CHUNK.min(bytes)]);
    while bytes > 0 {
        let Some(piece) = chunk.get_mut(..bytes.min(CHUNK)) else { break };
        source.fill(piece, part)?;
        header.datatype.decode(piece, header.order, (1.0, 0.0), &mut values);
        bytes -= piece.len();
    }
    Ok(Stored { shape: header.shape, values, column_major: header.column_major })
}
