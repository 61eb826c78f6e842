//! The command line: what it writes, what it refuses, and its exit codes.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

const SMALL: [&str; 8] = ["lst", "generate", "--pool", "30", "--generalization", "9", "--seed", "5"];

fn tasks(args: &[&str]) -> Output {
    Command::cargo_bin("tasks").unwrap().args(args).output().unwrap()
}

fn generate(folder: &Path, more: &[&str]) -> Output {
    tasks(&[&SMALL, ["--out", folder.to_str().unwrap()].as_slice(), more].concat())
}

/// The exit code, and the one line on standard error.
fn refusal(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    (output.status.code().unwrap(), text)
}

#[test]
fn generate_check_and_stats() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let output = generate(folder.path(), &[]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("30 puzzles of order 4 and 9 to generalize to"));
    let mut names: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["binary.csv", "generalization.csv", "quaternary.csv", "ternary.csv"]);
    assert!(tasks(&["lst", "check", path]).status.success());
    assert!(tasks(&["lst", "check", folder.path().join("binary.csv").to_str().unwrap()]).status.success());
    let stats = tasks(&["lst", "stats", path, "--json"]).stdout;
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    assert_eq!(stats["pool"]["levels"]["ternary"]["puzzles"], 10);
    assert_eq!(stats["generalization"]["groups"], 3);
    assert!(stats["min_jaccard_distance"].as_f64().unwrap() > 0.8);
    let text = String::from_utf8(tasks(&["lst", "stats", path]).stdout).unwrap();
    assert!(text.contains(stats["sha256"].as_str().unwrap()));
}

#[test]
fn other_files_are_replaced_only_by_force() {
    let folder = tempfile::tempdir().unwrap();
    assert!(generate(folder.path(), &[]).status.success());
    let before = fs::read(folder.path().join("binary.csv")).unwrap();
    assert!(generate(folder.path(), &[]).status.success(), "the same bytes are no harm");
    let (code, line) = refusal(&generate(folder.path(), &["--min-jaccard", "0.7"]));
    assert!(code == 2 && line.contains("--force"), "{line}");
    assert_eq!(fs::read(folder.path().join("binary.csv")).unwrap(), before);
    assert!(generate(folder.path(), &["--min-jaccard", "0.7", "--force"]).status.success());
    assert_ne!(fs::read(folder.path().join("binary.csv")).unwrap(), before);
}

#[test]
fn bad_input_is_one_line_and_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("binary.csv");
    fs::write(&file, "ID,LST_num,condition,puzzles,solutions\n0,,Binary,123500000000000,4\n").unwrap();
    let settings = folder.path().join("settings.json");
    fs::write(&settings, r#"{"pol": 9}"#).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let cases: [(Output, &str); 9] = [
        (tasks(&["lst", "check", &text(&file)]), "binary.csv:2: expected 16 cells"),
        (tasks(&["lst", "stats", &text(&file)]), "binary.csv:2: expected 16 cells"),
        (tasks(&["lst", "check", "nowhere"]), "nowhere: cannot read"),
        (tasks(&["lst", "check", &text(&file), "--min-jaccard", "2"]), "expected 0 to 1, got 2"),
        (tasks(&["lst", "generate", "--seed", "1"]), "--out <DIR>"),
        (tasks(&["lst", "generate", "--sed", "1"]), "--sed"),
        (generate(folder.path(), &["--order", "10"]), "`order`: expected 2 to 9, got 10"),
        (
            generate(folder.path(), &["--config", &text(&settings)]),
            "settings.json: expected generator settings",
        ),
        (
            generate(folder.path(), &["--min-jaccard", "0.99", "--max-rejections", "9999"]),
            "9999 candidates in a row",
        ),
    ];
    for (output, expected) in cases {
        let (code, line) = refusal(&output);
        assert!(code == 2 && line.contains(expected), "{code}: {line}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing was written");
}

#[test]
fn settings_come_from_a_file_and_flags_win() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let givens = r#"{"binary": [[4, 1]], "ternary": [[5, 1]], "quaternary": [[6, 2], [7, 1]]}"#;
    fs::write(&settings, format!(r#"{{"pool": 900, "pool_givens": {givens}}}"#)).unwrap();
    let out = folder.path().join("new/folder");
    assert!(generate(&out, &["--config", settings.to_str().unwrap()]).status.success());
    let stats = tasks(&["lst", "stats", out.to_str().unwrap(), "--json"]).stdout;
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    assert_eq!(stats["pool"]["levels"]["quaternary"]["givens"], serde_json::json!({"6": 7, "7": 3}));
    assert_eq!(stats["pool"]["levels"]["binary"]["givens"], serde_json::json!({"4": 10}));
}

#[test]
fn what_is_too_close_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(generate(folder.path(), &["--min-jaccard", "0.3"]).status.success());
    let (code, line) = refusal(&tasks(&["lst", "check", folder.path().to_str().unwrap()]));
    assert!(code == 2 && line.contains("expected a Jaccard distance above 0.8"), "{line}");
}

/// A file where the folder should be: the input is fine, the disk is not.
#[test]
fn a_folder_that_cannot_be_made_is_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (code, line) = refusal(&generate(&file.join("out"), &[]));
    assert!(code == 1 && line.contains("cannot write"), "{line}");
}

/// A limit on the size of files stands in for a full disk: no part of a file is left.
#[cfg(unix)]
#[test]
fn a_full_disk_is_code_1_and_leaves_no_half_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" lst generate --pool 3000 --seed 1 --out \"$1\""])
        .arg(assert_cmd::cargo::cargo_bin("tasks"))
        .arg(&out)
        .output()
        .unwrap();
    let (code, line) = refusal(&output);
    assert!(code == 1 && line.contains("binary.csv: cannot write"), "{line}");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 0);
}

/// Standard output that is full is a failure, one that nobody reads any more is not.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_fails() {
    let folder = tempfile::tempdir().unwrap();
    assert!(generate(folder.path(), &[]).status.success());
    let program = assert_cmd::cargo::cargo_bin("tasks");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let stats = || {
        let mut command = std::process::Command::new(&program);
        command.args(["lst", "stats", "--json"]).arg(folder.path());
        command
    };
    let (code, line) = refusal(&stats().stdout(full).output().unwrap());
    assert!(code == 1 && line.contains("standard output"), "{line}");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = stats().stdout(writer).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}

#[test]
fn the_published_files_pass() {
    let Some(folder) = common::published() else { return };
    let output = tasks(&["lst", "check", folder.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("9000 puzzles of order 4 and 108"));
}
