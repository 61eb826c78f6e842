//! The kinds of numbers that files hold, widened to f64.

use std::fmt;

use half::{bf16, f16};

/// One kind of number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    F16,
    Bf16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
}

/// Reads numbers of one kind: `chunks of a type's size -> type -> f64`, in either byte order.
macro_rules! widen {
    ($kind:ty, $bytes:expr, $big_endian:expr, $to:expr) => {
        $bytes
            .chunks_exact(size_of::<$kind>())
            .map(|chunk| {
                let mut bytes = [0; size_of::<$kind>()];
                bytes.copy_from_slice(chunk);
                let value =
                    if $big_endian { <$kind>::from_be_bytes(bytes) } else { <$kind>::from_le_bytes(bytes) };
                $to(value)
            })
            .collect()
    };
}

impl Element {
    /// Bytes of one number.
    pub(super) fn size(self) -> usize {
        match self {
            Element::I8 | Element::U8 | Element::Bool => 1,
            Element::F16 | Element::Bf16 | Element::I16 | Element::U16 => 2,
            Element::F32 | Element::I32 | Element::U32 => 4,
            Element::F64 | Element::I64 | Element::U64 => 8,
        }
    }

    /// The bytes of an array of this shape; `None` when that overflows.
    pub(super) fn bytes_of(self, shape: &[usize]) -> Option<usize> {
        shape.iter().try_fold(self.size(), |bytes, &size| bytes.checked_mul(size))
    }

    /// All numbers of `bytes`. Integers beyond 2^53 are rounded.
    pub(super) fn widen(self, bytes: &[u8], big_endian: bool) -> Vec<f64> {
        match self {
            Element::F16 => widen!(f16, bytes, big_endian, f64::from),
            Element::Bf16 => widen!(bf16, bytes, big_endian, f64::from),
            Element::F32 => widen!(f32, bytes, big_endian, f64::from),
            Element::F64 => widen!(f64, bytes, big_endian, |value| value),
            Element::I8 => widen!(i8, bytes, big_endian, f64::from),
            Element::I16 => widen!(i16, bytes, big_endian, f64::from),
            Element::I32 => widen!(i32, bytes, big_endian, f64::from),
            Element::I64 => widen!(i64, bytes, big_endian, |value| value as f64),
            Element::U8 => widen!(u8, bytes, big_endian, f64::from),
            Element::U16 => widen!(u16, bytes, big_endian, f64::from),
            Element::U32 => widen!(u32, bytes, big_endian, f64::from),
            Element::U64 => widen!(u64, bytes, big_endian, |value| value as f64),
            Element::Bool => bytes.iter().map(|&byte| f64::from(u8::from(byte != 0))).collect(),
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::F32 => "f32",
            Element::F64 => "f64",
            Element::I8 => "i8",
            Element::I16 => "i16",
            Element::I32 => "i32",
            Element::I64 => "i64",
            Element::U8 => "u8",
            Element::U16 => "u16",
            Element::U32 => "u32",
            Element::U64 => "u64",
            Element::Bool => "bool",
        })
    }
}
