//! Inference across runs: the seed is the unit.

mod multiple;

pub use multiple::{benjamini_hochberg, bonferroni, holm};

use rand::RngExt;
use statrs::distribution::{ContinuousCDF, StudentsT};
use streams::{Stream, Streams};

use crate::StatError;

/// Up to here all 2^n sign patterns are enumerated.
pub const MOST_ENUMERATED: usize = 24;

/// Patterns that are drawn where there are too many to enumerate.
const DRAWN: u32 = 99_999;

/// The two-sided sign-flip p of the mean of paired differences against 0.
///
/// Under the null each difference is as likely as its negative; p is the share of the 2^n sign patterns, the
/// observed one included, whose mean is as far from 0 or farther. The smallest possible p is 2^(1-n): 0.031
/// for 6 seeds, but 0.0625 for 5. NaN for an empty input.
///
/// Exact up to [`MOST_ENUMERATED`] differences. Of more, 99,999 patterns are drawn from the stream `permutation` of
/// seed 0, and p = (k + 1) / 100,000.
pub fn sign_flip(differences: &[f64]) -> Result<f64, StatError> {
    crate::checks::finite_slice("sign-flip test", differences)?;
    let n = differences.len();
    if n == 0 {
        return Ok(f64::NAN);
    }
    let observed = differences.iter().sum::<f64>().abs();
    let tie = 1e-12 * differences.iter().map(|d| d.abs()).sum::<f64>();
    if n > MOST_ENUMERATED {
        let mut rng = Streams::new(0).rng_for(Stream::Permutation, "sign-flip");
        let mut drawn = || differences.iter().map(|d| if rng.random() { -d } else { *d }).sum::<f64>();
        let extreme = (0..DRAWN).filter(|_| drawn().abs() >= observed - tie).count();
        return Ok((extreme as f64 + 1.0) / (f64::from(DRAWN) + 1.0));
    }
    let flipped = |pattern: u32| -> f64 {
        differences.iter().enumerate().map(|(i, d)| if pattern >> i & 1 == 1 { -d } else { *d }).sum()
    };
    // Flipping all signs gives the same distance from 0, so half of the patterns tell all.
    let half = 1u32 << (n - 1);
    let extreme = (0..half).filter(|&pattern| flipped(pattern).abs() >= observed - tie).count();
    Ok(extreme as f64 / f64::from(half))
}

/// The two-sided Student t interval of a mean. `None` for fewer than 2 values.
pub fn student_interval(values: &[f64], level: f64) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = mean(values)?;
    let distribution = StudentsT::new(0.0, 1.0, n - 1.0).ok()?;
    let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0);
    let half = distribution.inverse_cdf(0.5 + level / 2.0) * (variance / n).sqrt();
    half.is_finite().then_some((mean - half, mean + half))
}

/// The mean, `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The empirical quantile by linear interpolation (NumPy's default), of sorted values. `None` of nothing.
pub fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let at = q.clamp(0.0, 1.0) * last as f64;
    let low = at.floor() as usize;
    let high = (low + 1).min(last);
    Some(sorted[low] + (at - low as f64) * (sorted[high] - sorted[low]))
}

/// Resamples of values for the interval of their mean.
const MEAN_RESAMPLES: u64 = 10_000;

/// Percentile interval of the mean, values drawn with replacement from the stream `bootstrap` of seed 0. `None` of nothing.
pub(crate) fn bootstrap_mean(values: &[f64], alpha: f64) -> Option<(f64, f64)> {
    let streams = Streams::new(0);
    let mut means: Vec<f64> = (0..MEAN_RESAMPLES)
        .filter_map(|index| {
            let mut rng = streams.rng_at(Stream::Bootstrap, index);
            let drawn: Vec<f64> = values.iter().map(|_| values[rng.random_range(0..values.len())]).collect();
            mean(&drawn)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some((quantile(&means, alpha / 2.0)?, quantile(&means, 1.0 - alpha / 2.0)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_p_is_that_of_all_seeds_agreeing() {
        assert_eq!(sign_flip(&[0.1, 0.2, 0.3, 0.1, 0.4, 0.2]).unwrap(), 1.0 / 32.0);
        assert_eq!(sign_flip(&[-1.0; 5]).unwrap(), 0.0625);
        assert_eq!(sign_flip(&[1.0, -1.0]).unwrap(), 1.0);
        assert_eq!(sign_flip(&[0.0; 3]).unwrap(), 1.0);
        assert!(sign_flip(&[f64::NAN]).is_err());
    }

    /// Of 30 differences of one size, k of them negative, p is a binomial tail: for k = 10 twice P(X <= 10) of 30 fair
    /// coins, 2 x 0.0493686.
    #[test]
    fn many_differences_are_drawn() {
        let values: Vec<f64> = (0..30).map(|i| if i < 10 { -1.0 } else { 1.0 }).collect();
        let p = sign_flip(&values).unwrap();
        // Four standard errors of 99,999 draws.
        assert!((p - 2.0 * 0.049_368_6).abs() < 4.0 * (0.0987 * 0.9013 / 1e5f64).sqrt(), "{p}");
        assert_eq!(sign_flip(&[1.0; 40]).unwrap(), 1e-5);
    }

    /// By hand: |1 + 2 - 3| = 0 is reached by every pattern, |1 + 2 + 3| only by two of eight.
    #[test]
    fn patterns_are_counted() {
        assert_eq!(sign_flip(&[1.0, 2.0, -3.0]).unwrap(), 1.0);
        assert_eq!(sign_flip(&[1.0, 2.0, 3.0]).unwrap(), 0.25);
        // Sums of (1, 2, -1) over patterns: ±2, ±4, 0, ±2 ...: |sum| >= 2 for all but two of eight.
        assert_eq!(sign_flip(&[1.0, 2.0, -1.0]).unwrap(), 0.75);
    }

    /// The 97.5 % point of t with 5 degrees of freedom is 2.570581835636314 (standard tables).
    #[test]
    fn the_interval_is_students() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let (low, high) = student_interval(&values, 0.95).unwrap();
        let half = 2.570_581_835_636_314 * (3.5f64 / 6.0).sqrt();
        approx::assert_abs_diff_eq!(low, 3.5 - half, epsilon = 1e-9);
        approx::assert_abs_diff_eq!(high, 3.5 + half, epsilon = 1e-9);
        assert!(student_interval(&[1.0], 0.95).is_none());
    }

    #[test]
    fn quantiles_interpolate() {
        assert_eq!(quantile(&[0.0, 1.0, 2.0, 3.0], 0.5), Some(1.5));
        assert_eq!(quantile(&[0.0, 1.0], 2.0), Some(1.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    /// The standard error of the mean of n values of variance v is √(v / n), about 1.96 of which lie on either side.
    #[test]
    fn the_interval_has_the_width_of_the_standard_error() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        let (low, high) = bootstrap_mean(&values, 0.05).unwrap();
        assert!((high - low - 2.0 * 1.96 * 0.05).abs() < 0.021, "{low} {high}");
        assert!((low + high - 1.0).abs() < 0.03);
        assert_eq!(bootstrap_mean(&[0.5; 3], 0.05), Some((0.5, 0.5)));
    }
}
