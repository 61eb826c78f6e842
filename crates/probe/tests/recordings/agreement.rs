//! `probe agreement`: runs on two halves of the data.

use std::path::{Path, PathBuf};

use ndarray::Array2;
use probe::agreement::{AgreementReport, agreement_report};
use probe::run_dir::{RunDir, Table};
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use streams::StreamRng;

use crate::run::{REGIONS, RecordingRun, WIDTH};
use crate::support::probe;

fn halves(root: &Path, seeds: &[u64], planted: f64) -> Vec<PathBuf> {
    let run = |variant, seed| RecordingRun { variant, planted, ..RecordingRun::new(0.1, seed) }.write(root);
    seeds.iter().flat_map(|&seed| [run("first", seed), run("second", seed)]).collect()
}

fn refused(dirs: &[PathBuf], further: &[&str], words: &[&str]) {
    let done = probe().arg("agreement").args(dirs).args(further).assert().code(2);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    words.iter().for_each(|word| assert!(text.contains(word), "`{word}` is not in: {text}"));
}

#[test]
fn halves_that_share_places_agree() {
    let root = tempfile::tempdir().unwrap();
    let mut dirs = halves(root.path(), &[1, 2, 3, 4], 1.0);
    let fixed = RecordingRun { kind: "sinusoid-kd", ..RecordingRun::new(0.1, 1) };
    dirs.push(RecordingRun { variant: "first", ..RecordingRun::new(2.0, 1) }.write(root.path()));
    dirs.push(fixed.write(root.path()));
    let out = root.path().join("agreement.json");
    let mut command = probe();
    command.arg("agreement").args(&dirs).args(["--permutations", "199", "--draws", "49", "--json", "--out"]);
    let done = command.arg(&out).assert().success();
    let printed: Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let json: Value = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    assert_eq!(printed, json);
    assert_eq!(
        (&json["table"], &json["n"], &json["experiment"]),
        (&"all".into(), &21.into(), &"fmri".into())
    );
    let arm = &json["arms"][0];
    assert_eq!((&arm["arm"], &arm["sigma"], &arm["runs"]), (&"learn-0.1".into(), &0.1.into(), &8.into()));
    // 6 pairs of seeds in each half; 2 x 2 pairs across halves, no seed in both.
    assert_eq!((&arm["seeds"]["pairs"], &arm["variants"]["pairs"]), (&12.into(), &4.into()));
    assert_eq!(arm["variants"]["seeds"], serde_json::json!({"first": [1, 3], "second": [2, 4]}));
    assert_eq!((&arm["variants"]["p"], &arm["variants"]["permutations"]), (&0.005.into(), &199.into()));
    assert!(arm["variants"]["value"].as_f64().unwrap() > 0.7, "{arm}");
    for measure in ["rsa", "cka", "procrustes_r2"] {
        let found = &arm["seeds"][measure];
        assert!(found["excess"].as_f64().unwrap() > 0.1 && found["p"] == 0.02, "{measure}: {found}");
    }
    let alone = &json["arms"][1];
    assert!(alone["seeds"].is_null() && alone["variants"].is_null());
    assert!(alone["reason"].as_str().unwrap().contains("two variants"), "{alone}");
    assert_eq!(json["left_out"][0]["arm"], "sinusoid-kd");

    let text = probe().arg("agreement").args(&dirs).args(["--permutations", "99", "--draws", "9"]).assert();
    let text = String::from_utf8(text.success().get_output().stdout.clone()).unwrap();
    assert!(text.contains("learn-0.1") && text.contains("left out: sinusoid-kd"), "{text}");
    let block = ["--table", "block-0", "--permutations", "9", "--draws", "9"];
    probe().arg("agreement").args(&dirs).args(block).assert().success();
}

/// Tables that only know where they started: runs of one seed are the same in both halves. Of 200 such experiments about
/// ten have p <= 0.05, where pairs of one seed would find agreement in every one.
#[test]
fn a_shared_initialization_is_no_agreement() {
    let root = tempfile::tempdir().unwrap();
    let dirs = halves(root.path(), &[1, 2, 3, 4], 0.0);
    let mut runs: Vec<RunDir> = dirs.iter().map(|dir| RunDir::open(dir).unwrap()).collect();
    let p: Vec<f64> = (0..200u64)
        .map(|experiment| {
            for run in &mut runs {
                let mut rng = StreamRng::seed_from_u64(1_000 * experiment + run.config.seeds.seed);
                let draw = Array2::from_shape_simple_fn((REGIONS, WIDTH), || rng.random::<f64>() - 0.5);
                run.tensors.tables = vec![Table { name: "block-0".into(), init: draw.clone(), last: draw }];
            }
            let report: AgreementReport = agreement_report(&runs, "all", 99, 1, experiment).unwrap();
            report.arms[0].variants.as_ref().unwrap().p.unwrap()
        })
        .collect();
    for level in [0.01, 0.05, 0.5] {
        let share = p.iter().filter(|p| **p <= level + 1e-9).count() as f64 / p.len() as f64;
        let error = (level * (1.0 - level) / p.len() as f64).sqrt();
        assert!((share - level).abs() < 4.0 * error, "{share} of p are at most {level}");
    }
}

#[test]
fn runs_that_do_not_belong_together_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let dirs = halves(root.path(), &[1, 2], 1.0);
    refused(&[dirs[0].clone(), dirs[0].clone()], &[], &["a second one", "learn-0.1"]);
    refused(&dirs, &["--table", "block-7"], &["block-7", "block-0"]);
    let other = dirs[3].join("config.toml");
    let config = std::fs::read_to_string(&other).unwrap();
    std::fs::write(&other, config.replace("\"fmri\"", "\"weather\"")).unwrap();
    refused(&dirs, &[], &["`fmri`", "`weather`"]);
}
