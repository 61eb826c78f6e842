//! Distance correlation of two vectors in O(n log n).

use super::{Dcor, root};
use crate::{StatError, checks};

/// Both distance correlations of two vectors (Chaudhuri and Hu 2019): the sums over all pairs come from
/// sorting x and counting the inversions of y by merge sort.
///
/// The same numbers as from all pairs, up to rounding, with O(n) memory: a million items are no matter. NaN
/// when a vector is constant, and `bias_corrected` for fewer than 4 items. Two independent normal vectors of
/// n = 100 read about 0.15 biased, 0 ± 0.02 bias-corrected.
pub fn dcor_univariate(x: &[f64], y: &[f64]) -> Result<Dcor, StatError> {
    checks::same_length("distance correlation: items", x.len(), y.len())?;
    checks::finite_slice("distance correlation: first vector", x)?;
    checks::finite_slice("distance correlation: second vector", y)?;
    let [x, y] = [x, y].map(Vector::new);
    let (own_x, own_y, cross) = (x.with(&x, x.squared_distances()), y.with(&y, y.squared_distances()), {
        x.with(&y, distance_products(&x.centred, &y.centred))
    });
    let ratio = |cross: f64, own_x: f64, own_y: f64| cross / (own_x * own_y).sqrt();
    Ok(Dcor {
        biased: root(ratio(cross.double, own_x.double, own_y.double)),
        bias_corrected: ratio(cross.unbiased, own_x.unbiased, own_y.unbiased),
    })
}

/// Inner products of the centred distances of two vectors.
struct Inner {
    double: f64,
    unbiased: f64,
}

/// A vector without its mean, and the sum of each item's distances to all others.
struct Vector {
    centred: Vec<f64>,
    sums: Vec<f64>,
}

impl Vector {
    fn new(x: &[f64]) -> Self {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        let mut centred: Vec<f64> = x.iter().map(|value| value - mean).collect();
        // Rounding in the mean of a constant vector must not pass for structure.
        let scale = x.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        if centred.iter().all(|value| value.abs() <= 1e-13 * scale) {
            centred.fill(0.0);
        }
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&i, &j| centred[i].total_cmp(&centred[j]));
        let total: f64 = centred.iter().sum();
        let (mut sums, mut below) = (vec![0.0; x.len()], 0.0);
        for (rank, &i) in order.iter().enumerate() {
            let above = total - below - centred[i];
            let (fewer, more) = (rank as f64, (x.len() - 1 - rank) as f64);
            sums[i] = centred[i] * fewer - below + above - centred[i] * more;
            below += centred[i];
        }
        Self { centred, sums }
    }

    /// `Σ_ij |x_i - x_j|²`, over both directions.
    fn squared_distances(&self) -> f64 {
        2.0 * self.centred.len() as f64 * self.centred.iter().map(|v| v * v).sum::<f64>()
    }

    /// The centred inner products, from the plain one over all pairs in both directions.
    fn with(&self, other: &Self, plain: f64) -> Inner {
        let n = self.centred.len() as f64;
        let rows: f64 = self.sums.iter().zip(&other.sums).map(|(a, b)| a * b).sum();
        let totals = self.sums.iter().sum::<f64>() * other.sums.iter().sum::<f64>();
        let double = plain - 2.0 * rows / n + totals / (n * n);
        let unbiased = plain - 2.0 * rows / (n - 2.0) + totals / ((n - 1.0) * (n - 2.0));
        if !std::ptr::eq(self, other) {
            return Inner { double, unbiased: if n > 3.0 { unbiased } else { f64::NAN } };
        }
        // A norm that is rounding only, as of a constant vector.
        let norm = |value: f64| if value <= 1e-12 * plain { f64::NAN } else { value };
        Inner { double: norm(double), unbiased: norm(unbiased) }
    }
}

/// `Σ_ij |x_i - x_j| |y_i - y_j|` over both directions, for centred x and y.
///
/// In the order of x each pair i < j gives (x_j - x_i)(y_j - y_i), with the other sign when y falls. All pairs
/// together give n Σxy, so only those that fall need to be found.
fn distance_products(x: &[f64], y: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
    let mut items: Vec<[f64; 2]> = order.iter().map(|&i| [x[i], y[i]]).collect();
    let all = x.len() as f64 * x.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
    2.0 * (all - 2.0 * falling(&mut items, &mut vec![[0.0; 2]; x.len()]))
}

/// Sorts `items` [x, y] by y; returns the sum of (x_j - x_i)(y_j - y_i) over pairs i < j with y_i > y_j.
fn falling(items: &mut [[f64; 2]], spare: &mut [[f64; 2]]) -> f64 {
    if items.len() < 2 {
        return 0.0;
    }
    let middle = items.len() / 2;
    let (left, right) = items.split_at_mut(middle);
    let mut sum = falling(left, &mut spare[..middle]) + falling(right, &mut spare[middle..]);
    // Of the left items not yet merged, all of which are above the next right one: how many, Σx, Σy, Σxy.
    let mut rest =
        left.iter().fold([0.0; 4], |[count, sx, sy, sxy], [x, y]| [count + 1.0, sx + x, sy + y, sxy + x * y]);
    let (mut i, mut j) = (0, 0);
    for slot in spare.iter_mut() {
        let take_left = j == right.len() || (i < left.len() && left[i][1] <= right[j][1]);
        if take_left {
            let [x, y] = left[i];
            rest = [rest[0] - 1.0, rest[1] - x, rest[2] - y, rest[3] - x * y];
            *slot = left[i];
            i += 1;
        } else {
            let [x, y] = right[j];
            if i < left.len() {
                sum += rest[0] * x * y - x * rest[2] - y * rest[1] + rest[3];
            }
            *slot = right[j];
            j += 1;
        }
    }
    items.copy_from_slice(spare);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_all_pairs_also_with_ties() {
        for n in [0usize, 1, 2, 3, 7, 40, 129] {
            let x: Vec<f64> = (0..n).map(|i| ((i * 7919) % 13) as f64 - 6.0).collect();
            let y: Vec<f64> = (0..n).map(|i| ((i * 104_729) % 17) as f64 * 0.3 - 2.0).collect();
            let [x, y] = [x, y].map(|v| Vector::new(&v));
            let (mut products, mut squares) = (0.0, 0.0);
            for i in 0..n {
                let distance = |v: &Vector, j: usize| (v.centred[i] - v.centred[j]).abs();
                products += (0..n).map(|j| distance(&x, j) * distance(&y, j)).sum::<f64>();
                squares += (0..n).map(|j| distance(&x, j).powi(2)).sum::<f64>();
                let own: f64 = (0..n).map(|j| distance(&x, j)).sum();
                approx::assert_abs_diff_eq!(x.sums[i], own, epsilon = 1e-9);
            }
            approx::assert_abs_diff_eq!(
                distance_products(&x.centred, &y.centred),
                products,
                epsilon = 1e-12 * products.max(1.0)
            );
            approx::assert_abs_diff_eq!(x.squared_distances(), squares, epsilon = 1e-12 * squares.max(1.0));
        }
    }
}
