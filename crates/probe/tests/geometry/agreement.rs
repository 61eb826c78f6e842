//! Agreement of groups of tables: its p under the null, planted geometry, invariances.

use crate::support::*;
use ndarray::{Array2, ArrayView2};
use probe::StatError;
use probe::agreement::agreement;
use probe::compare::{Comparison, NanPolicy, compare};
use probe::identifiability::{Untrained, identifiability, identifiability_within};
use probe::rdm::{Measure, Rdm};
use streams::Streams;

const TOKENS: usize = 14;

fn views(tables: &[Array2<f64>]) -> Vec<ArrayView2<'_, f64>> {
    tables.iter().map(|table| table.view()).collect()
}

fn of(groups: &[Vec<Array2<f64>>], permutations: usize) -> Result<probe::agreement::Agreement, StatError> {
    let groups: Vec<_> = groups.iter().map(|group| views(group)).collect();
    agreement(&groups, permutations, &Streams::new(5))
}

/// Tables of a group: what its data show, and noise of each table's own.
fn group(data: &Array2<f64>, noise: f64, seed: u64, tables: u64) -> Vec<Array2<f64>> {
    let (n, d) = data.dim();
    (0..tables)
        .map(|k| data.dot(&orthogonal(seed + 90 * k, d)) + noise * normal(seed + 7 + k, n, d))
        .collect()
}

/// Every group has a strong geometry of its own that all its tables share; no group knows of another's. Of 400 such
/// experiments as many have a p below each level as should, and about four in 400 one of at most 0.01.
#[test]
fn p_is_uniform_where_groups_have_nothing_in_common() {
    let p: Vec<(f64, f64)> = (0..400)
        .map(|k| {
            let seed = 10_000 * (k + 1);
            let own = |g: u64| group(&normal(seed + 1_000 * g, TOKENS, 4), 0.3, seed + 1_000 * g + 50, 2);
            let found = of(&[own(0), own(1), own(2)], 99).unwrap();
            (found.euclidean.p, found.cosine.p)
        })
        .collect();
    for p in [p.iter().map(|p| p.0).collect::<Vec<_>>(), p.iter().map(|p| p.1).collect()] {
        for level in [0.01, 0.05, 0.25, 0.5, 0.75] {
            let share = p.iter().filter(|p| **p <= level + 1e-9).count() as f64 / p.len() as f64;
            let error = (level * (1.0 - level) / p.len() as f64).sqrt();
            assert!((share - level).abs() < 4.0 * error, "{share} of p are at most {level}");
        }
    }
}

#[test]
fn a_shared_geometry_is_found_whatever_the_axes() {
    let shared = normal(3, TOKENS, 4);
    let groups = [group(&shared, 0.4, 100, 2), group(&shared, 0.4, 900, 3)];
    let found = of(&groups, 999).unwrap();
    assert_eq!((found.pairs, found.permutations), (6, 999));
    assert_eq!((found.euclidean.p, found.cosine.p), (0.001, 0.001));
    assert!(found.euclidean.value > 0.5 && found.cosine.value > 0.5, "{found:?}");
    // Rotation, shift and scale of a table change nothing.
    let turned: Vec<Vec<Array2<f64>>> =
        groups.iter().map(|group| group.iter().map(|table| moved(table, 77, 5.0)).collect()).collect();
    let again = of(&turned, 999).unwrap();
    close(&[again.euclidean.value, again.cosine.value], &[found.euclidean.value, found.cosine.value]);
    // Two identical groups agree entirely; with the tokens of one in another order, they do not.
    let alone = vec![shared.clone()];
    assert!((of(&[alone.clone(), alone.clone()], 99).unwrap().euclidean.value - 1.0).abs() < 1e-12);
    let rolled = Array2::from_shape_fn(shared.dim(), |(i, j)| shared[[(i + 5) % TOKENS, j]]);
    assert!(of(&[alone, vec![rolled]], 99).unwrap().euclidean.p > 0.01);
}

/// The value is what it says: the mean over pairs of tables of different groups of Spearman correlations of RDMs.
#[test]
fn the_value_is_the_mean_over_pairs() {
    let tables: Vec<Array2<f64>> = (0..4).map(|k| normal(k, TOKENS, 3)).collect();
    let groups = [tables[..1].to_vec(), tables[1..].to_vec()];
    let rdm = |table: &Array2<f64>| Rdm::of_rows(table.view(), Measure::Euclidean).unwrap();
    let rho = |k: usize| {
        compare(&rdm(&tables[0]), &rdm(&tables[k]), Comparison::Spearman, NanPolicy::Refuse).unwrap()
    };
    close(&[of(&groups, 9).unwrap().euclidean.value], &[(rho(1) + rho(2) + rho(3)) / 3.0]);
}

#[test]
fn what_cannot_agree_is_refused_or_undefined() {
    let one = || vec![normal(1, TOKENS, 3)];
    assert!(of(&[one()], 9).is_err() && of(&[one(), vec![]], 9).is_err() && of(&[one(), one()], 0).is_err());
    let error = of(&[one(), vec![normal(1, TOKENS + 1, 3)]], 9).unwrap_err().to_string();
    assert!(error.contains("agreement: rows"), "{error}");
    let constant = of(&[one(), vec![Array2::ones((TOKENS, 3))]], 9).unwrap();
    assert!(constant.euclidean.value.is_nan() && constant.euclidean.p.is_nan() && constant.cosine.p.is_nan());
}

/// Within groups: the mean over their own pairs alone, and for one group the plain measure.
#[test]
fn seeds_are_compared_within_groups() {
    let streams = Streams::new(2);
    let untrained = Untrained::new(1.0).unwrap();
    let [shared, other] = [normal(3, TOKENS, 4), normal(4, TOKENS, 4)];
    let (a, b) = (group(&shared, 0.2, 100, 2), group(&other, 0.2, 900, 2));
    let (a, b) = (views(&a), views(&b));
    let within = identifiability_within(&[&a, &b], untrained, 19, &streams).unwrap();
    let [of_a, of_b] = [&a, &b].map(|tables| identifiability(tables, untrained, 19, &streams).unwrap());
    assert_eq!(within.pairs, 2);
    close(&[within.rsa.trained], &[(of_a.rsa.trained + of_b.rsa.trained) / 2.0]);
    assert!(within.rsa.trained > 0.7 && within.rsa.p == 0.05);
    assert_eq!(identifiability_within(&[&a], untrained, 19, &streams).unwrap(), of_a);
    assert!(identifiability_within(&[&a[..1], &b[..1]], untrained, 19, &streams).is_err());
}
