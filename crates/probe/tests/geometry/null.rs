//! What the statistics read on tables that have nothing to do with each other: the figures that the docs
//! quote.

use crate::support::*;
use probe::cca::{cca, svcca};
use probe::cka::{Estimator, Gram, Kernel, cka};
use probe::dcor::{Centred, dcor, dcor_univariate};
use probe::identifiability::likeness;
use probe::mds::classical;
use probe::neighbours::{knn_overlap, trustworthiness};
use probe::permutation::Permutations;
use probe::procrustes::{Alignment, Reduction, procrustes_reduced};
use probe::rdm::{Measure, Rdm};
use probe::spectrum::participation_ratio;
use probe::{decode, pca, spectrum};
use streams::Streams;

fn over_seeds(count: u64, f: impl Fn(u64) -> f64) -> Vec<f64> {
    (0..count).map(f).collect()
}

#[test]
fn bias_corrected_statistics_are_centred_at_zero() {
    let coords = grid(6);
    let table = |seed| normal(seed, 36, 64);
    centred_at(&over_seeds(150, |s| dcor(table(s).view(), coords.view()).unwrap().bias_corrected), 0.0);
    for kernel in [Kernel::Linear, Kernel::Rbf { fraction: 1.0 }] {
        let of = |s| cka(table(s).view(), coords.view(), kernel, Estimator::Unbiased).unwrap();
        centred_at(&over_seeds(150, of), 0.0);
    }
    let beyond = |s: u64| {
        let [x, y, z] = [s, s + 500, s + 1000].map(|s| Centred::new(normal(s, 20, 4).view()).unwrap());
        x.partial(&y, &z).unwrap().correlation
    };
    centred_at(&over_seeds(150, beyond), 0.0);
    let alike = |s| likeness(normal(s, 16, 40).view(), normal(s + 500, 16, 40).view()).unwrap();
    centred_at(&over_seeds(60, |s| alike(s).cka), 0.0);
    centred_at(&over_seeds(60, |s| alike(s).rsa), 0.0);
}

#[test]
fn biased_ones_are_where_the_docs_say() {
    let biased = over_seeds(20, |s| dcor(normal(s, 36, 64).view(), grid(6).view()).unwrap().biased);
    assert!((mean(&biased) - 0.6).abs() < 0.05, "{}", mean(&biased));
    let linear = |s| {
        cka(normal(s, 36, 64).view(), normal(s + 99, 36, 64).view(), Kernel::Linear, Estimator::Biased)
            .unwrap()
    };
    let expected = 1.0 / (1.0 + 35.0 / 64.0);
    assert!((mean(&over_seeds(20, linear)) - expected).abs() < 0.02);
    let vectors = over_seeds(100, |s| {
        let [x, y] = [s, s + 999].map(|s| normal(s, 100, 1).column(0).to_vec());
        dcor_univariate(&x, &y).unwrap().biased
    });
    assert!((mean(&vectors) - 0.15).abs() < 0.02, "{}", mean(&vectors));
    let r2 = over_seeds(20, |s| {
        likeness(normal(s, 16, 160).view(), normal(s + 99, 16, 160).view()).unwrap().procrustes_r2
    });
    assert!((mean(&r2) - 0.95).abs() < 0.01, "{}", mean(&r2));
}

#[test]
fn the_t_test_is_uniform_under_the_null_of_many_columns() {
    let p = over_seeds(400, |s| {
        let [x, y] = [s, s + 1000].map(|s| Centred::new(normal(s, 12, 100).view()).unwrap());
        x.t_test(&y).unwrap().p
    });
    uniform(&p);
}

#[test]
fn permutation_p_of_cka_is_uniform_under_the_null() {
    let set = Permutations::new(16, 99, &Streams::new(1));
    let coords = Gram::new(grid(4).view(), Kernel::Linear).unwrap();
    let p = over_seeds(400, |s| {
        let table = Gram::new(normal(s, 16, 20).view(), Kernel::Linear).unwrap();
        table.test(&coords, Estimator::Unbiased, &set).unwrap().p
    });
    uniform(&p);
}

fn uniform(p: &[f64]) {
    for alpha in [0.05, 0.25, 0.5, 0.75] {
        let share = p.iter().filter(|p| **p <= alpha + 1e-9).count() as f64 / p.len() as f64;
        let error = (alpha * (1.0 - alpha) / p.len() as f64).sqrt();
        assert!((share - alpha).abs() < 4.0 * error, "P(p <= {alpha}) = {share}");
    }
}

/// Exact expectations for unrelated tables.
#[test]
fn neighbours_of_unrelated_tables_are_at_chance() {
    let (n, k) = (24usize, 4usize);
    let tables = |s| (normal(s, n, 3), normal(s + 5000, n, 3));
    let overlap = over_seeds(200, |s| knn_overlap(tables(s).0.view(), tables(s).1.view(), k).unwrap());
    centred_at(&overlap, k as f64 / (n - 1) as f64);
    let trust = over_seeds(200, |s| trustworthiness(tables(s).0.view(), tables(s).1.view(), k).unwrap());
    let [n, k] = [n, k].map(|v| v as f64);
    centred_at(&trust, 1.0 - (n - 1.0 - k) * (n - k) / ((n - 1.0) * (2.0 * n - 3.0 * k - 1.0)));
}

#[test]
fn canonical_correlations_overfit_as_documented() {
    // The ranks add up to more than n - 1: the smaller space cannot avoid the larger one entirely.
    let all = cca(normal(1, 12, 9).view(), normal(2, 12, 9).view()).unwrap();
    assert_eq!(all.correlations.len(), 9);
    assert!(all.correlations[..7].iter().all(|r| *r > 1.0 - 1e-9), "{all:?}");
    let full = cca(normal(1, 12, 11).view(), normal(2, 12, 11).view()).unwrap();
    assert!((full.mean - 1.0).abs() < 1e-9);
    // Wachter's edge, for many rows.
    let (n, d) = (241usize, 40usize);
    let largest =
        over_seeds(5, |s| cca(normal(s, n, d).view(), normal(s + 99, n, d).view()).unwrap().correlations[0]);
    let p = d as f64 / (n - 1) as f64;
    let edge = 2.0 * (p * (1.0 - p)).sqrt();
    assert!((mean(&largest) - edge).abs() < 0.03, "{} {edge}", mean(&largest));
    let share = svcca(normal(3, 60, 8).view(), normal(4, 60, 8).view(), 0.99).unwrap().mean;
    assert!(share < 0.6, "{share}");
}

#[test]
fn spectra_of_random_tables() {
    let (n, d) = (60, 120);
    let ratio = over_seeds(10, |s| {
        participation_ratio(&pca::pca(normal(s, n, d).view()).unwrap().variances.to_vec())
    });
    let expected = 1.0 / (1.0 / (n - 1) as f64 + 1.0 / d as f64);
    assert!((mean(&ratio) - expected).abs() < 0.03 * expected, "{} {expected}", mean(&ratio));
    let rank = over_seeds(10, |s| {
        spectrum::effective_rank(&spectrum::singular_values(normal(s, 16, 160).view()).unwrap().to_vec())
    });
    assert!((mean(&rank) - 15.8).abs() < 0.05);
    let goodness = over_seeds(5, |s| {
        classical(&Rdm::of_rows(normal(s, 30, 3000).view(), Measure::Euclidean).unwrap(), 2).unwrap().goodness
    });
    assert!((mean(&goodness) - 2.0 / 29.0).abs() < 0.02, "{}", mean(&goodness));
}

#[test]
fn reduced_procrustes_of_a_random_table() {
    let disparity = over_seeds(20, |s| {
        procrustes_reduced(grid(6).view(), normal(s, 36, 64).view(), Reduction::Pca, Alignment::Orthogonal)
            .unwrap()
            .disparity
    });
    assert!((mean(&disparity) - 0.95).abs() < 0.03, "{}", mean(&disparity));
}

/// A prediction of the mean of the other folds reads below 0.
#[test]
fn decoding_nothing_is_slightly_negative() {
    let r2 = over_seeds(40, |s| {
        let folds = decode::Folds::shuffled(36, 5, &Streams::new(s)).unwrap();
        let nothing = ndarray::Array2::zeros((36, 1));
        decode::decode(nothing.view(), grid(6).view(), &folds, &decode::Alpha::Fixed(1.0)).unwrap().r2_mean
    });
    assert!((mean(&r2) + 0.06).abs() < 0.02, "{}", mean(&r2));
}
