//! Planted structure is found, absent structure is not: partitions, segregation, likeness of seeds.

use crate::support::*;
use ndarray::{Array2, ArrayView2};
use probe::identifiability::{Identifiability, Untrained, identifiability, likeness};
use probe::network::{
    Communities, NegativeWeights, Partition, Signs, Weights, louvain, modularity, modularity_test,
    segregation, segregation_test,
};
use probe::permutation::{Permutations, Tail};
use proptest::prelude::*;
use streams::Streams;

/// Weights `inside` within modules and `outside` between, plus symmetric noise.
fn planted(truth: &Partition, inside: f64, outside: f64, noise: f64, seed: u64) -> Weights {
    let (n, random) = (truth.items(), normal(seed, truth.items(), truth.items()));
    let weight = |i: usize, j: usize| {
        let base = if truth.modules()[i] == truth.modules()[j] { inside } else { outside };
        base + noise * random[[i.min(j), i.max(j)]]
    };
    Weights::new(Array2::from_shape_fn((n, n), |(i, j)| weight(i, j)).view()).unwrap()
}

fn blocks(sizes: &[usize]) -> Partition {
    let labels: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(module, &size)| std::iter::repeat_n(module, size)).collect();
    Partition::new(&labels)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn planted_partitions_are_recovered(seed in 0u64..1000, sizes in prop::collection::vec(5usize..12, 2..5)) {
        let truth = blocks(&sizes);
        for signs in [Signs::Ignore, Signs::Asymmetric, Signs::Symmetric] {
            let weights = planted(&truth, 1.0, 0.1, 0.1, seed);
            let found = louvain(&weights, 1.0, signs, 5, &Streams::new(seed)).unwrap();
            prop_assert_eq!(&found.partition, &truth, "{:?}", signs);
            let named = modularity(&weights, &truth, 1.0, signs).unwrap();
            prop_assert!((found.modularity - named).abs() < 1e-12);
        }
    }

    /// No single item, and no pair of modules, can do better: a local maximum it must be.
    #[test]
    fn communities_are_a_local_maximum(seed in 0u64..1000, n in 4usize..14) {
        let weights = planted(&blocks(&[n]), 0.0, 0.0, 1.0, seed);
        for signs in [Signs::Ignore, Signs::Asymmetric, Signs::Symmetric] {
            let Communities { partition, modularity: best, .. } =
                louvain(&weights, 1.2, signs, 3, &Streams::new(1)).unwrap();
            // Of few items all weights may be negative: where these are ignored, there is no weight.
            if signs == Signs::Ignore && weights.view().iter().all(|&weight| weight <= 0.0) {
                prop_assert!(best.is_nan());
                continue;
            }
            let q = |labels: &[usize]| modularity(&weights, &Partition::new(labels), 1.2, signs).unwrap();
            for item in 0..n {
                for module in 0..=partition.count() {
                    let mut moved = partition.modules().to_vec();
                    moved[item] = module;
                    prop_assert!(q(&moved) <= best + 1e-9);
                }
            }
            for (a, b) in (0..partition.count()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let merged: Vec<usize> = partition.modules().iter().map(|&m| if m == a { b } else { m }).collect();
                prop_assert!(q(&merged) <= best + 1e-9);
            }
        }
    }

    #[test]
    fn modularity_ignores_scale_and_the_names_and_order_of_items(seed in 0u64..1000, scale in 0.01f64..100.0) {
        let truth = blocks(&[4, 5, 3]);
        let weights = planted(&truth, 0.5, 0.0, 1.0, seed);
        let order: Vec<usize> = (0..12).map(|i| (i * 5 + 2) % 12).collect();
        let moved = Weights::new(Array2::from_shape_fn((12, 12), |(i, j)| scale * weights.view()[[order[i], order[j]]]).view()).unwrap();
        let labels: Vec<usize> = order.iter().map(|&i| 100 - truth.modules()[i]).collect();
        for signs in [Signs::Ignore, Signs::Asymmetric, Signs::Symmetric] {
            let (a, b) = (modularity(&weights, &truth, 1.0, signs).unwrap(), modularity(&moved, &Partition::new(&labels), 1.0, signs).unwrap());
            prop_assert!((a - b).abs() < 1e-12);
            // All in one module: nothing beyond chance.
            prop_assert!(modularity(&weights, &blocks(&[12]), 1.0, signs).unwrap().abs() < 1e-12);
        }
        for negative in [NegativeWeights::AsZero, NegativeWeights::Keep] {
            let a = segregation(&weights, &truth, negative).unwrap().value;
            let b = segregation(&moved, &Partition::new(&labels), negative).unwrap().value;
            prop_assert!((a.is_nan() && b.is_nan()) || (a - b).abs() < 1e-9 * a.abs().max(1.0));
        }
    }

    #[test]
    fn the_rand_index_is_symmetric_and_one_for_equals(a in prop::collection::vec(0u8..4, 8), b in prop::collection::vec(0u8..4, 8)) {
        let (a, b) = (Partition::new(&a), Partition::new(&b));
        prop_assert_eq!(a.adjusted_rand(&a).unwrap(), 1.0);
        let (one, other) = (a.adjusted_rand(&b).unwrap(), b.adjusted_rand(&a).unwrap());
        prop_assert!((one - other).abs() < 1e-12 && one <= 1.0 + 1e-12);
    }
}

#[test]
fn communities_do_not_depend_on_threads() {
    let weights = planted(&blocks(&[10, 10, 10]), 0.3, 0.0, 1.0, 5);
    let found = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| louvain(&weights, 1.0, Signs::Asymmetric, 16, &Streams::new(2)).unwrap())
    };
    assert_eq!(found(1), found(6));
}

#[test]
fn labels_at_random_are_at_chance_and_true_ones_above() {
    let truth = blocks(&[8, 8, 8]);
    let weights = planted(&truth, 0.8, 0.4, 0.2, 3);
    let set = Permutations::new(24, 999, &Streams::new(0));
    let q = modularity_test(&weights, &truth, 1.0, Signs::Asymmetric, &set).unwrap();
    let s = segregation_test(&weights, &truth, NegativeWeights::AsZero, &set).unwrap();
    assert!(q.p == 0.001 && s.p == 0.001 && (s.value - 0.5).abs() < 0.1, "{q:?} {s:?}");
    // Relabelled at random: modularity has mean -(1-p) Σ s² / v², segregation about 0.
    let weights = planted(&truth, 1.0, 1.0, 0.2, 4);
    let strengths = weights.view().sum_axis(ndarray::Axis(1));
    let share = strengths.mapv(|s| s * s).sum() / strengths.sum().powi(2);
    let expected = -(1.0 - 7.0 / 23.0) * share;
    let relabelled: Vec<Partition> = (0..300)
        .map(|seed| {
            let order = normal(seed, 24, 1);
            let mut labels: Vec<usize> = (0..24).collect();
            labels.sort_by(|&a, &b| order[[a, 0]].total_cmp(&order[[b, 0]]));
            Partition::new(&labels.iter().map(|&i| truth.modules()[i]).collect::<Vec<_>>())
        })
        .collect();
    let q = |p: &Partition| modularity(&weights, p, 1.0, Signs::Refuse).unwrap();
    centred_at(&relabelled.iter().map(q).collect::<Vec<_>>(), expected);
    let s = |p: &Partition| segregation(&weights, p, NegativeWeights::AsZero).unwrap().value;
    assert!(mean(&relabelled.iter().map(s).collect::<Vec<_>>()).abs() < 0.01);
}

fn judged(tables: &[Array2<f64>]) -> Identifiability {
    let views: Vec<ArrayView2<f64>> = tables.iter().map(|table| table.view()).collect();
    identifiability(&views, Untrained::new(0.2).unwrap(), 99, &Streams::new(0)).unwrap()
}

/// Seeds that learned one geometry, each in its own axes, against seeds that learned nothing.
#[test]
fn seeds_with_one_geometry_are_alike_beyond_untrained_tables() {
    let shared = grid(4).dot(&normal(50, 2, 24));
    let learned: Vec<_> = (0..4u64)
        .map(|seed| moved(&shared, 60 + seed, 1.0 + seed as f64) + normal(seed, 16, 24) * 0.3)
        .collect();
    let found = judged(&learned);
    assert_eq!((found.pairs, found.draws), (6, 99));
    for measure in [found.procrustes_r2, found.cka, found.rsa] {
        assert!(measure.p == 0.01 && measure.excess > 0.1, "{measure:?}");
        approx::assert_abs_diff_eq!(measure.excess, measure.trained - measure.untrained);
    }
    assert!(found.cka.untrained.abs() < 0.05 && found.procrustes_r2.untrained > 0.5);
    let nothing: Vec<_> = (0..4u64).map(|seed| normal(seed, 16, 24)).collect();
    let found = judged(&nothing);
    assert!([found.procrustes_r2, found.cka, found.rsa].iter().all(|m| m.p > 0.01), "{found:?}");
    // A turned table is the same table.
    let alike = likeness(learned[0].view(), moved(&learned[0], 3, 9.0).view()).unwrap();
    close(&[alike.cka, alike.rsa], &[1.0, 1.0]);
    assert!((alike.procrustes_r2 - 1.0).abs() < 1e-9);
}

/// Untrained tables do not tell each other apart: p is uniform.
#[test]
fn untrained_tables_get_a_uniform_p() {
    let p: Vec<f64> = (0..60u64)
        .map(|seed| {
            let tables = [normal(seed, 8, 6), normal(seed + 1000, 8, 6), normal(seed + 2000, 8, 6)];
            judged(&tables).cka.p
        })
        .collect();
    for level in [0.05, 0.25, 0.5, 0.75, 0.95] {
        let share = p.iter().filter(|p| **p <= level + 1e-9).count() as f64 / p.len() as f64;
        let error = (level * (1.0 - level) / p.len() as f64).sqrt();
        assert!((share - level).abs() < 4.0 * error, "P(p <= {level}) = {share}");
    }
}

#[test]
fn what_identifiability_refuses() {
    let one = normal(0, 8, 3);
    let untrained = Untrained::new(1.0).unwrap();
    let of = |tables: &[ArrayView2<f64>], draws| identifiability(tables, untrained, draws, &Streams::new(0));
    assert!(
        of(&[one.view()], 9).is_err() && of(&[], 9).is_err() && of(&[one.view(), one.view()], 0).is_err()
    );
    assert!(of(&[one.view(), normal(0, 8, 4).view()], 9).is_err());
    assert!(
        Untrained::new(0.0).is_err() && Untrained::new(f64::NAN).is_err() && Untrained::like(&[]).is_err()
    );
    let constant = Array2::ones((8, 3));
    let undefined = of(&[one.view(), constant.view()], 9).unwrap();
    assert!(
        undefined.cka.p.is_nan() && undefined.procrustes_r2.trained.is_nan() && undefined.rsa.excess.is_nan()
    );
    // As large as the tables were at the start.
    let like = Untrained::like(&[(normal(1, 300, 40) * 0.2).view()]).unwrap();
    let drawn = like.table((300, 40), 0, 0, &Streams::new(0));
    assert!((drawn.mapv(|v| v * v).mean().unwrap().sqrt() - 0.2).abs() < 0.01);
}

#[test]
fn a_relation_of_modules_is_found_in_attention() {
    let truth = blocks(&[4, 4, 4]);
    let relation = truth.same_module();
    let rdm = probe::rdm::Rdm::from_condensed(12, relation.clone(), probe::rdm::Measure::Hamming).unwrap();
    let map = Array2::from_shape_fn((12, 12), |(q, k)| {
        let related = rdm.get(q, k).unwrap();
        0.05 + related + 0.02 * normal(9, 12, 12)[[q, k]].abs()
    });
    let set = Permutations::new(12, 999, &Streams::new(0));
    let tested = probe::attention::attention_test(map.view(), &relation, Tail::Greater, &set).unwrap();
    let share = probe::attention::attention_share(map.view(), &relation).unwrap();
    assert!(tested.value > 0.95 && tested.p < 0.01 && share.ratio > 2.5, "{tested:?} {share:?}");
}
