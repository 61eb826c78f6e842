//! What a block does to rows besides matrix products, in portable code that compilers vectorise.
//!
//! Sums go into a fixed number of lanes, element `j` into lane `j % LANES`, which are added pairwise at the end: the
//! order does not depend on the processor. Every function is inlined into one that is compiled for a processor
//! (`dispatch.rs`).

#![allow(clippy::needless_range_loop, reason = "one index runs over several arrays of lanes")]

use super::real::{Arithmetic, Real};

/// As many f32 as one AVX-512 register holds.
const LANES: usize = 16;

/// The gain, shift and guard of a norm.
#[derive(Clone, Copy)]
pub(super) struct Affine<'a, S> {
    pub gamma: &'a [S],
    pub beta: &'a [S],
    pub epsilon: S,
}

/// The body, for each lane of each chunk of rows of equal length: first the mutable rows, then the others.
macro_rules! by_lane {
    ($lane:ident; [$($out:ident),*] [$($in:ident),*] $len:expr => $body:block) => {{
        let (whole, rest) = ($len / LANES, $len % LANES);
        {
            $(let $out = &mut $out.as_chunks_mut::<LANES>().0[..whole];)*
            $(let $in = &$in.as_chunks::<LANES>().0[..whole];)*
            for chunk in 0..whole {
                $(let $out = &mut $out[chunk];)*
                $(let $in = &$in[chunk];)*
                for $lane in 0..LANES $body
            }
        }
        $(let $out = &mut $out[whole * LANES..][..rest];)*
        $(let $in = &$in[whole * LANES..][..rest];)*
        for $lane in 0..rest $body
    }};
}

#[inline(always)]
fn total<S: Real>(lanes: [S; LANES]) -> S {
    fold(lanes, |a, b| a + b)
}

#[inline(always)]
fn fold<S: Real>(mut lanes: [S; LANES], f: impl Fn(S, S) -> S) -> S {
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = f(lanes[i], lanes[i + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// `x += bias` in every row.
#[inline(always)]
pub(super) fn add_bias<S: Real, A: Arithmetic>(x: &mut [S], bias: &[S]) {
    for x in x.chunks_exact_mut(bias.len()) {
        for (x, b) in x.iter_mut().zip(bias) {
            *x += *b;
        }
    }
}

/// `x += y`.
#[inline(always)]
pub(super) fn add<S: Real, A: Arithmetic>(x: &mut [S], y: &[S]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += *y;
    }
}

/// `x += residual + bias` in every row.
#[inline(always)]
pub(super) fn add_residual<S: Real, A: Arithmetic>(x: &mut [S], residual: &[S], bias: &[S]) {
    let width = bias.len();
    for (x, residual) in x.chunks_exact_mut(width).zip(residual.chunks_exact(width)) {
        for ((x, r), b) in x.iter_mut().zip(residual).zip(bias) {
            *x = *x + *r + *b;
        }
    }
}

/// `sums += ` the sum of all rows.
#[inline(always)]
pub(super) fn add_rows<S: Real, A: Arithmetic>(x: &[S], sums: &mut [S]) {
    for x in x.chunks_exact(sums.len()) {
        for (sum, x) in sums.iter_mut().zip(x) {
            *sum += *x;
        }
    }
}

/// `x = x * y`, and `sums += ` the sum of all rows of that.
#[inline(always)]
pub(super) fn multiply_and_add_rows<S: Real, A: Arithmetic>(x: &mut [S], y: &[S], sums: &mut [S]) {
    let width = sums.len();
    for (x, y) in x.chunks_exact_mut(width).zip(y.chunks_exact(width)) {
        for ((x, y), sum) in x.iter_mut().zip(y).zip(sums.iter_mut()) {
            *x = (*x * *y).settled();
            *sum += *x;
        }
    }
}

/// `y = GELU(x + bias)`; `x` becomes the derivative there.
#[inline(always)]
pub(super) fn gelu<S: Real, A: Arithmetic>(x: &mut [S], bias: &[S], y: &mut [S]) {
    let width = bias.len();
    for (x, y) in x.chunks_exact_mut(width).zip(y.chunks_exact_mut(width)) {
        for ((x, y), b) in x.iter_mut().zip(y).zip(bias) {
            let (value, slope) = (*x + *b).gelu::<A>();
            (*y, *x) = (value.settled(), slope.settled());
        }
    }
}

/// `x` becomes `(z - mean z) * rstd` with `z = x + residual + bias`; `y = x * gamma + beta`.
#[inline(always)]
pub(super) fn residual_norm<S: Real, A: Arithmetic>(
    x: &mut [S],
    residual: &[S],
    bias: &[S],
    affine: Affine<'_, S>,
    rstd: &mut [S],
    y: &mut [S],
) {
    let width = bias.len();
    let rows = x.chunks_exact_mut(width).zip(residual.chunks_exact(width));
    for ((rstd, y), (x, residual)) in rstd.iter_mut().zip(y.chunks_exact_mut(width)).zip(rows) {
        let mut lanes = [S::ZERO; LANES];
        {
            let x = &mut *x;
            by_lane!(lane; [x] [residual, bias] width => {
                let z = x[lane] + residual[lane] + bias[lane];
                x[lane] = z;
                lanes[lane] += z;
            });
        }
        *rstd = normalise::<S, A>(x, total(lanes), affine, y);
    }
}

/// `normed = (x - mean x) * rstd`; `y = normed * gamma + beta`.
#[inline(always)]
pub(super) fn norm<S: Real, A: Arithmetic>(
    x: &[S],
    affine: Affine<'_, S>,
    normed: &mut [S],
    rstd: &mut [S],
    y: &mut [S],
) {
    let width = affine.gamma.len();
    let rows = x.chunks_exact(width).zip(normed.chunks_exact_mut(width));
    for ((rstd, y), (x, normed)) in rstd.iter_mut().zip(y.chunks_exact_mut(width)).zip(rows) {
        normed.copy_from_slice(x);
        let mut lanes = [S::ZERO; LANES];
        by_lane!(lane; [] [x] width => { lanes[lane] += x[lane]; });
        *rstd = normalise::<S, A>(normed, total(lanes), affine, y);
    }
}

/// One row, whose sum is known. Returns 1 / √(variance + epsilon).
#[inline(always)]
fn normalise<S: Real, A: Arithmetic>(x: &mut [S], sum: S, affine: Affine<'_, S>, y: &mut [S]) -> S {
    let width = x.len();
    let (gamma, beta) = (affine.gamma, affine.beta);
    let per_element = S::ONE / S::of(width as f64);
    let mean = sum * per_element;
    let mut squares = [S::ZERO; LANES];
    {
        let x = &mut *x;
        by_lane!(lane; [x] [] width => {
            let z = x[lane] - mean;
            x[lane] = z;
            squares[lane] = z.mul_add::<A>(z, squares[lane]);
        });
    }
    let rstd = S::ONE / (total(squares) * per_element + affine.epsilon).sqrt();
    by_lane!(lane; [x, y] [gamma, beta] width => {
        let z = x[lane] * rstd;
        x[lane] = z;
        y[lane] = z.mul_add::<A>(gamma[lane], beta[lane]);
    });
    rstd
}

/// The gradient of a norm: `dx` from `dy`, and what it adds to the gradients of gain and shift.
#[inline(always)]
pub(super) fn norm_backward<S: Real, A: Arithmetic>(
    dy: &[S],
    normed: &[S],
    rstd: &[S],
    gamma: &[S],
    dx: &mut [S],
    (dgamma, dbeta): (&mut [S], &mut [S]),
) {
    let width = gamma.len();
    let per_element = S::ONE / S::of(width as f64);
    let rows = dy.chunks_exact(width).zip(normed.chunks_exact(width));
    for ((rstd, dx), (dy, normed)) in rstd.iter().zip(dx.chunks_exact_mut(width)).zip(rows) {
        let (mut sum, mut along) = ([S::ZERO; LANES], [S::ZERO; LANES]);
        {
            let (dgamma, dbeta) = (&mut *dgamma, &mut *dbeta);
            by_lane!(lane; [dgamma, dbeta] [dy, normed, gamma] width => {
                let z = dy[lane] * gamma[lane];
                sum[lane] += z;
                along[lane] = z.mul_add::<A>(normed[lane], along[lane]);
                dgamma[lane] = dy[lane].mul_add::<A>(normed[lane], dgamma[lane]);
                dbeta[lane] += dy[lane];
            });
        }
        let (mean, along) = (total(sum) * per_element, total(along) * per_element);
        by_lane!(lane; [dx] [dy, normed, gamma] width => {
            dx[lane] = (*rstd * (dy[lane] * gamma[lane] - mean - normed[lane] * along)).settled();
        });
    }
}

/// Softmax of every row of `keys` logits.
#[inline(always)]
pub(super) fn softmax<S: Real, A: Arithmetic>(x: &mut [S], keys: usize) {
    for x in x.chunks_exact_mut(keys) {
        let mut top = [S::NEG_INFINITY; LANES];
        {
            let x = &*x;
            by_lane!(lane; [] [x] keys => { top[lane] = larger(x[lane], top[lane]); });
        }
        let top = fold(top, larger);
        let mut sum = [S::ZERO; LANES];
        {
            let x = &mut *x;
            by_lane!(lane; [x] [] keys => {
                x[lane] = (x[lane] - top).exp::<A>();
                sum[lane] += x[lane];
            });
        }
        let scale = S::ONE / total(sum);
        for x in x {
            *x = (*x * scale).settled();
        }
    }
}

/// Softmax of one row over the keys that are not hidden: hidden keys get 0, and where all are hidden all get 0.
#[inline(always)]
pub(super) fn masked_softmax<S: Real, A: Arithmetic>(x: &mut [S], hidden: &[bool]) {
    let keys = x.len();
    let mut top = [S::NEG_INFINITY; LANES];
    {
        let x = &*x;
        by_lane!(lane; [] [x, hidden] keys => {
            top[lane] = if hidden[lane] { top[lane] } else { larger(x[lane], top[lane]) };
        });
    }
    let top = fold(top, larger);
    let mut sum = [S::ZERO; LANES];
    {
        let x = &mut *x;
        by_lane!(lane; [x] [hidden] keys => {
            x[lane] = if hidden[lane] { S::ZERO } else { (x[lane] - top).exp::<A>() };
            sum[lane] += x[lane];
        });
    }
    let sum = total(sum);
    let scale = if sum == S::ZERO { S::ZERO } else { S::ONE / sum };
    for x in x {
        *x = (*x * scale).settled();
    }
}

#[inline(always)]
fn larger<S: Real>(a: S, b: S) -> S {
    if a > b { a } else { b }
}

/// `dx`, the gradient by the weights, becomes the gradient by the products of queries and keys, which `scale`
/// multiplies before the softmax.
#[inline(always)]
pub(super) fn softmax_backward<S: Real, A: Arithmetic>(dx: &mut [S], weights: &[S], keys: usize) {
    for (dx, weights) in dx.chunks_exact_mut(keys).zip(weights.chunks_exact(keys)) {
        let mut sum = [S::ZERO; LANES];
        {
            let dx = &*dx;
            by_lane!(lane; [] [dx, weights] keys => {
                sum[lane] = dx[lane].mul_add::<A>(weights[lane], sum[lane]);
            });
        }
        let sum = total(sum);
        for (dx, weight) in dx.iter_mut().zip(weights) {
            *dx = (*weight * (*dx - sum)).settled();
        }
    }
}
