//! What RDMs, their comparison and their tests must and must not depend on.

#[path = "support/tables.rs"]
mod tables;

use ndarray::{Array2, concatenate, s};
use probe::bootstrap::{Over, Resamples, bootstrap};
use probe::compare::{
    self, Comparison, NanPolicy, PatternCovariance, compare, compare_beyond, compare_whitened,
};
use probe::noise_ceiling::noise_ceiling;
use probe::permutation::{Permutations, Tail, rsa, rsa_regression};
use probe::rdm::{Measure, Missing, NoiseCovariance, Rdm, Shrinkage};
use probe::regression::{Offset, Weights, compare_beyond_all, regress};
use proptest::prelude::*;
use streams::Streams;
use tables::{near, normal, orthogonal, rdm};

const PLAIN: [Measure; 4] =
    [Measure::Euclidean, Measure::SquaredEuclidean, Measure::Correlation, Measure::Cosine];

/// Sign of each pair of positions, by definition.
fn kendall_by_definition(x: &[f64], y: &[f64]) -> [f64; 2] {
    let sign = |a: f64, b: f64| {
        if a > b {
            1.0
        } else if a < b {
            -1.0
        } else {
            0.0
        }
    };
    let (mut both, mut in_x, mut in_y, mut all) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
    for i in 0..x.len() {
        for j in 0..i {
            let (a, b) = (sign(x[i], x[j]), sign(y[i], y[j]));
            both += a * b;
            in_x += a * a;
            in_y += b * b;
            all += 1.0;
        }
    }
    [both / all, both / (in_x * in_y).sqrt()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rotation: all four. Translation: the Euclidean two. One constant a row: correlation. Scale: correlation
    /// and cosine, and the others in proportion. A column of zeros beside it: all but correlation.
    #[test]
    fn distances_have_the_invariances_that_are_claimed(
        seed in 0u64..1000, n in 3usize..12, d in 2usize..9, scale in 0.01f64..100.0,
    ) {
        let x = normal(seed, n, d);
        let turned = x.dot(&orthogonal(seed + 5000, d));
        let padded = concatenate![ndarray::Axis(1), x, Array2::zeros((n, 3))];
        for measure in PLAIN {
            let own = rdm(&x, measure);
            if measure != Measure::Correlation {
                prop_assert!(near(rdm(&turned, measure).values(), own.values(), 1e-10), "{measure}");
                prop_assert!(near(rdm(&padded, measure).values(), own.values(), 1e-12), "{measure}");
            }
            let factor = match measure {
                Measure::Euclidean => scale,
                Measure::SquaredEuclidean => scale * scale,
                _ => 1.0,
            };
            let scaled = rdm(&(&x * scale), measure);
            prop_assert!(near(scaled.values(), own.scaled(factor).unwrap().values(), 1e-10), "{measure}");
        }
        let moved = &x + &normal(seed + 1, 1, d);
        prop_assert!(near(rdm(&moved, Measure::Euclidean).values(), rdm(&x, Measure::Euclidean).values(), 1e-10));
        let raised = &x + &normal(seed + 2, n, 1);
        prop_assert!(near(rdm(&raised, Measure::Correlation).values(), rdm(&x, Measure::Correlation).values(), 1e-9));
    }

    /// A linear map of all channels, noise included, changes no Mahalanobis distance; the identity as noise
    /// leaves the Euclidean one.
    #[test]
    fn mahalanobis_ignores_the_units_of_channels(seed in 0u64..1000, n in 3usize..9, d in 1usize..6) {
        let (x, residuals, map) = (normal(seed, n, d), normal(seed + 1, 4 * d + 4, d), normal(seed + 2, d, d));
        let map = map + Array2::<f64>::eye(d) * 3.0;
        let of = |x: &Array2<f64>, residuals: &Array2<f64>| {
            let noise = NoiseCovariance::estimate(residuals.view(), None, Shrinkage::None).unwrap();
            Rdm::squared_mahalanobis(x.view(), &noise).unwrap().values().to_vec()
        };
        prop_assert!(near(&of(&x.dot(&map), &residuals.dot(&map)), &of(&x, &residuals), 1e-7));
        let one = NoiseCovariance::given(Array2::eye(d).view()).unwrap();
        let plain = Rdm::mahalanobis(x.view(), &one).unwrap();
        prop_assert!(near(plain.values(), rdm(&x, Measure::Euclidean).values(), 1e-12));
    }

    /// Without noise between folds crossnobis is the squared Mahalanobis distance.
    #[test]
    fn crossnobis_of_equal_folds_is_mahalanobis(seed in 0u64..1000, n in 2usize..8, d in 1usize..6, folds in 2usize..5) {
        let x = normal(seed, n, d);
        let noise = NoiseCovariance::estimate(normal(seed + 1, 30, d).view(), None, Shrinkage::TowardsDiagonal).unwrap();
        let rows: Vec<usize> = (0..n * folds).map(|k| k % n).collect();
        let runs: Vec<usize> = (0..n * folds).map(|k| k / n).collect();
        let all = x.select(ndarray::Axis(0), &rows);
        let found = Rdm::crossnobis(all.view(), &rows, &runs, Some(&noise)).unwrap();
        prop_assert!(near(found.values(), Rdm::squared_mahalanobis(x.view(), &noise).unwrap().values(), 1e-9));
    }

    /// Complete rows: every policy is the same. A channel missing in all rows: pairwise complete leaves it out.
    #[test]
    fn missing_cells_change_only_what_they_must(seed in 0u64..1000, n in 2usize..8, d in 3usize..9) {
        let x = normal(seed, n, d);
        for measure in PLAIN {
            let own = rdm(&x, measure);
            for missing in [Missing::PairwiseComplete, Missing::Propagate] {
                prop_assert_eq!(&Rdm::of_rows_with(x.view(), measure, missing).unwrap(), &own);
            }
            let mut holed = x.clone();
            holed.column_mut(1).fill(f64::NAN);
            let found = Rdm::of_rows_with(holed.view(), measure, Missing::PairwiseComplete).unwrap();
            let rest: Vec<usize> = (0..d).filter(|&k| k != 1).collect();
            let scale = d as f64 / (d as f64 - 1.0);
            let factor = match measure {
                Measure::Euclidean => scale.sqrt(),
                Measure::SquaredEuclidean => scale,
                _ => 1.0,
            };
            let expected = rdm(&x.select(ndarray::Axis(1), &rest), measure).scaled(factor).unwrap();
            prop_assert!(near(found.values(), expected.values(), 1e-12));
            let none = Rdm::of_rows_with(holed.view(), measure, Missing::Propagate).unwrap();
            prop_assert!(none.values().iter().all(|v| v.is_nan()));
        }
    }

    #[test]
    fn comparisons_are_symmetric_within_one_and_one_with_themselves(seed in 0u64..1000, n in 4usize..10) {
        let (a, b) = (rdm(&normal(seed, n, 3), Measure::SquaredEuclidean), rdm(&normal(seed + 1, n, 3), Measure::SquaredEuclidean));
        for how in Comparison::ALL {
            let value = compare(&a, &b, how, NanPolicy::Refuse).unwrap();
            prop_assert!((value - compare(&b, &a, how, NanPolicy::Refuse).unwrap()).abs() < 1e-12, "{how:?}");
            prop_assert!(value.abs() <= 1.0 + 1e-12);
            prop_assert!((compare(&a, &a, how, NanPolicy::Refuse).unwrap() - 1.0).abs() < 1e-12, "{how:?}");
            let doubled = compare(&a.clone().scaled(7.5).unwrap(), &b, how, NanPolicy::Refuse).unwrap();
            prop_assert!((doubled - value).abs() < 1e-12, "{how:?}");
        }
    }

    #[test]
    fn kendall_is_its_definition(x in proptest::collection::vec(0u8..6, 2..40), seed in 0u64..1000) {
        let x: Vec<f64> = x.into_iter().map(f64::from).collect();
        let y: Vec<f64> = normal(seed, 1, x.len()).iter().map(|v| (v * 2.0).round()).collect();
        let expected = kendall_by_definition(&x, &y);
        prop_assert!((compare::tau_a(&x, &y).unwrap() - expected[0]).abs() < 1e-12);
        let b = compare::tau_b(&x, &y).unwrap();
        prop_assert!((b - expected[1]).abs() < 1e-12 || (b.is_nan() && expected[1].is_nan()));
    }

    /// With all pairs there, whitening by the identity is the dense d₁ᵀ V⁻¹ d₂; with one pair missing, the
    /// rest of V.
    #[test]
    fn whitening_is_the_inverse_covariance_of_distances(seed in 0u64..1000, n in 3usize..7) {
        let (a, b) = (rdm(&normal(seed, n, 3), Measure::SquaredEuclidean), rdm(&normal(seed + 1, n, 3), Measure::SquaredEuclidean));
        let full = PatternCovariance::Full(Array2::eye(n));
        for how in [Comparison::WhitenedCosine, Comparison::WhitenedPearson] {
            let plain = compare(&a, &b, how, NanPolicy::Refuse).unwrap();
            let dense = compare_whitened(&a, &b, how, &full, NanPolicy::Refuse).unwrap();
            prop_assert!((plain - dense).abs() < 1e-10);
        }
    }

    #[test]
    fn the_ceiling_of_cosine_and_pearson_is_in_order(seed in 0u64..1000, subjects in 2usize..7, noise in 0.0f64..3.0) {
        let truth = normal(seed, 8, 4);
        let rdms: Vec<Rdm> = (0..subjects as u64)
            .map(|k| rdm(&(&truth + &(normal(seed + 10 + k, 8, 4) * noise)), Measure::Euclidean))
            .collect();
        let refs: Vec<&Rdm> = rdms.iter().collect();
        for how in [Comparison::Pearson, Comparison::Cosine] {
            let found = noise_ceiling(&refs, how, NanPolicy::Refuse).unwrap();
            prop_assert!(found.lower <= found.upper + 1e-12 && found.upper <= 1.0 + 1e-12);
            // No one RDM does better on average than the pooled one.
            for model in &rdms {
                let each = rdms.iter().map(|s| compare(model, s, how, NanPolicy::Refuse).unwrap());
                prop_assert!(each.sum::<f64>() / subjects as f64 <= found.upper + 1e-12);
            }
        }
    }

    /// With one further RDM both forms of the partial correlation agree.
    #[test]
    fn partial_correlations_agree(seed in 0u64..1000) {
        let rdms: Vec<Rdm> = (0..3).map(|k| rdm(&normal(seed + 1000 * k, 7, 3), Measure::Euclidean)).collect();
        for how in [Comparison::Pearson, Comparison::Spearman] {
            let one = compare_beyond(&rdms[0], &rdms[1], &rdms[2], how, NanPolicy::Refuse).unwrap();
            let all = compare_beyond_all(&rdms[0], &rdms[1], &[&rdms[2]], how, NanPolicy::Refuse).unwrap();
            prop_assert!((one - all).abs() < 1e-9);
        }
    }

    /// Karush-Kuhn-Tucker: no weight below 0; the gradient is 0 where a weight is not, and not above 0 elsewhere.
    #[test]
    fn non_negative_least_squares_is_optimal(seed in 0u64..1000, models in 1usize..7) {
        let y = rdm(&normal(seed, 8, 3), Measure::Euclidean);
        let xs: Vec<Rdm> = (0..models as u64).map(|k| rdm(&normal(seed + 100 + k, 8, 2), Measure::Euclidean)).collect();
        let refs: Vec<&Rdm> = xs.iter().collect();
        let fit = regress(&y, &refs, Weights::NonNegative, Offset::Free, NanPolicy::Refuse).unwrap();
        let free = regress(&y, &refs, Weights::Any, Offset::Free, NanPolicy::Refuse).unwrap();
        prop_assert!(fit.r_squared <= free.r_squared + 1e-12 && fit.r_squared >= -1e-12);
        let rest: Vec<f64> = (0..y.values().len())
            .map(|p| y.values()[p] - fit.offset - xs.iter().zip(&fit.weights).map(|(x, w)| w * x.values()[p]).sum::<f64>())
            .collect();
        for (x, &w) in xs.iter().zip(&fit.weights) {
            let gradient: f64 = x.values().iter().zip(&rest).map(|(x, r)| x * r).sum();
            prop_assert!(w >= 0.0 && gradient < 1e-9 && (w == 0.0 || gradient.abs() < 1e-9), "{w} {gradient}");
        }
    }
}

/// A table of 200 rows goes through matrix products, its parts do not; threads do not matter.
#[test]
fn large_and_small_tables_agree_bit_for_bit_on_any_number_of_threads() {
    let mut x = normal(7, 700, 33);
    x += 50.0;
    let copy = x.row(3).to_owned();
    x.row_mut(650).assign(&copy);
    x[[650, 5]] += 1e-9;
    let part = x.slice(s![600..700, ..]).to_owned();
    for measure in PLAIN {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| rdm(&x, measure))
        };
        let large = on(1);
        assert_eq!(large, on(3), "{measure}");
        let small = rdm(&part, measure);
        let same = (0..100).flat_map(|i| (0..i).map(move |j| (i, j)));
        for (i, j) in same {
            let (a, b) = (large.get(600 + i, 600 + j).unwrap(), small.get(i, j).unwrap());
            assert!((a - b).abs() < 1e-12 * (1.0 + b), "{measure} {a} {b}");
        }
    }
    // 1e-9 on values of 50: the difference itself is exact to 1e-14.
    let exact = (x[[650, 5]] - x[[3, 5]]).abs();
    assert_eq!(rdm(&x, Measure::Euclidean).get(3, 650).unwrap(), exact);
}

/// Equal conditions are at 0 on average, by crossnobis only.
#[test]
fn crossnobis_is_unbiased_where_the_plain_distance_is_not() {
    let (conditions, runs): (Vec<usize>, Vec<usize>) = (0..30).map(|k| (k % 6, k / 6)).unzip();
    let (mut crossed, mut plain) = (Vec::new(), Vec::new());
    for seed in 0..200 {
        let x = normal(seed, 30, 10);
        crossed.push(Rdm::crossnobis(x.view(), &conditions, &runs, None).unwrap().values()[0]);
        let means = probe::rdm::condition_means(x.view(), &conditions).unwrap().means;
        plain.push(rdm(&means, Measure::SquaredEuclidean).values()[0]);
    }
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let error = (crossed.iter().map(|v| v * v).sum::<f64>() / 200.0).sqrt() / 200f64.sqrt();
    assert!(mean(&crossed).abs() < 4.0 * error, "{} {error}", mean(&crossed));
    // 10 channels, variance 2/5 of each difference of means.
    assert!((mean(&plain) - 4.0).abs() < 0.6 && crossed.iter().any(|&v| v < 0.0));
    assert!(Rdm::crossnobis(normal(1, 30, 2).view(), &conditions, &[0; 30], None).is_err());
    let mut lacking = conditions.clone();
    lacking[7] = 0;
    let error = Rdm::crossnobis(normal(1, 30, 2).view(), &lacking, &runs, None).unwrap_err().to_string();
    assert!(error.contains("condition 1") && error.contains("fold 1"), "{error}");
}

/// n from 0 to 3, constants, missing pairs: a documented NaN, value or error.
#[test]
fn degenerate_input_never_panics() {
    for n in 0..4 {
        for d in 0..3 {
            for x in [Array2::zeros((n, d)), Array2::from_elem((n, d), 0.1), normal(1, n, d)] {
                for measure in PLAIN {
                    let own = rdm(&x, measure);
                    assert_eq!(own.to_square().dim(), (n, n));
                    for missing in [Missing::Refuse, Missing::PairwiseComplete, Missing::Propagate] {
                        assert_eq!(Rdm::of_rows_with(x.view(), measure, missing).unwrap().conditions(), n);
                    }
                    let set = Permutations::new(n, 9, &Streams::new(0));
                    for how in Comparison::ALL {
                        let value = compare(&own, &own, how, NanPolicy::Propagate).unwrap();
                        assert!(
                            value.is_nan() || value.abs() <= 1.0 + 1e-12,
                            "{n} {d} {measure} {how:?} {value}"
                        );
                        let tested = rsa(&own, &own, how, Tail::Greater, &set).unwrap();
                        assert_eq!(tested.p.is_nan(), tested.value.is_nan());
                        let ceiling = noise_ceiling(&[&own, &own], how, NanPolicy::Propagate).unwrap();
                        assert!(ceiling.upper.is_nan() || ceiling.upper <= 1.0 + 1e-12);
                        let resamples = Resamples::new(n, 2, Over::Both, 3, &Streams::new(0));
                        bootstrap(&[&own], &[&own, &own], how, &resamples, NanPolicy::Propagate).unwrap();
                    }
                    for weights in [Weights::Any, Weights::NonNegative] {
                        for offset in [Offset::Free, Offset::Zero] {
                            regress(&own, &[&own, &own], weights, offset, NanPolicy::Propagate).unwrap();
                            regress(&own, &[], weights, offset, NanPolicy::Propagate).unwrap();
                        }
                    }
                    rsa_regression(&own, &[&own], Comparison::Spearman, Tail::Less, &set).unwrap();
                }
            }
        }
    }
    let unlike = [rdm(&normal(1, 4, 2), Measure::Euclidean), rdm(&normal(1, 5, 2), Measure::Euclidean)];
    assert!(compare(&unlike[0], &unlike[1], Comparison::Pearson, NanPolicy::Omit).is_err());
    assert!(noise_ceiling(&[&unlike[0]], Comparison::Pearson, NanPolicy::Omit).is_err());
    assert!(Rdm::of_rows(Array2::from_elem((200, 2), 1e200).view(), Measure::Euclidean).is_ok());
    let mut huge = Array2::from_elem((200, 2), 1e200);
    huge[[7, 0]] = -1e200;
    assert!(Rdm::of_rows(huge.view(), Measure::SquaredEuclidean).unwrap_err().to_string().contains("finite"));
    assert!(rdm(&huge, Measure::Cosine).is_complete());
    assert!(
        NoiseCovariance::estimate(Array2::zeros((1, 3)).view(), None, Shrinkage::TowardsIdentity).is_err()
    );
    assert!(
        NoiseCovariance::estimate(Array2::zeros((9, 3)).view(), None, Shrinkage::TowardsDiagonal).is_err()
    );
}
