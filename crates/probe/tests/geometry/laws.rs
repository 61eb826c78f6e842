//! What each statistic must and must not depend on.

use crate::support::*;
use ndarray::{Array2, Axis, s};
use probe::cca::{cca, svcca};
use probe::cka::{Estimator, Kernel, cka};
use probe::dcor::{Centred, dcor, dcor_univariate};
use probe::identifiability::likeness;
use probe::mds::classical;
use probe::neighbours::{knn_overlap, trustworthiness};
use probe::pca::pca;
use probe::permutation::Permutations;
use probe::procrustes::{Alignment, Reduction, procrustes, procrustes_reduced};
use probe::rdm::{Measure, Rdm};
use probe::spectrum::{effective_rank, participation_ratio, singular_values};
use proptest::prelude::*;
use streams::Streams;

const KERNELS: [Kernel; 2] = [Kernel::Linear, Kernel::Rbf { fraction: 0.7 }];
const ESTIMATORS: [Estimator; 2] = [Estimator::Biased, Estimator::Unbiased];

/// All statistics of two tables that ignore rotation, translation and scale of either.
fn invariant(x: &Array2<f64>, y: &Array2<f64>) -> Vec<f64> {
    let (x, y) = (x.view(), y.view());
    let [a, b] = [x, y].map(|table| Centred::new(table).unwrap());
    let (found, alike) = (a.dcor(&b).unwrap(), likeness(x, y).unwrap());
    let mut all = vec![found.biased, found.bias_corrected, a.t_test(&b).unwrap().p];
    all.extend([alike.procrustes_r2, alike.cka, alike.rsa]);
    all.extend([knn_overlap(x, y, 2).unwrap(), trustworthiness(x, y, 2).unwrap(), cca(x, y).unwrap().mean]);
    for kernel in KERNELS {
        all.extend(ESTIMATORS.map(|estimator| cka(x, y, kernel, estimator).unwrap()));
    }
    all
}

/// Those that do not change when the two tables are exchanged.
fn symmetric(x: &Array2<f64>, y: &Array2<f64>) -> Vec<f64> {
    let mut all = invariant(x, y);
    all.remove(7);
    all
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-7)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rotation_translation_scale_padding_and_order_change_nothing(
        seed in 0u64..1000, n in 6usize..14, d in 1usize..9, scale in 0.1f64..50.0,
    ) {
        let (x, y) = (normal(seed, n, d), normal(seed + 5000, n, d));
        let own = invariant(&x, &y);
        prop_assert!(near(&own, &invariant(&moved(&x, seed + 9000, scale), &y)));
        prop_assert!(near(&own, &invariant(&x, &moved(&y, seed + 9000, scale))));
        prop_assert!(near(&own, &invariant(&padded(&x, 3), &padded(&y, 3))));
        let order: Vec<usize> = (0..n).rev().collect();
        prop_assert!(near(&own, &invariant(&x.select(Axis(0), &order), &y.select(Axis(0), &order))));
    }

    #[test]
    fn similarities_are_symmetric(seed in 0u64..1000, n in 6usize..14, d in 1usize..9) {
        let (x, y) = (normal(seed, n, d), normal(seed + 5000, n, d));
        prop_assert!(near(&symmetric(&x, &y), &symmetric(&y, &x)));
    }

    #[test]
    fn a_table_is_one_with_itself(seed in 0u64..1000, n in 6usize..14, d in 1usize..9) {
        let x = normal(seed, n, d);
        let all = invariant(&x, &moved(&x, seed, 2.0));
        // The p of a perfect t-test is 0.
        prop_assert!(all[2].abs() < 1e-12);
        let all: Vec<f64> = all.iter().enumerate().filter(|(i, _)| *i != 2).map(|(_, v)| *v).collect();
        prop_assert!(near(&all, &vec![1.0; all.len()]), "{all:?}");
    }

    /// In one dimension the sorted sums against all pairs, ties included.
    #[test]
    fn univariate_distance_correlation_is_that_of_all_pairs(
        x in prop::collection::vec(-4i32..5, 4..60), seed in 0u64..1000, ties in any::<bool>(),
    ) {
        let n = x.len();
        let x: Vec<f64> = x.into_iter().map(|v| f64::from(v) * 0.3 + 100.0).collect();
        let y: Vec<f64> = normal(seed, n, 1).column(0).iter().map(|v| if ties { v.round() } else { *v }).collect();
        let table = |v: &[f64]| Array2::from_shape_vec((n, 1), v.to_vec()).unwrap();
        let pairs = Centred::new(table(&x).view()).unwrap().dcor(&Centred::new(table(&y).view()).unwrap()).unwrap();
        let sorted = dcor_univariate(&x, &y).unwrap();
        for (a, b) in [(pairs.biased, sorted.biased), (pairs.bias_corrected, sorted.bias_corrected)] {
            prop_assert!((a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-7, "{a} {b}");
        }
    }

    /// The formula of the correlations against the projections written out; and given itself nothing is left.
    #[test]
    fn partial_distance_correlation_is_that_of_its_correlations(seed in 0u64..1000, n in 5usize..20) {
        let [x, y, z] = [0, 1000, 2000].map(|k| Centred::new(normal(seed + k, n, 3).view()).unwrap());
        let r = |a: &Centred, b: &Centred| a.dcor(b).unwrap().bias_corrected;
        let (xy, xz, yz) = (r(&x, &y), r(&x, &z), r(&y, &z));
        let expected = (xy - xz * yz) / ((1.0 - xz * xz) * (1.0 - yz * yz)).sqrt();
        let got = x.partial(&y, &z).unwrap().correlation;
        prop_assert!((got - expected).abs() < 1e-9, "{got} {expected}");
        prop_assert!(x.partial(&y, &x).unwrap().correlation.is_nan());
        let constant = Centred::new(Array2::ones((n, 2)).view()).unwrap();
        prop_assert!((x.partial(&y, &constant).unwrap().correlation - xy).abs() < 1e-12);
    }

    /// Classical scaling of Euclidean distances is PCA, and all dimensions give the distances back.
    #[test]
    fn scaling_gives_the_distances_back(seed in 0u64..1000, n in 3usize..12, d in 1usize..6) {
        let x = normal(seed, n, d);
        let rdm = Rdm::of_rows(x.view(), Measure::Euclidean).unwrap();
        let all = classical(&rdm, n).unwrap();
        let back = Rdm::of_rows(all.coordinates.view(), Measure::Euclidean).unwrap();
        prop_assert!(rdm.values().iter().zip(back.values()).all(|(a, b)| (a - b).abs() < 1e-6));
        prop_assert!((all.goodness - 1.0).abs() < 1e-9);
        let fit = pca(x.view()).unwrap();
        for (k, variance) in fit.variances.iter().enumerate().filter(|(_, v)| **v > 1e-6) {
            prop_assert!((all.eigenvalues[k] / (n - 1) as f64 - variance).abs() < 1e-9);
        }
        prop_assert!(all.coordinates.slice(s![.., d.min(n - 1)..]).iter().all(|v| *v == 0.0));
    }

    #[test]
    fn canonical_correlations_ignore_every_invertible_map(seed in 0u64..1000, d in 1usize..5, e in 1usize..5) {
        let (x, y) = (normal(seed, 15, d), normal(seed + 5000, 15, e));
        let own = cca(x.view(), y.view()).unwrap();
        prop_assert_eq!(own.correlations.len(), d.min(e));
        // A random square matrix plus a multiple of 1 that keeps it away from singular.
        let map = normal(seed + 7000, d, d) + Array2::<f64>::eye(d) * 6.0;
        let mapped = cca(x.dot(&map).view(), y.view()).unwrap();
        prop_assert!(near(&own.correlations, &mapped.correlations));
        // All of the variance, all of the table.
        prop_assert!(near(&own.correlations, &svcca(x.view(), y.view(), 1.0).unwrap().correlations));
        prop_assert!(own.correlations.windows(2).all(|w| w[0] >= w[1]));
    }

    #[test]
    fn counts_of_dimensions_ignore_scale_rotation_and_padding(seed in 0u64..1000, n in 2usize..12, d in 1usize..12, scale in 0.01f64..100.0) {
        let x = normal(seed, n, d);
        let counts = |x: &Array2<f64>| {
            let s = singular_values(x.view()).unwrap().to_vec();
            [effective_rank(&s), participation_ratio(&s.iter().map(|s| s * s).collect::<Vec<_>>())]
        };
        let turned = x.dot(&orthogonal(seed, d)) * scale;
        prop_assert!(near(&counts(&x), &counts(&turned)) && near(&counts(&x), &counts(&padded(&x, 4))));
    }

    /// Coordinates brought to the table's space come back, however they are reduced.
    #[test]
    fn an_embedded_grid_is_found_by_both_reductions(seed in 0u64..1000) {
        let coords = normal(seed, 12, 2);
        let table = moved(&padded(&coords, 6), seed + 1, 4.0);
        for reduction in [Reduction::Pca, Reduction::Regression { alpha: 0.0 }] {
            let fit = procrustes_reduced(coords.view(), table.view(), reduction, Alignment::Orthogonal).unwrap();
            prop_assert!(fit.disparity < 1e-9, "{reduction:?} {fit:?}");
        }
        // Least squares fits anything when columns are enough.
        let noise = normal(seed + 2, 12, 11);
        let fit = procrustes_reduced(coords.view(), noise.view(), Reduction::Regression { alpha: 0.0 }, Alignment::Orthogonal);
        prop_assert!(fit.unwrap().disparity < 1e-9);
    }

    /// Frobenius follows the norm: of c·x against x it is |c - 1| |x|, while the disparity stays 0.
    #[test]
    fn the_frobenius_distance_follows_the_norm(seed in 0u64..1000, c in 1.5f64..20.0) {
        let x = normal(seed, 9, 4);
        let fit = procrustes(x.view(), (&x * c).view(), Alignment::Rotation).unwrap();
        let norm = (&x - &x.mean_axis(Axis(0)).unwrap()).mapv(|v| v * v).sum().sqrt();
        prop_assert!((fit.frobenius - (c - 1.0) * norm).abs() < 1e-6 * norm && fit.disparity.abs() < 1e-12);
    }
}

/// The order of summation is fixed, so bytes do not depend on threads.
#[test]
fn threads_change_no_byte() {
    let (x, y) = (normal(1, 60, 7), normal(2, 60, 3));
    let all = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let set = Permutations::new(60, 700, &Streams::new(3));
            let tested =
                Centred::new(x.view()).unwrap().test(&Centred::new(y.view()).unwrap(), &set).unwrap();
            let mut all = invariant(&x, &x.mapv(f64::tanh));
            all.extend([
                tested.biased.value,
                tested.biased.p,
                tested.bias_corrected.value,
                tested.bias_corrected.p,
            ]);
            all.push(dcor(x.view(), y.view()).unwrap().biased);
            all.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
        })
    };
    assert_eq!(all(1), all(5));
}
