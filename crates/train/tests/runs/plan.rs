//! From an experiment to its runs, and what the identity of a run depends on.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use pe_core::{EncodingConfig, Readout};

use streams::{Stream, Streams};
use tasks::latin_square::{GeneratorConfig, LatinSquareData};
use toml::{Table, Value};
use train::plan::Overrides;
use train::{Experiment, Plan, RunConfig};

use crate::common::{change, program, tiny, tiny_config};

const EXPERIMENT: &str = r#"
schema = 1
name = "lst"
[base]
batch = 128
model = { preset = "paper", width = 32 }
seeds = { pins = { data = 1, split = 1 } }
task = { kind = "latin-square", generator = { pool = 90, generalization = 36 } }
optimizer = { kind = "adam-w", lr = 1e-4 }
[scales.quick]
pe = ["2d-fixed", "c-nope"]
sigma = [0.2, 2]
seeds = [3, 4, 5]
[scales.quick.set]
stop = { epochs = 12 }
optimizer = { lr = 3e-4 }
[scales.clean]
sigma = [0.2]
seeds = [3]
[scales.clean.set]
model = { preset = "clean" }
stop = { epochs = 5, steps = 3 }
"#;

fn plan(scale: &str, overrides: &Overrides) -> Plan {
    Experiment::from_toml(EXPERIMENT, "e.toml").unwrap().plan(scale, overrides).unwrap()
}

fn configs(plan: &Plan) -> Vec<RunConfig> {
    plan.runs.iter().map(|run| plan.config(&run.id, "p.json").unwrap()).collect()
}

#[test]
fn every_arm_runs_with_every_seed() {
    let plan = plan("quick", &Overrides::default());
    let runs: Vec<_> = plan.runs.iter().map(|run| (run.arm.as_str(), run.seed)).collect();
    let arms = ["2d-fixed", "c-nope", "learn-0.2", "learn-2.0"];
    assert_eq!(runs, arms.iter().flat_map(|arm| [3, 4, 5].map(|seed| (*arm, seed))).collect::<Vec<_>>());
    let ids: BTreeSet<_> = plan.runs.iter().map(|run| &run.id).collect();
    assert_eq!(ids.len(), 12);
    assert_eq!((plan.dataset.train, plan.dataset.test, plan.dataset.generalization), (81, 9, 36));
    for (run, config) in plan.runs.iter().zip(configs(&plan)) {
        assert_eq!((config.experiment.as_str(), config.scale.as_str()), ("lst", "quick"));
        assert_eq!((config.arm.as_str(), config.seeds.seed()), (run.arm.as_str(), run.seed));
        assert_eq!((config.model.width, config.model.blocks, config.model.readout), (32, 4, Readout::Last));
        assert_eq!((config.optimizer.lr, config.stop.epochs, config.batch), (3e-4, 12, 128));
        assert_eq!(config.model.causal, run.arm == "c-nope");
        let seeds = Streams::new(run.seed).pin(Stream::Data, 1).pin(Stream::Split, 1);
        assert_eq!(config.seeds, seeds);
        assert_eq!((run.steps, run.config_hash.as_str()), (12, config.hash().as_str()));
        assert!(run.id.starts_with(&format!("{}-s{}-", run.arm, run.seed)), "{}", run.id);
        assert!(config.to_toml().contains(&format!("sha256 = \"{}\"", plan.dataset.sha256)));
    }
    assert!(matches!(&configs(&plan)[6].model.encoding, EncodingConfig::Learned(c) if c.sigma == 0.2));
}

#[test]
fn presets_and_scales_differ_as_they_say() {
    let (paper, clean) = (plan("quick", &Overrides::default()), plan("clean", &Overrides::default()));
    let (paper, config) = (&configs(&paper)[6], &configs(&clean)[0]);
    assert_eq!((paper.model.sinusoid_dropout, config.model.sinusoid_dropout), (0.1, 0.0));
    assert_eq!((config.model.readout, config.optimizer.lr), (Readout::Target, 1e-4));
    assert_eq!(clean.runs[0].steps, 3, "fewer than 5 epochs have");
}

#[test]
fn the_command_line_overrides_arms_seeds_and_puzzles() {
    let only = |overrides: Overrides| {
        let plan = plan("quick", &overrides);
        plan.runs.iter().map(|run| format!("{} {}", run.arm, run.seed)).collect::<Vec<_>>().join(", ")
    };
    let (pe, sigma, seeds) = (vec!["nope".to_owned()], vec![0.5], vec![9]);
    let given = |pe: &[String], sigma: &[f64], seeds: &[u64]| {
        only(Overrides {
            pe: pe.to_vec(),
            sigma: sigma.to_vec(),
            seeds: seeds.to_vec(),
            ..Overrides::default()
        })
    };
    assert_eq!(given(&pe, &sigma, &seeds), "nope 9, learn-0.5 9");
    assert_eq!(given(&pe, &[], &seeds), "nope 9");
    assert_eq!(given(&[], &sigma, &seeds), "learn-0.5 9");
    assert_eq!(given(&pe, &[], &[]), "nope 3, nope 4, nope 5");

    let folder = tempfile::tempdir().unwrap();
    let generator = GeneratorConfig { pool: 60, generalization: 9, ..GeneratorConfig::default() };
    let data = LatinSquareData::generate(&generator, &Streams::new(3)).unwrap();
    data.save(folder.path()).unwrap();
    let with =
        |puzzles: PathBuf| plan("clean", &Overrides { puzzles: Some(puzzles), ..Overrides::default() });
    let plan = with(folder.path().to_owned());
    assert_eq!(
        (plan.dataset.source.as_str(), plan.dataset.sha256.as_str()),
        ("files", data.sha256().as_str())
    );
    // The same puzzles elsewhere are the same run.
    let elsewhere = tempfile::tempdir().unwrap();
    data.save(elsewhere.path()).unwrap();
    let other = with(elsewhere.path().to_owned());
    assert_ne!(plan.runs[0].config, other.runs[0].config);
    assert_eq!(
        (&plan.runs[0].id, &plan.runs[0].config_hash),
        (&other.runs[0].id, &other.runs[0].config_hash)
    );
}

/// Identities must not change without notice: finished runs would be run again.
#[test]
fn ids_are_stable() {
    let ids: Vec<_> = plan("quick", &Overrides::default()).runs.into_iter().map(|run| run.id).collect();
    assert_eq!(ids[0], "2d-fixed-s3-920c7953");
    assert_eq!(tiny_config(&[]).run_id(), "learn-0.2-s1-6825d959");
    assert_eq!(plan("quick", &Overrides::default()), plan("quick", &Overrides::default()));
    let config = tiny_config(&[]);
    assert_eq!(RunConfig::from_toml(&config.to_toml(), "again").unwrap().hash(), config.hash());
}

#[test]
fn plans_read_back_from_json() {
    let plan = plan("quick", &Overrides::default());
    assert_eq!(Plan::from_json(&serde_json::to_string_pretty(&plan).unwrap(), "p.json").unwrap(), plan);
}

/// The experiment that ships, if this is a checkout.
#[test]
fn the_latin_square_experiment_expands() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/experiments/lst.toml");
    let Ok(text) = fs::read_to_string(path) else {
        eprintln!("skipped: no {path}");
        return;
    };
    let mut experiment = Experiment::from_toml(&text, path).unwrap();
    // The real data take a second to generate for each scale.
    change(&mut experiment.base, "task.generator", "{ pool = 90, generalization = 36 }");
    for (scale, runs) in [("quick", 6), ("standard", 126), ("paper", 495)] {
        assert_eq!(experiment.plan(scale, &Overrides::default()).unwrap().runs.len(), runs, "{scale}");
    }
}

#[test]
fn a_plan_that_nobody_reads_on_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("e.toml"), EXPERIMENT).unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = program();
    command.current_dir(folder.path()).args(["plan", "e.toml", "--json"]);
    let output = command.stdout(writer).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    #[cfg(target_os = "linux")]
    {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (code, line) = crate::common::refused(&command.stdout(full).output().unwrap());
        assert!(code == 1 && line.contains("cannot write standard output"), "{line}");
    }
}

/// A config with every optional setting.
fn full() -> Table {
    let all = [
        ("clip", "1.0"),
        ("seeds.pins", "{ data = 1, split = 1 }"),
        ("task.puzzles", "'here'"),
        ("task.sha256", "'abc'"),
        (
            "task.generator",
            "{ pool_givens = { binary = [[5, 1]], ternary = [[5, 1]], quaternary = [[6, 1]] } }",
        ),
        (
            "model.encoding",
            "{ kind = 'learned', sigma = 0.2, distribution = 'normal', sharing = 'per-block' }",
        ),
        ("optimizer.betas", "[0.9, 0.99]"),
        ("optimizer.weight_decay", "0.1"),
        ("optimizer.epsilon", "1e-8"),
        ("schedule", "{ kind = 'cosine', warm_up = 3, floor = 0.4 }"),
        (
            "stop",
            "{ epochs = 4, steps = 9, train_accuracy = 0.9, plateau = { patience = 2, min_delta = 0.1 } }",
        ),
        ("record", "{ evaluate_every = 2, snapshots = [1, 2] }"),
    ];
    let config: RunConfig = toml::from_str(&tiny(&all)).unwrap();
    // Written out, so that defaults stand in it, too.
    config.to_toml().parse().unwrap()
}

/// The paths of all leaves of a table.
fn leaves(table: &Table, path: &str, found: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        match value {
            Value::Table(inner) => leaves(inner, &path, found),
            leaf => found.push((path, leaf.clone())),
        }
    }
}

/// Another value for a leaf, as TOML.
fn another(path: &str, value: &Value) -> String {
    let text = match path {
        "model.norm" => "'pre'",
        "model.mlp" => "'gelu-hidden'",
        "model.readout" => "'last'",
        "model.encoding.distribution" => "'uniform'",
        "model.encoding.sharing" => "'shared'",
        "optimizer.kind" => "'adam'",
        _ => "",
    };
    match value {
        _ if !text.is_empty() => text.to_owned(),
        Value::Integer(n) => (n + 1).to_string(),
        Value::Float(x) => format!("{:?}", x / 2.0 + 0.25),
        Value::Boolean(b) => (!b).to_string(),
        Value::String(text) => format!("'{text}x'"),
        Value::Array(items) if items.is_empty() => "[3]".to_owned(),
        Value::Array(items) => Value::Array(items[..items.len() - 1].to_vec()).to_string(),
        other => panic!("{path}: {other}"),
    }
}

#[test]
fn the_hash_depends_on_every_setting_but_the_place_of_the_data() {
    let full = full();
    let hash = |table: &Table| toml::from_str::<RunConfig>(&table.to_string()).map(|config| config.hash());
    let original = hash(&full).unwrap();
    let mut paths = Vec::new();
    leaves(&full, "", &mut paths);
    assert!(paths.len() > 50, "{}", paths.len());
    for (path, value) in &paths {
        let mut other = full.clone();
        change(&mut other, path, &another(path, value));
        match path.as_str() {
            "task.puzzles" => assert_eq!(hash(&other).unwrap(), original),
            // Tags whose other variants have other keys, and the arrays of fixed length.
            "task.kind" | "model.encoding.kind" | "schedule.kind" | "optimizer.betas" => {}
            _ => assert_ne!(hash(&other).unwrap_or_else(|e| panic!("{path}: {e}")), original, "{path}"),
        }
    }
    for (path, value) in [
        ("model.encoding", "{ kind = 'random' }"),
        ("model.encoding", "{ kind = 'nope' }"),
        ("schedule", "{ kind = 'constant' }"),
        ("optimizer.betas", "[0.9, 0.999]"),
        ("stop.plateau", ""),
        ("clip", ""),
    ] {
        let mut other = full.clone();
        change(&mut other, path, value);
        assert_ne!(hash(&other).unwrap(), original, "{path}");
    }
    // Without the hash of the data, their place is all that is known of them.
    let mut unknown = full.clone();
    change(&mut unknown, "task.sha256", "");
    let before = hash(&unknown).unwrap();
    change(&mut unknown, "task.puzzles", "'there'");
    assert_ne!(hash(&unknown).unwrap(), before);
}
