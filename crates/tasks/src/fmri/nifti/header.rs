//! The checked header of either version.

use std::path::Path;

use super::datatype::{ByteOrder, Datatype};
use super::orientation::{self, AffineSource};
use super::raw::{self, Raw, SIZE_1, SIZE_2};
use crate::fmri::affine::Grid;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::source::Source;

const DAMAGED: &str = "the header is damaged or not NIfTI: write the file again";
const CONVERT: &str = "convert the volume to a real type first";

/// The version of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// NIfTI-1, a header of 348 bytes.
    One,
    /// NIfTI-2, a header of 540 bytes.
    Two,
}

/// Where the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// In the file of the header.
    Single,
    /// In an `.img` file beside the `.hdr` file.
    Pair,
}

/// `value = stored · slope + intercept`, in f64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaling {
    /// The factor, finite and not 0.
    pub slope: f64,
    /// What is added, finite.
    pub intercept: f64,
}

/// What a header says, checked. Lengths are in mm, times in seconds, whatever the units of the file.
#[derive(Debug, Clone)]
pub struct Header {
    /// The version of the standard.
    pub version: Version,
    /// The byte order of header and numbers.
    pub byte_order: ByteOrder,
    /// Whether the numbers are in the same file.
    pub storage: Storage,
    /// The lengths of the axes, 1 to 7 of them; the first runs fastest.
    pub shape: Vec<usize>,
    /// The type of the stored numbers.
    pub datatype: Datatype,
    /// How to scale them; nothing if they are the values.
    pub scaling: Option<Scaling>,
    /// Where in the file the numbers begin.
    pub data_offset: u64,
    /// Shape and place of one frame.
    pub grid: Grid,
    /// Where the place comes from.
    pub affine_source: AffineSource,
    /// Seconds from frame to frame, where the header knows them.
    pub repetition_time: Option<f64>,
    /// What the values mean, by the codes of the standard; 0 says nothing.
    pub intent: i32,
    /// The name of the intent.
    pub intent_name: String,
    /// Free text.
    pub description: String,
}

impl Header {
    /// Numbers of one frame.
    pub fn frame_len(&self) -> usize {
        self.grid.len()
    }

    /// Frames: the product of all axes after the third.
    pub fn frames(&self) -> usize {
        self.shape.iter().skip(3).product()
    }

    /// Whether the file holds unscaled float32, which nilearn computes in single precision.
    pub(crate) fn is_plain_f32(&self) -> bool {
        self.datatype == Datatype::F32 && self.scaling.is_none()
    }

    /// Bytes of all numbers.
    pub(super) fn data_len(&self) -> u64 {
        // Checked when the header was read.
        (self.shape.iter().product::<usize>() * self.datatype.size()) as u64
    }

    /// Reads a header and leaves the source behind it.
    pub(super) fn read(source: &mut Source) -> Result<Self> {
        let path = source.path().to_owned();
        let mut first = [0; 4];
        source.fill(&mut first, "sizeof_hdr")?;
        let Some((size, order)) = raw::kind(first) else {
            let got = i32::from_le_bytes(first);
            return Err(FmriError::format(
                &path,
                "sizeof_hdr",
                "348 or 540 in either byte order",
                got,
                DAMAGED,
            ));
        };
        if size == SIZE_1 {
            let mut bytes = [0; SIZE_1];
            source.fill(&mut bytes[4..], "header")?;
            Checks { path: &path, raw: raw::version_1(&bytes, order), order, version: Version::One }.header()
        } else {
            let mut bytes = [0; SIZE_2];
            source.fill(&mut bytes[4..], "header")?;
            let raw = raw::version_2(&bytes, order);
            if bytes[8..12] != *b"\r\n\x1a\n" {
                let got = format!("{:?}", &bytes[8..12]);
                let expected = "[13, 10, 26, 10] at its end";
                return Err(FmriError::format(&path, "magic", expected, got, DAMAGED));
            }
            Checks { path: &path, raw, order, version: Version::Two }.header()
        }
    }
}

struct Checks<'a> {
    path: &'a Path,
    raw: Raw,
    order: ByteOrder,
    version: Version,
}

impl Checks<'_> {
    fn header(self) -> Result<Header> {
        let storage = self.storage()?;
        let shape = self.shape()?;
        let datatype = self.datatype()?;
        self.check_size(&shape, datatype)?;
        let scaling = self.scaling()?;
        let data_offset = self.data_offset(storage)?;
        let axis = |axis: usize| shape.get(axis).copied().unwrap_or(1);
        let frame = [axis(0), axis(1), axis(2)];
        let (affine, affine_source) = orientation::affine(&self.raw, frame)
            .map_err(|(field, expected, got)| self.wrong(field, expected, got))?;
        // The low three bits are the unit of length. Unknown means mm.
        let millimetres = match self.raw.units & 7 {
            1 => 1000.0,
            3 => 0.001,
            _ => 1.0,
        };
        let affine = if millimetres == 1.0 { affine } else { affine.scaled(millimetres) };
        Ok(Header {
            version: self.version,
            byte_order: self.order,
            storage,
            datatype,
            scaling,
            data_offset,
            grid: Grid { shape: frame, affine },
            affine_source,
            repetition_time: if shape.len() > 3 { self.repetition_time() } else { None },
            shape,
            intent: self.raw.intent_code,
            intent_name: self.raw.intent_name,
            description: self.raw.description,
        })
    }

    fn wrong(&self, field: &str, expected: &str, got: impl ToString) -> FmriError {
        FmriError::format(self.path, field, expected, got, DAMAGED)
    }

    fn storage(&self) -> Result<Storage> {
        let digit = if self.version == Version::One { b'1' } else { b'2' };
        match self.raw.magic {
            [b'n', b'+', found, 0] if found == digit => Ok(Storage::Single),
            [b'n', b'i', found, 0] if found == digit => Ok(Storage::Pair),
            [0, 0, 0, 0] => Err(FmriError::format(
                self.path,
                "magic",
                "n+1 or ni1",
                "nothing, as in the older ANALYZE format",
                "convert the file to NIfTI",
            )),
            other => {
                let expected = if digit == b'1' { "n+1 or ni1" } else { "n+2 or ni2" };
                Err(self.wrong("magic", expected, format!("{:?}", String::from_utf8_lossy(&other))))
            }
        }
    }

    fn shape(&self) -> Result<Vec<usize>> {
        let dim = self.raw.dim;
        let axes = usize::try_from(dim[0]).ok().filter(|axes| (1..=7).contains(axes));
        let axes = axes.ok_or_else(|| self.wrong("dim[0]", "1 to 7", dim[0]))?;
        let length = |axis: usize| {
            let length = usize::try_from(dim[axis]).ok().filter(|&length| length > 0);
            length.ok_or_else(|| self.wrong(&format!("dim[{axis}]"), "1 or more", dim[axis]))
        };
        (1..=axes).map(length).collect()
    }

    fn datatype(&self) -> Result<Datatype> {
        let code = self.raw.datatype;
        let datatype = Datatype::from_code(code).map_err(|name| {
            FmriError::format(
                self.path,
                "datatype",
                "a real type of at most 64 bits",
                format!("{code} ({name})"),
                CONVERT,
            )
        })?;
        let bits = 8 * datatype.size();
        if usize::try_from(self.raw.bitpix) != Ok(bits) {
            let expected = format!("{bits}, the bits of {datatype}");
            return Err(self.wrong("bitpix", &expected, self.raw.bitpix));
        }
        Ok(datatype)
    }

    /// The product of the axes, in bytes, must be a number of this machine.
    fn check_size(&self, shape: &[usize], datatype: Datatype) -> Result<()> {
        let product = shape.iter().try_fold(datatype.size(), |product, &length| product.checked_mul(length));
        // Half the range, so that sums with offsets cannot overflow either.
        if product.is_none_or(|bytes| bytes > usize::MAX / 2) {
            return Err(self.wrong("dim", "a product that fits into memory addresses", format!("{shape:?}")));
        }
        Ok(())
    }

    fn scaling(&self) -> Result<Option<Scaling>> {
        let (slope, intercept) = (self.raw.slope, self.raw.inter);
        if slope == 0.0 || !slope.is_finite() {
            return Ok(None);
        }
        if !intercept.is_finite() {
            return Err(self.wrong("scl_inter", "a finite number beside a finite scl_slope", intercept));
        }
        Ok((slope != 1.0 || intercept != 0.0).then_some(Scaling { slope, intercept }))
    }

    fn data_offset(&self, storage: Storage) -> Result<u64> {
        let offset = self.raw.vox_offset;
        let least = match (storage, self.version) {
            (Storage::Pair, _) => 0.0,
            (Storage::Single, Version::One) => 352.0,
            (Storage::Single, Version::Two) => 544.0,
        };
        if offset.fract() != 0.0 || !(least..=2f64.powi(53)).contains(&offset) {
            return Err(self.wrong("vox_offset", &format!("a whole number of at least {least}"), offset));
        }
        Ok(offset as u64)
    }

    /// Seconds from frame to frame. A frequency, or a length of 0, is no repetition time.
    fn repetition_time(&self) -> Option<f64> {
        let seconds = match self.raw.units & 0x38 {
            // Unknown means seconds.
            0 | 8 => 1.0,
            16 => 1e-3,
            24 => 1e-6,
            _ => return None,
        };
        // Headers of version 1 store f32: 0.72 is what 0.72f32 was written for.
        let stored = self.raw.pixdim[4];
        let written = if self.version == Version::One { shortest_decimal(stored as f32) } else { stored };
        let time = if seconds == 1.0 { written } else { written * seconds };
        (time.is_finite() && time > 0.0).then_some(time)
    }
}

/// The f64 of the shortest decimal that names this f32.
fn shortest_decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}
