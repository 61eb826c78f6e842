//! Do items keep their neighbours from one table to another?
//!
//! Neighbours are by Euclidean distance, the item itself left out; of equal distances the lower index comes
//! first. So a table with many equal distances, such as grid coordinates, has neighbours that depend on the
//! order of items: choose k so that no tie is cut (4 on a grid with wrapped edges), or read differences only.

use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::rdm::square;
use crate::{StatError, checks, distances};

/// The mean share of the k nearest neighbours in `x` [n, d] that are among those in `y` [n, e]: in [0, 1],
/// symmetric. 1 <= k <= n - 1.
///
/// `1/n Σ_i |N_k(i; x) ∩ N_k(i; y)| / k`. Unrelated tables give k/(n-1) on average. NaN is refused; a constant
/// table has neighbours by index alone, and reads as unrelated.
pub fn knn_overlap(x: ArrayView2<f64>, y: ArrayView2<f64>, k: usize) -> Result<f64, StatError> {
    check(x, y)?;
    let n = x.nrows();
    in_range("nearest neighbours", k, n.saturating_sub(1), "n - 1")?;
    let [x, y] = [x, y].map(ranks);
    let shared = |i: usize| {
        let near = |ranks: &[u32], j: usize| (1..=k).contains(&(ranks[i * n + j] as usize));
        (0..n).filter(|&j| near(&x, j) && near(&y, j)).count()
    };
    // Whole numbers: the sum does not depend on how the work is split.
    let shared: usize = (0..n).into_par_iter().map(shared).sum();
    Ok(shared as f64 / (n * k) as f64)
}

/// Trustworthiness (Venna and Kaski 2001) of `embedded` [n, e] as a picture of `x` [n, d]: is who is near in
/// the picture near in the table? scikit-learn's `trustworthiness`; 1 <= k < n/2, as there.
///
/// `1 - 2/(n k (2n - 3k - 1)) Σ_i Σ_{j ∈ N_k(i; embedded)} max(0, r(i, j) - k)`, r the rank of j among the
/// neighbours of i in `x`. 1 when no intruder is among the k nearest. Unrelated tables give
/// `1 - (n-1-k)(n-k)/((n-1)(2n-3k-1))` on average, about 0.5. Not symmetric: with the tables exchanged it is
/// the continuity.
pub fn trustworthiness(x: ArrayView2<f64>, embedded: ArrayView2<f64>, k: usize) -> Result<f64, StatError> {
    check(x, embedded)?;
    let n = x.nrows();
    in_range(
        "neighbours of trustworthiness",
        k,
        n.div_ceil(2).saturating_sub(1),
        "the last whole number below n/2",
    )?;
    let [x, embedded] = [x, embedded].map(ranks);
    let intrusion = |i: usize| -> usize {
        let row = i * n..(i + 1) * n;
        let near = embedded[row.clone()].iter().zip(&x[row]);
        near.filter(|(rank, _)| (1..=k as u32).contains(rank))
            .map(|(_, &r)| (r as usize).saturating_sub(k))
            .sum()
    };
    let intrusion: usize = (0..n).into_par_iter().map(intrusion).sum();
    let most = (n * k) as f64 * (2.0 * n as f64 - 3.0 * k as f64 - 1.0) / 2.0;
    Ok(1.0 - intrusion as f64 / most)
}

/// For each item the rank of every other by distance, from 1; its own is 0. Row-major [n, n].
fn ranks(x: ArrayView2<f64>) -> Vec<u32> {
    let n = x.nrows();
    let full = square(n, &distances::euclidean(x), 0.0);
    let mut ranks = vec![0u32; n * n];
    ranks.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, ranks)| {
        let row = &full[i * n..(i + 1) * n];
        let mut order: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        order.sort_by(|&a, &b| row[a].total_cmp(&row[b]));
        order.into_iter().zip(1..).for_each(|(j, rank)| ranks[j] = rank);
    });
    ranks
}

fn check(x: ArrayView2<f64>, y: ArrayView2<f64>) -> Result<(), StatError> {
    checks::same_length("nearest neighbours: items", x.nrows(), y.nrows())?;
    checks::finite("nearest neighbours: first table", x)?;
    checks::finite("nearest neighbours: second table", y)
}

fn in_range(what: &'static str, k: usize, most: usize, name: &str) -> Result<(), StatError> {
    if (1..=most).contains(&k) {
        return Ok(());
    }
    Err(StatError::Parameter { what, expected: format!("1 to {most} ({name})"), got: k.to_string() })
}
