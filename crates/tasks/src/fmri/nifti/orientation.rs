//! Which of the three orientations of a header holds, and its affine map.

use super::raw::Raw;
use crate::fmri::affine::Affine;

/// How far the squared norm of a stored quaternion may exceed 1 by rounding: three times the precision of f32.
const CLAMPED: f64 = 3.0 * f32::EPSILON as f64;

/// Where the affine map of a header comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AffineSource {
    /// `srow_x`, `srow_y`, `srow_z`.
    Sform,
    /// Quaternion, offset and voxel sizes.
    Qform,
    /// Voxel sizes only: x flipped, the centre of the volume at the origin.
    Base,
}

/// What is wrong with an orientation: the field, what it can be, what it is.
pub(super) type Problem = (&'static str, &'static str, String);

/// The sform if its code says that there is one, else the qform, else the base affine. In the units of the header.
pub(super) fn affine(raw: &Raw, shape: [usize; 3]) -> Result<(Affine, AffineSource), Problem> {
    let (affine, source) = if raw.sform_code > 0 {
        (Affine { rows: raw.srow }, AffineSource::Sform)
    } else if raw.qform_code > 0 {
        (from_quaternion(raw)?, AffineSource::Qform)
    } else {
        (base(raw, shape), AffineSource::Base)
    };
    if affine.is_finite() {
        return Ok((affine, source));
    }
    let field = match source {
        AffineSource::Sform => "srow_x, srow_y, srow_z",
        AffineSource::Qform => "quatern, qoffset, pixdim",
        AffineSource::Base => "pixdim",
    };
    Err((field, "finite numbers", "NaN or infinity".to_owned()))
}

/// `R · diag(pixdim) · diag(1, 1, qfac)` and the offset, with R of the unit quaternion (a, b, c, d), a >= 0.
fn from_quaternion(raw: &Raw) -> Result<Affine, Problem> {
    let [b, c, d] = raw.quatern;
    let vector = b * b + c * c + d * d;
    let rest = 1.0 - vector;
    if !rest.is_finite() || rest < -CLAMPED {
        let got = format!("{vector}");
        return Err(("quatern_b, quatern_c, quatern_d", "a squared norm of at most 1", got));
    }
    // A half turn, but for rounding.
    let a = if rest.abs() < CLAMPED { 0.0 } else { rest.sqrt() };
    let rotation = rotation([a, b, c, d]);
    // 0 stands for 1: old writers left it out.
    let qfac = if raw.pixdim[0] < 0.0 { -1.0 } else { 1.0 };
    let sizes = [raw.pixdim[1], raw.pixdim[2], raw.pixdim[3] * qfac];
    let row = |r: usize| {
        let [x, y, z]: [f64; 3] = rotation[r];
        [x * sizes[0], y * sizes[1], z * sizes[2], raw.qoffset[r]]
    };
    Ok(Affine { rows: [row(0), row(1), row(2)] })
}

/// The rotation of a quaternion, whose norm need not be 1.
fn rotation([a, b, c, d]: [f64; 4]) -> [[f64; 3]; 3] {
    let s = 2.0 / (a * a + b * b + c * c + d * d);
    [
        [1.0 - (c * c + d * d) * s, (b * c - a * d) * s, (b * d + a * c) * s],
        [(b * c + a * d) * s, 1.0 - (b * b + d * d) * s, (c * d - a * b) * s],
        [(b * d - a * c) * s, (c * d + a * b) * s, 1.0 - (b * b + c * c) * s],
    ]
}

fn base(raw: &Raw, shape: [usize; 3]) -> Affine {
    let mut rows = [[0.0; 4]; 3];
    for (axis, row) in rows.iter_mut().enumerate() {
        let size = if axis == 0 { -raw.pixdim[1] } else { raw.pixdim[axis + 1] };
        row[axis] = size;
        row[3] = -size * (shape[axis] as f64 - 1.0) / 2.0;
    }
    Affine { rows }
}
