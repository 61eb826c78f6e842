//! A trained model with its own tables, and with others in their place.

use std::fs;

use burn::tensor::TensorData;
use pe_core::weights::{self, Weights};
use serde_json::Value;

use crate::common::{PAPER_2D, Place, Record, ended, program, refused};

/// `train eval RUN --json ARGS`.
fn eval(place: &Place, args: &[&str]) -> Value {
    let run = place.run_dir("out").display().to_string();
    let args = [&["eval", &run, "--json"], args].concat();
    let output = program().current_dir(place.path()).args(args).output().unwrap();
    assert!(output.status.success(), "{}", ended(&output).1);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn eval_refused(place: &Place, args: &[&str], expected: &str) {
    let run = place.run_dir("out").display().to_string();
    let args = [&["eval", &run], args].concat();
    let (code, line) = refused(&program().current_dir(place.path()).args(&args).output().unwrap());
    assert!(code == 2 && line.contains(expected), "{args:?}: {code}: {line}");
}

/// A run at a learning rate at which its tables move and matter.
fn moving() -> Place {
    let place = Place::new(&[("stop.epochs", "40"), ("optimizer.lr", "1e-2")]);
    place.complete("out");
    place
}

fn loss(result: &Value) -> f64 {
    result["scores"][0]["loss"].as_f64().unwrap()
}

/// Without a change the scores are those of the last lines, also where dropout acts in evaluation.
#[test]
fn an_untouched_model_scores_as_in_its_last_lines() {
    for changes in [&[][..], &PAPER_2D] {
        let place = Place::new(changes);
        let record = place.complete("out");
        let result = eval(&place, &[]);
        assert!(result["tables"].is_null());
        let scores = result["scores"].as_array().unwrap();
        assert_eq!(scores.len(), 3 * 4);
        for score in scores {
            let [split, level] = ["split", "level"].map(|key| score[key].as_str().unwrap());
            let line = *record.lines(&[("split", split), ("level", level)]).last().unwrap();
            for key in ["n", "loss", "accuracy"] {
                assert_eq!(score[key], line[key], "{split} {level}");
            }
        }
    }
}

/// The final tables put in their own place change nothing; those of another run of the same config are its own.
#[test]
fn a_table_in_its_own_place_changes_no_bit() {
    let place = moving();
    let own = eval(&place, &[]);
    for args in [
        &["--snapshot", "final"][..],
        &["--table", "t.safetensors"],
        &["--add-change-to", "0.0", "--seed", "1", "--table", "zero.safetensors"],
    ] {
        // A file that has the tables under their plain names, and one whose change is the whole table.
        eval(&place, &["--snapshot", "final", "--write-table", "t.safetensors"]);
        let tensors = Record::read(&place.run_dir("out")).tensors();
        let mut file = pe_core::weights::Weights::new();
        for (name, (shape, values)) in tensors.iter().filter(|(name, _)| name.starts_with("pe.")) {
            let values = if name.contains("init") { vec![0.0; values.len()] } else { values.clone() };
            file.insert(name.clone(), burn::tensor::TensorData::new(values, shape.clone()));
        }
        pe_core::weights::write(&place.path().join("zero.safetensors"), &file, &[]).unwrap();
        let result = eval(&place, args);
        assert_eq!(result["scores"], own["scores"], "{args:?}");
        assert_eq!(result["tables"]["tables"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn other_tables_give_other_scores_and_the_same_seed_the_same() {
    let place = moving();
    let own = loss(&eval(&place, &[]));
    for args in [
        &["--snapshot", "init"][..],
        &["--permute-table", "1"],
        &["--permute-table", "2"],
        &["--project-coords"],
        &["--project-coords=linear"],
        &["--add-change-to", "2.0", "--seed", "1"],
        &["--add-change-to", "2.0", "--seed", "2"],
    ] {
        let result = eval(&place, args);
        assert_ne!(loss(&result), own, "{args:?}");
        assert_eq!(eval(&place, args), result, "{args:?}");
    }
    // What was learned, and what a table may lose.
    assert!(loss(&eval(&place, &["--permute-table", "1"])) > own);
    let permuted = |seed| loss(&eval(&place, &["--permute-table", seed]));
    assert_ne!(permuted("1"), permuted("2"));
    let drawn = eval(&place, &["--add-change-to", "2.0", "--seed", "1"]);
    let rms = drawn["tables"]["tables"][0]["rms"].as_f64().unwrap();
    assert!((1.5..2.5).contains(&rms), "a draw at sigma 2 of 256 entries: {rms}");
    let projected = eval(&place, &["--project-coords"]);
    let explained = projected["tables"]["tables"][1]["explained"].as_f64().unwrap();
    assert!((0.0..1.0).contains(&explained), "{explained}");
    assert!((0.0..1.0).contains(&projected["tables"]["tables"][1]["explained_of_random"].as_f64().unwrap()));
    // Projected twice is projected once.
    eval(&place, &["--project-coords", "--write-table", "p.safetensors"]);
    let again = eval(&place, &["--table", "p.safetensors", "--project-coords"]);
    assert!((again["tables"]["tables"][1]["explained"].as_f64().unwrap() - 1.0).abs() < 1e-9);
    assert!((loss(&again) - loss(&projected)).abs() < 1e-5);
}

/// A fixed sinusoid is projected on rows and columns without loss: it is a row part beside a column part.
#[test]
fn a_2d_sinusoid_is_additive() {
    let place = Place::new(&PAPER_2D);
    place.complete("out");
    let as_table = eval(&place, &["--snapshot", "final"]);
    let projected = eval(&place, &["--project-coords"]);
    assert_eq!(projected["tables"]["tables"][0]["name"], "shared");
    assert!((projected["tables"]["tables"][0]["explained"].as_f64().unwrap() - 1.0).abs() < 1e-6);
    assert!((loss(&projected) - loss(&as_table)).abs() < 1e-5);
    // The dropout on sinusoids is gone with the sinusoid.
    assert_ne!(loss(&as_table), loss(&eval(&place, &[])));
}

/// One block with a table of its own is not a shared table.
#[test]
fn a_single_block_has_a_block_table() {
    let place = Place::new(&[("model.blocks", "1")]);
    let record = place.complete("out");
    assert!(record.tensors().contains_key("pe.final.block-0"));
    assert!(!record.tensors().keys().any(|name| name.contains("shared")));
    let shared = "{ kind = 'learned', sigma = 0.2, sharing = 'shared' }";
    let place = Place::new(&[("arm", "'one-table'"), ("model.encoding", shared)]);
    let record = place.complete("out");
    assert!(record.tensors().contains_key("pe.final.shared"));
    assert_eq!(eval(&place, &["--snapshot", "final"])["scores"], eval(&place, &[])["scores"]);
}

#[test]
fn bad_input_is_refused() {
    let place = Place::new(&[]);
    place.complete("out");
    let narrow = Place::new(&[("model.width", "8")]);
    narrow.complete("out");
    let other = narrow.run_dir("out").join("tensors.safetensors").display().to_string();
    eval_refused(
        &place,
        &["--snapshot", "epoch-3"],
        "expected one of the snapshots that it holds (final, init)",
    );
    eval_refused(&place, &["--table", &other], "table `block-0` is 16 x 8: expected 16 x 16");
    eval_refused(&place, &["--table", "none.safetensors"], "none.safetensors");
    let broken = |name: &str, values: Vec<f32>, shape: [usize; 2]| {
        let tensors = Weights::from([("shared".to_owned(), TensorData::new(values, shape))]);
        weights::write(&place.path().join(name), &tensors, &[]).unwrap();
        eval_refused(&place, &["--table", name], "`shared`: expected finite entries");
    };
    broken("nan.safetensors", [vec![0.5; 255], vec![f32::NAN]].concat(), [16, 16]);
    broken("empty.safetensors", Vec::new(), [0, 16]);
    eval_refused(&place, &["--add-change-to", "2.0"], "--seed");
    eval_refused(&place, &["--add-change-to", "-1", "--seed", "1"], "sigma is -1");
    eval_refused(&place, &["--write-table", "w.safetensors"], "the model keeps its own tables");
    eval_refused(&place, &["--table", &other, "--write-table", &other], "is a file of a run");
    let own = ["--table", "w.safetensors", "--write-table", "./w.safetensors"];
    eval_refused(&place, &own, "the file of --table");
    eval_refused(&place, &["--puzzles", "nowhere"], "nowhere");
    let deep = Place::new(&[("model.blocks", "3")]);
    deep.complete("out");
    let deep = deep.run_dir("out").join("tensors.safetensors").display().to_string();
    eval_refused(&place, &["--table", &deep], "one for each block of the model");
    let nope = Place::new(&[("arm", "'nope'"), ("model.encoding", "{ kind = 'nope' }")]);
    nope.complete("out");
    eval_refused(&nope, &["--permute-table", "1"], "adds no table");
    let manifest = place.run_dir("out").join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap().replace("\"complete\"", "\"running\"");
    fs::write(manifest, text).unwrap();
    eval_refused(&place, &[], "the run is not finished");
}
