//! Nearest-neighbour resampling to another grid.

use std::path::Path;

use super::options::ExtractOptions;
use crate::fmri::affine::Grid;
use crate::fmri::error::{FmriError, Result};

/// The values on the grid of the data: as they are if the grids are the same, else each that of the nearest voxel,
/// and `outside` where there is none.
pub(super) fn to_grid<T: Copy>(
    path: &Path,
    values: &[T],
    from: &Grid,
    to: &Grid,
    outside: T,
    options: &ExtractOptions,
) -> Result<Vec<T>> {
    if from.matches(to) {
        return Ok(values.to_vec());
    }
    if options.same_grid {
        let what = path.display().to_string();
        return Err(FmriError::mismatch(
            what,
            format!("the grid of the data, {to}"),
            from,
            "allow resampling",
        ));
    }
    let Some(inverse) = from.affine.inverse() else {
        let (expected, got) = ("an affine that can be inverted", "a singular one");
        return Err(FmriError::format(path, "affine", expected, got, "correct the orientation of the image"));
    };
    let map = inverse.after(&to.affine);
    let nearest = |number: usize| {
        let point = map.apply(to.voxel(number).map(|index| index as f64));
        // scipy's mode `constant` ends at the centres of the outer voxels.
        let inside = |(c, n): (f64, usize)| c >= 0.0 && c <= n as f64 - 1.0;
        if options.is_compat() && !point.into_iter().zip(from.shape).all(inside) {
            return outside;
        }
        let voxel = point.map(|coordinate| (coordinate + 0.5).floor() as i64);
        from.number(voxel).and_then(|source| values.get(source).copied()).unwrap_or(outside)
    };
    Ok((0..to.len()).map(nearest).collect())
}
