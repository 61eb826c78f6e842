//! The upper triangle of a symmetric matrix as a vector: (0,1), (0,2), ..., (n-2, n-1).

use rayon::prelude::*;

/// Rows handed to one thread at a time when each row is cheap.
const ROWS_AT_ONCE: usize = 16;

/// The number of pairs of n conditions.
pub(crate) fn pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// Where the pair i < j of n conditions stands.
pub(crate) fn position(n: usize, i: usize, j: usize) -> usize {
    i * (2 * n - i - 1) / 2 + j - i - 1
}

/// A condensed upper triangle as a full symmetric matrix, row-major, with `diagonal` on the diagonal.
pub(crate) fn square(n: usize, condensed: &[f64], diagonal: f64) -> Vec<f64> {
    let mut full = vec![diagonal; n * n];
    let mut next = condensed.iter();
    for i in 0..n {
        for (j, &value) in (i + 1..n).zip(next.by_ref()) {
            full[i * n + j] = value;
            full[j * n + i] = value;
        }
    }
    full
}

/// Evaluates `f` on every pair of `n` conditions, in condensed order.
pub(crate) fn over_pairs(n: usize, mut f: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
    let mut values = Vec::with_capacity(pairs(n));
    for i in 0..n {
        for j in i + 1..n {
            values.push(f(i, j));
        }
    }
    values
}

/// As [`over_pairs`], by several threads. Each value is computed by itself, so that threads change nothing.
pub(crate) fn par_over_pairs(n: usize, f: impl Fn(usize, usize) -> f64 + Sync) -> Vec<f64> {
    let mut values = vec![0.0; pairs(n)];
    rows_mut(&mut values, n).into_par_iter().with_min_len(ROWS_AT_ONCE).enumerate().for_each(|(i, row)| {
        row.iter_mut().zip(i + 1..).for_each(|(value, j)| *value = f(i, j));
    });
    values
}

/// The parts of a condensed vector that belong to each row: part i holds the pairs (i, i+1), ..., (i, n-1).
pub(crate) fn rows_mut(values: &mut [f64], n: usize) -> Vec<&mut [f64]> {
    let mut rest = values;
    (0..n)
        .map(|i| {
            let (row, later) = std::mem::take(&mut rest).split_at_mut(n - 1 - i);
            rest = later;
            row
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_rows_and_pairs_agree() {
        for n in 0..9 {
            let mut values = over_pairs(n, |i, j| (100 * i + j) as f64);
            assert_eq!(values.len(), pairs(n));
            assert_eq!(values, par_over_pairs(n, |i, j| (100 * i + j) as f64));
            for i in 0..n {
                (i + 1..n).for_each(|j| assert_eq!(values[position(n, i, j)], (100 * i + j) as f64));
            }
            for (i, row) in rows_mut(&mut values, n).iter().enumerate() {
                assert!(row.iter().copied().eq((i + 1..n).map(|j| (100 * i + j) as f64)));
            }
        }
    }
}
