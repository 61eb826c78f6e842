//! Golden values for structure: networkx 3.6.1, bctpy 0.6.1, scikit-learn 1.9.1.

use crate::support::*;
use ndarray::Array2;
use probe::network::{Partition, Signs, Weights, louvain, modularity};
use serde_json::Value;
use streams::Streams;

/// Zachary's karate club, with its weights or without.
fn karate(fixture: &Value, weighted: bool) -> Weights {
    let mut matrix = Array2::zeros((34, 34));
    for edge in fixture["karate"].as_array().unwrap() {
        let [a, b] = [0, 1].map(|end| edge[end].as_u64().unwrap() as usize);
        let weight = if weighted { number(&edge[2]) } else { 1.0 };
        matrix[[a, b]] = weight;
        matrix[[b, a]] = weight;
    }
    Weights::new(matrix.view()).unwrap()
}

fn labels(value: &Value) -> Partition {
    Partition::new(value.as_array().unwrap())
}

#[test]
fn modularity_is_that_of_networkx_and_bctpy() {
    let fixture = &fixture("geometry")["network"];
    let halves = labels(&fixture["halves"]);
    for (weighted, name) in [(false, "karate_binary"), (true, "karate_weighted")] {
        for gamma in ["0.5", "1.0", "2.0"] {
            let network = karate(fixture, weighted);
            let got = modularity(&network, &halves, gamma.parse().unwrap(), Signs::Refuse).unwrap();
            close(&[got], &[number(&fixture[name][gamma])]);
        }
    }
    let signed = matrix(&fixture["signed"]);
    let (weights, partition) = (Weights::new(signed.view()).unwrap(), labels(&fixture["labels"]));
    let q = |signs| modularity(&weights, &partition, 1.0, signs).unwrap();
    close(
        &[q(Signs::Asymmetric), q(Signs::Symmetric), q(Signs::Ignore)],
        &["asymmetric", "symmetric", "positive_only"].map(|key| number(&fixture[key])),
    );
    assert!(modularity(&weights, &partition, 1.0, Signs::Refuse).is_err());
    let positive = Weights::new(signed.mapv(f64::abs).view()).unwrap();
    for signs in [Signs::Refuse, Signs::Ignore, Signs::Asymmetric, Signs::Symmetric] {
        close(&[modularity(&positive, &partition, 1.0, signs).unwrap()], &[number(&fixture["positive"])]);
    }
}

/// The karate club's best modularity is known: 0.4198 in four modules (Brandes et al. 2008).
#[test]
fn communities_are_as_good_as_those_of_networkx_and_bctpy() {
    let fixture = &fixture("geometry")["network"];
    let found = louvain(&karate(fixture, false), 1.0, Signs::Refuse, 20, &Streams::new(0)).unwrap();
    close(&[found.modularity], &[number(&fixture["karate_louvain_best_of_100"])]);
    assert_eq!(found.partition.count(), 4);
    assert!((found.modularity - 0.4198).abs() < 5e-5);
    let weights = Weights::new(matrix(&fixture["signed"]).view()).unwrap();
    for (signs, name) in [
        (Signs::Asymmetric, "louvain_asymmetric_best_of_100"),
        (Signs::Symmetric, "louvain_symmetric_best_of_100"),
    ] {
        let found = louvain(&weights, 1.0, signs, 50, &Streams::new(0)).unwrap();
        assert!(found.modularity >= number(&fixture[name]) - TOLERANCE, "{found:?}");
        close(&[found.modularity], &[modularity(&weights, &found.partition, 1.0, signs).unwrap()]);
    }
}

#[test]
fn the_rand_index_is_scikit_learns() {
    let rand = &fixture("geometry")["network"]["rand"];
    let (a, b) = (labels(&rand["a"]), labels(&rand["b"]));
    close(&[a.adjusted_rand(&b).unwrap(), b.adjusted_rand(&a).unwrap()], &[number(&rand["adjusted"]); 2]);
}
