//! A whole experiment in small, through the binaries that the workspace has built.

mod support;

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use support::{built, small_experiment};

fn reproduce(dir: &Path, more: &[&str]) -> std::process::Output {
    let file = dir.join("tiny.toml");
    std::fs::write(&file, small_experiment("tiny")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("reproduce").arg(file).args(["--no-build", "--out"]).arg(dir.join("out")).args(more);
    command.output().unwrap()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn an_experiment_ends_with_verdicts_and_a_report_and_is_not_repeated() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = reproduce(dir.path(), &["--jobs", "2"]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("no claim is about an experiment of the name `tiny`"), "{stdout}");

    let runs = files(&dir.path().join("out/runs/tiny"));
    assert_eq!(runs.len(), 8, "{runs:?}");
    for run in &runs {
        for name in [
            "config.toml",
            "manifest.json",
            "metrics.jsonl",
            "tensors.safetensors",
            "model.safetensors",
            "probe.json",
        ] {
            assert!(run.join(name).exists(), "{} lacks {name}", run.display());
        }
        assert!(!run.join("checkpoint").exists());
    }
    let report = dir.path().join("out/reports/tiny-quick-generated");
    let claims: Vec<Value> =
        serde_json::from_slice(&std::fs::read(report.join("claims.json")).unwrap()).unwrap();
    let sooner = claims.iter().find(|claim| claim["id"] == "lst.learns-sooner").unwrap();
    assert_eq!(
        sooner["verdict"], "not judged at this scale",
        "the papers' claims are not about an experiment of another name"
    );
    assert!(dir.path().join("out/reports/index.html").exists());
    for name in ["accuracy.csv", "curves.csv", "geometry.csv"] {
        assert!(std::fs::read_to_string(report.join(name)).unwrap().lines().count() > 8, "{name}");
    }

    // Again: every run is skipped, with the reason, and nothing about the runs changes.
    let before: Vec<_> = runs.iter().map(|run| std::fs::read(run.join("manifest.json")).unwrap()).collect();
    let again = reproduce(dir.path(), &[]);
    assert!(again.status.success());
    assert!(String::from_utf8_lossy(&again.stdout).contains("continuing: 8 of 8 runs done"));
    assert_eq!(String::from_utf8_lossy(&again.stderr).matches("skipped: complete already").count(), 8);
    let after: Vec<_> = runs.iter().map(|run| std::fs::read(run.join("manifest.json")).unwrap()).collect();
    assert_eq!(before, after);
}

/// Two machines take a part each; what they leave, copied together, is the whole experiment.
#[test]
fn shards_make_one_experiment() {
    if !built() {
        return;
    }
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut seen = Vec::new();
    for (dir, shard) in [(&one, "1/2"), (&two, "2/2")] {
        let output =
            reproduce(dir.path(), &["--jobs", "1", "--shard", shard, "--sigma", "0.2", "--pe", "nope"]);
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{stdout}\n{}", String::from_utf8_lossy(&output.stderr));
        assert!(stdout.contains(&format!("shard {shard}: 2 of the 4 runs")), "{stdout}");
        let runs = files(&dir.path().join("out/runs/tiny"));
        assert_eq!(runs.len(), 2, "{runs:?}");
        seen.extend(runs.iter().map(|run| run.file_name().unwrap().to_owned()));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4, "no run stands in both parts: {seen:?}");
    let plans = |dir: &tempfile::TempDir| {
        let plan = files(&dir.path().join("out/plans"));
        assert_eq!(plan.len(), 1);
        std::fs::read(&plan[0]).unwrap()
    };
    assert_eq!(plans(&one), plans(&two), "both machines froze the same plan");

    let whole = ["--sigma", "0.2", "--pe", "nope"];
    // What is there is judged; what is not is left out, and not trained.
    let part = reproduce(one.path(), &[&whole[..], &["--no-train"]].concat());
    let stdout = String::from_utf8_lossy(&part.stdout);
    assert!(part.status.success() && stdout.contains("2 of 4 runs are finished"), "{stdout}");
    // Weights are large, and left behind when directories are copied: nothing is trained anew for that.
    let lacking = &files(&one.path().join("out/runs/tiny"))[0];
    let weights = std::fs::read(lacking.join("model.safetensors")).unwrap();
    std::fs::remove_file(lacking.join("model.safetensors")).unwrap();
    let manifest = std::fs::read(lacking.join("manifest.json")).unwrap();
    assert!(reproduce(one.path(), &[&whole[..], &["--no-train"]].concat()).status.success());
    assert_eq!(std::fs::read(lacking.join("manifest.json")).unwrap(), manifest);
    assert!(!lacking.join("model.safetensors").exists() && lacking.join("probe.json").exists());
    std::fs::write(lacking.join("model.safetensors"), weights).unwrap();
    for run in files(&two.path().join("out/runs/tiny")) {
        let target = one.path().join("out/runs/tiny").join(run.file_name().unwrap());
        std::fs::rename(run, target).unwrap();
    }
    let merged = reproduce(one.path(), &whole);
    assert!(merged.status.success());
    assert_eq!(String::from_utf8_lossy(&merged.stderr).matches("skipped: complete already").count(), 4);
    assert_eq!(files(&one.path().join("out/runs/tiny")).len(), 4);
}

/// A run that diverges does so every time: what finished beside it is judged all the same.
#[test]
fn what_finished_is_judged_although_another_run_diverged() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = reproduce(dir.path(), &["--sigma", "0.2,1e30", "--seeds", "1", "--jobs", "1"]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{stdout}\n{stderr}");
    assert!(
        stderr.contains("the loss became") && stderr.contains("1 of 2 runs failed (learn-1e30-"),
        "{stderr}"
    );
    let judged = dir.path().join("out/reports/index.html");
    assert!(stdout.contains("report:") && judged.exists(), "{stdout}");
    let probed =
        files(&dir.path().join("out/runs/tiny")).into_iter().filter(|run| run.join("probe.json").exists());
    assert_eq!(probed.count(), 1);
}

#[test]
fn a_dry_run_lists_the_runs_and_trains_nothing() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = reproduce(dir.path(), &["--dry-run", "--sigma", "0.1,0.5", "--seeds", "7", "--jobs", "1"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.contains("learn-0.1-s7-") && stdout.contains("learn-0.5-s7-"), "{stdout}");
    assert!(stdout.contains("2 runs, at most") && !stdout.contains("2d-fixed"), "{stdout}");
    assert!(!dir.path().join("out/runs").exists());
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["--tables", "/no/such/folder"], "--tables has no effect here"),
        (&["--shard", "3/2"], "--shard is `3/2`: expected i/n"),
        (&["--shard", "9/9"], "shard 9/9 of 8 runs is empty: choose fewer shards"),
        (&["--no-train"], "no run of the plan is finished"),
        (&["--jobs", "0"], "--jobs is 0"),
        (&["--scale", "huge"], "expected one of quick"),
        (&["--sigma=-1"], "sigma is -1"),
        (&["--pe", "3d-fixed"], "unknown positional encoding `3d-fixed`"),
        (&["--puzzles", "/no/such/folder"], "/no/such/folder"),
    ];
    for (arguments, expected) in cases {
        let output = reproduce(dir.path(), arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains(expected) && stderr.lines().count() == 1, "{arguments:?}: {stderr}");
        assert!(!dir.path().join("out/runs").exists(), "{arguments:?} left something behind");
    }
    let named = small_experiment("lst");
    std::fs::write(dir.path().join("lst.toml"), named).unwrap();
    let taken = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["reproduce", "--no-build"])
        .arg(dir.path().join("lst.toml"))
        .output()
        .unwrap();
    assert_eq!(taken.status.code(), Some(2));
    assert!(
        String::from_utf8_lossy(&taken.stderr).contains("the name `lst` is that of a paper's experiment")
    );
    let idle = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["reproduce", "tables", "--no-build", "--seeds", "1,2"])
        .output()
        .unwrap();
    assert_eq!(idle.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&idle.stderr).contains("--seeds has no effect here"));
    let unknown = Command::new(env!("CARGO_BIN_EXE_xtask")).args(["reproduce", "nothing"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("unknown experiment `nothing`"));
}
