//! Places planted in a small network, from simulation to report: a learned encoding that starts small finds them, one that
//! starts large does not.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use support::built;

/// Six runs on a 4 x 4 grid of 1,020 steps each, and one of an epoch on modules.
const EXPERIMENT: &str = r#"
schema = 1
name = "planted"

[base]
batch = 64
model = { preset = "clean", width = 32, hidden = 128, blocks = 2 }
seeds = { pins = { data = 1, split = 1 } }
optimizer = { kind = "adam-w", lr = 3e-3 }
record = { evaluate_every = 10, snapshots = [1, 5, 10, 15] }
[base.task]
kind = "network"
network = { subjects = 4, frames = 1200 }
masked = { evaluation = { fractions = [0.5, 0.9], most_items = 64 } }

[variants.grid]
stop = { epochs = 20 }
task = { network = { graph = { kind = "grid", sides = [4, 4] } } }
[variants.modules]
stop = { epochs = 1 }
task = { network = { graph = { kind = "modular", sizes = [5, 5], between = 0.1 } } }

[scales.quick]
sigma = [0.1, 2.0]
seeds = [1, 2, 3]
groups = [{ variant = "grid" }, { variant = "modules", sigma = [0.1], seeds = [1] }]
"#;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Of all blocks' final tables, bias-corrected distance correlation with a truth.
fn dcor(probe: &Value, truth: &str) -> f64 {
    let tables = probe["tables"].as_array().unwrap();
    let table = tables.iter().find(|t| t["table"] == "all" && t["state"] == "final").unwrap();
    let references = table["references"].as_array().unwrap();
    let reference = references.iter().find(|r| r["reference"] == truth).unwrap();
    reference["dcor_bias_corrected"]["value"].as_f64().unwrap()
}

#[test]
fn small_norm_finds_the_places_and_the_report_shows_them() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("planted.toml");
    std::fs::write(&file, EXPERIMENT).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("reproduce").arg(&file).args(["--no-build", "--out"]).arg(dir.path().join("out"));
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");

    let runs: Vec<PathBuf> = std::fs::read_dir(dir.path().join("out/runs/planted"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(runs.len(), 7, "{runs:?}");
    let mut found: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in &runs {
        let probe = json(&run.join("probe.json"));
        if probe["run"]["variant"] == "grid" {
            let arm = probe["run"]["arm"].as_str().unwrap().to_owned();
            found.entry(arm).or_default().push(dcor(&probe, "positions"));
            // Before training there is nothing in the table, and the snapshots lie between.
            let emergence = probe["emergence"].as_array().unwrap();
            let epochs: Vec<u64> = emergence
                .iter()
                .filter(|one| one["table"] == "block-1")
                .map(|one| one["epoch"].as_u64().unwrap())
                .collect();
            assert_eq!(epochs, [0, 1, 5, 10, 15, 20]);
        } else {
            assert!(dcor(&probe, "modules").is_finite());
            let table = &probe["tables"][0];
            assert!(table["modules"]["modularity"]["value"].is_f64(), "{}", table["modules"]);
            assert!(table["references"].as_array().unwrap().iter().all(|r| r["reference"] != "positions"));
        }
        assert!(run.join("baselines.json").exists());
    }
    let mean = |arm: &str| found[arm].iter().sum::<f64>() / found[arm].len() as f64;
    let (small, large) = (mean("learn-0.1"), mean("learn-2.0"));
    assert_eq!((found["learn-0.1"].len(), found["learn-2.0"].len()), (3, 3));
    assert!(small > 0.5 && small > 4.0 * large, "bias-corrected dcor: {found:?}");

    let reports = dir.path().join("out/reports");
    let page = std::fs::read_to_string(reports.join("index.html")).unwrap();
    roxmltree::Document::parse_with_options(
        &page,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    )
    .unwrap();
    let figures = |series: &str, names: &[&str]| {
        for name in names {
            let csv = std::fs::read_to_string(reports.join(series).join(format!("{name}.csv"))).unwrap();
            assert!(csv.lines().count() > 4, "{series}: {name}");
            assert!(reports.join(series).join(format!("{name}.svg")).exists(), "{series}: {name}");
        }
    };
    figures("planted-grid-quick-generated", &["error", "truth", "layout", "emergence", "matrices", "norms"]);
    figures("planted-modules-quick-generated", &["error", "truth", "modules", "emergence", "matrices"]);
    assert!(!reports.join("planted-modules-quick-generated/layout.csv").exists(), "modules lie nowhere");
}
