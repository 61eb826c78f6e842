//! The types of stored numbers, and their decoding to f64.

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// The real types of NIfTI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Datatype {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl Datatype {
    /// The type of a NIfTI datatype code, or the name of one that is no real number of at most 64 bits.
    pub fn from_code(code: i16) -> Result<Self, &'static str> {
        Ok(match code {
            2 => Datatype::U8,
            256 => Datatype::I8,
            512 => Datatype::U16,
            4 => Datatype::I16,
            768 => Datatype::U32,
            8 => Datatype::I32,
            1280 => Datatype::U64,
            1024 => Datatype::I64,
            16 => Datatype::F32,
            64 => Datatype::F64,
            1 => return Err("single bits"),
            32 => return Err("complex64"),
            128 => return Err("RGB24 colours"),
            1536 => return Err("float128"),
            1792 => return Err("complex128"),
            2048 => return Err("complex256"),
            2304 => return Err("RGBA32 colours"),
            _ => return Err("no type that NIfTI knows"),
        })
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Datatype::U8 | Datatype::I8 => 1,
            Datatype::U16 | Datatype::I16 => 2,
            Datatype::U32 | Datatype::I32 | Datatype::F32 => 4,
            Datatype::U64 | Datatype::I64 | Datatype::F64 => 8,
        }
    }

    /// Appends the numbers of whole elements as f64, times the slope plus the intercept. 64-bit integers are rounded
    /// to the nearest f64.
    pub(crate) fn decode(self, bytes: &[u8], order: ByteOrder, scaling: (f64, f64), out: &mut Vec<f64>) {
        macro_rules! numbers {
            ($type:ty) => {{
                let (chunks, _) = bytes.as_chunks::<{ size_of::<$type>() }>();
                let plain = scaling == (1.0, 0.0);
                match (order, plain) {
                    (ByteOrder::Little, true) => {
                        out.extend(chunks.iter().map(|chunk| <$type>::from_le_bytes(*chunk) as f64));
                    }
                    (ByteOrder::Big, true) => {
                        out.extend(chunks.iter().map(|chunk| <$type>::from_be_bytes(*chunk) as f64));
                    }
                    (ByteOrder::Little, false) => out.extend(
                        chunks.iter().map(|c| <$type>::from_le_bytes(*c) as f64 * scaling.0 + scaling.1),
                    ),
                    (ByteOrder::Big, false) => out.extend(
                        chunks.iter().map(|c| <$type>::from_be_bytes(*c) as f64 * scaling.0 + scaling.1),
                    ),
                }
            }};
        }
        match self {
            Datatype::U8 => numbers!(u8),
            Datatype::I8 => numbers!(i8),
            Datatype::U16 => numbers!(u16),
            Datatype::I16 => numbers!(i16),
            Datatype::U32 => numbers!(u32),
            Datatype::I32 => numbers!(i32),
            Datatype::U64 => numbers!(u64),
            Datatype::I64 => numbers!(i64),
            Datatype::F32 => numbers!(f32),
            Datatype::F64 => numbers!(f64),
        }
    }
}

impl std::fmt::Display for Datatype {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Datatype::U8 => "uint8",
            Datatype::I8 => "int8",
            Datatype::U16 => "uint16",
            Datatype::I16 => "int16",
            Datatype::U32 => "uint32",
            Datatype::I32 => "int32",
            Datatype::U64 => "uint64",
            Datatype::I64 => "int64",
            Datatype::F32 => "float32",
            Datatype::F64 => "float64",
        })
    }
}
