//! Masked nodes of a stochastic network: what is recorded, what is held against it, what is refused.

use std::fs;

use serde_json::Value;
use train::plan::Overrides;
use train::{Experiment, Plan};

use crate::common::{NETWORK, Place, program, refused, tiny};

fn changed<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&NETWORK[..], more].concat()
}

#[test]
fn a_run_records_the_truth_levels_and_what_is_reached_without_it() {
    let place = Place::new(&changed(&[]));
    let record = place.complete("out");
    let dataset = &record.manifest["dataset"];
    assert_eq!((dataset["name"].as_str(), dataset["source"].as_str()), (Some("network"), Some("generated")));
    // 2 x 54 frames to train on; 12 of the 2 x 6 test frames and 20 of the 60 held-out ones, each under two masks.
    let counts = ["train", "test", "generalization"].map(|split| dataset[split].as_u64().unwrap());
    assert_eq!(counts, [108, 24, 40]);

    let tensors = record.tensors();
    assert_eq!(tensors["coords"].0, [9, 2]);
    let (shape, coupling) = &tensors["truth.coupling"];
    assert_eq!(shape, &[9, 9]);
    for row in coupling.chunks(9) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6, "rows are normalised");
    }
    let correlation = &tensors["truth.correlation"].1;
    assert!((0..9).all(|i| (correlation[i * 10] - 1.0).abs() < 1e-6));
    assert!(!tensors.contains_key("truth.periods") && !tensors.contains_key("truth.modules"));

    // Half of nine nodes is 5 (4.5, rounded), a quarter 2: the numbers of predicted values.
    let last = |split: &str, level: &str| {
        let lines = record.lines(&[("kind", "evaluation"), ("split", split), ("level", level)]);
        (*lines.last().unwrap()).clone()
    };
    assert_eq!(last("generalization", "0.25")["n"], 20 * 2);
    assert_eq!(last("generalization", "0.5")["n"], 20 * 5);
    assert_eq!(last("train-full", "all")["n"], 108 * 5);
    assert!(last("test", "all").get("accuracy").is_none());

    let text = fs::read_to_string(place.run_dir("out").join("baselines.json")).unwrap();
    let baselines: Value = serde_json::from_str(&text).unwrap();
    let scores = baselines["scores"].as_array().unwrap();
    let of = |split: &str, level: &str| {
        let is_mean =
            |s: &&Value| s["baseline"] == "training-mean" && s["split"] == split && s["level"] == level;
        scores.iter().find(is_mean).unwrap()["mse"].as_f64().unwrap()
    };
    // R² is what is gained over the training mean of each node, on the very same masks.
    for split in ["test", "generalization"] {
        for level in ["0.25", "0.5"] {
            let line = last(split, level);
            let expected = 1.0 - line["loss"].as_f64().unwrap() / of(split, level);
            assert!((line["r2"].as_f64().unwrap() - expected).abs() < 1e-5, "{split} {level}");
        }
    }
}

/// Of a run that is over, the model scores as it did, on the masks of its last epoch.
#[test]
fn evaluation_repeats_the_last_lines() {
    let place = Place::new(&changed(&[("stop.epochs", "3")]));
    let record = place.complete("out");
    let output =
        program().current_dir(place.path()).args(["eval", "--json"]).arg(place.run_dir("out")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let scores = result["scores"].as_array().unwrap();
    assert!(!scores.is_empty());
    for score in scores {
        let (split, level) = (score["split"].as_str().unwrap(), score["level"].as_str().unwrap());
        let lines = record.lines(&[("kind", "evaluation"), ("split", split), ("level", level)]);
        assert_eq!(lines.last().unwrap()["loss"], score["loss"], "{split} {level}");
    }
}

#[test]
fn settings_that_do_not_fit_are_named() {
    let network = NETWORK[0].1;
    for (changes, expected) in [
        (vec![("batch", "30")], "task.masked.batch: 27 differs from `batch`, which is 30"),
        (
            vec![("model.readout", "'last'")],
            "model.readout: does not fit the task, which asks for masked tokens",
        ),
        (vec![("model.tokens", "10")], "model.tokens: 10 does not fit the task: expected 9"),
        (
            vec![("task", &*network.replace("0.25", "0.01"))],
            "expected a fraction that masks 1 to 8 of 9 nodes",
        ),
        (vec![("task", &*network.replace("frames = 60", "frames = 1"))], "network setting `frames`"),
        (vec![("stop.train_accuracy", "0.9")], "this task asks for numbers"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.toml"), tiny(&changed(&changes))).unwrap();
        let output = program().current_dir(folder.path()).args(["run", "config.toml"]).output().unwrap();
        let (code, line) = refused(&output);
        assert!(code == 2 && line.contains(expected), "{code}: {line}");
    }
}

const EXPERIMENT: &str = r#"
schema = 1
name = "two"
[base]
batch = 64
model = { preset = "clean", width = 16 }
seeds = { pins = { data = 1, split = 1 } }
optimizer = { kind = "adam-w", lr = 1e-3 }
stop = { epochs = 2 }
[base.task]
kind = "network"
network = { subjects = 2, frames = 100 }
[variants.line.task.network.graph]
kind = "grid"
sides = [8]
[variants.parts.task.network.graph]
kind = "modular"
sizes = [5, 5]
[scales.quick]
pe = ["nope"]
sigma = [0.1]
seeds = [1]
groups = [{ variant = "parts", sigma = [0.5, 1.0] }, { variant = "line", pe = ["2d-fixed"], seeds = [1, 2] }]
[scales.none]
sigma = [0.1]
seeds = [1]
[scales.other]
sigma = [0.1]
seeds = [1]
groups = [{ variant = "ring" }]
"#;

fn plan(scale: &str, overrides: &Overrides) -> Result<Plan, String> {
    let experiment = Experiment::from_toml(EXPERIMENT, "e.toml").unwrap();
    experiment.plan(scale, overrides).map_err(|error| error.to_string())
}

#[test]
fn variants_are_groups_with_their_own_data_arms_and_seeds() {
    let plan = plan("quick", &Overrides::default()).unwrap();
    let runs: Vec<String> = plan
        .runs
        .iter()
        .map(|run| format!("{} {} {}", run.variant.as_deref().unwrap(), run.arm, run.seed))
        .collect();
    assert_eq!(
        runs,
        [
            "parts nope 1",
            "parts learn-0.5 1",
            "parts learn-1.0 1",
            "line nope 1",
            "line nope 2",
            "line 2d-fixed 1",
            "line 2d-fixed 2",
            "line learn-0.1 1",
            "line learn-0.1 2",
        ]
    );
    let [parts, line] = [0, 1].map(|i| &plan.variants[i]);
    assert_eq!((parts.name.as_str(), line.name.as_str()), ("parts", "line"));
    assert_ne!(parts.dataset.sha256, line.dataset.sha256);
    assert_eq!(plan.dataset, parts.dataset);
    for run in &plan.runs {
        let config = plan.config(&run.id, "p.json").unwrap();
        assert_eq!(config.variant, run.variant);
        assert!(
            run.id.starts_with(&format!("{}-{}-s", config.variant.as_ref().unwrap(), run.arm)),
            "{}",
            run.id
        );
        let own = if config.variant.as_deref() == Some("parts") { parts } else { line };
        assert!(config.to_toml().contains(&own.dataset.sha256));
    }
}

#[test]
fn groups_that_are_not_there_are_refused() {
    let error = plan("none", &Overrides::default()).unwrap_err();
    assert!(error.contains("`groups` is empty: expected some of line, parts"), "{error}");
    let error = plan("other", &Overrides::default()).unwrap_err();
    assert!(error.contains("variant `ring`: expected some of line, parts"), "{error}");
    let puzzles = Overrides { puzzles: Some("puzzles".into()), ..Overrides::default() };
    let error = plan("quick", &puzzles).unwrap_err();
    assert!(error.contains("--puzzles puzzles: its task reads no puzzles"), "{error}");
}
