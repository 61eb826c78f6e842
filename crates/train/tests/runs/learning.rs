//! That training trains, and that what is written is what was trained.

use std::fs;

use pe_core::{Cpu, weights};
use streams::Stream;
use train::evaluate::evaluate;
use train::measure::Measurement;

use crate::common::{Place, Record, program, refused, tiny_config};

/// Answers that ignore the puzzle are right on at most the share p of the most frequent label. Of n items they would
/// be right on more than np + 6 √(np(1-p)) with a probability below 1e-8.
#[test]
fn training_beats_chance() {
    let changes =
        [("stop.epochs", "100"), ("optimizer.lr", "3e-3"), ("model.width", "32"), ("model.hidden", "64")];
    let record = Place::new(&changes).complete("out");
    let config = tiny_config(&changes);
    let labels = config.task.load(&config.seeds).unwrap().train.labels;
    let most = (0..4).map(|label| labels.iter().filter(|l| **l == label).count()).max().unwrap();
    let (n, p) = (labels.len() as f64, most as f64 / labels.len() as f64);
    let least = p + 6.0 * (p * (1.0 - p) / n).sqrt();
    let accuracy =
        record.lines(&[("split", "train-full"), ("level", "all")])[0]["accuracy"].as_f64().unwrap();
    assert!(accuracy > least, "{accuracy}, chance ends at {least}");
}

/// The saved weights, in another process, have the scores of the last lines.
#[test]
fn the_last_lines_are_those_of_the_saved_weights() {
    let place = Place::new(&[("stop.epochs", "8")]);
    let record = place.complete("out");
    let config = tiny_config(&[("stop.epochs", "8")]);
    let data = config.task.load(&config.seeds).unwrap();
    let device = Default::default();
    let model = config.model.init::<Cpu>(&config.seeds, &device).unwrap();
    let model = weights::load(model, &place.run_dir("out").join("model.safetensors")).unwrap();
    for (name, split) in
        [("train-full", &data.train), ("test", &data.test), ("generalization", &data.generalization)]
    {
        let score = evaluate(&model, &data, split, config.seeds.rng(Stream::Dropout), &device).unwrap();
        let last = |level: &str| {
            record.lines(&[("split", name), ("level", level)]).last().copied().cloned().unwrap()
        };
        let levels = data.levels.iter().map(String::as_str).zip(score.levels);
        for (level, score) in levels.chain([("all", score.all)]) {
            let line = last(level);
            assert_eq!(line["n"].as_u64(), Some(score.n as u64));
            assert_eq!(
                (line["loss"].as_f64(), line["accuracy"].as_f64()),
                (Some(score.loss()), Some(score.accuracy()))
            );
        }
    }
}

#[test]
fn a_plan_is_run_and_measured_by_id() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = r#"
        schema = 1
        name = "tiny"
        base.batch = 27
        base.seeds.pins = { data = 1 }
        base.model = { preset = "clean", width = 16, hidden = 24, blocks = 2 }
        base.task = { kind = "latin-square", generator = { pool = 90, generalization = 36 } }
        base.optimizer = { kind = "adam-w", lr = 1e-3 }
        scales.quick = { pe = ["1d-fixed"], seeds = [5], set.stop.epochs = 2 }
    "#;
    fs::write(folder.path().join("e.toml"), experiment).unwrap();
    let train = |args: &[&str]| program().current_dir(folder.path()).args(args).output().unwrap();
    let text = String::from_utf8(train(&["plan", "e.toml"]).stdout).unwrap();
    assert!(text.starts_with("tiny at scale quick: 1 runs\n1d-fixed-s5-"), "{text}");
    let plan = train(&["plan", "e.toml", "--json"]).stdout;
    fs::write(folder.path().join("p.json"), &plan).unwrap();
    let plan = train::Plan::from_json(&String::from_utf8(plan).unwrap(), "p.json").unwrap();
    let id = &plan.runs[0].id;
    let source = ["--plan", "p.json", "--id", id];
    let output = train(&[&["run", "--out", "runs"], &source[..]].concat());
    let (code, line) = refused(&output);
    assert!(code == 0 && line == format!("runs/tiny/{id}: complete"), "{line}");
    let record = Record::read(&folder.path().join("runs/tiny").join(id));
    assert_eq!(record.manifest["config_hash"], plan.runs[0].config_hash);
    assert_eq!(record.manifest["dataset"], serde_json::to_value(&plan.dataset).unwrap());

    let output = train(&[&["measure", "--steps", "4", "--json"], &source[..]].concat());
    assert!(output.status.success() && output.stderr.is_empty());
    let speed: Measurement = serde_json::from_slice(&output.stdout).unwrap();
    assert!(speed.steps == 4 && speed.best_seconds_per_step > 0.0 && speed.seconds_per_item > 0.0);
    assert!(speed.seconds_per_step >= speed.best_seconds_per_step);
    let text =
        String::from_utf8(train(&[&["measure", "--steps", "4"], &source[..]].concat()).stdout).unwrap();
    assert!(text.starts_with("median ") && text.contains("peak memory"), "{text}");
}
