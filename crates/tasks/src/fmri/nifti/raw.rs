//! The fields of either header as they are stored.

use super::datatype::ByteOrder;

/// Bytes of a NIfTI-1 header.
pub(super) const SIZE_1: usize = 348;
/// Bytes of a NIfTI-2 header.
pub(super) const SIZE_2: usize = 540;

/// The fields that are used, unchecked.
pub(super) struct Raw {
    pub(super) magic: [u8; 4],
    pub(super) dim: [i64; 8],
    pub(super) datatype: i16,
    pub(super) bitpix: i16,
    pub(super) pixdim: [f64; 8],
    /// Of NIfTI-1 an f32.
    pub(super) vox_offset: f64,
    pub(super) slope: f64,
    pub(super) inter: f64,
    pub(super) units: i32,
    pub(super) qform_code: i32,
    pub(super) sform_code: i32,
    pub(super) quatern: [f64; 3],
    pub(super) qoffset: [f64; 3],
    pub(super) srow: [[f64; 4]; 3],
    pub(super) intent_code: i32,
    pub(super) intent_name: String,
    pub(super) description: String,
}

/// The size of the header and the byte order by its first four bytes.
pub(super) fn kind(first: [u8; 4]) -> Option<(usize, ByteOrder)> {
    let orders =
        [(ByteOrder::Little, i32::from_le_bytes(first)), (ByteOrder::Big, i32::from_be_bytes(first))];
    orders.into_iter().find_map(|(order, size)| match usize::try_from(size) {
        Ok(size @ (SIZE_1 | SIZE_2)) => Some((size, order)),
        _ => None,
    })
}

/// The fields of a NIfTI-1 header.
pub(super) fn version_1(bytes: &[u8; SIZE_1], order: ByteOrder) -> Raw {
    let at = Fields { bytes, order };
    Raw {
        magic: at.bytes(344),
        dim: std::array::from_fn(|i| i64::from(at.i16(40 + 2 * i))),
        datatype: at.i16(70),
        bitpix: at.i16(72),
        pixdim: std::array::from_fn(|i| at.f32(76 + 4 * i)),
        vox_offset: at.f32(108),
        slope: at.f32(112),
        inter: at.f32(116),
        units: i32::from(bytes[123]),
        qform_code: i32::from(at.i16(252)),
        sform_code: i32::from(at.i16(254)),
        quatern: std::array::from_fn(|i| at.f32(256 + 4 * i)),
        qoffset: std::array::from_fn(|i| at.f32(268 + 4 * i)),
        srow: std::array::from_fn(|row| std::array::from_fn(|column| at.f32(280 + 16 * row + 4 * column))),
        intent_code: i32::from(at.i16(68)),
        intent_name: text(&bytes[328..344]),
        description: text(&bytes[148..228]),
    }
}

/// The fields of a NIfTI-2 header.
pub(super) fn version_2(bytes: &[u8; SIZE_2], order: ByteOrder) -> Raw {
    let at = Fields { bytes, order };
    Raw {
        magic: at.bytes(4),
        dim: std::array::from_fn(|i| at.i64(16 + 8 * i)),
        datatype: at.i16(12),
        bitpix: at.i16(14),
        pixdim: std::array::from_fn(|i| at.f64(104 + 8 * i)),
        vox_offset: at.i64(168) as f64,
        slope: at.f64(176),
        inter: at.f64(184),
        units: at.i32(500),
        qform_code: at.i32(344),
        sform_code: at.i32(348),
        quatern: std::array::from_fn(|i| at.f64(352 + 8 * i)),
        qoffset: std::array::from_fn(|i| at.f64(376 + 8 * i)),
        srow: std::array::from_fn(|row| std::array::from_fn(|column| at.f64(400 + 32 * row + 8 * column))),
        intent_code: at.i32(504),
        intent_name: text(&bytes[508..524]),
        description: text(&bytes[240..320]),
    }
}

struct Fields<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

macro_rules! number {
    ($name:ident, $type:ty, $result:ty) => {
        fn $name(&self, at: usize) -> $result {
            let bytes = self.bytes(at);
            match self.order {
                ByteOrder::Little => <$type>::from_le_bytes(bytes).into(),
                ByteOrder::Big => <$type>::from_be_bytes(bytes).into(),
            }
        }
    };
}

impl Fields<'_> {
    number!(i16, i16, i16);
    number!(i32, i32, i32);
    number!(i64, i64, i64);
    number!(f32, f32, f64);
    number!(f64, f64, f64);

    /// Offsets are constants of this file, within the header.
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[at..at + N]);
        bytes
    }
}

/// The text before the first zero byte.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}
