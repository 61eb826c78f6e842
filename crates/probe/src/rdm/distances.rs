//! Distances between all rows: pair by pair for small tables, by matrix products for large ones.

use ndarray::{Array2, ArrayRef2, ArrayView2, Axis};
use rayon::prelude::*;

use super::Measure;
use super::condensed::{pairs, par_over_pairs, rows_mut};
use super::product::rows_with_rows;

/// From this many rows on, inner products are computed as matrix products.
pub(super) const BLOCKED_FROM: usize = 128;

/// Rows and columns of one tile of inner products. A tile (0.8 MB) stays in a core's own cache.
const TILE: (usize, usize) = (192, 512);

/// A squared Euclidean distance below this share of |x|² + |y|² is computed from the difference instead.
const CANCELS: f64 = 1.0 / 64.0;

/// All distances of complete finite rows, in condensed order. `measure` is one that needs nothing but rows.
pub(super) fn condensed(measure: Measure, x: ArrayView2<f64>) -> Vec<f64> {
    let x = x.as_standard_layout();
    match measure {
        Measure::SquaredEuclidean => euclidean(x.view(), |squared| squared),
        Measure::Hamming => par_over_pairs(x.nrows(), |i, j| {
            x.row(i).iter().zip(x.row(j)).filter(|(a, b)| a != b).count() as f64
        }),
        Measure::Cosine => one_minus_cosine(x.into_owned()),
        Measure::Correlation => one_minus_cosine(centre_rows(x.view())),
        _ => euclidean(x.view(), f64::sqrt),
    }
}

/// Each row minus its mean, a constant row exactly 0. Distances of it ignore what all channels share
/// (`remove_mean` of rsatoolbox).
pub fn centre_rows(x: ArrayView2<f64>) -> Array2<f64> {
    let mut y = x.as_standard_layout().into_owned();
    for mut row in y.rows_mut() {
        let Some(mean) = row.mean() else { continue };
        let scale = row.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        row -= mean;
        // A constant row must be exactly zero, or rounding would give it a direction.
        if row.iter().all(|value| value.abs() <= 1e-13 * scale) {
            row.fill(0.0);
        }
    }
    y
}

/// |a - b|², in four partial sums.
pub(super) fn squared(a: &[f64], b: &[f64]) -> f64 {
    let ((a4, a_rest), (b4, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a4.iter().zip(b4) {
        for lane in 0..4 {
            sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// Row i of a table in standard layout.
pub(super) fn row(x: &ArrayRef2<f64>, i: usize) -> &[f64] {
    let columns = x.ncols();
    // Contiguous in standard layout.
    x.as_slice().map_or(&[], |all| &all[i * columns..(i + 1) * columns])
}

/// A function of the squared distances. For large tables they are |x|² + |y|² - 2 x·y, of the rows minus the mean row;
/// where that would cancel, and so for near-duplicates, the sum of squared differences of the rows as they were given.
/// The relative error of the squares is below 64 d ε in any case.
fn euclidean(x: ArrayView2<f64>, of: impl Fn(f64) -> f64 + Sync) -> Vec<f64> {
    let direct = |i: usize, j: usize| squared(row(&x, i), row(&x, j));
    let Some(mean) = x.mean_axis(Axis(0)).filter(|_| x.nrows() >= BLOCKED_FROM) else {
        return par_over_pairs(x.nrows(), |i, j| of(direct(i, j)));
    };
    let centred = &x - &mean;
    let squares: Vec<f64> = centred.rows().into_iter().map(|row| row.dot(&row)).collect();
    // Numbers so large that their squares overflow: only the direct sum says so.
    if !squares.iter().sum::<f64>().is_finite() {
        return par_over_pairs(x.nrows(), |i, j| of(direct(i, j)));
    }
    over_products(&centred, &centred, |i, j, product, _| {
        let both = squares[i] + squares[j];
        let value = both - 2.0 * product;
        of(if value < CANCELS * both { direct(i, j) } else { value })
    })
}

/// 1 - x·y/(|x| |y|): absolute error of some ε. A zero row gives NaN.
fn one_minus_cosine(mut x: Array2<f64>) -> Vec<f64> {
    for mut row in x.rows_mut() {
        let most = row.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        // A power of two changes no digit, but keeps squares from overflow and underflow.
        if most > 0.0 {
            let power = most.log2().floor().exp2();
            row.mapv_inplace(|value| value / power);
        }
    }
    let norms: Vec<f64> = x.rows().into_iter().map(|row| row.dot(&row).sqrt()).collect();
    // 0/0 is NaN: the angle to a zero row is undefined.
    let distance = |i: usize, j: usize, product: f64| 1.0 - product / (norms[i] * norms[j]);
    if x.nrows() < BLOCKED_FROM {
        return par_over_pairs(x.nrows(), |i, j| distance(i, j, x.row(i).dot(&x.row(j))));
    }
    over_products(&x, &x, |i, j, product, _| distance(i, j, product))
}

/// `value(i, j, a_i·b_j, a_j·b_i)` for all pairs i < j of rows, in condensed order, tile by tile. Memory: the
/// result, and two tiles a thread. Both tables are in standard layout. When they are one and the same, the second
/// product is the first.
pub(super) fn over_products(
    a: &Array2<f64>,
    b: &Array2<f64>,
    value: impl Fn(usize, usize, f64, f64) -> f64 + Sync,
) -> Vec<f64> {
    let (n, symmetric) = (a.nrows(), std::ptr::eq(a, b));
    let mut values = vec![0.0; pairs(n)];
    let (rows_of_a, rows_of_b) = (a.as_slice().unwrap_or_default(), b.as_slice().unwrap_or_default());
    let inner = a.ncols();
    rows_mut(&mut values, n).par_chunks_mut(TILE.0).enumerate().for_each(|(block, rows)| {
        let (first, last) = (block * TILE.0, block * TILE.0 + rows.len());
        let mut there = vec![0.0; rows.len() * TILE.1];
        let mut back = if symmetric { Vec::new() } else { there.clone() };
        for start in (first..n).step_by(TILE.1) {
            let end = n.min(start + TILE.1);
            let (own, others) = (first * inner..last * inner, start * inner..end * inner);
            rows_with_rows(&rows_of_a[own.clone()], &rows_of_b[others.clone()], inner, &mut there, TILE.1);
            if !symmetric {
                rows_with_rows(&rows_of_b[own], &rows_of_a[others], inner, &mut back, TILE.1);
            }
            let back = if symmetric { &there } else { &back };
            for (k, row_values) in rows.iter_mut().enumerate() {
                let (i, from) = (first + k, start.max(first + k + 1));
                if from >= end {
                    continue;
                }
                let columns = k * TILE.1 + from - start..k * TILE.1 + end - start;
                let products = there[columns.clone()].iter().zip(&back[columns]);
                let targets = row_values[from - i - 1..end - i - 1].iter_mut();
                for ((target, j), (&there, &back)) in targets.zip(from..).zip(products) {
                    *target = value(i, j, there, back);
                }
            }
        }
    });
    values
}
