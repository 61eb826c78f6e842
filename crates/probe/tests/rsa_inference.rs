//! Permutation tests, regression and bootstrap of RSA: right under the null, and where something is planted.

#[path = "support/tables.rs"]
mod tables;

use ndarray::concatenate;
use probe::bootstrap::{Over, Resamples, bootstrap};
use probe::compare::{Comparison, NanPolicy, compare};
use probe::permutation::{Permutations, Tail, mantel, rsa, rsa_regression};
use probe::rdm::{Measure, Rdm};
use probe::regression::{Offset, Weights, regress};
use streams::Streams;
use tables::{near, normal, rdm};

/// Over many nulls P(p <= α) = α, for every comparison, the Mantel test and the regression.
#[test]
fn permutation_p_is_uniform_under_the_null() {
    const NULLS: u64 = 300;
    let set = Permutations::new(9, 39, &Streams::new(1));
    let models = [rdm(&normal(91, 9, 2), Measure::Euclidean), rdm(&normal(92, 9, 2), Measure::Euclidean)];
    let mut p: Vec<Vec<f64>> = vec![Vec::new(); Comparison::ALL.len() + 3];
    for seed in 0..NULLS {
        let data = rdm(&normal(5000 + seed, 9, 4), Measure::SquaredEuclidean);
        for (at, how) in Comparison::ALL.into_iter().enumerate() {
            p[at].push(rsa(&data, &models[0], how, Tail::Greater, &set).unwrap().p);
        }
        let two = mantel(&data, &models[0], Comparison::Pearson, Tail::TwoSided, &set).unwrap();
        let fit = rsa_regression(&data, &[&models[0], &models[1]], Comparison::Pearson, Tail::TwoSided, &set)
            .unwrap();
        p[8].push(two.p);
        p[9].push(fit.r_squared.p);
        p[10].push(fit.unique[1].p);
    }
    for (which, p) in p.iter().enumerate() {
        for alpha in [0.05, 0.25, 0.5, 0.75] {
            let share = p.iter().filter(|p| **p <= alpha + 1e-9).count() as f64 / NULLS as f64;
            let error = (alpha * (1.0 - alpha) / NULLS as f64).sqrt();
            assert!((share - alpha).abs() < 4.0 * error, "P(p <= {alpha}) = {share} for test {which}");
        }
    }
}

/// Enumerated: the share of all orders at least as extreme, counted here by comparing permuted RDMs.
#[test]
fn the_exact_p_counts_permuted_rdms() {
    let (a, b) = (rdm(&normal(1, 5, 2), Measure::Euclidean), rdm(&normal(2, 5, 2), Measure::Euclidean));
    let set = Permutations::new(5, 120, &Streams::new(0));
    let mut orders = vec![vec![]];
    for k in 0..5 {
        orders = orders
            .iter()
            .flat_map(|o: &Vec<usize>| {
                (0..=o.len()).map(move |at| {
                    let mut next = o.clone();
                    next.insert(at, k);
                    next
                })
            })
            .collect();
    }
    for how in Comparison::ALL {
        let observed = compare(&a, &b, how, NanPolicy::Refuse).unwrap();
        let reached = |o: &&Vec<usize>| {
            compare(&a.resampled(o).unwrap(), &b, how, NanPolicy::Refuse).unwrap() >= observed - 1e-12
        };
        let expected = orders.iter().filter(reached).count() as f64 / 120.0;
        let found = rsa(&a, &b, how, Tail::Greater, &set).unwrap();
        assert!(
            (found.value - observed).abs() < 1e-12 && found.p == expected,
            "{how:?} {found:?} {expected}"
        );
    }
}

/// A planted second model is found beyond the first, and an unrelated one is not.
#[test]
fn regression_finds_what_adds_and_not_what_does_not() {
    let (first, second, other) = (normal(1, 12, 2), normal(2, 12, 2), normal(3, 12, 2));
    let both = concatenate![ndarray::Axis(1), first, second];
    let target = rdm(&both, Measure::SquaredEuclidean);
    let models = [&first, &second, &other].map(|x| rdm(x, Measure::SquaredEuclidean));
    let refs: Vec<&Rdm> = models.iter().collect();
    // Squared distances add up: the fit is exact, with weights 1, 1, 0.
    let fit = regress(&target, &refs, Weights::Any, Offset::Zero, NanPolicy::Refuse).unwrap();
    assert!(near(&fit.weights, &[1.0, 1.0, 0.0], 1e-9) && (fit.r_squared - 1.0).abs() < 1e-12);
    assert!(fit.unique[0] > 0.01 && fit.unique[1] > 0.01 && fit.unique[2] < 1e-12);
    let set = Permutations::new(12, 199, &Streams::new(0));
    let tested = rsa_regression(&target, &refs, Comparison::Pearson, Tail::Greater, &set).unwrap();
    assert_eq!((tested.r_squared.p, tested.unique[0].p, tested.unique[1].p), (0.005, 0.005, 0.005));
    assert!(tested.unique[2].value.abs() < 1e-9);
    // A model twice: no weights, but shares.
    let twice = [&models[0], &models[0]];
    let fit = regress(&target, &twice, Weights::Any, Offset::Free, NanPolicy::Refuse).unwrap();
    assert!(fit.weights[0].is_nan() && fit.r_squared > 0.1 && fit.unique[0] < 1e-12);
    let fit = regress(&target, &twice, Weights::NonNegative, Offset::Free, NanPolicy::Refuse).unwrap();
    assert!(fit.weights.iter().sum::<f64>() > 0.1 && fit.r_squared > 0.1);
    let tested = rsa_regression(&target, &twice, Comparison::Pearson, Tail::Greater, &set).unwrap();
    assert!(tested.unique[0].value.is_nan() && tested.r_squared.value > 0.1);
}

#[test]
fn bootstraps_cover_order_models_and_ignore_threads() {
    let truth = normal(1, 14, 4);
    let subjects: Vec<Rdm> =
        (0..6).map(|k| rdm(&(&truth + &(normal(20 + k, 14, 4) * 0.7)), Measure::Euclidean)).collect();
    let (good, bad) = (rdm(&truth, Measure::Euclidean), rdm(&normal(99, 14, 4), Measure::Euclidean));
    let refs: Vec<&Rdm> = subjects.iter().collect();
    let run = |over, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let resamples = Resamples::new(14, 6, over, 200, &Streams::new(3));
        pool.install(|| {
            bootstrap(&[&good, &bad], &refs, Comparison::Pearson, &resamples, NanPolicy::Refuse).unwrap()
        })
    };
    for over in [Over::Conditions, Over::Subjects, Over::Both] {
        let found = run(over, 1);
        assert_eq!(format!("{found:?}"), format!("{:?}", run(over, 3)));
        let (low, high) = found.interval(0, 0.95).unwrap();
        let observed =
            refs.iter().map(|s| compare(&good, s, Comparison::Pearson, NanPolicy::Refuse).unwrap());
        let observed = observed.sum::<f64>() / 6.0;
        assert!(low <= observed && observed <= high && high - low > 0.01, "{over:?} {low} {observed} {high}");
        assert!(found.difference(0, 1).unwrap().iter().all(|d| *d > 0.0));
        assert_eq!((found.p_above(0, 0.0), found.undefined(0)), (Some(1.0 / 201.0), 0));
        assert!(found.standard_error(0).unwrap() > 0.0 && found.standard_error(7).is_none());
        let ordered = found.ceilings.iter().filter(|c| !c.lower.is_nan()).all(|c| c.lower <= c.upper);
        assert!(ordered);
    }
}
