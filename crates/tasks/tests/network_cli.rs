//! `tasks network` on the command line: what it writes, what it refuses, and its exit codes.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use streams::Streams;
use tasks::network::{NetworkConfig, NetworkData};

fn tasks(args: &[&str]) -> Output {
    Command::cargo_bin("tasks").unwrap().args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn simulate(folder: &Path, more: &[&str]) -> Output {
    let small = ["network", "simulate", "--seed", "5", "--out", text(folder), "--subjects", "2"];
    let frames = if more.contains(&"--frames") { &[][..] } else { &["--frames", "60"] };
    tasks(&[&small, frames, more].concat())
}

/// The exit code, and the one line on standard error.
fn refusal(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    (output.status.code().unwrap(), text)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn simulate_then_stats() {
    let folder = tempfile::tempdir().unwrap();
    let output = simulate(folder.path(), &[]);
    assert!(output.status.success(), "{output:?}");
    let expected = ["coords.npy", "coupling.npy", "network.json", "subject-0.npy", "subject-1.npy"];
    assert_eq!(names(folder.path()), expected);
    let config = NetworkConfig { subjects: 2, frames: 60, ..Default::default() };
    let made = NetworkData::generate(&config, &Streams::new(5)).unwrap();
    let (read, record) = NetworkData::load(folder.path()).unwrap();
    assert_eq!(read, made, "the file holds what the library makes");
    assert_eq!(record.sha256, made.sha256());
    let json = tasks(&["network", "stats", text(folder.path()), "--json"]).stdout;
    let stats: tasks::network::NetworkStats = serde_json::from_slice(&json).unwrap();
    assert_eq!(stats, record.stats);
    let output = tasks(&["network", "stats", text(folder.path())]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("ridge R² of a node from all others"));
}

#[test]
fn the_same_seed_writes_the_same_bytes_and_others_need_force() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("subject-0.npy");
    assert!(simulate(folder.path(), &[]).status.success());
    let before = fs::read(&file).unwrap();
    assert!(simulate(folder.path(), &[]).status.success(), "the same bytes are no harm");
    assert_eq!(fs::read(&file).unwrap(), before);
    let (code, line) = refusal(&simulate(folder.path(), &["--gain", "0.8"]));
    assert!(code == 2 && line.contains("--force"), "{line}");
    assert!(simulate(folder.path(), &["--gain", "0.8", "--force"]).status.success());
    assert_ne!(fs::read(&file).unwrap(), before);
}

#[test]
fn settings_come_from_toml_and_flags_win() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.toml");
    let modular =
        "frames = 9\n[graph]\nkind = \"modular\"\nsizes = [5, 6]\n[dynamics]\nintegrator = \"heun\"\n";
    fs::write(&settings, modular).unwrap();
    let out = folder.path().join("new/folder");
    assert!(simulate(&out, &["--config", text(&settings)]).status.success());
    assert!(
        names(&out).contains(&"modules.npy".to_owned()) && !names(&out).contains(&"coords.npy".to_owned())
    );
    let (data, record) = NetworkData::load(&out).unwrap();
    assert_eq!((data.graph.nodes(), record.config.frames), (11, 60));
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        text(&path).to_owned()
    };
    let out = folder.path().join("out");
    let wrong = file("wrong.toml", "[dynamics]\ngian = 1.0\n");
    let kind = file("kind.json", r#"{"graph": {"kind": "tree"}}"#);
    let apart = file("apart.json", r#"{"graph": {"kind": "modular", "between": 0.0}}"#);
    let relu = file("relu.json", r#"{"dynamics": {"nonlinearity": "relu"}}"#);
    let coarse = file("coarse.json", r#"{"dynamics": {"dt": 1.5}}"#);
    for (config, expected) in [
        (wrong.as_str(), "unknown field `gian`"),
        (&kind, "unknown variant `tree`"),
        (&apart, "expected all 36 nodes to be connected, got 4 parts"),
        (&relu, "below 1 for `relu`"),
        (&coarse, "got `dt` 1.5"),
        ("nowhere.json", "nowhere.json: cannot read"),
    ] {
        let (code, line) = refusal(&simulate(&out, &["--config", config]));
        assert!(code == 2 && line.contains(expected), "{code}: {line}");
    }
    let (code, line) = refusal(&simulate(&out, &["--noise", "-1"]));
    assert!(code == 2, "{line}");
    let (code, line) = refusal(&tasks(&["network", "stats", text(&out)]));
    assert!(code == 2 && line.contains("cannot read"), "{line}");
    assert!(!out.exists(), "nothing was written");
}

#[test]
fn a_folder_whose_files_changed_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(simulate(folder.path(), &[]).status.success());
    let file = folder.path().join("subject-1.npy");
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 2;
    bytes[last] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (code, line) = refusal(&tasks(&["network", "stats", text(folder.path())]));
    assert!(code == 2 && line.contains("SHA-256"), "{line}");
    fs::write(&file, "no array").unwrap();
    let (code, line) = refusal(&tasks(&["network", "stats", text(folder.path())]));
    assert!(code == 2 && line.contains("subject-1.npy: expected the file that network.json lists"), "{line}");
}

#[test]
fn baselines_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    assert!(simulate(folder.path(), &["--frames", "300"]).status.success());
    let path = text(folder.path());
    let json = tasks(&["network", "baselines", path, "--json"]).stdout;
    let rows: serde_json::Value = serde_json::from_slice(&json).unwrap();
    // 2 parts, 4 shares, 6 baselines.
    assert_eq!(rows.as_array().unwrap().len(), 48);
    let gaussian = rows.as_array().unwrap().iter().find(|row| row["baseline"] == "gaussian").unwrap();
    assert!(gaussian["mse"].as_f64().unwrap() < 1.0 && gaussian["masked"] == 5, "{gaussian}");
    assert!(tasks(&["network", "baselines", path, "--seed", "3"]).status.success());
    let settings = folder.path().join("masked.toml");
    fs::write(&settings, "mask = { fixed = 2.0 }\n").unwrap();
    let (code, line) = refusal(&tasks(&["network", "baselines", path, "--config", text(&settings)]));
    assert!(code == 2 && line.contains("masks 72"), "{line}");
}

/// A file where the folder should be: the input is fine, the disk is not.
#[test]
fn a_folder_that_cannot_be_made_is_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (code, line) = refusal(&simulate(&file.join("out"), &[]));
    assert!(code == 1 && line.contains("cannot write"), "{line}");
}

/// A limit on the size of files stands in for a full disk: there is no record of a folder that is not whole.
#[cfg(unix)]
#[test]
fn a_full_disk_is_code_1_and_leaves_no_record() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let command = "trap '' XFSZ; ulimit -f 64; exec \"$0\" network simulate --seed 1 --out \"$1\"";
    let program = assert_cmd::cargo::cargo_bin("tasks");
    let output =
        std::process::Command::new("sh").args(["-c", command]).arg(program).arg(&out).output().unwrap();
    let (code, line) = refusal(&output);
    assert!(code == 1 && line.contains("subject-0.npy: cannot write"), "{line}");
    assert_eq!(names(&out), ["coords.npy", "coupling.npy"], "only whole files");
}

#[test]
fn the_benchmark_runs() {
    let output = tasks(&["network", "bench", "--nodes", "30", "--steps", "20", "--rounds", "2", "--json"]);
    assert!(output.status.success(), "{output:?}");
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((rows[0]["form"].as_str(), rows[1]["form"].as_str()), (Some("dense"), Some("sparse")));
    assert_eq!(rows[0]["ns_per_node_step"].as_array().unwrap().len(), 2);
}

/// Standard output is not to blame for what another program does.
#[test]
fn a_python_that_is_not_there_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let python = folder.path().join("no-python");
    let small = ["network", "bench", "--nodes", "30", "--steps", "1", "--rounds", "1", "--python"];
    let (code, line) = refusal(&tasks(&[&small[..], &[text(&python)]].concat()));
    assert!(code == 2 && line.contains("--python: expected a program to run, got"), "{code}: {line}");
    assert!(line.contains("no-python") && !line.contains("standard output"), "{line}");
}

#[test]
fn a_folder_with_a_file_of_another_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a");
    assert!(simulate(&out, &["--gain", "0.9"]).status.success());
    // Same graph, same sizes, another file: the hash of the data alone would not see it.
    let coupling = out.join("coupling.npy");
    let mut bytes = fs::read(&coupling).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    fs::write(&coupling, bytes).unwrap();
    let (code, line) = refusal(&tasks(&["network", "stats", text(&out)]));
    assert!(code == 2 && line.contains("coupling.npy") && line.contains("SHA-256"), "{line}");
    fs::remove_file(&coupling).unwrap();
    let (code, line) = refusal(&tasks(&["network", "stats", text(&out)]));
    assert!(code == 2 && line.contains("cannot read"), "{line}");
}
