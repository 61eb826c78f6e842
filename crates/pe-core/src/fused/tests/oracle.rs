//! f64, slow and accurate: the oracle of the f32 functions, and what finite differences need.

use crate::fused::pool::Pool;
use crate::fused::real::{Arithmetic, Real};

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const NEG_INFINITY: Self = f64::NEG_INFINITY;

    fn of(value: f64) -> Self {
        value
    }

    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }

    fn fused_mul_add(self, b: Self, c: Self) -> Self {
        f64::mul_add(self, b, c)
    }

    fn exp<A: Arithmetic>(self) -> Self {
        f64::exp(self)
    }

    fn gelu<A: Arithmetic>(self) -> (Self, Self) {
        let cdf = if self >= 0.0 { 1.0 - upper_tail(self) } else { upper_tail(-self) };
        (self * cdf, cdf + self * density(self))
    }

    fn settled(self) -> Self {
        self
    }

    fn with_pool<R>(_: impl FnOnce(&mut Pool<Self>) -> R) -> Option<R> {
        None
    }
}

fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

/// 1 - Φ(x) for x >= 0: a series of positive terms, or Laplace's continued fraction.
fn upper_tail(x: f64) -> f64 {
    if x < 5.0 {
        let (mut term, mut sum) = (x, x);
        for k in 1..200 {
            term *= x * x / f64::from(2 * k + 1);
            sum += term;
        }
        0.5 - density(x) * sum
    } else {
        density(x) / (1..200).rev().fold(x, |rest, k| x + f64::from(k) / rest)
    }
}

#[test]
fn the_oracle_knows_tabulated_values() {
    for (x, tail) in [(0.0, 0.5), (1.0, 0.158_655_253_931_457_05), (3.0, 1.349_898_031_630_094_6e-3)] {
        assert!((upper_tail(x) - tail).abs() < 1e-15, "{x}");
    }
    assert!((upper_tail(5.0) / 2.866_515_718_791_939e-7 - 1.0).abs() < 1e-12);
}
