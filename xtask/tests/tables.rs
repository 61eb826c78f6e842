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
    let page = std::fs::read_to_string(reports.join("report.md")).unwrap();
    for part in [
        "**clear**",
        "90 x 70",
        "random of this shape",
        "**not verified**",
        "map-01-hidden.svg",
        "errors.svg",
    ] {
        assert!(page.contains(part), "the report lacks {part:?}:\n{page}");
    }
    for name in ["map-00-clear.svg", "map-01-hidden.svg", "spectra.svg", "errors.svg", "distances.svg"] {
        let svg = std::fs::read_to_string(reports.join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}");
    }
    for name in ["readings.csv", "errors.csv", "spectra.csv"] {
        assert!(std::fs::read_to_string(reports.join(name)).unwrap().lines().count() > 20, "{name}");
    }
}

#[test]
fn without_tables_it_says_how_to_get_some() {
    let dir = tempfile::tempdir().unwrap();
    let output = reproduce(dir.path(), &dir.path().join("out"));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Hugging Face checkpoint"));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.lines().count() == 1 && stderr.contains("no position tables"), "{stderr}");
}
