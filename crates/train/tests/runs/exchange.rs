//! Weights to PyTorch and back, and models that were trained there.

use std::fs;

use serde_json::Value;

use crate::common::{Place, Record, floats, program, refused, tiny};

fn train(place: &Place, args: &[&str]) -> (i32, String) {
    refused(&program().current_dir(place.path()).args(args).output().unwrap())
}

/// What a run has trained, exported and imported again, is the same model with the same scores.
#[test]
fn a_run_goes_to_pytorch_and_comes_back() {
    let place = Place::new(&[]);
    let whole = place.complete("out");
    let run = place.run_dir("out").display().to_string();
    let (code, line) = train(&place, &["export", &run, "--torch", "t.safetensors"]);
    assert!(code == 0 && line.contains("t.safetensors"), "{line}");
    let torch = floats(&fs::read(place.path().join("t.safetensors")).unwrap());
    let ours = floats(&whole.model);
    assert_eq!(torch.len(), ours.len());
    assert_eq!(torch["blocks.0.attention.in_proj_weight"].0, [48, 16]);
    assert_eq!(torch["encoding.tables.1"], ours["encoding.tables.1"]);
    assert_eq!(torch["blocks.1.norm_2.weight"], ours["blocks.1.norm_2.gamma"]);

    let import = ["import", "--config", "config.toml", "--torch", "t.safetensors", "--out"];
    assert_eq!(train(&place, &[&import[..], &["w.safetensors"]].concat()).0, 0);
    assert_eq!(fs::read(place.path().join("w.safetensors")).unwrap(), whole.model);

    // As a run directory, with the initial weights at its end too: nothing has changed.
    let (code, line) = train(&place, &[&import[..], &["there"]].concat());
    assert!(code == 0, "{line}");
    let there = Record::read(&place.path().join("there"));
    assert_eq!(there.model, whole.model);
    assert_eq!((&there.manifest["status"], &there.manifest["steps"]), (&"complete".into(), &Value::Null));
    assert!(
        there.manifest["imported"]["weights"].is_string() && there.manifest["imported"]["initial"].is_null()
    );
    for split in ["train-full", "test", "generalization"] {
        for level in ["all", "binary", "ternary", "quaternary"] {
            let score = |record: &Record| {
                let line = (*record.lines(&[("split", split), ("level", level)]).last().unwrap()).clone();
                ["n", "loss", "accuracy"].map(|key| line[key].clone())
            };
            assert_eq!(score(&there), score(&whole), "{split} {level}");
        }
    }
    let (before, after) = (whole.tensors(), there.tensors());
    for name in ["pe.final.block-0", "attention.final.block-1", "coords", "token_embedding.norms"] {
        assert_eq!(before[name], after[name], "{name}");
    }
    assert_eq!(after["pe.init.block-0"], after["pe.final.block-0"]);
    let (code, line) = train(&place, &[&import[..], &["there"]].concat());
    assert!(code == 2 && line.contains("holds a run of this config already"), "{line}");
}

#[test]
fn initial_weights_give_the_change() {
    let place = Place::new(&[]);
    let whole = place.complete("out");
    // The first weights: those of a run that hardly moves.
    let still = Place::new(&[("optimizer.lr", "1e-30"), ("stop.epochs", "1")]);
    still.complete("out");
    for (from, name) in [(&place, "last"), (&still, "first")] {
        let run = from.run_dir("out").display().to_string();
        let file = place.path().join(format!("{name}.safetensors")).display().to_string();
        assert_eq!(train(&place, &["export", &run, "--torch", &file]).0, 0);
    }
    let args = ["import", "--config", "config.toml", "--torch", "last.safetensors", "--initial"];
    let (code, line) = train(&place, &[&args[..], &["first.safetensors", "--out", "there"]].concat());
    assert!(code == 0, "{line}");
    let there = Record::read(&place.path().join("there"));
    let names = ["pe.init.block-0", "pe.init.block-1", "pe.final.block-0", "pe.final.block-1"];
    for name in names {
        assert_eq!(there.tensors()[name], whole.tensors()[name], "{name}");
    }
    let change = |record: &Record| {
        record.lines(&[("kind", "encoding"), ("table", "block-1")]).last().unwrap()["change_rms"].clone()
    };
    assert_eq!(change(&there), change(&whole));
}

/// A finished run, this or another, is not written over, nor is what is read.
#[test]
fn no_file_of_a_run_is_written_over() {
    let place = Place::new(&[]);
    let whole = place.complete("out");
    let run = place.run_dir("out");
    let file = |name: &str| run.join(name).display().to_string();
    let spared = |args: &[&str], expected: &str| {
        let (code, line) = train(&place, args);
        assert!(code == 2 && line.contains(expected), "{args:?}: {code}: {line}");
        assert_eq!(Record::read(&run), whole, "{args:?}");
    };
    let name = run.display().to_string();
    for target in ["model.safetensors", "tensors.safetensors", "config.toml", "./manifest.json", "probe.json"]
    {
        spared(&["export", &name, "--torch", &file(target)], "--torch: ");
        spared(
            &["eval", &name, "--permute-table", "1", "--write-table", &file(target)],
            "is a file of a run",
        );
    }
    assert_eq!(train(&place, &["export", &name, "--torch", "t.safetensors"]).0, 0);
    let import = ["import", "--config", "config.toml", "--torch", "t.safetensors", "--out"];
    spared(&[&import[..], &[&file("model.safetensors")]].concat(), "is a file of a run");
    spared(&[&import[..], &["./t.safetensors"]].concat(), "the file of --torch");
    // Any other name is free, also within the folder of a run.
    assert_eq!(train(&place, &["export", &name, "--torch", &file("torch.safetensors")]).0, 0);
}

#[test]
fn what_does_not_fit_is_refused() {
    let place = Place::new(&[]);
    place.complete("out");
    let run = place.run_dir("out").display().to_string();
    assert_eq!(train(&place, &["export", &run, "--torch", "t.safetensors"]).0, 0);
    let wider = tiny(&[("model.hidden", "32")]);
    fs::write(place.path().join("wider.toml"), wider).unwrap();
    let bytes = fs::read(place.path().join("t.safetensors")).unwrap();
    fs::write(place.path().join("half.safetensors"), &bytes[..bytes.len() / 2]).unwrap();
    for (config, torch, expected) in [
        (
            "wider.toml",
            "t.safetensors",
            "t.safetensors: parameter `blocks.0.up.weight`: expected shape [16, 32]",
        ),
        ("config.toml", "half.safetensors", "half.safetensors: not a whole safetensors file"),
        ("config.toml", "none.safetensors", "none.safetensors"),
        ("none.toml", "t.safetensors", "none.toml: cannot read it"),
    ] {
        for out in ["x.safetensors", "x"] {
            let args = ["import", "--config", config, "--torch", torch, "--out", out];
            let (code, line) = train(&place, &args);
            assert!(code == 2 && line.contains(expected), "{code}: {line}");
            assert!(!place.path().join(out).exists(), "{out}");
        }
    }
    let (code, line) = train(&place, &["export", "nowhere", "--torch", "t.safetensors"]);
    assert!(code == 2 && line.contains("expected the directory of a finished run"), "{line}");
}
