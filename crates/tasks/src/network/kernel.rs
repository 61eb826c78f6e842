//! The inner loops: matrix times vector, and `f`.
//!
//! Plain loops over lanes of fixed number, compiled once for each instruction set and chosen at run time. No product is
//! fused with a sum, so that every machine computes the same bits.

use pulp::Arch;

use super::Nonlinearity;

/// Sums of a row are kept in so many lanes; rows of dense weights are padded to a multiple of it.
pub(crate) const LANES: usize = 8;

/// Rows that share their loads of the vector.
const ROWS: usize = 4;

/// `out = W x` for dense rows of `stride` weights, with `x` of length `stride`.
pub(crate) fn dense(arch: Arch, weights: &[f64], x: &[f64], out: &mut [f64]) {
    arch.dispatch(
        #[inline(always)]
        || {
            let stride = x.len();
            let mut blocks = out.chunks_exact_mut(ROWS);
            let mut rows = weights.chunks_exact(ROWS * stride);
            for (out, rows) in blocks.by_ref().zip(rows.by_ref()) {
                let (a, rest) = rows.split_at(stride);
                let (b, rest) = rest.split_at(stride);
                let (c, d) = rest.split_at(stride);
                out.copy_from_slice(&products([a, b, c, d], x));
            }
            for (out, row) in blocks.into_remainder().iter_mut().zip(rows.remainder().chunks_exact(stride)) {
                *out = products([row], x)[0];
            }
        },
    );
}

/// The products of some rows with `x`, each in the same order whatever the other rows.
#[inline(always)]
fn products<const R: usize>(rows: [&[f64]; R], x: &[f64]) -> [f64; R] {
    let mut sums = [[0.0; LANES]; R];
    let x = x.as_chunks::<LANES>().0;
    let rows = rows.map(|row| &row.as_chunks::<LANES>().0[..x.len()]);
    for (chunk, x) in x.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(&rows) {
            for lane in 0..LANES {
                sums[lane] += row[chunk][lane] * x[lane];
            }
        }
    }
    sums.map(|s| ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7])))
}

/// `out = W x` for compressed sparse rows.
pub(crate) fn sparse(offsets: &[usize], columns: &[u32], weights: &[f64], x: &[f64], out: &mut [f64]) {
    for (out, range) in out.iter_mut().zip(offsets.windows(2)) {
        let row = range[0]..range[1];
        let (columns, weights) = (&columns[row.clone()], &weights[row]);
        // Four sums, since each add waits for the last one of its own sum only.
        let mut sums = [0.0; 4];
        let (mut fours, mut weight_fours) = (columns.chunks_exact(4), weights.chunks_exact(4));
        for (columns, weights) in fours.by_ref().zip(weight_fours.by_ref()) {
            for lane in 0..4 {
                sums[lane] += weights[lane] * x[columns[lane] as usize];
            }
        }
        for (lane, (&column, weight)) in fours.remainder().iter().zip(weight_fours.remainder()).enumerate() {
            sums[lane] += weight * x[column as usize];
        }
        *out = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

/// `u <- -x + f(gain · u)`
pub(crate) fn slopes(arch: Arch, f: Nonlinearity, gain: f64, x: &[f64], u: &mut [f64]) {
    match f {
        Nonlinearity::Tanh => apply(arch, gain, x, u, tanh),
        Nonlinearity::Logistic => {
            apply(
                arch,
                gain,
                x,
                u,
                #[inline(always)]
                |u| 0.5 + 0.5 * tanh(0.5 * u),
            );
        }
        // A number that is not finite stays one.
        Nonlinearity::Relu => {
            apply(
                arch,
                gain,
                x,
                u,
                #[inline(always)]
                |u| if u < 0.0 { 0.0 } else { u },
            );
        }
        Nonlinearity::Linear => {
            apply(
                arch,
                gain,
                x,
                u,
                #[inline(always)]
                |u| u,
            );
        }
    }
}

#[inline(always)]
fn apply(arch: Arch, gain: f64, x: &[f64], u: &mut [f64], f: impl Fn(f64) -> f64) {
    arch.dispatch(
        #[inline(always)]
        || {
            for (u, x) in u.iter_mut().zip(x) {
                *u = f(gain * *u) - x;
            }
        },
    );
}

/// Adding this to a number below 2^51 rounds it to a whole one, which then stands in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// ln 2, in a part short enough that its product with a small whole number is exact, and the rest (Cody & Waite 1980).
const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// tanh without a branch, so that it is computed for several numbers at once: `e / (e + 2)` with `e = exp(2|u|) - 1`,
/// from the Taylor polynomial on ±ln(2)/2. Within a few units of the last place.
#[inline(always)]
fn tanh(u: f64) -> f64 {
    let size = u.abs();
    // tanh(20) is 1 in double precision. A number that is none stays none.
    let y = 2.0 * if size > 20.0 { 20.0 } else { size };
    let shifted = y * std::f64::consts::LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (y - k * LN_2_HIGH) - k * LN_2_LOW;
    let two_to_k = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let e = two_to_k * expm1(r) + (two_to_k - 1.0);
    (e / (e + 2.0)).copysign(u)
}

/// `exp(r) - 1` for |r| up to ln(2)/2: the terms to the 13th order, whose next is below 1e-17 of r.
#[inline(always)]
fn expm1(r: f64) -> f64 {
    let mut sum = 1.0 / 6_227_020_800.0;
    sum = sum * r + 1.0 / 479_001_600.0;
    sum = sum * r + 1.0 / 39_916_800.0;
    sum = sum * r + 1.0 / 3_628_800.0;
    sum = sum * r + 1.0 / 362_880.0;
    sum = sum * r + 1.0 / 40_320.0;
    sum = sum * r + 1.0 / 5_040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum * r * r + r
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use streams::{Stream, Streams};

    /// Against the standard library's, over all sizes.
    #[test]
    fn tanh_is_exact_to_a_few_last_places() {
        for step in -60_000..=60_000 {
            let u = f64::from(step) / 2000.0;
            for u in [u, u * 1e-5, u * 1e-150] {
                let (got, expected) = (tanh(u), u.tanh());
                assert!(
                    (got - expected).abs() <= 4.0 * f64::EPSILON * expected.abs(),
                    "{u}: {got} {expected}"
                );
            }
        }
        assert_eq!((tanh(f64::INFINITY), tanh(f64::NEG_INFINITY), tanh(0.0)), (1.0, -1.0, 0.0));
        assert!(tanh(f64::NAN).is_nan());
    }

    #[test]
    fn nonlinearities_by_hand() {
        let slope = |f, u: f64| {
            let mut out = [u; 9];
            slopes(Arch::new(), f, 2.0, &[0.25; 9], &mut out);
            assert!(out.iter().all(|value| value.to_bits() == out[0].to_bits()), "every lane alike");
            out[0] + 0.25
        };
        for u in [-3.0f64, -0.1, 0.0, 0.4, 7.0] {
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-14, "{u}: {a} {b}");
            close(slope(Nonlinearity::Tanh, u), (2.0 * u).tanh());
            close(slope(Nonlinearity::Logistic, u), 1.0 / (1.0 + (-2.0 * u).exp()));
            close(slope(Nonlinearity::Relu, u), (2.0 * u).max(0.0));
            close(slope(Nonlinearity::Linear, u), 2.0 * u);
        }
    }

    /// The widest instruction set of this machine against none.
    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        let mut rng = Streams::new(2).rng_for(Stream::Data, "test/bits");
        let mut draw = |count: usize| (0..count).map(|_| 4.0 * rng.random::<f64>() - 2.0).collect::<Vec<_>>();
        let (weights, x) = (draw(37 * 40), draw(40));
        let run = |arch: Arch| {
            let mut out = vec![0.0; 37];
            dense(arch, &weights, &x, &mut out);
            slopes(arch, Nonlinearity::Tanh, 0.3, &x[..37], &mut out);
            out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(run(Arch::new()), run(Arch::Scalar));
    }

    #[test]
    fn products_agree_with_plain_sums() {
        let mut rng = Streams::new(1).rng_for(Stream::Data, "test/products");
        for n in [1usize, 3, 8, 21, 70] {
            let stride = n.next_multiple_of(LANES);
            let weight = |i: usize, j: usize| ((i * 37 + j * 11) % 17) as f64 - 8.0;
            let mut weights = vec![0.0; n * stride];
            let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for i in 0..n {
                for j in 0..n {
                    weights[i * stride + j] = weight(i, j);
                    columns.push(j as u32);
                    values.push(weight(i, j));
                }
                offsets.push(columns.len());
            }
            let mut x = vec![0.0; stride];
            x[..n].fill_with(|| rng.random::<f64>() - 0.5);
            let (mut by_dense, mut by_sparse) = (vec![0.0; n], vec![0.0; n]);
            dense(Arch::new(), &weights, &x, &mut by_dense);
            sparse(&offsets, &columns, &values, &x, &mut by_sparse);
            for i in 0..n {
                let expected: f64 = (0..n).map(|j| weight(i, j) * x[j]).sum();
                assert!((by_dense[i] - expected).abs() < 1e-12 && (by_sparse[i] - expected).abs() < 1e-12);
            }
        }
    }
}
