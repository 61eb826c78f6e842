//! Symmetric matrices centred in both ways: what distance correlation and CKA are made of.
//!
//! With K a matrix of distances or of kernel values, A = HKH is the doubly centred one, and U the U-centred
//! one, whose diagonal counts as 0 (Székely and Rizzo 2014). Inner products of the first are biased, those of
//! the second are not. Since `<A, B> = <U_a, U_b> + n/(n-2) Σ A_ii B_ii - tr A tr B / ((n-1)(n-2))`, only U and
//! the diagonal of A are kept, and one pass over the pairs gives both.

use crate::rdm::square;

/// Sums are kept in this many lanes, so that the processor can add several at once in an order that never
/// changes.
const LANES: usize = 8;

/// A symmetric matrix, centred, with its norms.
#[derive(Debug, Clone)]
pub(crate) struct Centring {
    items: usize,
    /// U, condensed. With fewer than 3 items, where U does not exist, A.
    pairs: Vec<f64>,
    /// The diagonal of A.
    diagonal: Vec<f64>,
    trace: f64,
    biased_norm: f64,
    corrected_norm: f64,
}

impl Centring {
    /// Centres the matrix with `pairs` (condensed) above and below `diagonal`.
    pub(crate) fn new(mut pairs: Vec<f64>, diagonal: Vec<f64>) -> Self {
        let items = diagonal.len();
        let n = items as f64;
        let scale = pairs.iter().chain(&diagonal).fold(0.0f64, |most, value| most.max(value.abs()));
        let hollow = row_sums(items, &pairs);
        let hollow_total: f64 = hollow.iter().sum();
        let total = hollow_total + diagonal.iter().sum::<f64>();
        let full = |i: usize| hollow[i] + diagonal[i];
        let centred: Vec<f64> =
            (0..items).map(|i| diagonal[i] - 2.0 * full(i) / n + total / (n * n)).collect();
        if items < 3 {
            let entry = |i, j| -(full(i) + full(j)) / n + total / (n * n);
            add_to_pairs(items, &mut pairs, entry);
        } else {
            let mean = hollow_total / ((n - 1.0) * (n - 2.0));
            let shares: Vec<f64> = hollow.iter().map(|sum| sum / (n - 2.0)).collect();
            add_to_pairs(items, &mut pairs, |i, j| mean - (shares[i] + shares[j]));
        }
        let trace = centred.iter().sum();
        let mut own = Self { items, pairs, diagonal: centred, trace, biased_norm: 0.0, corrected_norm: 0.0 };
        // All entries equal up to rounding: what is left is noise, not structure.
        let noise = 1e-13 * scale * n;
        let norm = |square: f64| if square <= noise * noise { f64::NAN } else { square.sqrt() };
        own.biased_norm = norm(own.biased_inner(&own));
        own.corrected_norm = norm(own.corrected_inner(&own));
        own
    }

    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// U, condensed.
    pub(crate) fn pairs(&self) -> &[f64] {
        &self.pairs
    }

    /// `<A, B>` over all n² entries.
    pub(crate) fn biased_inner(&self, other: &Self) -> f64 {
        self.biased_from(
            2.0 * lane_dot(&self.pairs, &other.pairs),
            lane_dot(&self.diagonal, &other.diagonal),
            other,
        )
    }

    /// `<U, U>` over all pairs in both directions. NaN for fewer than 4 items, where U is all 0.
    pub(crate) fn corrected_inner(&self, other: &Self) -> f64 {
        if self.items < 4 { f64::NAN } else { 2.0 * lane_dot(&self.pairs, &other.pairs) }
    }

    /// The norms of A, of U; NaN where nothing is left but rounding.
    pub(crate) fn norms(&self) -> (f64, f64) {
        (self.biased_norm, self.corrected_norm)
    }

    /// `<A, B>` over the norms.
    pub(crate) fn biased_cosine(&self, other: &Self) -> f64 {
        self.biased_inner(other) / (self.biased_norm * other.biased_norm)
    }

    /// `<U, U>` over the norms.
    pub(crate) fn corrected_cosine(&self, other: &Self) -> f64 {
        self.corrected_inner(other) / (self.corrected_norm * other.corrected_norm)
    }

    /// Prepares the cosines under permutations of the items of `self`.
    pub(crate) fn permuted<'a>(&'a self, other: &'a Self) -> Permuted<'a> {
        Permuted { own: self, full: square(self.items, &self.pairs, 0.0), other }
    }

    fn biased_from(&self, pairs: f64, diagonals: f64, other: &Self) -> f64 {
        if self.items < 3 {
            return pairs + diagonals;
        }
        let n = self.items as f64;
        pairs + diagonals * n / (n - 2.0) - self.trace * other.trace / ((n - 1.0) * (n - 2.0))
    }
}

/// Two centred matrices, the items of the first permuted. Nothing is centred again: a permuted centred
/// matrix is the centred permuted one.
pub(crate) struct Permuted<'a> {
    own: &'a Centring,
    full: Vec<f64>,
    other: &'a Centring,
}

impl Permuted<'_> {
    pub(crate) fn biased_cosine(&self, permutation: &[u32]) -> f64 {
        let (own, other) = (self.own, self.other);
        let diagonals = gathered_dot(&own.diagonal, permutation, &other.diagonal);
        let pairs = 2.0 * permuted_dot(&self.full, permutation, &other.pairs);
        own.biased_from(pairs, diagonals, other) / (own.biased_norm * other.biased_norm)
    }

    pub(crate) fn corrected_cosine(&self, permutation: &[u32]) -> f64 {
        let norms = self.own.corrected_norm * self.other.corrected_norm;
        2.0 * permuted_dot(&self.full, permutation, &self.other.pairs) / norms
    }
}

/// The inner product over pairs i < j of a permuted full matrix and a condensed one.
pub(crate) fn permuted_dot(full: &[f64], permutation: &[u32], condensed: &[f64]) -> f64 {
    let n = permutation.len();
    let mut rest = condensed;
    let mut sum = 0.0;
    for (i, &own) in permutation.iter().enumerate() {
        let row = &full[own as usize * n..(own as usize + 1) * n];
        let (now, later) = rest.split_at(n - 1 - i);
        sum += gathered_dot(row, &permutation[i + 1..], now);
        rest = later;
    }
    sum
}

/// `Σ values[places[i]] * weights[i]`.
fn gathered_dot(values: &[f64], places: &[u32], weights: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (places, last_places) = places.as_chunks::<LANES>();
    let (weights, last_weights) = weights.as_chunks::<LANES>();
    for (places, weights) in places.iter().zip(weights) {
        for ((lane, &place), weight) in lanes.iter_mut().zip(places).zip(weights) {
            *lane += values[place as usize] * weight;
        }
    }
    let last = last_places.iter().zip(last_weights).map(|(&place, weight)| values[place as usize] * weight);
    lanes.iter().sum::<f64>() + last.sum::<f64>()
}

/// The inner product of two vectors of one length.
pub(crate) fn lane_dot(x: &[f64], y: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let ((x, last_x), (y, last_y)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        lanes.iter_mut().zip(x).zip(y).for_each(|((lane, a), b)| *lane += a * b);
    }
    lanes.iter().sum::<f64>() + last_x.iter().zip(last_y).map(|(a, b)| a * b).sum::<f64>()
}

/// The sums over each row of the full matrix, the diagonal left out.
fn row_sums(n: usize, pairs: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; n];
    let mut rest = pairs;
    for i in 0..n {
        let (row, later) = rest.split_at(n - 1 - i);
        let (before, own_and_after) = sums.split_at_mut(i + 1);
        let mut own = 0.0;
        for (sum, value) in own_and_after.iter_mut().zip(row) {
            *sum += value;
            own += value;
        }
        before[i] += own;
        rest = later;
    }
    sums
}

fn add_to_pairs(n: usize, pairs: &mut [f64], entry: impl Fn(usize, usize) -> f64) {
    let mut rest = pairs;
    for i in 0..n {
        let (row, later) = rest.split_at_mut(n - 1 - i);
        row.iter_mut().zip(i + 1..).for_each(|(value, j)| *value += entry(i, j));
        rest = later;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn matrix(n: usize, salt: usize) -> Array2<f64> {
        let value = |i: usize, j: usize| ((i * j * 37 + (i + j) * 11 + salt) % 29) as f64 / 7.0;
        Array2::from_shape_fn((n, n), |(i, j)| value(i, j))
    }

    fn of(matrix: &Array2<f64>) -> Centring {
        let n = matrix.nrows();
        let pairs = crate::rdm::over_pairs(n, |i, j| matrix[[i, j]]);
        Centring::new(pairs, matrix.diag().to_vec())
    }

    fn doubly_centred(k: &Array2<f64>) -> Array2<f64> {
        let n = k.nrows();
        let h = Array2::<f64>::eye(n) - 1.0 / n as f64;
        h.dot(k).dot(&h)
    }

    /// The compact form against HKH written out.
    #[test]
    fn biased_inner_products_are_those_of_the_doubly_centred_matrices() {
        for n in [1, 2, 3, 4, 11, 20] {
            let (a, b) = (matrix(n, 1), matrix(n, 5));
            let expected = (doubly_centred(&a) * doubly_centred(&b)).sum();
            approx::assert_abs_diff_eq!(of(&a).biased_inner(&of(&b)), expected, epsilon = 1e-10);
        }
    }

    #[test]
    fn a_u_centred_matrix_has_rows_that_sum_to_zero() {
        let full = square(11, of(&matrix(11, 3)).pairs(), 0.0);
        assert!(full.chunks(11).all(|row| row.iter().sum::<f64>().abs() < 1e-12));
        assert!(of(&matrix(3, 3)).corrected_inner(&of(&matrix(3, 4))).is_nan());
    }

    #[test]
    fn permuting_the_centred_matrix_is_centring_the_permuted_one() {
        let (a, b) = (matrix(19, 2), matrix(19, 9));
        let permutation: Vec<u32> = (0..19).map(|i| (i * 7 + 3) % 19).collect();
        let moved =
            Array2::from_shape_fn((19, 19), |(i, j)| a[[permutation[i] as usize, permutation[j] as usize]]);
        let (own, other) = (of(&a), of(&b));
        let permuted = own.permuted(&other);
        let direct = of(&moved);
        approx::assert_abs_diff_eq!(
            permuted.biased_cosine(&permutation),
            direct.biased_cosine(&other),
            epsilon = 1e-12
        );
        approx::assert_abs_diff_eq!(
            permuted.corrected_cosine(&permutation),
            direct.corrected_cosine(&other),
            epsilon = 1e-12
        );
    }
}
