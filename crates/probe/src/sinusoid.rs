//! The sinusoid tables that the paper takes as the truth.

use ndarray::{Array1, Array2, ArrayView2, s};

use crate::StatError;

/// The base of all wavelengths (Vaswani et al. 2017).
const BASE: f64 = 10_000.0;

/// The k-D sinusoid of coordinates [tokens, k], [tokens, width].
///
/// Each axis gets m = 2·floor(width / 2k) columns, the **last axis first** (a grid's column before its row,
/// as in the authors' 2-D code); columns left over are zero. Within an axis, column 2i is `sin(x /
/// 10000^(2i/m))` and column 2i+1 the cosine, x the coordinate in grid units. The order of axes and columns
/// changes no rotation-invariant statistic.
pub fn sinusoid_kd(coords: ArrayView2<f64>, width: usize) -> Result<Array2<f64>, StatError> {
    let (tokens, axes) = coords.dim();
    if axes == 0 || width < 2 * axes {
        return Err(StatError::TooFew {
            what: "width of a k-D sinusoid",
            least: 2 * axes.max(1),
            got: width,
        });
    }
    let per_axis = 2 * (width / (2 * axes));
    let mut table = Array2::zeros((tokens, width));
    for (slot, axis) in (0..axes).rev().enumerate() {
        let start = slot * per_axis;
        for (token, &x) in coords.column(axis).indexed_iter() {
            table.slice_mut(s![token, start..start + per_axis]).assign(&encode(x, per_axis));
        }
    }
    Ok(table)
}

/// The ordinary 1-D sinusoid over indices 0..tokens, [tokens, width].
pub fn sinusoid_1d(tokens: usize, width: usize) -> Result<Array2<f64>, StatError> {
    let indices = Array2::from_shape_fn((tokens, 1), |(token, _)| token as f64);
    sinusoid_kd(indices.view(), width)
}

fn encode(x: f64, columns: usize) -> Array1<f64> {
    Array1::from_shape_fn(columns, |column| {
        let even = (column - column % 2) as f64;
        let angle = x / BASE.powf(even / columns as f64);
        if column % 2 == 0 { angle.sin() } else { angle.cos() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_first_and_rows_last() {
        let coords = Array2::from_shape_fn((16, 2), |(t, axis)| [t / 4, t % 4][axis] as f64);
        let table = sinusoid_kd(coords.view(), 160).unwrap();
        let one = sinusoid_1d(4, 80).unwrap();
        for t in 0..16 {
            assert_eq!(table.slice(s![t, ..80]), one.row(t % 4));
            assert_eq!(table.slice(s![t, 80..]), one.row(t / 4));
        }
        // Hand-computed: token 7 is row 1, column 3.
        approx::assert_abs_diff_eq!(table[[7, 0]], 3.0f64.sin());
        approx::assert_abs_diff_eq!(table[[7, 3]], (3.0 / 10_000f64.powf(2.0 / 80.0)).cos());
        approx::assert_abs_diff_eq!(table[[7, 81]], 1.0f64.cos());
    }

    #[test]
    fn left_over_columns_are_zero_and_too_few_refused() {
        let coords = Array2::<f64>::ones((3, 3));
        let table = sinusoid_kd(coords.view(), 20).unwrap();
        assert!(table.slice(s![.., 18..]).iter().all(|&v| v == 0.0));
        assert!(sinusoid_kd(coords.view(), 5).is_err());
        assert!(sinusoid_kd(Array2::zeros((3, 0)).view(), 8).is_err());
    }
}
