//! Position tables from files to a report, through the binaries that the workspace has built.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Whether `probe` was built: it is when the whole workspace is tested.
fn built() -> bool {
    let folder = Path::new(env!("CARGO_BIN_EXE_xtask")).parent().unwrap();
    let ready = folder.ends_with("release") && folder.join("probe").exists();
    if !ready {
        eprintln!("skipped: needs `cargo test --release --workspace`, which builds probe");
    }
    ready
}

/// A table of 100 positions and 70 columns as NumPy writes it: slow waves, more or less hidden.
fn npy(path: &Path, hidden: f64) {
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (100, 70), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    for (i, k) in (0..100).flat_map(|i| (0..70).map(move |k| (i, k))) {
        let wave = (f64::from(i * (k % 7 + 1)) / 60.0 + f64::from(k)).sin();
        // No generator here: a number that looks like chance.
        let chance = (f64::from(i * 70 + k) * 12.9898).sin() * 43_758.545_3;
        bytes.extend((wave + hidden * (chance - chance.floor() - 0.5)).to_le_bytes());
    }
    std::fs::write(path, bytes).unwrap();
}

fn reproduce(tables: &Path, out: &Path) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["reproduce", "tables", "--no-build", "--tables"]).arg(tables).arg("--out").arg(out);
    command.output().unwrap()
}

#[test]
fn tables_end_in_verdicts_drawings_and_a_report() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    npy(&dir.path().join("clear.npy"), 0.3);
    npy(&dir.path().join("hidden.npy"), 4.0);
    let list = "[[table]]\nfile = \"clear.npy\"\nfamily = \"causal\"\nmodel = \"gpt2\"\n\
                [[table]]\nfile = \"hidden.npy\"\nfamily = \"bidirectional\"\nrows = \"0..90\"\n";
    std::fs::write(dir.path().join("tables.toml"), list).unwrap();
    let output = reproduce(dir.path(), &dir.path().join("out"));
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let reports = dir.path().join("out/reports/tables");
    let claims: Vec<Value> =
        serde_json::from_slice(&std::fs::read(reports.join("claims.json")).unwrap()).unwrap();
    assert_eq!(
        claims.iter().map(|claim| claim["id"].as_str().unwrap()).collect::<Vec<_>>(),
        ["tables.absolute", "tables.order"]
    );
    for claim in &claims {
        assert_eq!((&claim["verdict"], &claim["n"]), (&"agrees so far".into(), &2.into()), "{claim}");
        assert!(claim["value"].as_f64().unwrap() < 0.0 && claim["p"].is_null());
    }
    let page = std::fs::read_to_string(dir.path().join("out/reports/index.html")).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let section = document.descendants().find(|node| node.attribute("id") == Some("tables")).unwrap();
    let text: String = section.descendants().filter_map(|node| node.text()).collect();
    for part in ["clear", "90\u{a0}×\u{a0}70", "random of this shape", "not verified", "tables.order"] {
        assert!(text.contains(part), "the section lacks {part:?}:\n{text}");
    }
    // The one table of claims has theirs, among those that have no runs.
    let table = document.descendants().find(|node| node.attribute("class") == Some("cards claims")).unwrap();
    let text: String = table.descendants().filter_map(|node| node.text()).collect();
    assert!(text.contains("tables.order") && text.contains("agrees so far (2)") && text.contains("no runs"));
    let all: Vec<Value> =
        serde_json::from_slice(&std::fs::read(dir.path().join("out/reports/claims.json")).unwrap()).unwrap();
    assert!(all.len() == 2 && all.iter().all(|claim| claim["series"] == "tables"), "{all:?}");

    for name in ["similarity", "spectra", "errors", "distances"] {
        let svg = std::fs::read_to_string(reports.join(format!("{name}.svg"))).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(!svg.contains("NaN") && svg.contains("hidden"), "{name}");
        assert!(document.descendants().any(|node| node.attribute("id") == Some(&format!("tables-{name}"))));
        let csv = std::fs::read_to_string(reports.join(format!("{name}.csv"))).unwrap();
        assert!(csv.lines().count() > 20, "{name}");
    }
    assert!(std::fs::read_to_string(reports.join("readings.csv")).unwrap().lines().count() > 20);

    // Drawn again from the readings alone, without the tables.
    std::fs::remove_file(dir.path().join("clear.npy")).unwrap();
    let again = dir.path().join("again");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["report", "--no-build", "--out"]).arg(&again).arg(dir.path().join("out"));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("tables.order     agrees so far (2)"));
    assert_eq!(std::fs::read_to_string(again.join("index.html")).unwrap(), page);
}

/// What was named, and cannot be, is told in one line, whether anything would be read or not.
#[test]
fn wrong_tables_are_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    npy(&path("a.npy"), 0.3);
    std::fs::write(path("tables.toml"), "[[table]]\nfile = \"gone.npy\"\n").unwrap();
    std::fs::write(path("binary.toml"), [0xff, 0xfe, 0x00]).unwrap();
    for (tables, words) in [
        (path("a.npy"), "a folder of position tables, or a tables.toml that lists them, got another file"),
        (path("missing"), "got nothing at"),
        (path("tables.toml"), "table `gone`: expected a file, got none at"),
        (dir.path().to_owned(), "gone.npy"),
        (path("binary.toml"), "expected a readable tables.toml"),
    ] {
        for more in [&[][..], &["--dry-run"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
            command.args(["reproduce", "tables", "--no-build", "--tables"]).arg(&tables);
            let output = command.arg("--out").arg(path("out")).args(more).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{tables:?}: {stderr}");
            assert!(stderr.contains(words) && output.stdout.is_empty(), "{tables:?}: {stderr}");
        }
    }
    assert!(!path("out").exists());
}

#[test]
fn without_tables_it_says_how_to_get_some() {
    let dir = tempfile::tempdir().unwrap();
    let output = reproduce(dir.path(), &dir.path().join("out"));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Hugging Face checkpoint"));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.lines().count() == 1 && stderr.contains("no position tables"), "{stderr}");
    assert!(!dir.path().join("out").exists(), "nothing is left behind");
}
