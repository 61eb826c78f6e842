//! The numbers that the kernels compute with, and their elementary functions.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub};

use super::pool::Pool;

/// A floating-point number: `f32`, and `f64` in the tests that take finite differences.
pub(crate) trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + MulAssign
    + Send
    + Sync
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    const NEG_INFINITY: Self;

    fn of(value: f64) -> Self;
    fn sqrt(self) -> Self;

    /// `self * b + c`, rounded once.
    fn fused_mul_add(self, b: Self, c: Self) -> Self;

    /// The exponential of a number that is not positive.
    fn exp<A: Arithmetic>(self) -> Self;

    /// `x Φ(x)` and its derivative `Φ(x) + x φ(x)`.
    fn gelu<A: Arithmetic>(self) -> (Self, Self);

    /// 0 where the number is below 1e-24 in magnitude. Tokens that nobody attends to have gradients that shrink from
    /// block to block until they, or their products, are denormal, and matrix products of such numbers take several
    /// times as long. Nothing is lost: 1e-24 is far below what a sum in `f32` or a step of Adam (epsilon 1e-8) sees.
    fn settled(self) -> Self;

    /// The buffers of this thread; `None` where there are none to reuse.
    fn with_pool<R>(f: impl FnOnce(&mut Pool<Self>) -> R) -> Option<R>;

    /// `self * b + c`, rounded once where the processor can.
    #[inline(always)]
    fn mul_add<A: Arithmetic>(self, b: Self, c: Self) -> Self {
        if A::FUSED { self.fused_mul_add(b, c) } else { self * b + c }
    }
}

/// Whether products and sums are rounded together. Without hardware for it, rounding once is a slow function call.
pub(crate) trait Arithmetic {
    const FUSED: bool;
}

/// With a fused multiply-add instruction.
#[cfg_attr(not(any(target_arch = "x86_64", test)), expect(dead_code, reason = "x86-64 asks at run time"))]
pub(crate) struct Fused;

/// What the compiler was told about the processor.
pub(crate) struct Portable;

impl Arithmetic for Fused {
    const FUSED: bool = true;
}

impl Arithmetic for Portable {
    const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));
}

/// Horner's rule, coefficients from the highest power down.
#[inline(always)]
fn polynomial<A: Arithmetic, const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    coefficients.into_iter().fold(0.0, |sum, c| Real::mul_add::<A>(sum, x, c))
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;
    const NEG_INFINITY: Self = f32::NEG_INFINITY;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }

    #[inline(always)]
    fn fused_mul_add(self, b: Self, c: Self) -> Self {
        f32::mul_add(self, b, c)
    }

    /// `2^n e^r` with `|r| <= ln(2) / 2`: within 2 units in the last place; 0 where the result would be smaller
    /// than 1.6e-38, since denormal numbers are slow.
    #[inline(always)]
    fn exp<A: Arithmetic>(self) -> Self {
        // Adding 1.5 * 2^23 rounds to an integer and leaves it in the lowest bits.
        const ROUND: f32 = 12_582_912.0;
        const LN_2_HIGH: f32 = 0.693_359_4;
        const LN_2_LOW: f32 = -2.121_944_4e-4;
        let shifted = Real::mul_add::<A>(self, std::f32::consts::LOG2_E, ROUND);
        let n = shifted - ROUND;
        let r = Real::mul_add::<A>(n, -LN_2_LOW, Real::mul_add::<A>(n, -LN_2_HIGH, self));
        // The expansion of (e^r - 1 - r) / r² of the Cephes library.
        let p = polynomial::<A, 6>(
            r,
            [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5],
        );
        let fraction = Real::mul_add::<A>(p, r * r, r) + 1.0;
        let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1f32.to_bits()));
        if self < -87.0 { 0.0 } else { fraction * power }
    }

    /// The tail Φ(-|x|) is `exp(-x²/2) M(|x|)`, and the derivative needs the same exponential. M, Mills' ratio over
    /// √(2π), is smooth in `u = |x| / (4 + |x|)`: a polynomial of degree 7, interpolated at Chebyshev nodes, is off
    /// by 2.3e-8 at most, and expanded at 0 it rounds little where Φ is large.
    #[inline(always)]
    fn gelu<A: Arithmetic>(self) -> (Self, Self) {
        const INV_SQRT_2_PI: f32 = 0.398_942_3;
        let e = Real::exp::<A>(-0.5 * self * self);
        let u = self.abs() / (4.0 + self.abs());
        let mills = polynomial::<A, 8>(
            u,
            [
                9.748_133e-2,
                -3.125_754_7e-1,
                1.517_973_4e-1,
                8.599_819e-1,
                -2.104_821_4,
                2.404_103,
                -1.595_765_1,
                0.5,
            ],
        );
        let tail = mills * e;
        let cdf = if self >= 0.0 { 1.0 - tail } else { tail };
        (self * cdf, Real::mul_add::<A>(self * e, INV_SQRT_2_PI, cdf))
    }

    #[inline(always)]
    fn settled(self) -> Self {
        if self.abs() < 1e-24 { 0.0 } else { self }
    }

    fn with_pool<R>(f: impl FnOnce(&mut Pool<Self>) -> R) -> Option<R> {
        super::pool::of_this_thread(f)
    }
}
