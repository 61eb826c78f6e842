//! Products of rows with rows: all the unsafe code of the crate.
#![allow(
    unsafe_code,
    reason = "`gemm` takes pointers; with AVX-512 it is three times as fast as ndarray's product"
)]

/// tile[r, c] = row r of `left` · row c of `right`. Rows have `inner` entries each and are contiguous; rows of
/// the tile are `width` apart. Runs on the calling thread alone, so that its bits depend on the sizes only (and
/// on the processor).
pub(super) fn rows_with_rows(left: &[f64], right: &[f64], inner: usize, tile: &mut [f64], width: usize) {
    if inner == 0 || left.is_empty() || right.is_empty() {
        tile.fill(0.0);
        return;
    }
    let (rows, columns) = (left.len() / inner, right.len() / inner);
    assert!(left.len() == rows * inner && right.len() == columns * inner, "whole rows");
    assert!(columns <= width && (rows - 1) * width + columns <= tile.len(), "the product fits its tile");
    // Slices are shorter than `isize::MAX`, and so are strides within them.
    let (inner_stride, width_stride) = (inner as isize, width as isize);
    // SAFETY: the assertions above: element (r, k) of `left` is at r * inner + k < left.len(), element (k, c) of
    // the transposed `right` at c * inner + k < right.len(), element (r, c) of the result at r * width + c <
    // tile.len(). `tile` is borrowed mutably and so overlaps neither input; all three are initialised. f64 is a
    // type that `gemm` knows.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            tile.as_mut_ptr(),
            1,
            width_stride,
            false,
            left.as_ptr(),
            1,
            inner_stride,
            right.as_ptr(),
            inner_stride,
            1,
            0.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_an_inner_product_and_the_rest_is_left() {
        for (rows, columns, inner) in [(1, 1, 1), (3, 5, 7), (17, 33, 64), (128, 130, 9)] {
            let make = |n: usize, salt: usize| -> Vec<f64> {
                (0..n).map(|k| ((k * 7919 + salt) % 101) as f64 - 50.0).collect()
            };
            let (left, right, width) = (make(rows * inner, 1), make(columns * inner, 2), columns + 3);
            let mut tile = vec![-1.0; rows * width];
            rows_with_rows(&left, &right, inner, &mut tile, width);
            for r in 0..rows {
                for c in 0..columns {
                    let pair = left[r * inner..][..inner].iter().zip(&right[c * inner..][..inner]);
                    // Whole numbers: exact in any order.
                    assert_eq!(tile[r * width + c], pair.map(|(a, b)| a * b).sum::<f64>());
                }
                assert_eq!(tile[r * width + columns..(r + 1) * width], [-1.0; 3]);
            }
        }
    }

    #[test]
    #[should_panic(expected = "fits")]
    fn a_tile_that_is_too_small_is_never_written() {
        rows_with_rows(&[1.0; 4], &[1.0; 4], 2, &mut [0.0; 3], 2);
    }
}
