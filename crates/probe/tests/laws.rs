//! What each statistic must and must not depend on.

use approx::assert_abs_diff_eq;
use ndarray::{Array2, ArrayView2, Axis, s};
use probe::compare::{self, Comparison, NanPolicy};
use probe::pca::pca;
use probe::permutation::{Permutations, Tail, rsa, rsa_beyond};
use probe::procrustes::{Alignment, procrustes, rotation};
use probe::rdm::{Measure, Rdm, hamming};
use probe::{dcor, sinusoid, spectrum};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use streams::{StreamRng, Streams};

fn normal(seed: u64, n: usize, d: usize) -> Array2<f64> {
    let mut rng = StreamRng::seed_from_u64(seed);
    // Box-Muller.
    Array2::from_shape_simple_fn((n, d), || {
        let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    })
}

/// A random orthogonal matrix: the rotation of one random table onto another.
fn orthogonal(seed: u64, d: usize) -> Array2<f64> {
    rotation(normal(seed, 2 * d, d).view(), normal(seed + 1, 2 * d, d).view(), Alignment::Orthogonal).unwrap()
}

fn grid() -> Array2<f64> {
    Array2::from_shape_fn((16, 2), |(t, axis)| [t / 4, t % 4][axis] as f64)
}

/// Rotated, scaled and moved: nothing that a scale-free, rotation-invariant statistic may see.
fn moved(x: ArrayView2<f64>, seed: u64, scale: f64) -> Array2<f64> {
    x.dot(&orthogonal(seed, x.ncols())) * scale + 3.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn euclidean_rsa_dcor_and_disparity_ignore_rotation_translation_and_scale(
        seed in 0u64..1000, n in 5usize..12, d in 1usize..9, scale in 0.1f64..50.0,
    ) {
        let (x, y) = (normal(seed, n, d), normal(seed + 5000, n, d));
        let z = moved(x.view(), seed + 9000, scale);
        let reference = Rdm::of_rows(y.view(), Measure::Euclidean).unwrap();
        let r = |x: &Array2<f64>, how| {
            let rdm = Rdm::of_rows(x.view(), Measure::Euclidean).unwrap();
            compare::compare(&rdm, &reference, how, NanPolicy::Refuse).unwrap()
        };
        prop_assert!((r(&x, Comparison::Pearson) - r(&z, Comparison::Pearson)).abs() < 1e-9);
        let (a, b) = (dcor::dcor(x.view(), y.view()).unwrap(), dcor::dcor(z.view(), y.view()).unwrap());
        prop_assert!((a.biased - b.biased).abs() < 1e-8);
        prop_assert!((a.bias_corrected - b.bias_corrected).abs() < 1e-9);
        let fit = |x: &Array2<f64>| procrustes(x.view(), y.view(), Alignment::Orthogonal).unwrap();
        prop_assert!((fit(&x).disparity - fit(&z).disparity).abs() < 1e-9);
        // The Frobenius distance ignores rotation and translation, but not scale.
        let turned = moved(x.view(), seed + 9000, 1.0);
        prop_assert!((fit(&x).frobenius - fit(&turned).frobenius).abs() < 1e-6);
    }

    #[test]
    fn comparisons_are_symmetric(seed in 0u64..1000, n in 4usize..12, d in 1usize..20) {
        let (x, y) = (normal(seed, n, d), normal(seed + 5000, n, d));
        let (a, b) = (dcor::dcor(x.view(), y.view()).unwrap(), dcor::dcor(y.view(), x.view()).unwrap());
        prop_assert!((a.biased - b.biased).abs() < 1e-12);
        prop_assert!((a.bias_corrected - b.bias_corrected).abs() < 1e-12);
        for how in [Alignment::Orthogonal, Alignment::Rotation] {
            let (a, b) = (procrustes(x.view(), y.view(), how).unwrap(), procrustes(y.view(), x.view(), how).unwrap());
            prop_assert!((a.disparity - b.disparity).abs() < 1e-10);
            prop_assert!((a.frobenius - b.frobenius).abs() < 1e-9);
        }
    }

    #[test]
    fn a_table_is_one_with_itself(seed in 0u64..1000, n in 5usize..12, d in 1usize..20) {
        let x = normal(seed, n, d);
        let own = dcor::dcor(x.view(), x.view()).unwrap();
        prop_assert!((own.biased - 1.0).abs() < 1e-12 && (own.bias_corrected - 1.0).abs() < 1e-12);
        let fit = procrustes(x.view(), moved(x.view(), seed, 1.0).view(), Alignment::Orthogonal).unwrap();
        prop_assert!(fit.disparity.abs() < 1e-12 && fit.frobenius < 1e-6);
    }

    /// The reduced computation for wide tables against the definition |A - B R| with R found in full.
    #[test]
    fn procrustes_frobenius_is_the_distance_after_rotation(seed in 0u64..1000, n in 3usize..8, d in 1usize..12) {
        let centre = |x: Array2<f64>| &x - &x.mean_axis(Axis(0)).unwrap();
        let (a, b) = (centre(normal(seed, n, d)), centre(normal(seed + 5000, n, d)));
        for how in [Alignment::Orthogonal, Alignment::Rotation] {
            let r = rotation(b.view(), a.view(), how).unwrap();
            let left = (&a - &b.dot(&r)).mapv(|v| v * v).sum().sqrt();
            prop_assert!((procrustes(a.view(), b.view(), how).unwrap().frobenius - left).abs() < 1e-9);
        }
    }

    #[test]
    fn variances_sum_to_the_trace_and_components_are_orthonormal(seed in 0u64..1000, n in 2usize..12, d in 1usize..12) {
        let x = normal(seed, n, d);
        let fit = pca(x.view()).unwrap();
        let trace: f64 = x.var_axis(Axis(0), 1.0).sum();
        prop_assert!((fit.variances.sum() - trace).abs() < 1e-10 * trace.max(1.0));
        let gram = fit.components.dot(&fit.components.t());
        prop_assert!((&gram - &Array2::<f64>::eye(gram.nrows())).iter().all(|v| v.abs() < 1e-10));
        let back = fit.scores.dot(&fit.components) + &fit.mean;
        prop_assert!((&back - &x).iter().all(|v| v.abs() < 1e-10));
        let loadings = |k| fit.components.row(k).iter().fold(0.0f64, |m, &v| if v.abs() > m.abs() { v } else { m });
        prop_assert!((0..gram.nrows()).all(|k| loadings(k) > 0.0));
    }

    /// The partial correlation is that of the residuals after regression on z.
    #[test]
    fn partial_correlation_is_that_of_residuals(seed in 0u64..1000) {
        let data = normal(seed, 30, 3);
        let column = |k: usize| { let c = data.column(k); (&c - c.mean().unwrap()).to_vec() };
        let (x, y, z) = (column(0), column(1), column(2));
        let zz: f64 = z.iter().map(|v| v * v).sum();
        let residual = |v: &[f64]| {
            let slope = v.iter().zip(&z).map(|(a, b)| a * b).sum::<f64>() / zz;
            v.iter().zip(&z).map(|(a, b)| a - slope * b).collect::<Vec<_>>()
        };
        let expected = compare::pearson(&residual(&x), &residual(&y)).unwrap();
        prop_assert!((compare::partial(&x, &y, &z, Comparison::Pearson).unwrap() - expected).abs() < 1e-10);
    }

    #[test]
    fn rank_counts_lie_between_one_and_the_number_of_dimensions(seed in 0u64..1000, n in 2usize..12, d in 1usize..12) {
        let s = spectrum::singular_values(normal(seed, n, d).view()).unwrap().to_vec();
        for count in [spectrum::effective_rank(&s), spectrum::participation_ratio(&s)] {
            prop_assert!(count >= 1.0 - 1e-9 && count <= n.min(d) as f64 + 1e-9);
        }
    }
}

/// The warning of the paper notes: the biased statistic is far from 0 for independent tables, the other one
/// is not.
#[test]
fn only_bias_corrected_dcor_is_centred_at_zero() {
    let coords = Array2::from_shape_fn((36, 2), |(t, axis)| [t / 6, t % 6][axis] as f64);
    let draws: Vec<_> =
        (0..200).map(|seed| dcor::dcor(normal(seed, 36, 64).view(), coords.view()).unwrap()).collect();
    let mean = |f: fn(&dcor::Dcor) -> f64| draws.iter().map(f).sum::<f64>() / draws.len() as f64;
    let spread = (draws.iter().map(|d| d.bias_corrected.powi(2)).sum::<f64>() / draws.len() as f64).sqrt();
    let standard_error = spread / (draws.len() as f64).sqrt();
    assert!(mean(|d| d.bias_corrected).abs() < 4.0 * standard_error, "{}", mean(|d| d.bias_corrected));
    assert!(mean(|d| d.biased) > 0.5);
    assert!(draws.iter().any(|d| d.bias_corrected < 0.0));
}

/// Under the null p is uniform: P(p <= α) = α for α on the grid of attainable values.
#[test]
fn permutation_p_is_uniform_under_the_null() {
    let set = Permutations::new(16, 99, &Streams::new(1));
    let (coords, rook) = (grid(), hamming(grid().view()).unwrap());
    let centred = dcor::Centred::new(coords.view()).unwrap();
    let p: Vec<[f64; 2]> = (0..400)
        .map(|seed| {
            let table = normal(seed, 16, 20);
            let rdm = Rdm::of_rows(table.view(), Measure::Euclidean).unwrap();
            let rsa = rsa(&rdm, &rook, Comparison::Spearman, Tail::Greater, &set).unwrap();
            let dcor = dcor::Centred::new(table.view()).unwrap().test(&centred, &set).unwrap();
            [rsa.p, dcor.bias_corrected.p]
        })
        .collect();
    for which in 0..2 {
        for alpha in [0.05, 0.25, 0.5, 0.75] {
            let share = p.iter().filter(|p| p[which] <= alpha + 1e-9).count() as f64 / 400.0;
            let error = (alpha * (1.0 - alpha) / 400.0f64).sqrt();
            assert!((share - alpha).abs() < 4.0 * error, "P(p <= {alpha}) = {share} for statistic {which}");
        }
    }
}

/// A table made of row and column identity alone: Hamming is found, and nothing of the order beyond it.
#[test]
fn planted_rook_geometry_is_found_and_order_beyond_it_is_not() {
    let (rows, columns) = (normal(1, 4, 32), normal(2, 4, 32));
    let noise = normal(3, 16, 32);
    let table = Array2::from_shape_fn((16, 32), |(t, c)| {
        rows[[t / 4, c]] + columns[[t % 4, c]] + 0.3 * noise[[t, c]]
    });
    let coords = grid();
    let rook = hamming(coords.view()).unwrap();
    let order = Rdm::of_rows(coords.view(), Measure::Euclidean).unwrap();
    let rdm = Rdm::of_rows(table.view(), Measure::Euclidean).unwrap();
    let set = Permutations::new(16, 999, &Streams::new(0));
    let found = rsa(&rdm, &rook, Comparison::Spearman, Tail::Greater, &set).unwrap();
    assert!(found.value > 0.6 && found.p == 0.001, "{found:?}");
    let beyond = rsa_beyond(&rdm, &order, &rook, Comparison::Spearman, Tail::Greater, &set).unwrap();
    assert!(beyond.value.abs() < 0.35, "{beyond:?}");
    let own = rsa_beyond(&rdm, &rook, &rook, Comparison::Spearman, Tail::Greater, &set).unwrap();
    assert!(own.value.is_nan() && own.p.is_nan());
}

#[test]
fn constant_tables_are_undefined_and_never_a_crash() {
    let (zero, coords) = (Array2::<f64>::from_elem((16, 8), 0.1), grid());
    let set = Permutations::new(16, 99, &Streams::new(0));
    let rook = hamming(coords.view()).unwrap();
    for measure in [Measure::Euclidean, Measure::Correlation, Measure::SquaredEuclidean] {
        let rdm = Rdm::of_rows(zero.view(), measure).unwrap();
        let tested = rsa(&rdm, &rook, Comparison::Spearman, Tail::Greater, &set).unwrap();
        assert!(tested.value.is_nan() && tested.p.is_nan(), "{measure}: {tested:?}");
    }
    let tested = dcor::Centred::new(zero.view()).unwrap();
    let tested = tested.test(&dcor::Centred::new(coords.view()).unwrap(), &set).unwrap();
    assert!(tested.biased.p.is_nan() && tested.bias_corrected.value.is_nan());
    assert!(spectrum::effective_rank(&[0.0; 3]).is_nan() && spectrum::participation_ratio(&[]).is_nan());
    assert_abs_diff_eq!(pca(zero.view()).unwrap().variances.sum(), 0.0, epsilon = 1e-20);
}

/// Figures that the docs quote for random tables.
#[test]
fn random_tables_read_as_documented() {
    let truth = sinusoid::sinusoid_kd(grid().view(), 160).unwrap();
    let (mut disparity, mut rank) = (0.0, 0.0);
    for seed in 0..10 {
        let table = normal(seed, 16, 160);
        disparity += procrustes(table.view(), truth.view(), Alignment::Orthogonal).unwrap().disparity / 10.0;
        rank += spectrum::effective_rank(&spectrum::singular_values(table.view()).unwrap().to_vec()) / 10.0;
    }
    assert!((disparity - 0.77).abs() < 0.03, "{disparity}");
    assert!((rank - 15.8).abs() < 0.05, "{rank}");
}

/// Not centred: moving a table changes its cosine distances, as documented.
#[test]
fn cosine_is_scale_free_but_not_translation_free() {
    let x = normal(4, 6, 5);
    let cosine = |x: &Array2<f64>| Rdm::of_rows(x.view(), Measure::Cosine).unwrap().values().to_vec();
    let (own, scaled, shifted) = (cosine(&x), cosine(&(&x * 7.0)), cosine(&(&x + 1.0)));
    assert!(own.iter().zip(&scaled).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(own.iter().zip(&shifted).any(|(a, b)| (a - b).abs() > 1e-3));
    let mut with_zero = x;
    with_zero.slice_mut(s![2, ..]).fill(0.0);
    let rdm = Rdm::of_rows(with_zero.view(), Measure::Cosine).unwrap();
    assert_eq!(rdm.values().iter().filter(|v| v.is_nan()).count(), 5);
}
