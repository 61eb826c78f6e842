//! Removal of what confounds explain.

use nalgebra::{ColPivQR, DMatrix};
use ndarray::Array2;

/// Below this a pivot says that a confound depends on the others (of standardized confounds; nilearn's threshold).
const RANK: f64 = 100.0 * f64::EPSILON;

/// Subtracts from each column its projection onto the space of the confounds `[frames, confounds]`. No intercept is
/// added: centre both first.
pub fn remove_confounds(series: &mut Array2<f64>, confounds: &Array2<f64>) {
    let (frames, count) = confounds.dim();
    if frames == 0 || count == 0 {
        return;
    }
    let qr = ColPivQR::new(DMatrix::from_fn(frames, count, |frame, confound| confounds[(frame, confound)]));
    let (q, r) = (qr.q(), qr.r());
    let rank = (0..q.ncols()).filter(|&index| r[(index, index)].abs() > RANK);
    let basis: Vec<_> = rank.map(|index| q.column(index).clone_owned()).collect();
    for mut column in series.columns_mut() {
        let shares: Vec<f64> =
            basis.iter().map(|along| along.iter().zip(&column).map(|(a, value)| a * value).sum()).collect();
        for (along, share) in basis.iter().zip(shares) {
            column.iter_mut().zip(along.iter()).for_each(|(value, a)| *value -= share * a);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_remains_is_orthogonal_even_to_dependent_confounds() {
        let wave = |frame: usize, k: usize| ((frame * (k + 2)) as f64 * 0.7).sin();
        let confounds = Array2::from_shape_fn((20, 4), |(frame, k)| match k {
            3 => wave(frame, 0) - 2.0 * wave(frame, 1),
            k => wave(frame, k),
        });
        let mut series =
            Array2::from_shape_fn((20, 3), |(frame, k)| wave(frame, k + 4) + confounds[(frame, k)]);
        remove_confounds(&mut series, &confounds);
        let products = confounds.t().dot(&series);
        assert!(products.iter().all(|product| product.abs() < 1e-12), "{products}");
        let mut inside = confounds.clone();
        remove_confounds(&mut inside, &confounds);
        assert!(inside.iter().all(|value| value.abs() < 1e-12));
    }
}
