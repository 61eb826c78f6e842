//! The singular value decomposition.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use ndarray_linalg::{JobSvd, SVDDC};

use crate::{StatError, checks};

/// `x = u * diag(s) * vt`, thin: `u` [n, r], `s` [r] descending, `vt` [r, d], r = min(n, d).
pub(crate) struct ThinSvd {
    pub(crate) u: Array2<f64>,
    pub(crate) s: Array1<f64>,
    pub(crate) vt: Array2<f64>,
}

pub(crate) fn thin(what: &'static str, x: ArrayView2<f64>) -> Result<ThinSvd, StatError> {
    checks::finite(what, x)?;
    let (rows, columns) = x.dim();
    let rank = rows.min(columns);
    if rank == 0 {
        return Ok(ThinSvd {
            u: Array2::zeros((rows, 0)),
            s: Array1::zeros(0),
            vt: Array2::zeros((0, columns)),
        });
    }
    // LAPACK takes a contiguous copy; views with strides are not accepted.
    let copy = x.as_standard_layout().into_owned();
    match copy.svddc(JobSvd::Some).map_err(|source| StatError::Svd { rows, columns, source })? {
        (Some(u), s, Some(vt)) => Ok(ThinSvd { u, s, vt }),
        _ => unreachable!("JobSvd::Some asks for both sets of singular vectors"),
    }
}

/// Each column minus its mean; a column that is constant up to rounding becomes exactly 0, so that rounding
/// cannot pass for structure.
pub(crate) fn centred(x: ArrayView2<f64>) -> Array2<f64> {
    let Some(mean) = x.mean_axis(Axis(0)) else { return x.to_owned() };
    let mut centred = &x - &mean;
    for (mut own, given) in centred.columns_mut().into_iter().zip(x.columns()) {
        let scale = given.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        if own.iter().all(|value| value.abs() <= 1e-13 * scale) {
            own.fill(0.0);
        }
    }
    centred
}
