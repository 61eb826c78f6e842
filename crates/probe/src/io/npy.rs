//! NumPy's .npy format, versions 1 to 3. The header is read before anything is allocated for the data.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ndarray::ArrayView2;

use super::element::Element;
use super::{Loaded, Problem};
use crate::WriteError;

/// The most bytes that are set aside before any of them was read.
const MOST_BELIEVED: u64 = 1 << 26;

const MAGIC: &[u8] = b"\x93NUMPY";

/// What a header says.
pub(super) struct Header {
    element: Element,
    big_endian: bool,
    fortran: bool,
    pub(super) shape: Vec<usize>,
}

/// Writes a table as .npy, f64, row-major, under a temporary name that is then renamed.
pub fn write_npy(path: &Path, table: ArrayView2<f64>) -> Result<(), WriteError> {
    let dictionary = format!(
        "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}",
        table.nrows(),
        table.ncols()
    );
    // Magic, version and length take 10 bytes; the data starts at a multiple of 64.
    let header = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = [MAGIC, &[1, 0], &(header as u16).to_le_bytes()].concat();
    bytes.extend(format!("{dictionary:<width$}\n", width = header - 1).bytes());
    bytes.extend(table.iter().flat_map(|value| value.to_le_bytes()));
    crate::write::write_bytes(path, &bytes)
}

pub(super) fn read(path: &Path) -> Result<Loaded, Problem> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    read_array(file, size, None)
}

pub(super) fn shape(path: &Path) -> Result<Vec<usize>, Problem> {
    Ok(Header::read(&mut File::open(path)?)?.0.shape)
}

/// Reads an array of `size` bytes, header included.
pub(super) fn read_array(mut from: impl Read, size: u64, name: Option<String>) -> Result<Loaded, Problem> {
    let (header, header_bytes) = Header::read(&mut from)?;
    let place = || name.clone().unwrap_or_else(|| "its data".into());
    let expected = header.element.bytes_of(&header.shape);
    let there = size.saturating_sub(header_bytes);
    if expected.map(|bytes| bytes as u64) != Some(there) {
        let expected = expected.map_or("more than memory can hold".into(), |bytes| bytes.to_string());
        return Err(Problem::new(
            place(),
            format!("{expected} bytes for {} {:?}", header.element, header.shape),
            format!("{there}"),
            "the file is damaged or cut short: save it again",
        ));
    }
    // Of a member of an archive the size is what the archive claims: it is not believed before it was read.
    let mut bytes = Vec::with_capacity(there.min(MOST_BELIEVED) as usize);
    from.take(there).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != there {
        let got = bytes.len().to_string();
        return Err(Problem::new(
            place(),
            format!("{there} bytes"),
            got,
            "the file is cut short: save it again",
        ));
    }
    let values = header.element.widen(&bytes, header.big_endian);
    let values = if header.fortran { row_major(&values, &header.shape) } else { values };
    Loaded::new(name, header.element, &header.shape, values)
}

/// Column-major values in row-major order.
fn row_major(values: &[f64], shape: &[usize]) -> Vec<f64> {
    let reversed: Vec<usize> = shape.iter().rev().copied().collect();
    match ndarray::ArrayView::from_shape(reversed, values) {
        Ok(array) => array.t().iter().copied().collect(),
        Err(_) => values.to_vec(),
    }
}

impl Header {
    /// The header, and how many bytes it took.
    pub(super) fn read(from: &mut impl Read) -> Result<(Self, u64), Problem> {
        let mut start = [0; 8];
        from.read_exact(&mut start).map_err(|_| not_npy("a file of fewer than 8 bytes"))?;
        if &start[..6] != MAGIC {
            return Err(not_npy("other first bytes"));
        }
        let (length, used) = match start[6] {
            1 => {
                let mut length = [0; 2];
                from.read_exact(&mut length)?;
                (u32::from(u16::from_le_bytes(length)), 10)
            }
            2 | 3 => {
                let mut length = [0; 4];
                from.read_exact(&mut length)?;
                (u32::from_le_bytes(length), 12)
            }
            version => return Err(not_npy(&format!("version {version}"))),
        };
        let mut text = Vec::new();
        from.take(u64::from(length)).read_to_end(&mut text)?;
        if text.len() != length as usize {
            return Err(not_npy("a header that is cut short"));
        }
        Ok((Self::parse(&String::from_utf8_lossy(&text))?, used + u64::from(length)))
    }

    fn parse(text: &str) -> Result<Self, Problem> {
        let after = |key: &str| {
            let (_, rest) = text.split_once(&format!("'{key}'"))?;
            Some(rest.trim_start().strip_prefix(':')?.trim_start())
        };
        let broken = || not_npy(&format!("the header {}", text.trim()));
        let descr = after("descr").ok_or_else(broken)?;
        let fortran = match after("fortran_order").ok_or_else(broken)? {
            rest if rest.starts_with("True") => true,
            rest if rest.starts_with("False") => false,
            _ => return Err(broken()),
        };
        let shape =
            after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).ok_or_else(broken)?.0;
        let sizes = shape.split(',').map(str::trim).filter(|size| !size.is_empty());
        // Python 2 wrote long integers with an L.
        let shape = sizes.map(|size| size.trim_end_matches('L').parse()).collect::<Result<Vec<usize>, _>>();
        let kind = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map(|(kind, _)| kind);
        let (element, big_endian) = kind.and_then(element).ok_or_else(|| {
            Problem::new(
                "its header",
                "numbers: floats of 16 to 64 bits, integers or booleans",
                format!("the dtype {}", kind.unwrap_or("of a structured array")),
                "convert it, such as with `x.astype('f8')`",
            )
        })?;
        Ok(Self { element, big_endian, fortran, shape: shape.map_err(|_| broken())? })
    }
}

/// A dtype such as `<f4`, and whether it is big-endian.
fn element(descr: &str) -> Option<(Element, bool)> {
    let element = match descr.get(1..)? {
        "f2" => Element::F16,
        "f4" => Element::F32,
        "f8" => Element::F64,
        "i1" => Element::I8,
        "i2" => Element::I16,
        "i4" => Element::I32,
        "i8" => Element::I64,
        "u1" => Element::U8,
        "u2" => Element::U16,
        "u4" => Element::U32,
        "u8" => Element::U64,
        "b1" => Element::Bool,
        _ => return None,
    };
    match descr.as_bytes()[0] {
        b'<' | b'|' => Some((element, false)),
        b'>' => Some((element, true)),
        b'=' => Some((element, cfg!(target_endian = "big"))),
        _ => None,
    }
}

fn not_npy(got: &str) -> Problem {
    Problem::new("its header", "a .npy header of version 1, 2 or 3", got, "save it again with `numpy.save`")
}
