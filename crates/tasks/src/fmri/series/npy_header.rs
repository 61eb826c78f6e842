//! The header of a `.npy` array: a Python dictionary of three keys.

use crate::fmri::nifti::{ByteOrder, Datatype};

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct NpyHeader {
    pub(super) datatype: Datatype,
    pub(super) order: ByteOrder,
    pub(super) column_major: bool,
    pub(super) shape: Vec<usize>,
}

/// Reads the dictionary, or says what is wrong: the key, what it can be, what it is.
pub(super) fn parse(text: &str) -> Result<NpyHeader, (&'static str, &'static str, String)> {
    let wrong = |key, expected, got: &str| Err((key, expected, got.to_owned()));
    let value = |key: &str| {
        let quoted = [format!("'{key}'"), format!("\"{key}\"")];
        let after =
            quoted.iter().find_map(|quoted| text.split_once(quoted.as_str()).map(|(_, after)| after))?;
        Some(after.trim_start().strip_prefix(':')?.trim_start())
    };
    let (Some(descr), Some(fortran), Some(shape)) = (value("descr"), value("fortran_order"), value("shape"))
    else {
        return wrong("header", "the keys descr, fortran_order and shape", text);
    };
    let quote = descr.chars().next().filter(|c| *c == '\'' || *c == '"');
    let descr = quote.and_then(|quote| descr.get(1..)?.split_once(quote)).map_or(descr, |(inside, _)| inside);
    let Some((datatype, order)) = number_type(descr) else {
        return wrong("descr", "real numbers (f4, f8, i1 to i8, u1 to u8)", descr);
    };
    let column_major = match (fortran.starts_with("True"), fortran.starts_with("False")) {
        (true, _) => true,
        (_, true) => false,
        _ => return wrong("fortran_order", "True or False", fortran),
    };
    let inside = shape.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let lengths = inside.map(|inside| inside.split(',').map(str::trim).filter(|length| !length.is_empty()));
    let lengths = lengths.and_then(|lengths| lengths.map(|length| length.parse().ok()).collect());
    match lengths {
        Some(shape) => Ok(NpyHeader { datatype, order, column_major, shape }),
        None => wrong("shape", "a tuple of lengths", shape),
    }
}

fn number_type(descr: &str) -> Option<(Datatype, ByteOrder)> {
    let order = match descr.get(..1)? {
        ">" => ByteOrder::Big,
        "<" | "|" => ByteOrder::Little,
        _ => return None,
    };
    let datatype = match descr.get(1..)? {
        "f4" => Datatype::F32,
        "f8" => Datatype::F64,
        "i1" => Datatype::I8,
        "i2" => Datatype::I16,
        "i4" => Datatype::I32,
        "i8" => Datatype::I64,
        "u1" => Datatype::U8,
        "u2" => Datatype::U16,
        "u4" => Datatype::U32,
        "u8" => Datatype::U64,
        _ => return None,
    };
    Some((datatype, order))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_numpy_writes_them() {
        let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (48, 6), }   \n";
        let header = parse(text).unwrap();
        assert_eq!((header.shape.as_slice(), header.column_major), ([48, 6].as_slice(), false));
        assert_eq!(
            parse("{'descr': '>i2', 'fortran_order': True, 'shape': (3,), }").unwrap().order,
            ByteOrder::Big
        );
        assert_eq!(parse("{'descr': '|u1', 'fortran_order': True, 'shape': (), }").unwrap().shape, [0; 0]);
        for wrong in [
            "{'descr': '<U5', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': 'é', }",
            "{}",
            "'descr': '",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }").is_err());
    }
}
