//! Header extensions: blocks between the header and the numbers.

use super::datatype::ByteOrder;
use super::header::{Header, Storage};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::source::Source;

/// The most bytes of extensions that are read. The largest in use, XML of CIFTI, is some megabytes.
const MOST: u64 = 1 << 26;

/// A block of bytes that some program left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extension {
    /// Which program or format, by the register of the standard: 4 AFNI, 6 comment, 32 CIFTI.
    pub code: i32,
    /// The content, with its padding.
    pub content: Vec<u8>,
}

/// Reads the extensions behind a header, up to where the numbers begin (of a pair, to the end of the file).
pub(super) fn read(source: &mut Source, header: &Header) -> Result<Vec<Extension>> {
    let end = match header.storage {
        Storage::Single => header.data_offset,
        Storage::Pair => source.capacity(),
    };
    let mut extensions = Vec::new();
    if header.storage == Storage::Pair && source.position() + 4 > end {
        return Ok(extensions);
    }
    let mut flag = [0; 4];
    match source.fill(&mut flag, "extension flag") {
        // A compressed .hdr file may end behind its header; how long it is, is not known before.
        Err(FmriError::Format { .. }) if header.storage == Storage::Pair => return Ok(extensions),
        other => other?,
    }
    if flag[0] == 0 {
        return Ok(extensions);
    }
    let mut total = 0;
    while source.position() + 8 <= end {
        let mut head = [0; 8];
        match source.fill(&mut head, "extension") {
            Err(FmriError::Format { .. }) if header.storage == Storage::Pair => break,
            other => other?,
        }
        let number = |at: usize| {
            let bytes = [head[at], head[at + 1], head[at + 2], head[at + 3]];
            match header.byte_order {
                ByteOrder::Little => i32::from_le_bytes(bytes),
                ByteOrder::Big => i32::from_be_bytes(bytes),
            }
        };
        let (size, code) = (number(0), number(4));
        if size == 0 && code == 0 {
            // Padding before the numbers.
            break;
        }
        let left = end - source.position();
        let content = u64::try_from(size).ok().filter(|size| *size >= 16 && size % 16 == 0);
        let Some(content) = content.map(|size| size - 8).filter(|content| *content <= left) else {
            let expected =
                format!("a multiple of 16, at most {} (what is left before the numbers)", left + 8);
            let remedy = "the header is damaged: write the file again";
            return Err(FmriError::format(source.path(), "esize", expected, size, remedy));
        };
        total += content;
        if total > MOST {
            let (expected, remedy) = (format!("extensions of at most {MOST} bytes"), "remove the extensions");
            return Err(FmriError::format(source.path(), "esize", expected, total, remedy));
        }
        extensions.push(Extension { code, content: source.take(content, "extension")? });
    }
    Ok(extensions)
}
