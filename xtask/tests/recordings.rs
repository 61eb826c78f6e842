//! Recordings from simulation to report, as a stand-in and from a folder: what is shown says which of the two it is.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use support::built;

/// Two runs on 12 mirrored pairs of regions, too short to learn anything.
const EXPERIMENT: &str = r#"
schema = 1
name = "regions"

[base]
batch = 64
model = { preset = "clean", width = 32, hidden = 64, blocks = 2 }
seeds = { pins = { data = 1, split = 1 } }
optimizer = { kind = "adam-w", lr = 3e-3 }
record = { evaluate_every = 2, snapshots = [1] }
stop = { epochs = 2 }
[base.task]
kind = "recordings"
stand_in = { pairs = 12, inner_pairs = 2, subjects = 3, frames = 300 }
masked = { standardize = "subject", held_out = { count = 1 }, evaluation = { fractions = [0.5, 0.9], most_items = 64 } }

[scales.quick]
sigma = [0.1, 2.0]
seeds = [1]
"#;

fn reproduce(dir: &Path, more: &[&str]) -> Output {
    let file = dir.join("regions.toml");
    std::fs::write(&file, EXPERIMENT).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("reproduce").arg(file).args(["--no-build", "--out"]).arg(dir.join("out")).args(more);
    command.output().unwrap()
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn section(dir: &Path, id: &str) -> String {
    let page = std::fs::read_to_string(dir.join("out/reports/index.html")).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let section = document.descendants().find(|node| node.attribute("id") == Some(id)).unwrap();
    section.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect()
}

#[test]
fn the_report_says_which_data_it_shows() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = reproduce(dir.path(), &["--jobs", "2"]);
    let stdout = words(&output.stdout);
    assert!(output.status.success(), "{stdout}\n{}", words(&output.stderr));
    assert!(
        stdout.contains("regions-quick-generated, synthetic stand-in with planted 3-D places"),
        "{stdout}"
    );
    let text = section(dir.path(), "regions-quick-generated");
    assert!(text.starts_with("Recordings of regions: scale quick, synthetic stand-in"), "{text}");
    assert!(text.contains("datasets fetch hcp-aal2 --accept-terms") && text.contains("24 regions"));

    let folder = dir.path().join("out/reports/regions-quick-generated");
    let names = [
        "error",
        "truth",
        "references",
        "regions",
        "layout",
        "decoding",
        "emergence",
        "matrices",
        "matrices-by-community",
        "communities",
        "norms",
    ];
    for name in names {
        let csv = std::fs::read_to_string(folder.join(format!("{name}.csv"))).unwrap();
        assert!(csv.lines().count() > 4, "{name}");
        let svg = std::fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{name}");
    }
    regions_are_drawn_in_three_views(dir.path(), &folder);
    from_a_folder(dir.path());
}

/// Each region once a view; in the CSV the scores of `probe`, by name.
fn regions_are_drawn_in_three_views(dir: &Path, folder: &Path) {
    let svg = std::fs::read_to_string(folder.join("regions.svg")).unwrap();
    // Two arms, two tables, three components, three views, 24 regions.
    assert_eq!(svg.matches("class=\"b\"").count(), 2 * 2 * 3 * 3 * 24);
    let run = runs(dir).into_iter().find(|run| run.to_string_lossy().contains("learn-0.1")).unwrap();
    let probe: Value = serde_json::from_slice(&std::fs::read(run.join("probe.json")).unwrap()).unwrap();
    let tables = probe["pictures"]["tables"].as_array().unwrap();
    let table = tables.iter().find(|table| table["table"] == "all" && table["state"] == "final").unwrap();
    let score = table["scores"][5][2].as_f64().unwrap();
    let text = std::fs::read_to_string(folder.join("regions.csv")).unwrap();
    let row = text.lines().find(|line| line.starts_with("learn-0.1,1,all,6,")).unwrap();
    let cells: Vec<&str> = row.split(',').collect();
    assert_eq!(cells[7].parse::<f64>().unwrap(), score);
    let tokens = std::fs::read_to_string(run.join("tokens.csv")).unwrap();
    let head: Vec<&str> = tokens.lines().next().unwrap().split(',').collect();
    let name = head.iter().position(|column| *column == "name").unwrap();
    assert_eq!(tokens.lines().nth(6).unwrap().split(',').nth(name), Some(cells[4]));
}

fn runs(dir: &Path) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(dir.join("out/runs/regions")).unwrap();
    folder.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

/// Recordings of eight stations in a plane, of three years: called by the name of their folder. Without sides of a brain
/// there is one view; without networks the order is that of the recording.
fn from_a_folder(dir: &Path) {
    let folder = dir.join("stations");
    std::fs::create_dir(&folder).unwrap();
    let names: Vec<String> = (0..8).map(|station| format!("station {station}")).collect();
    for year in 0..3 {
        let value = |t: i32, s: usize| {
            let wave = (f64::from(t + 40 * year) / (3.0 + s as f64)).sin();
            // No generator here: a number that looks like chance.
            let chance = (f64::from(t * 8 + year) * 12.9898 + s as f64).sin() * 43_758.545_3;
            (wave + chance - chance.floor()).to_string()
        };
        let row = |t: i32| (0..8).map(|s| value(t, s)).collect::<Vec<_>>().join(",");
        let rows: Vec<String> = (0..200).map(row).collect();
        let text = format!("{}\n{}\n", names.join(","), rows.join("\n"));
        std::fs::write(folder.join(format!("year-{year}.csv")), text).unwrap();
    }
    let places: String =
        names.iter().enumerate().map(|(s, name)| format!("{name},{s},{}\n", s * s % 7)).collect();
    std::fs::write(folder.join("regions.csv"), format!("name,x,y\n{places}")).unwrap();
    let description = r#"{"parcels_by_frames": false, "repetition_time": 1.0}"#;
    std::fs::write(folder.join("dataset.json"), description).unwrap();
    let folder = folder.to_str().unwrap();
    let output = reproduce(dir, &["--recordings", folder, "--sigma", "0.1"]);
    let stdout = words(&output.stdout);
    assert!(output.status.success(), "{stdout}\n{}", words(&output.stderr));
    assert!(stdout.contains("data shown: recordings from stations"), "{stdout}");
    let text = section(dir, "regions-quick-files");
    assert!(text.starts_with("Recordings of regions: scale quick, recordings from stations"), "{text}");
    assert!(!text.contains("stand-in") && text.contains("8 regions"), "{text}");
    let reports = dir.join("out/reports/regions-quick-files");
    let svg = std::fs::read_to_string(reports.join("regions.svg")).unwrap();
    // One arm, two tables, three components, one view.
    assert_eq!(svg.matches("class=\"b\"").count(), 2 * 3 * 8);
    let matrices = std::fs::read_to_string(reports.join("matrices.svg")).unwrap();
    assert!(matrices.contains("in the order of the recording"));
    // What the folder is called is known where the runs lie, and by nobody else.
    let runs = dir.join("out/runs/regions");
    std::fs::remove_file(runs.join("data.json")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output =
        command.args(["report", "--no-build", "--out"]).arg(dir.join("again")).arg(runs).output().unwrap();
    assert!(words(&output.stdout).contains("1 runs, recordings from files"), "{}", words(&output.stdout));
}

#[test]
fn a_dry_run_of_fmri_says_which_data_it_would_show() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["reproduce", "fmri", "--dry-run", "--no-build", "--jobs", "1", "--sigma", "0.1", "--out"]);
    let output = command.arg(dir.path().join("out")).output().unwrap();
    let stdout = words(&output.stdout);
    assert!(output.status.success(), "{stdout}\n{}", words(&output.stderr));
    assert!(stdout.starts_with("fmri: data shown: ") && stdout.contains("runs, at most some"), "{stdout}");
    assert!(!dir.path().join("out/runs").exists());

    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["reproduce", "fmri", "--no-build", "--recordings", "/no/such/folder"]);
    let output = command.output().unwrap();
    let stderr = words(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr.lines().count() == 1 && stderr.contains("expected a folder with a file a subject"),
        "{stderr}"
    );
}
