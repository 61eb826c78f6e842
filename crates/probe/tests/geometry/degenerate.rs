//! Constant, tiny, NaN and mismatched input: the documented NaN, 0 or error, never a panic.

use crate::support::*;
use ndarray::{Array2, ArrayView2};
use probe::StatError;
use probe::cca::{cca, svcca};
use probe::cka::{Estimator, Gram, Kernel, cka};
use probe::dcor::{Centred, dcor, dcor_univariate};
use probe::identifiability::likeness;
use probe::mds::classical;
use probe::neighbours::{knn_overlap, trustworthiness};
use probe::network::{Partition, Signs, Weights, louvain, modularity};
use probe::pca::pca;
use probe::procrustes::{Alignment, Reduction, procrustes, procrustes_reduced};
use probe::rdm::{Measure, Rdm};
use probe::spectrum::{effective_rank, participation_ratio};
use streams::Streams;

type Statistic = fn(ArrayView2<f64>, ArrayView2<f64>) -> Result<f64, StatError>;

/// Every statistic of two tables that is undefined when one is constant.
const OF_TWO: [(&str, Statistic); 14] = [
    ("dcor biased", |x, y| Ok(dcor(x, y)?.biased)),
    ("dcor bias-corrected", |x, y| Ok(dcor(x, y)?.bias_corrected)),
    ("dcor t", |x, y| Ok(Centred::new(x)?.t_test(&Centred::new(y)?)?.p)),
    ("dcor partial", |x, y| {
        Ok(Centred::new(x)?
            .partial(&Centred::new(y)?, &Centred::new(normal(8, y.nrows(), 2).view())?)?
            .correlation)
    }),
    ("cka biased", |x, y| cka(x, y, Kernel::Linear, Estimator::Biased)),
    ("cka unbiased", |x, y| cka(x, y, Kernel::Linear, Estimator::Unbiased)),
    ("rbf biased", |x, y| cka(x, y, Kernel::Rbf { fraction: 1.0 }, Estimator::Biased)),
    ("rbf unbiased", |x, y| cka(x, y, Kernel::Rbf { fraction: 1.0 }, Estimator::Unbiased)),
    ("cca", |x, y| Ok(cca(x, y)?.mean)),
    ("svcca", |x, y| Ok(svcca(x, y, 0.99)?.mean)),
    ("procrustes", |x, y| Ok(procrustes(x, y, Alignment::Rotation)?.disparity)),
    ("procrustes by pca", |x, y| {
        Ok(procrustes_reduced(x, y, Reduction::Pca, Alignment::Orthogonal)?.disparity)
    }),
    ("likeness", |x, y| Ok(likeness(x, y)?.procrustes_r2)),
    ("rsa", |x, y| Ok(likeness(x, y)?.rsa)),
];

#[test]
fn constant_tables_are_undefined() {
    let other = normal(1, 9, 3);
    for value in [0.0, 0.1, -1e6 / 3.0] {
        let constant = Array2::from_elem((9, 3), value);
        for (name, statistic) in OF_TWO {
            for (x, y) in [(&constant, &other), (&other, &constant), (&constant, &constant)] {
                assert!(statistic(x.view(), y.view()).unwrap().is_nan(), "{name} of {value}");
            }
        }
        assert!(pca(constant.view()).unwrap().ratios.iter().all(|ratio| ratio.is_nan()));
        assert_eq!(pca(constant.view()).unwrap().components_for(0.5), None);
        let scaled = classical(&Rdm::of_rows(constant.view(), Measure::Euclidean).unwrap(), 2).unwrap();
        assert!(scaled.goodness.is_nan() && scaled.coordinates.iter().all(|v| *v == 0.0));
    }
    assert!(dcor_univariate(&[0.1; 50], &normal(1, 50, 1).column(0).to_vec()).unwrap().biased.is_nan());
}

/// Distances that are all equal have no structure left once U-centred, but some when doubly centred.
#[test]
fn equidistant_items_have_no_bias_corrected_distance_correlation() {
    let found = dcor(Array2::eye(9).view(), normal(1, 9, 2).view()).unwrap();
    assert!(found.bias_corrected.is_nan() && found.biased > 0.0, "{found:?}");
    // One item against all others alike, in one dimension: the same.
    let mut spike = vec![0.0; 30];
    spike[4] = 7.0;
    let found = dcor_univariate(&spike, &normal(1, 30, 1).column(0).to_vec()).unwrap();
    assert!(found.bias_corrected.is_nan() && found.biased > 0.0, "{found:?}");
}

#[test]
fn nan_infinity_and_other_sizes_are_refused() {
    let good = normal(1, 9, 3);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut table = good.clone();
        table[[4, 2]] = bad;
        for (name, statistic) in OF_TWO {
            for (x, y) in [(&table, &good), (&good, &table)] {
                let error = statistic(x.view(), y.view()).expect_err(name).to_string();
                assert!(error.contains("row 4, column 2"), "{name}: {error}");
            }
        }
        assert!(knn_overlap(table.view(), good.view(), 2).is_err());
        assert!(trustworthiness(good.view(), table.view(), 2).is_err());
    }
    for (name, statistic) in OF_TWO {
        assert!(statistic(good.view(), normal(2, 8, 3).view()).is_err(), "{name}");
    }
    for k in [0, 9, usize::MAX] {
        assert!(knn_overlap(good.view(), good.view(), k).is_err());
        assert!(trustworthiness(good.view(), good.view(), k).is_err());
    }
    assert!(trustworthiness(good.view(), good.view(), 5).is_err(), "k < n/2");
    for fraction in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Gram::new(good.view(), Kernel::Rbf { fraction }).is_err());
    }
    for share in [0.0, 1.1, f64::NAN] {
        assert!(svcca(good.view(), good.view(), share).is_err());
    }
    let rdm = Rdm::of_rows(good.view(), Measure::Euclidean).unwrap();
    assert!(classical(&rdm, 0).is_err() && classical(&rdm, 10).is_err());
    let undefined = Rdm::from_condensed(3, vec![1.0, f64::NAN, 1.0], Measure::Cosine).unwrap();
    assert!(classical(&undefined, 1).is_err());
    assert!(
        Centred::of_distances(&undefined).dcor(&Centred::of_distances(&undefined)).unwrap().biased.is_nan()
    );
    assert!(
        procrustes_reduced(
            good.view(),
            good.view(),
            Reduction::Regression { alpha: -1.0 },
            Alignment::Rotation
        )
        .is_err()
    );
}

#[test]
fn very_few_items_never_panic() {
    for n in 0..=4 {
        for d in [0, 1, 2, 5] {
            let (x, y) = (normal(1, n, d), normal(2, n, d));
            for (name, statistic) in OF_TWO {
                if let Ok(value) = statistic(x.view(), y.view()) {
                    assert!(value.is_nan() || value.abs() <= 1.0 + 1e-9, "{name} of {n} x {d}: {value}");
                }
            }
            let rdm = Rdm::of_rows(x.view(), Measure::Euclidean).unwrap();
            assert_eq!(classical(&rdm, 1).is_ok(), n >= 1, "{n}");
            assert_eq!(knn_overlap(x.view(), y.view(), 1).is_ok(), n >= 2, "{n}");
            assert_eq!(trustworthiness(x.view(), y.view(), 1).is_ok(), n >= 3, "{n}");
        }
    }
    // n = 3: the biased distance correlation is defined, U-statistics are not.
    let (x, y) = (normal(1, 3, 2), normal(2, 3, 2));
    let found = dcor(x.view(), y.view()).unwrap();
    assert!(found.biased.is_finite() && found.bias_corrected.is_nan());
    assert!(cka(x.view(), y.view(), Kernel::Linear, Estimator::Unbiased).unwrap().is_nan());
    assert!(cka(x.view(), y.view(), Kernel::Linear, Estimator::Biased).unwrap().is_finite());
    assert!(Centred::new(x.view()).unwrap().t_test(&Centred::new(y.view()).unwrap()).unwrap().p.is_nan());
}

#[test]
fn counts_of_impossible_weights_are_undefined() {
    for weights in [vec![], vec![0.0; 3], vec![1.0, -1.0, 2.0], vec![1.0, f64::NAN], vec![1.0, f64::INFINITY]]
    {
        assert!(effective_rank(&weights).is_nan() && participation_ratio(&weights).is_nan(), "{weights:?}");
    }
    assert_eq!((effective_rank(&[3.0, 0.0]), participation_ratio(&[3.0, 0.0])), (1.0, 1.0));
}

#[test]
fn networks_without_weights_or_items() {
    for n in [0, 1, 3] {
        let none = Weights::new(Array2::zeros((n, n)).view()).unwrap();
        let partition = Partition::new(&vec![0; n]);
        for signs in [Signs::Refuse, Signs::Ignore, Signs::Asymmetric, Signs::Symmetric] {
            assert!(modularity(&none, &partition, 1.0, signs).unwrap().is_nan());
            let found = louvain(&none, 1.0, signs, 2, &Streams::new(0)).unwrap();
            assert!(found.modularity.is_nan() && found.partition.count() == n, "{found:?}");
        }
    }
    // Only negative weights: all apart is best.
    let negative = Weights::new(Array2::from_elem((4, 4), -1.0).view()).unwrap();
    for signs in [Signs::Asymmetric, Signs::Symmetric] {
        let found = louvain(&negative, 1.0, signs, 2, &Streams::new(0)).unwrap();
        assert_eq!(found.partition.count(), 4);
        assert!(found.modularity.is_finite() && found.modularity > 0.0);
    }
    assert!(modularity(&negative, &Partition::new(&[0; 4]), 1.0, Signs::Ignore).unwrap().is_nan());
    let ones = Weights::new(Array2::ones((3, 3)).view()).unwrap();
    assert!(louvain(&ones, 1.0, Signs::Refuse, 0, &Streams::new(0)).is_err());
    for resolution in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(modularity(&ones, &Partition::new(&[0; 3]), resolution, Signs::Refuse).is_err());
    }
    assert!(modularity(&ones, &Partition::new(&[0; 4]), 1.0, Signs::Refuse).is_err());
}

/// In one dimension the only rotation is none: a column against its mirror image is as far as can be, no scale that is not
/// negative helps.
#[test]
fn a_column_is_no_rotation_of_its_mirror_image() {
    let a = Array2::from_shape_fn((8, 1), |(i, _)| i as f64);
    let mirrored = a.mapv(|v| -v);
    let of = |alignment| procrustes(a.view(), mirrored.view(), alignment).unwrap();
    let (turned, free) = (of(Alignment::Rotation), of(Alignment::Orthogonal));
    assert!((turned.disparity - 1.0).abs() < 1e-12, "{turned:?}");
    // |a - b|² = 4 Σ (i - 3.5)² = 168.
    assert!((turned.frobenius - 168f64.sqrt()).abs() < 1e-12, "{turned:?}");
    assert!(free.disparity.abs() < 1e-12 && free.frobenius < 1e-6, "{free:?}");
    let same = procrustes(a.view(), a.view(), Alignment::Rotation).unwrap();
    assert!(same.disparity.abs() < 1e-12);
}
