//! How fast the rows of a table grow apart with distance, as a curve.

use super::{Kernel, Smoothness};
use crate::StatError;
use crate::rdm::Rdm;

/// Lengths λ tried of each smoothness, evenly spaced in their logarithm.
const LENGTHS: usize = 40;

/// No point of the curve counts as if it were less than this share of its highest one: weights stay bounded.
const FLOOR: f64 = 1e-3;

/// `a + b (1 - k(d))`, a and b not negative: the mean squared difference of rows at distance d.
#[derive(Debug, Clone)]
pub(super) struct Variogram {
    pub(super) kernel: Kernel,
    /// Whether λ is the longest one tried: the true one may be longer, or without an end, as of a trend.
    pub(super) at_edge: bool,
    /// The curve at each pair, no less than its floor.
    expected: Vec<f64>,
}

/// A kernel with what it leaves.
struct Candidate {
    kernel: Kernel,
    at_edge: bool,
    nugget: f64,
    rise: f64,
    error: f64,
}

impl Variogram {
    /// The curve nearest to `squared` differences, first by least squares over pairs, then weighted by 1/curve² (Cressie
    /// 1985): the variance of a squared difference is as the square of its mean. The first of equals.
    pub(super) fn fit(
        distances: &Rdm,
        squared: &[f64],
        [shortest, longest]: [f64; 2],
    ) -> Result<Self, StatError> {
        let ratio = (longest / shortest).ln() / (LENGTHS - 1) as f64;
        let mut models = Vec::with_capacity(LENGTHS * Smoothness::ALL.len());
        for smoothness in Smoothness::ALL {
            for step in 0..LENGTHS {
                let kernel = Kernel::new(smoothness, shortest * (ratio * step as f64).exp())?;
                let rises: Vec<f64> = distances.values().iter().map(|d| 1.0 - kernel.at(*d)).collect();
                models.push((kernel, step == LENGTHS - 1, rises));
            }
        }
        let best = |weights: &[f64]| {
            let candidates = models.iter().map(|(kernel, at_edge, rises)| {
                let (nugget, rise, error) = line(rises, squared, weights);
                Candidate { kernel: *kernel, at_edge: *at_edge, nugget, rise, error }
            });
            let first = candidates.reduce(|best, one| if one.error < best.error { one } else { best });
            first.map(|found| {
                let curve = distances
                    .values()
                    .iter()
                    .map(|d| found.nugget + found.rise * (1.0 - found.kernel.at(*d)));
                (floored(curve.collect()), found)
            })
        };
        let unweighted = best(&vec![1.0; squared.len()]);
        let weights = unweighted.map(|(curve, _)| curve.iter().map(|mean| mean.powi(-2)).collect::<Vec<_>>());
        match weights.and_then(|weights| best(&weights)) {
            Some((expected, found)) => Ok(Self { kernel: found.kernel, at_edge: found.at_edge, expected }),
            None => Err(StatError::TooFew { what: "places of surrogate maps", least: 3, got: 0 }),
        }
    }

    /// The mean squared relative distance of squared differences from the curve.
    pub(super) fn misfit(&self, squared: impl Iterator<Item = f64>) -> f64 {
        let off = squared.zip(&self.expected).map(|(seen, mean)| (seen / mean - 1.0).powi(2));
        off.sum::<f64>() / self.expected.len() as f64
    }
}

/// The weighted least squares line `a + b x`, a and b not negative, and its error.
fn line(x: &[f64], y: &[f64], weights: &[f64]) -> (f64, f64, f64) {
    let (mut sw, mut sx, mut sy, mut sxx, mut sxy, mut syy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for ((x, y), w) in x.iter().zip(y).zip(weights) {
        sw += w;
        sx += w * x;
        sy += w * y;
        sxx += w * x * x;
        sxy += w * x * y;
        syy += w * y * y;
    }
    let spread = sxx - sx * sx / sw;
    let slope = if spread > 1e-12 * sxx { (sxy - sx * sy / sw) / spread } else { 0.0 };
    let (a, b) = match ((sy - slope * sx) / sw, slope) {
        (_, slope) if slope <= 0.0 => (sy / sw, 0.0),
        (nugget, _) if nugget < 0.0 => (0.0, sxy / sxx),
        free => free,
    };
    let error = syy - 2.0 * (a * sy + b * sxy) + a * a * sw + 2.0 * a * b * sx + b * b * sxx;
    (a, b, error)
}

/// No value below its share of the largest one; 1 everywhere of a curve that is 0.
fn floored(curve: Vec<f64>) -> Vec<f64> {
    let most = curve.iter().copied().fold(0.0, f64::max);
    let least = if most > 0.0 { FLOOR * most } else { 1.0 };
    curve.into_iter().map(|value| value.max(least)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdm::{Measure, over_pairs};

    #[test]
    fn a_curve_of_the_family_is_found_and_fits() {
        let steps = |i: usize, j: usize| (j - i) as f64;
        let distances = Rdm::from_condensed(20, over_pairs(20, steps), Measure::Euclidean).unwrap();
        let bounds = [0.5, 38.0];
        for smoothness in Smoothness::ALL {
            // Number 15 of the lengths, with a nugget.
            let length = 0.5 * (76f64.ln() / 39.0 * 15.0).exp();
            let kernel = Kernel::new(smoothness, length).unwrap();
            let squared: Vec<f64> =
                distances.values().iter().map(|d| 0.3 + 2.0 * (1.0 - kernel.at(*d))).collect();
            let found = Variogram::fit(&distances, &squared, bounds).unwrap();
            assert_eq!(found.kernel.smoothness(), smoothness);
            approx::assert_relative_eq!(found.kernel.length(), length, max_relative = 1e-12);
            assert!(!found.at_edge && found.misfit(squared.into_iter()) < 1e-12);
        }
        // A straight rise has no length.
        let trend: Vec<f64> = distances.values().iter().map(|d| d * d).collect();
        assert!(Variogram::fit(&distances, &trend, bounds).unwrap().at_edge);
        let flat = Variogram::fit(&distances, &[0.0; 190], bounds).unwrap();
        assert_eq!(flat.misfit([0.0; 190].into_iter()), 1.0);
    }

    /// By hand: through (0, 1), (1, 3), weights 1; falling points have no slope; a rise from below 0 starts at 0.
    #[test]
    fn lines_do_not_fall_and_start_no_lower_than_zero() {
        let near = |(a, b, error): (f64, f64, f64), expected: [f64; 3]| {
            for (got, expected) in [a, b, error].into_iter().zip(expected) {
                approx::assert_abs_diff_eq!(got, expected, epsilon = 1e-12);
            }
        };
        near(line(&[0.0, 1.0], &[1.0, 3.0], &[1.0, 1.0]), [1.0, 2.0, 0.0]);
        near(line(&[0.0, 1.0], &[3.0, 1.0], &[1.0, 1.0]), [2.0, 0.0, 2.0]);
        near(line(&[1.0, 2.0], &[0.0, 2.0], &[1.0, 1.0]), [0.0, 0.8, 0.8]);
    }
}
