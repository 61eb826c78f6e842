//! MATLAB arrays of version 5 (`save -v6`, `save -v7`, `scipy.io.savemat`).

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;

use super::{Stored, choose};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::nifti::{ByteOrder, Datatype};
use crate::fmri::source::Source;

const REMEDY: &str = "save a real matrix with `save -v7`, or with scipy.io.savemat";
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;

/// Reads the matrix of that name, or the only real one of two axes.
pub(super) fn read(path: &Path, variable: Option<&str>) -> Result<Stored> {
    let mut source = Source::open(path)?;
    let mut header = [0; 128];
    source.fill(&mut header, "header")?;
    let wrong =
        |field: &str, expected: &str, got: String| FmriError::format(path, field, expected, got, REMEDY);
    if header.starts_with(b"MATLAB 7.3") {
        return Err(wrong("header", "version 5", "version 7.3, which is HDF5".to_owned()));
    }
    let order = match &header[126..] {
        b"IM" => ByteOrder::Little,
        b"MI" => ByteOrder::Big,
        other => {
            return Err(wrong(
                "endian indicator",
                "IM or MI",
                format!("{:?}", String::from_utf8_lossy(other)),
            ));
        }
    };
    let mut matrices = Vec::new();
    let file = File { path, order };
    let mut tag = [0; 8];
    while source.position() + 8 <= source.capacity() {
        source.fill(&mut tag, "element")?;
        let (kind, length) = (file.word(&tag, 0), file.word(&tag, 4));
        if u64::from(length) > source.capacity() - source.position() {
            return Err(wrong("element", "a length within the file", length.to_string()));
        }
        let bytes = source.take(u64::from(length), "element")?;
        let element = match kind {
            COMPRESSED => Cow::Owned(file.inflate(&bytes)?),
            MATRIX => Cow::Borrowed(bytes.as_slice()),
            _ => continue,
        };
        if let Some((name, matrix)) = file.matrix(&element)?
            && matrix.shape.len() == 2
            && variable.is_none_or(|wanted| wanted == name)
        {
            matrices.push((name, matrix));
        }
    }
    let chosen = choose(path, matrices.iter().map(|(name, _)| name.as_str()), variable)?.to_owned();
    let found = matrices.into_iter().find(|(name, _)| *name == chosen);
    found.map(|(_, matrix)| matrix).ok_or_else(|| wrong("variables", "a matrix", "none".to_owned()))
}

struct File<'a> {
    path: &'a Path,
    order: ByteOrder,
}

impl File<'_> {
    fn wrong(&self, field: &str, expected: &str, got: impl ToString) -> FmriError {
        FmriError::format(self.path, field, expected, got, REMEDY)
    }

    /// The number at a place; 0 behind the end.
    fn word(&self, bytes: &[u8], at: usize) -> u32 {
        let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or_default();
        match self.order {
            ByteOrder::Little => u32::from_le_bytes(bytes),
            ByteOrder::Big => u32::from_be_bytes(bytes),
        }
    }

    /// The content of the matrix in a compressed element; what is no matrix is empty.
    fn inflate(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut stream = ZlibDecoder::new(bytes);
        let failed = |problem| FmriError::reading(self.path, "compressed element", problem);
        let mut tag = [0; 8];
        stream.read_exact(&mut tag).map_err(failed)?;
        let (kind, length) = (self.word(&tag, 0), u64::from(self.word(&tag, 4)));
        let mut content = Vec::new();
        if kind != MATRIX {
            return Ok(content);
        }
        // Grows with what comes out, not with what the tag promises.
        let read = stream.take(length).read_to_end(&mut content).map_err(failed)?;
        if (read as u64) < length {
            return Err(self.wrong("compressed element", &format!("{length} bytes"), read));
        }
        Ok(content)
    }

    /// The name and the values of a real matrix; nothing if the variable is something else (text, cells, a struct).
    fn matrix(&self, bytes: &[u8]) -> Result<Option<(String, Stored)>> {
        let mut rest = bytes;
        let (_, flags) = self.element(&mut rest)?;
        let (_, dimensions) = self.element(&mut rest)?;
        let (_, name) = self.element(&mut rest)?;
        let (class, is_complex) = (self.word(flags, 0) & 0xff, self.word(flags, 0) & 0x0800 != 0);
        if !(6..=15).contains(&class) || is_complex {
            return Ok(None);
        }
        let lengths = dimensions.as_chunks::<4>().0.iter().map(|word| self.word(word, 0));
        let shape: Vec<usize> = lengths.map(|length| length as usize).collect();
        let (kind, data) = self.element(&mut rest)?;
        let Some(datatype) = number_type(kind) else {
            return Err(self.wrong("data type", "a real number", kind));
        };
        let bytes = shape.iter().try_fold(datatype.size(), |product, length| product.checked_mul(*length));
        if bytes != Some(data.len()) {
            let expected = format!("{} bytes of {datatype}", data.len());
            return Err(self.wrong("dimensions", &expected, format!("{shape:?}")));
        }
        let mut values = Vec::new();
        datatype.decode(data, self.order, (1.0, 0.0), &mut values);
        let name = String::from_utf8_lossy(name).into_owned();
        Ok(Some((name, Stored { shape, values, column_major: true })))
    }

    /// Takes the next part of a matrix: its type and its bytes. Small ones lie within their tag.
    fn element<'a>(&self, rest: &mut &'a [u8]) -> Result<(u32, &'a [u8])> {
        let all = *rest;
        let cut = || self.wrong("matrix", "a whole element", format!("{} bytes", all.len()));
        let head = self.word(all, 0);
        let (kind, length, start) = match head >> 16 {
            0 => (head, self.word(all, 4) as usize, 8),
            small => (head & 0xffff, small as usize, 4),
        };
        let end = length.checked_add(start).ok_or_else(cut)?;
        let data = all.get(start..end).ok_or_else(cut)?;
        // Padding to eight bytes; at the very end it may be missing.
        let next = if start == 4 { 8 } else { end.div_ceil(8) * 8 };
        *rest = all.get(next..).unwrap_or_default();
        Ok((kind, data))
    }
}

fn number_type(kind: u32) -> Option<Datatype> {
    Some(match kind {
        1 => Datatype::I8,
        2 => Datatype::U8,
        3 => Datatype::I16,
        4 => Datatype::U16,
        5 => Datatype::I32,
        6 => Datatype::U32,
        7 => Datatype::F32,
        9 => Datatype::F64,
        12 => Datatype::I64,
        13 => Datatype::U64,
        _ => return None,
    })
}
