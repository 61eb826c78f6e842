//! The t-test of bias-corrected distance correlation.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::Centred;
use crate::StatError;

/// A bias-corrected distance correlation with its t-test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TTest {
    /// The bias-corrected squared distance correlation R.
    pub value: f64,
    /// `sqrt(v - 1) R / sqrt(1 - R²)`, v = n(n-3)/2.
    pub statistic: f64,
    /// v - 1.
    pub degrees_of_freedom: f64,
    /// One-sided: large is extreme.
    pub p: f64,
}

impl Centred {
    /// The t-test of independence (Székely and Rizzo 2013).
    ///
    /// The t distribution is the limit for **many columns**; with few of them the p is approximate, and a
    /// permutation p ([`test_bias_corrected`](Centred::test_bias_corrected)) is the better one. Independent
    /// tables give a statistic about 0 and a uniform p. NaN for fewer than 4 items or a constant table;
    /// infinite, with p 0, for R = 1.
    pub fn t_test(&self, other: &Self) -> Result<TTest, StatError> {
        let value = self.dcor(other)?.bias_corrected;
        let n = self.0.items() as f64;
        let degrees_of_freedom = n * (n - 3.0) / 2.0 - 1.0;
        // Rounding can carry a perfect correlation a hair beyond 1.
        let bounded = value.clamp(-1.0, 1.0);
        let statistic = degrees_of_freedom.sqrt() * bounded / (1.0 - bounded * bounded).sqrt();
        let p = match StudentsT::new(0.0, 1.0, degrees_of_freedom) {
            Ok(_) if statistic == f64::INFINITY => 0.0,
            Ok(_) if statistic == f64::NEG_INFINITY => 1.0,
            Ok(distribution) if !statistic.is_nan() => distribution.sf(statistic),
            _ => f64::NAN,
        };
        Ok(TTest { value, statistic, degrees_of_freedom, p })
    }
}
