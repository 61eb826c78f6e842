//! The .safetensors format. Only the header and the one array that is asked for are read, so that a checkpoint of
//! gigabytes costs no more than its table.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};

use super::element::Element;
use super::{ArrayInfo, Loaded, Problem, choose};

/// No header is larger (the format's own limit).
const LARGEST_HEADER: u64 = 100_000_000;

pub(super) fn arrays(path: &Path) -> Result<Vec<ArrayInfo>, Problem> {
    let (_, header, _) = open(path)?;
    let info = |name: String| {
        let shape = header.info(&name).map(|info| info.shape.clone()).unwrap_or_default();
        ArrayInfo { name, shape }
    };
    Ok(header.offset_keys().into_iter().map(info).collect())
}

pub(super) fn read(path: &Path, name: Option<&str>) -> Result<Loaded, Problem> {
    let (mut file, header, start) = open(path)?;
    let names = header.offset_keys();
    let name = choose(&names, name)?.to_owned();
    let info = header.info(&name).ok_or_else(|| broken("no such tensor".into()))?;
    let element = element(&name, info)?;
    let (from, to) = info.data_offsets;
    if element.bytes_of(&info.shape) != to.checked_sub(from) {
        return Err(Problem::new(
            name,
            format!("the bytes of {element} {:?}", info.shape),
            format!("bytes {from} to {to}"),
            "the file is damaged: save it again",
        ));
    }
    file.seek(SeekFrom::Start(start + from as u64))?;
    let mut bytes = vec![0; to - from];
    file.read_exact(&mut bytes)?;
    Loaded::new(Some(name), element, &info.shape, element.widen(&bytes, false))
}

/// The file, its header, and where its data start; the file is known to be as long as the header says.
fn open(path: &Path) -> Result<(File, Metadata, u64), Problem> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(|_| broken("fewer than 8 bytes".into()))?;
    let length = u64::from_le_bytes(length);
    if length > LARGEST_HEADER || length > size.saturating_sub(8) {
        return Err(broken(format!("a header of {length} bytes in a file of {size}")));
    }
    let mut text = vec![0; length as usize];
    file.read_exact(&mut text)?;
    let header: Metadata = serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
    let expected = 8 + length + header.data_len() as u64;
    if expected != size {
        return Err(broken(format!("{size} bytes where its header promises {expected}")));
    }
    Ok((file, header, 8 + length))
}

fn element(name: &str, info: &TensorInfo) -> Result<Element, Problem> {
    Ok(match info.dtype {
        Dtype::F16 => Element::F16,
        Dtype::BF16 => Element::Bf16,
        Dtype::F32 => Element::F32,
        Dtype::F64 => Element::F64,
        Dtype::I8 => Element::I8,
        Dtype::I16 => Element::I16,
        Dtype::I32 => Element::I32,
        Dtype::I64 => Element::I64,
        Dtype::U8 => Element::U8,
        Dtype::U16 => Element::U16,
        Dtype::U32 => Element::U32,
        Dtype::U64 => Element::U64,
        Dtype::BOOL => Element::Bool,
        other => {
            return Err(Problem::new(
                name,
                "floats of 16 to 64 bits, integers or booleans",
                format!("{other:?}"),
                "convert the tensor before saving it",
            ));
        }
    })
}

fn broken(got: String) -> Problem {
    Problem::new(
        "its header",
        "a whole safetensors file",
        got,
        "the file is damaged or cut short: save it again",
    )
}
