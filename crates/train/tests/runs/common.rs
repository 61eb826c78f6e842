//! Tiny configs, runs of the program, and what they left.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use safetensors::SafeTensors;
use serde_json::Value;
use tempfile::TempDir;
use toml::Table;
use train::RunConfig;

/// 81 training puzzles in 3 batches an epoch, two blocks of width 16: about a millisecond a step.
const TINY: &str = r#"
schema = 1
experiment = "tiny"
scale = "custom"
arm = "learn-0.2"
batch = 27
seeds = { seed = 1 }
task = { kind = "latin-square", generator = { pool = 90, generalization = 36 } }
optimizer = { kind = "adam-w", lr = 1e-3 }
stop = { epochs = 4 }

[model]
inputs = 5
outputs = 4
tokens = 16
axes = 2
width = 16
heads = 2
blocks = 2
hidden = 24
norm = "post"
norm_epsilon = 1e-5
final_norm = false
mlp = "gelu-both"
causal = false
readout = "target"
dropout = 0.0
sinusoid_dropout = 0.0
encoding = { kind = "learned", sigma = 0.2 }
"#;

/// Settings of the arm `2d-fixed` as in the preset `paper`, with the dropout that stays on in evaluation.
pub(crate) const PAPER_2D: [(&str, &str); 4] = [
    ("arm", "'2d-fixed'"),
    ("model.encoding", "{ kind = 'sinusoid-kd' }"),
    ("model.readout", "'last'"),
    ("model.sinusoid_dropout", "0.1"),
];

/// Settings of the task `network`: nine nodes on a grid, two subjects to train on, 108 items in 4 batches an epoch.
pub(crate) const NETWORK: [(&str, &str); 4] = [
    (
        "task",
        "{ kind = 'network', network = { subjects = 3, frames = 60, graph = { kind = 'grid', sides = [3, 3] } }, \
         masked = { batch = 27, evaluation = { fractions = [0.25, 0.5], most_items = 20 } } }",
    ),
    ("model.inputs", "2"),
    ("model.outputs", "1"),
    ("model.tokens", "9"),
];

/// Settings of the task `recordings`: ten regions of the stand-in without their global signal, two subjects to train on,
/// 102 items in 4 batches an epoch.
pub(crate) const RECORDINGS: [(&str, &str); 5] = [
    (
        "task",
        "{ kind = 'recordings', global_signal = 'regressed', \
         stand_in = { pairs = 5, inner_pairs = 1, subjects = 3, frames = 60 }, \
         masked = { batch = 27, standardize = 'subject', gap = { frames = 3 }, \
         held_out = { fold = { index = 1, of = 3 } }, evaluation = { fractions = [0.3, 0.5], most_items = 20 } } }",
    ),
    ("model.inputs", "2"),
    ("model.outputs", "1"),
    ("model.tokens", "10"),
    ("model.axes", "3"),
];

/// The tiny config with settings changed, each a path and a TOML value; an empty value takes the key away.
pub(crate) fn tiny(changes: &[(&str, &str)]) -> String {
    let mut table: Table = TINY.parse().unwrap();
    for (path, value) in changes {
        change(&mut table, path, value);
    }
    table.to_string()
}

pub(crate) fn tiny_config(changes: &[(&str, &str)]) -> RunConfig {
    RunConfig::from_toml(&tiny(changes), "tiny.toml").unwrap()
}

/// Sets or takes away what a path such as `stop.epochs` names.
pub(crate) fn change(table: &mut Table, path: &str, value: &str) {
    let (folders, key) = path.rsplit_once('.').unwrap_or(("", path));
    let mut inner = table;
    for folder in folders.split('.').filter(|folder| !folder.is_empty()) {
        let entry = inner.entry(folder).or_insert_with(|| Table::new().into());
        inner = entry.as_table_mut().unwrap();
    }
    match value {
        "" => inner.remove(key),
        _ => inner.insert(key.to_owned(), format!("x = {value}").parse::<Table>().unwrap()["x"].clone()),
    };
}

/// A folder with a config in it, and runs of that config.
pub(crate) struct Place {
    folder: TempDir,
    id: String,
}

impl Place {
    pub(crate) fn new(changes: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.toml"), tiny(changes)).unwrap();
        Self { id: tiny_config(changes).run_id(), folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The run directory under the output folder `out`.
    pub(crate) fn run_dir(&self, out: &str) -> PathBuf {
        self.path().join(out).join("tiny").join(&self.id)
    }

    /// `train run` into the output folder `out`.
    pub(crate) fn command(&self, out: &str, args: &[&str]) -> Command {
        let mut command = program();
        command.current_dir(self.path()).args(["run", "config.toml", "--out", out]).args(args);
        command
    }

    pub(crate) fn run(&self, out: &str, args: &[&str]) -> (i32, String) {
        ended(&self.command(out, args).output().unwrap())
    }

    /// A whole run from its start to its end.
    pub(crate) fn complete(&self, out: &str) -> Record {
        let (code, line) = self.run(out, &[]);
        assert!(code == 0 && line.ends_with(": complete"), "{code}: {line}");
        Record::read(&self.run_dir(out))
    }
}

pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_train"))
}

/// The exit code, and the last line on standard error.
pub(crate) fn ended(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    (output.status.code().unwrap_or(-1), text.lines().last().unwrap_or_default().to_owned())
}

/// The exit code, and the only line on standard error besides those on progress.
pub(crate) fn refused(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().filter(|line| !line.starts_with("step ")).count(), 1, "{text}");
    ended(output)
}

/// What a run leaves, without wall times.
#[derive(Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) model: Vec<u8>,
    pub(crate) tensors: Vec<u8>,
    pub(crate) metrics: Vec<Value>,
    pub(crate) manifest: Value,
}

impl Record {
    pub(crate) fn read(dir: &Path) -> Self {
        let bytes = |name: &str| fs::read(dir.join(name)).unwrap();
        let metrics = String::from_utf8(bytes("metrics.jsonl")).unwrap();
        let mut manifest: Value = serde_json::from_slice(&bytes("manifest.json")).unwrap();
        for key in ["started", "finished", "seconds", "files", "program"] {
            assert!(manifest.as_object_mut().unwrap().remove(key).is_some(), "{key}");
        }
        let line = |line: &str| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            assert!(line.as_object_mut().unwrap().remove("seconds").unwrap().as_f64().unwrap() >= 0.0);
            line
        };
        let names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let besides = ["baselines.json", "tokens.csv"].iter().filter(|name| dir.join(name).exists()).count();
        assert_eq!(names.len() - besides, 6, "five files and the lock, nothing left over: {names:?}");
        Self {
            model: bytes("model.safetensors"),
            tensors: bytes("tensors.safetensors"),
            metrics: metrics.lines().map(line).collect(),
            manifest,
        }
    }

    /// The lines with these values.
    pub(crate) fn lines(&self, wanted: &[(&str, &str)]) -> Vec<&Value> {
        let fits = |line: &&Value| wanted.iter().all(|(key, value)| line[*key] == *value);
        self.metrics.iter().filter(fits).collect()
    }

    /// The epochs of the lines with these values.
    pub(crate) fn epochs(&self, wanted: &[(&str, &str)]) -> Vec<u64> {
        self.lines(wanted).iter().map(|line| line["epoch"].as_u64().unwrap()).collect()
    }

    /// `tensors.safetensors`: shape and values by name.
    pub(crate) fn tensors(&self) -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
        floats(&self.tensors)
    }
}

pub(crate) fn floats(bytes: &[u8]) -> BTreeMap<String, (Vec<usize>, Vec<f32>)> {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let values = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    file.iter().map(|(name, view)| (name.to_owned(), (view.shape().to_vec(), values(view.data())))).collect()
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
