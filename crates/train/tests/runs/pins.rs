//! A pinned stream varies its own numbers alone.

use burn::tensor::TensorData;
use pe_core::{Cpu, weights::weights};

use crate::common::{Place, tiny_config};

fn initial(pins: &str) -> Vec<(String, TensorData)> {
    let config = tiny_config(&[("seeds", &format!("{{ seed = 1{pins} }}"))]);
    let encoder = config.model.init::<Cpu>(&config.seeds, &Default::default()).unwrap();
    weights(&encoder).into_iter().collect()
}

#[test]
fn a_pinned_pe_init_varies_the_tables_alone() {
    let (plain, pinned) = (initial(""), initial(", pins = { pe-init = 7 }"));
    for ((name, a), (_, b)) in plain.iter().zip(&pinned) {
        assert_eq!(a == b, !name.starts_with("encoding."), "{name}");
    }
    assert!(plain.len() > 10);
    let other = initial(", pins = { weight-init = 7 }");
    for ((name, a), (_, b)) in plain.iter().zip(&other).filter(|((name, _), _)| name.ends_with("weight")) {
        assert_eq!(a == b, name.contains("norm"), "{name}");
    }
    assert!(plain.iter().zip(&other).all(|((name, a), (_, b))| !name.starts_with("encoding.") || a == b));
}

/// Without tables, pinning `pe-init` changes no byte: data, split, order and dropout do not depend on it. Pinning
/// any of those does.
#[test]
fn data_split_order_and_dropout_have_streams_of_their_own() {
    let nope = [("arm", "'nope'"), ("model.encoding", "{ kind = 'nope' }"), ("model.dropout", "0.1")];
    let run = |seeds: &str| {
        let place = Place::new(&[&nope[..], &[("seeds", seeds)]].concat());
        place.complete("out")
    };
    let plain = run("{ seed = 1 }");
    let same = run("{ seed = 1, pins = { pe-init = 7, mask = 8 } }");
    assert!((&same.model, &same.tensors, &same.metrics) == (&plain.model, &plain.tensors, &plain.metrics));
    for stream in ["data", "split", "order", "dropout", "weight-init"] {
        let other = run(&format!("{{ seed = 1, pins = {{ {stream} = 7 }} }}"));
        assert!(other.model != plain.model, "{stream}");
        let same_data = other.manifest["dataset"] == plain.manifest["dataset"];
        assert_eq!(same_data, stream != "data", "{stream}");
    }
}
