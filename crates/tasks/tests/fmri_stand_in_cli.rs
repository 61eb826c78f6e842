//! `tasks fmri stand-in` and `tasks fmri stats`: what they write, print and refuse.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

fn tasks(args: &[&str]) -> Output {
    Command::cargo_bin("tasks").unwrap().arg("fmri").args(args).output().unwrap()
}

/// A stand-in of six regions and three short subjects.
fn made(folder: &Path, seed: &str) -> Output {
    let settings = folder.join("settings.toml");
    fs::write(&settings, "pairs = 3\ninner_pairs = 1\nsubjects = 3\nframes = 120\n").unwrap();
    let out = folder.join("made");
    tasks(&[
        "stand-in",
        "--out",
        out.to_str().unwrap(),
        "--config",
        settings.to_str().unwrap(),
        "--seed",
        seed,
    ])
}

fn refusal(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    (output.status.code().unwrap(), text)
}

#[test]
fn a_stand_in_is_written_once_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let first = made(folder.path(), "1");
    assert!(first.status.success(), "{first:?}");
    let text = String::from_utf8(first.stdout.clone()).unwrap();
    assert!(text.contains("3 subjects of 120 frames, 6 regions") && text.contains("made up"), "{text}");
    let names: Vec<_> =
        ["dataset.json", "regions.csv", "subject-1.npy", "subject-2.npy", "subject-3.npy"].into();
    let mut found: Vec<String> = fs::read_dir(folder.path().join("made"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(found, names);
    // The same again is no harm, another is.
    assert_eq!(made(folder.path(), "1").stdout, first.stdout);
    let (code, line) = refusal(&made(folder.path(), "2"));
    assert!(code == 2 && line.contains("choose another --out or add --force"), "{line}");

    let path = folder.path().join("made");
    let output = tasks(&["stats", path.to_str().unwrap(), "--json"]);
    let stats: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&stats["subjects"], &stats["frames"], &stats["parcels"]),
        (&3.into(), &360.into(), &6.into())
    );
    let predictors: Vec<&str> = stats["one_masked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["predictor"].as_str().unwrap())
        .collect();
    assert!(predictors.contains(&"nearest") && predictors.contains(&"paired"), "{predictors:?}");
    let kinds: Vec<&Value> =
        stats["distance_correlation"].as_array().unwrap().iter().map(|row| &row["count"]).collect();
    assert_eq!(kinds, [6, 4]);
    let text = String::from_utf8(tasks(&["stats", path.to_str().unwrap()]).stdout).unwrap();
    assert!(
        text.contains("R², half masked: gaussian") && text.contains("without the global signal"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("wrong.toml"), "pairs = 1\n").unwrap();
    fs::write(path("unknown.toml"), "regions = 94\n").unwrap();
    fs::create_dir(path("empty")).unwrap();
    for (args, words) in [
        (vec!["stand-in", "--out", &path("x"), "--config", &path("wrong.toml")], "`stand_in.pairs`"),
        (vec!["stand-in", "--out", &path("x"), "--config", &path("unknown.toml")], "unknown field `regions`"),
        (vec!["stand-in"], "--out"),
        (vec!["stats"], "<FOLDER>"),
        (vec!["stats", &path("none")], "cannot read"),
        (vec!["stats", &path("empty")], "expected recordings"),
    ] {
        let (code, line) = refusal(&tasks(&args));
        assert!(code == 2 && line.contains(words), "{args:?}: {line}");
    }
    assert!(!folder.path().join("x").exists());
}
