//! The elementary functions against f64, with and without a fused multiply-add.

use crate::fused::dispatch::{self, Isa};
use crate::fused::real::{Arithmetic, Fused, Portable, Real};

fn grid() -> impl Iterator<Item = f32> {
    (-400_000..=400_000).map(|i| i as f32 * 4e-5)
}

fn check_gelu<A: Arithmetic>() {
    for x in grid() {
        let (value, slope) = <f32 as Real>::gelu::<A>(x);
        let (value_64, slope_64) = <f64 as Real>::gelu::<A>(f64::from(x));
        let error = (f64::from(value) - value_64).abs();
        // Φ is right to two units in the last place of 0.5 to 1, and the product is rounded once more.
        assert!(error <= 1.3e-7 * f64::from(x.abs()), "gelu({x}) is off by {error}");
        let error = (f64::from(slope) - slope_64).abs();
        assert!(error <= 2e-7, "the derivative of gelu at {x} is off by {error}");
    }
}

#[test]
fn gelu_and_its_derivative_are_right_to_rounding() {
    check_gelu::<Fused>();
    check_gelu::<Portable>();
}

#[test]
fn exp_is_right_to_rounding() {
    for x in grid().filter(|x| *x <= 0.0).map(|x| 5.4 * x) {
        let exact = f64::from(x).exp();
        for value in [<f32 as Real>::exp::<Fused>(x), <f32 as Real>::exp::<Portable>(x)] {
            let error = (f64::from(value) - exact).abs();
            assert!(error <= 2.5e-7 * exact || x < -86.9, "exp({x}) is {value}");
        }
    }
    assert_eq!(<f32 as Real>::exp::<Fused>(0.0), 1.0);
    assert_eq!(<f32 as Real>::exp::<Fused>(-87.5), 0.0);
    assert_eq!(<f32 as Real>::exp::<Fused>(f32::NEG_INFINITY), 0.0);
    assert!(<f32 as Real>::exp::<Fused>(f32::NAN).is_nan());
}

#[test]
fn far_arguments_stay_finite_and_nan_stays_nan() {
    for isa in Isa::available() {
        let mut x = [-1e30f32, -40.0, 0.0, 40.0, 1e18, f32::NAN];
        let mut y = [9.0; 6];
        dispatch::gelu(*isa, &mut x, &[0.0; 6], &mut y);
        assert_eq!(y[..5], [0.0, 0.0, 0.0, 40.0, 1e18], "{isa:?}");
        assert_eq!(x[..5], [0.0, 0.0, 0.5, 1.0, 1.0], "{isa:?}");
        assert!(x[5].is_nan() && y[5].is_nan(), "{isa:?}");
    }
}

/// Numbers so small that their products would be denormal do not leave the kernels: such products are slow.
#[test]
fn what_comes_out_is_zero_or_far_from_denormal() {
    fn settled(what: &str, values: &[f32]) {
        assert!(values.iter().all(|v| *v == 0.0 || v.abs() >= 1e-24), "{what}: {values:?}");
    }
    for isa in Isa::available() {
        let mut weights: Vec<f32> = (0..40).map(|i| -2.3 * i as f32).collect();
        dispatch::softmax(*isa, &mut weights, 40);
        settled("softmax", &weights);
        assert!(weights[20] > 0.0 && weights[39] == 0.0);
        let mut masked: Vec<f32> = (0..40).map(|i| -2.3 * i as f32).collect();
        dispatch::masked_softmax(*isa, &mut masked, &[false; 40]);
        settled("masked softmax", &masked);
        let mut dx: Vec<f32> = (0..40).map(|i| 1e-20 * (i as f32).sin()).collect();
        dispatch::softmax_backward(*isa, &mut dx, &weights, 40);
        settled("gradient of a softmax", &dx);

        let (mut slope, mut y) = ([-13.2f32, -12.0, -9.0, -3.0], [0.0; 4]);
        dispatch::gelu(*isa, &mut slope, &[0.0; 4], &mut y);
        settled("gelu", &[slope, y].concat());
        assert!(y[3] < 0.0 && y[0] == 0.0);

        let (mut x, mut sums) = ([1e-30f32, 1e-3, 1e-15, -1e-20], [0.0; 4]);
        dispatch::multiply_and_add_rows(*isa, &mut x, &[1.0, 1.0, 1e-15, 1e-3], &mut sums);
        settled("product", &x);
        assert_eq!(sums, [0.0, 1e-3, 0.0, -1e-20f32 * 1e-3]);

        let (dy, normed) = ([1e-27f32, -3e-27, 2e-27, 0.0], [1.0f32, -1.0, 0.5, -0.5]);
        let (mut dx, mut dgamma, mut dbeta) = ([9.0f32; 4], [0.0; 4], [0.0; 4]);
        dispatch::norm_backward(*isa, &dy, &normed, &[1.0], &[1.0; 4], &mut dx, (&mut dgamma, &mut dbeta));
        assert_eq!(dx, [0.0; 4]);
    }
}

#[test]
fn softmax_of_any_length_sums_to_one_and_hides() {
    for isa in Isa::available() {
        for keys in 1..40 {
            let logits: Vec<f32> = (0..3 * keys).map(|i| 30.0 * (i as f32).sin()).collect();
            let mut weights = logits.clone();
            dispatch::softmax(*isa, &mut weights, keys);
            for (row, logits) in weights.chunks(keys).zip(logits.chunks(keys)) {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{isa:?}, {keys} keys");
                let mut none_hidden = logits.to_vec();
                dispatch::masked_softmax(*isa, &mut none_hidden, &vec![false; keys]);
                assert_eq!(row, none_hidden, "{isa:?}, {keys} keys");

                let hidden: Vec<bool> = (0..keys).map(|key| key % 2 == 0).collect();
                let mut masked = logits.to_vec();
                dispatch::masked_softmax(*isa, &mut masked, &hidden);
                let sum: f32 = masked.iter().sum();
                assert!((sum - if keys == 1 { 0.0 } else { 1.0 }).abs() < 1e-6, "{isa:?}, {keys} keys");
                assert!(masked.iter().step_by(2).all(|weight| *weight == 0.0), "{isa:?}, {keys} keys");
            }
        }
    }
}
