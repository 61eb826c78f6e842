//! Surrogates that keep smoothness: what they keep exactly, and that their p is right where a permutation's is not.

use crate::spatial_rates::{Field, kernel, rejected, spearman};
use crate::support::*;
use ndarray::{Array2, Axis};
use probe::compare::{Comparison, pearson};
use probe::permutation::{Permutations, Tail, rsa};
use probe::rdm::{Measure, Rdm};
use probe::spatial::{MoranBasis, Smoothness, SpatialNull, Withheld};
use streams::Streams;

const ITEMS: usize = 24;

/// Places in a cube.
fn places(seed: u64) -> Array2<f64> {
    normal(seed, ITEMS, 3).mapv(|value| 10.0 * value)
}

/// Gaussian maps of Matérn covariance 3/2, λ = 20: the same variance everywhere.
fn smooth(places: &Array2<f64>, seed: u64, columns: usize) -> Array2<f64> {
    Field::new(places, kernel(Smoothness::MaternThreeHalves, 20.0)).map(seed, columns)
}

/// The share of p values at most `level`, which must lie within 4 standard errors of it.
#[track_caller]
fn uniform(p: &[f64]) {
    for level in [0.05, 0.1, 0.25, 0.5, 0.75] {
        let share = rejected(p, level);
        let error = (level * (1.0 - level) / p.len() as f64).sqrt();
        assert!((share - level).abs() < 4.0 * error, "{share} of p are at most {level}");
    }
}

#[test]
fn surrogates_keep_mean_covariance_and_smoothness() {
    let places = places(1);
    let basis = MoranBasis::new(places.view(), kernel(Smoothness::Exponential, 15.0)).unwrap();
    let table = smooth(&places, 2, 4) + 3.0;
    let surrogate = basis.surrogate(table.view(), 5, &Streams::new(0)).unwrap();
    assert!((&surrogate - &table).iter().any(|difference| difference.abs() > 0.1));
    let centred = |x: &Array2<f64>| x - &x.mean_axis(Axis(0)).unwrap();
    let covariance = |x: &Array2<f64>| centred(x).t().dot(&centred(x));
    close(&surrogate.mean_axis(Axis(0)).unwrap().to_vec(), &table.mean_axis(Axis(0)).unwrap().to_vec());
    close_tables(&covariance(&surrogate), &covariance(&table));
    let index = basis.index(table.view()).unwrap();
    close(&basis.index(surrogate.view()).unwrap(), &index);
    // Values that ignore where they are have -1 / (n - 1) on average.
    assert!(index.iter().all(|i| *i > -1.0 / 23.0) && mean(&index) > 0.03, "smooth: {index:?}");
    // Other numbers are other surrogates, the same one is the same.
    assert_eq!(surrogate, basis.surrogate(table.view(), 5, &Streams::new(0)).unwrap());
    assert_ne!(surrogate, basis.surrogate(table.view(), 6, &Streams::new(0)).unwrap());
}

/// Homologues on mirrored sides stay as alike as they are: symmetric and antisymmetric parts keep their size.
#[test]
fn surrogates_keep_the_likeness_of_mirrored_places() {
    let half = normal(3, ITEMS / 2, 3).mapv(|value| 10.0 * value) + 40.0;
    let places = Array2::from_shape_fn((ITEMS, 3), |(item, axis)| {
        let value = half[[item / 2, axis]];
        if axis == 0 && item % 2 == 0 { -value } else { value }
    });
    let own = normal(4, ITEMS / 2, 1);
    let noise = normal(5, ITEMS, 1);
    let table = Array2::from_shape_fn((ITEMS, 1), |(item, _)| own[[item / 2, 0]] + 0.4 * noise[[item, 0]]);
    let likeness = |x: &Array2<f64>| {
        let x = x - x.mean().unwrap();
        (0..ITEMS / 2).map(|pair| x[[2 * pair, 0]] * x[[2 * pair + 1, 0]]).sum::<f64>()
    };
    let basis = MoranBasis::new(places.view(), kernel(Smoothness::Exponential, 15.0)).unwrap();
    for number in 0..5 {
        let surrogate = basis.surrogate(table.view(), number, &Streams::new(1)).unwrap();
        assert!((likeness(&surrogate) - likeness(&table)).abs() < 1e-8);
    }
}

/// Gaussian maps whose covariance is a function of HWH: there the p is exact. Smooth ones, against one fixed smooth map.
#[test]
fn p_is_uniform_for_maps_of_its_own_kind() {
    let places = places(7);
    let basis = MoranBasis::new(places.view(), kernel(Smoothness::Exponential, 15.0)).unwrap();
    let most = basis.eigenvalues()[ITEMS - 2];
    let weights = basis.eigenvalues().mapv(|value| (3.0 * value / most).exp());
    let map = |seed| basis.maps().dot(&(normal(seed, ITEMS - 1, 1) * weights.view().insert_axis(Axis(1))));
    let fixed = map(9).column(0).to_vec();
    let p = |seed: u64| {
        let statistic = |x: ndarray::ArrayView2<f64>| pearson(&x.column(0).to_vec(), &fixed).unwrap();
        basis.test(map(seed).view(), 99, Tail::TwoSided, &Streams::new(seed), statistic).unwrap().p
    };
    let p: Vec<f64> = (1_000..1_600).map(p).collect();
    uniform(&p);
}

/// Tables and data that are both smooth, and nothing else. By a permutation of the items a third or more of them are related
/// at 0.05; by surrogates of the table's own smoothness one in twenty or so; narrow tables and
/// wide ones. By surrogates of another smoothness most wide ones are.
#[test]
fn surrogates_are_right_where_permutations_are_not() {
    let places = places(11);
    let null = SpatialNull::new(places.view()).unwrap();
    let rough = MoranBasis::new(places.view(), kernel(Smoothness::Exponential, 1.0)).unwrap();
    let seen = Rdm::of_rows(smooth(&places, 12, 60).view(), Measure::Euclidean).unwrap();
    let of = |x: ndarray::ArrayView2<f64>| spearman(x, &seen);
    for columns in [3, 48] {
        let (mut fitted, mut misfit, mut permuted) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 2_000..2_150 {
            let (table, streams) = (smooth(&places, seed, columns), Streams::new(seed));
            let p = |basis: &MoranBasis| basis.test(table.view(), 99, Tail::Greater, &streams, of).unwrap().p;
            fitted.push(p(null.fit(table.view()).unwrap().basis()));
            misfit.push(p(&rough));
            let rdm = Rdm::of_rows(table.view(), Measure::Euclidean).unwrap();
            let permutations = Permutations::new(ITEMS, 99, &streams);
            permuted.push(rsa(&rdm, &seen, Comparison::Spearman, Tail::Greater, &permutations).unwrap().p);
        }
        let [right, rough, wrong] = [&fitted, &misfit, &permuted].map(|p| rejected(p, 0.05));
        let all = format!(
            "{columns} columns: {right} by surrogates, {rough} by rough ones, {wrong} by permutations"
        );
        assert!(right < 0.1 && wrong > 0.3 && (columns == 3 || rough > 0.5), "{all}");
        let half = rejected(&fitted, 0.5);
        assert!((0.3..=0.7).contains(&half), "{columns} columns: {half} of p are at most 0.5");
    }
}

/// What is shared beyond smoothness is found, but for the tables that look unlike their surrogates by chance: one in twenty.
#[test]
fn a_shared_map_is_found() {
    let places = places(13);
    let null = SpatialNull::new(places.view()).unwrap();
    let mut withheld = 0;
    for seed in 0..20 {
        let shared = smooth(&places, 100 + seed, 3);
        let fit = null.fit(shared.view()).unwrap();
        let other = &shared + &(0.1 * smooth(&places, 200 + seed, 3));
        let seen = Rdm::of_rows(other.view(), Measure::Euclidean).unwrap();
        let of = |x: ndarray::ArrayView2<f64>| spearman(x, &seen);
        let tested = fit.test(shared.view(), 99, Tail::Greater, &Streams::new(0), of).unwrap();
        match tested.withheld {
            None => assert!(tested.value > 0.8 && tested.p == 0.01, "{tested:?}"),
            Some(_) => withheld += 1,
        }
        assert!(fit.test(shared.view(), 0, Tail::Greater, &Streams::new(0), of).is_err());
        let nowhere = fit.test(shared.view(), 9, Tail::Less, &Streams::new(0), |_| f64::NAN).unwrap();
        assert!(nowhere.p.is_nan());
    }
    assert!(withheld <= 6, "{withheld} of 20 have no p");
}

/// A wide table whose variance differs from place to place, and data of the same amplitudes: fitted surrogates would call
/// nearly all related; the p is withheld, and says why. So is that of a trend, which has no length.
#[test]
fn a_table_of_another_kind_has_no_p() {
    let places = places(17);
    let null = SpatialNull::new(places.view()).unwrap();
    let size = smooth(&places, 18, 1).mapv(|log| (0.7 * log).exp());
    let uneven = |seed, columns| &size * &smooth(&places, seed, columns);
    let seen = Rdm::of_rows(uneven(19, 60).view(), Measure::Euclidean).unwrap();
    let of = |x: ndarray::ArrayView2<f64>| spearman(x, &seen);
    let mut unguarded = Vec::new();
    for seed in 100..120 {
        let (table, streams) = (uneven(seed, 64), Streams::new(seed));
        let fit = null.fit(table.view()).unwrap();
        let tested = fit.test(table.view(), 99, Tail::Greater, &streams, of).unwrap();
        assert!(tested.p.is_nan() && tested.withheld.is_some(), "{tested:?}");
        unguarded.push(fit.basis().test(table.view(), 99, Tail::Greater, &streams, of).unwrap().p);
    }
    assert!(rejected(&unguarded, 0.05) > 0.8, "{unguarded:?}");
    let trend = null.fit(places.view()).unwrap();
    let tested = trend.test(places.view(), 9, Tail::Greater, &Streams::new(0), of).unwrap();
    assert_eq!(tested.withheld, Some(Withheld::LengthAtEdge));
    assert!(tested.p.is_nan() && tested.fit_p.is_nan() && !tested.value.is_nan());
}
