//! `probe` on plain files: what it prints, and how it refuses.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use assert_cmd::Command;
use ndarray::Array2;
use probe::io::{TablePath, write_npy};
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use streams::StreamRng;

fn probe() -> Command {
    Command::cargo_bin("probe").unwrap()
}

/// Two tables of 30 rows: coordinates, and a noisy rotation of them in 5 columns.
fn tables(dir: &Path) -> [String; 2] {
    let mut rng = StreamRng::seed_from_u64(3);
    let mut noise = |n, d| Array2::from_shape_simple_fn((n, d), || rng.random::<f64>() - 0.5);
    let coords = noise(30, 3);
    let learned = coords.dot(&noise(3, 5)) + noise(30, 5) * 0.1;
    [("coords.npy", coords), ("learned.npy", learned)].map(|(name, table)| {
        let path = dir.join(name);
        write_npy(&path, table.view()).unwrap();
        path.display().to_string()
    })
}

fn json(arguments: &[&str]) -> Value {
    let done = probe().args(arguments).arg("--json").assert().success();
    serde_json::from_slice(&done.get_output().stdout).unwrap()
}

fn text(arguments: &[&str]) -> String {
    let done = probe().args(arguments).assert().success();
    String::from_utf8(done.get_output().stdout.clone()).unwrap()
}

fn result<'a>(outcome: &'a Value, key: &str, name: &str) -> &'a Value {
    let rows = outcome["results"].as_array().unwrap();
    rows.iter().find(|row| row[key].as_str().unwrap().starts_with(name)).unwrap()
}

/// Beyond the Hamming distance of a full grid rows and columns are permuted, and the output says so.
#[test]
fn what_is_permuted_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let coords = Array2::from_shape_fn((16, 2), |(token, axis)| [token / 4, token % 4][axis] as f64);
    let path = dir.path().join("grid.npy");
    write_npy(&path, coords.view()).unwrap();
    let grid = path.to_str().unwrap();
    let beyond = ["rsa", grid, grid, "--compare", "pearson", "--beyond", grid, "--measure-beyond", "hamming"];
    let found = json(&beyond);
    assert_eq!((&found["permutations"], &found["beyond_permutations"]), (&10_000.into(), &576.into()));
    assert_eq!(found["beyond_permuted"], "axis-levels");
    // The grid is its own mirror image, by row, by column and by both.
    let p = result(&found, "comparison", "partial-pearson")["p"].as_f64().unwrap();
    assert!((p - 4.0 / 576.0).abs() < 1e-12, "{found}");
}

#[test]
fn comparisons_name_what_they_computed() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = &tables(dir.path());
    let dcor = json(&["dcor", a, b, "--permutations", "99", "--seed", "7"]);
    assert_eq!((&dcor["n"], &dcor["permutations"], &dcor["seed"]), (&30.into(), &99.into(), &7.into()));
    for estimator in ["biased", "bias-corrected"] {
        let row = result(&dcor, "estimator", estimator);
        assert!(row["value"].as_f64().unwrap() > 0.6 && row["p"] == 0.01, "{row}");
    }
    assert_eq!(json(&["dcor", a, b, "--no-test"])["results"][1]["p"], Value::Null);
    let rsa = json(&["rsa", a, b, "--permutations", "99", "--beyond", a]);
    for comparison in
        ["spearman", "pearson", "kendall-tau-a", "kendall-tau-b", "rho-a", "cosine", "whitened-cosine"]
    {
        let row = result(&rsa, "comparison", comparison);
        assert!(row["value"].as_f64().unwrap() > 0.5 && row["p"] == 0.01, "{row}");
    }
    let partial = result(&rsa, "comparison", "partial-pearson");
    assert_eq!(partial["value"], Value::Null, "nothing is left beyond itself");
    assert_eq!((&rsa["beyond_permuted"], &rsa["beyond_permutations"]), (&"tokens".into(), &99.into()));
    let given = json(&["dcor", a, b, "--permutations", "99", "--given", a]);
    assert_eq!(result(&given, "estimator", "partial")["value"], Value::Null, "nor here");
    let cka = json(&["cka", a, b, "--permutations", "99"]);
    assert_eq!(cka["results"].as_array().unwrap().len(), 4);
    assert!(result(&cka, "kernel", "rbf")["value"].as_f64().unwrap() > 0.5);
    let decode = json(&["decode", b, a, "--permutations", "99"]);
    let mean = result(&decode, "axis", "mean");
    assert!(mean["r2"].as_f64().unwrap() > 0.7 && mean["p"] == 0.01, "{decode}");
    let procrustes = json(&["procrustes", a, b, "--pad"]);
    assert!(result(&procrustes, "alignment", "rotation or")["disparity"].as_f64().unwrap() < 0.4);
    let page = text(&["dcor", a, b, "--permutations", "99"]);
    assert!(
        page.contains("bias-corrected (squared, U-statistic)") && page.contains("permutations"),
        "{page}"
    );
}

/// A square matrix of distances says the same as the table that it was computed from.
#[test]
fn distances_may_be_given() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = &tables(dir.path());
    let square = |table: &str, name: &str| {
        let out = dir.path().join(name).display().to_string();
        text(&["rdm", table, "--out", &out]);
        out
    };
    let (x, y) = (square(a, "x.npy"), square(b, "y.npy"));
    let rows = json(&["mantel", a, b, "--permutations", "99"]);
    let given = json(&["mantel", &x, &y, "--permutations", "99", "--measure", "given"]);
    assert_eq!(rows["results"], given["results"]);
    assert_eq!(result(&given, "method", "spearman")["p"], 0.01);
    refused(&["mantel", a, b, "--measure", "given"], &["square"]);
    refused(&["mantel", a, b, "--method", "cosine"], &["cosine", "probe rsa"]);
}

#[test]
fn a_model_stands_against_several_subjects() {
    let dir = tempfile::tempdir().unwrap();
    let [model, first] = &tables(dir.path());
    let table = TablePath::file(first).read().unwrap().values;
    let mut rng = StreamRng::seed_from_u64(9);
    let others: Vec<String> = (0..5)
        .map(|k| {
            let path = dir.path().join(format!("subject-{k}.npy"));
            write_npy(&path, table.mapv(|v| v + 0.2 * rng.random::<f64>()).view()).unwrap();
            path.display().to_string()
        })
        .collect();
    let mut arguments = vec!["rsa", model, first, "--resamples", "50"];
    arguments.extend(others.iter().map(String::as_str));
    let found = json(&arguments);
    assert_eq!((&found["n_subjects"], &found["resamples"]), (&6.into(), &50.into()));
    let row = result(&found, "comparison", "spearman");
    let number = |key: &str| row[key].as_f64().unwrap();
    assert!(number("ceiling_low") <= number("ceiling_high") && number("ceiling_low") > 0.8, "{row}");
    assert!(number("low") < number("mean") && number("mean") < number("high") + 0.05, "{row}");
    // All six subjects agree in sign: 2 of 64 patterns.
    assert_eq!(number("p"), 1.0 / 32.0);
}

#[test]
fn single_tables_are_described() {
    let dir = tempfile::tempdir().unwrap();
    let [coords, learned] = &tables(dir.path());
    let out = dir.path().join("square.npy");
    let rdm = json(&["rdm", coords, "--measure", "cosine", "--out", out.to_str().unwrap()]);
    assert_eq!(rdm["pairs"], 30 * 29 / 2);
    let square = TablePath::file(&out).read().unwrap().values;
    let last = rdm["results"].as_array().unwrap().last().unwrap();
    assert_eq!((square.dim(), last["distance"].as_f64().unwrap()), ((30, 30), square[[29, 28]]));
    let scores = dir.path().join("scores.npy");
    let pca = json(&["pca", learned, "--components", "3", "--scores", scores.to_str().unwrap()]);
    assert!(pca["results"][2]["cumulative"].as_f64().unwrap() > 0.85);
    assert_eq!(TablePath::file(&scores).read().unwrap().values.dim(), (30, 3));
}

#[test]
fn positions_are_read_off_a_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let table = probe::sinusoid::sinusoid_1d(42, 16).unwrap();
    let bytes: Vec<u8> = table.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect();
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F32, vec![42, 16], &bytes).unwrap();
    let tensors = [("roberta.embeddings.position_embeddings.weight", view.clone()), ("other.weight", view)];
    let path = dir.path().join("model.safetensors");
    let none = None::<std::collections::HashMap<String, String>>;
    std::fs::write(&path, safetensors::serialize(tensors, none).unwrap()).unwrap();
    let path = path.to_str().unwrap();
    let found = json(&["positions", path, "--permutations", "2"]);
    assert_eq!(found["source"]["rows"], serde_json::json!({"start": 2, "end": 42}));
    assert_eq!((&found["family"], &found["positions"]), (&"bidirectional".into(), &40.into()));
    assert_eq!(found["source"]["recognised"]["architecture"], "roberta");
    assert!(found["absolute"][0]["error"]["mean"].as_f64().unwrap() < 1.0);
    let other =
        json(&["positions", path, "--tensor", "other.weight", "--rows", "0..20", "--permutations", "1"]);
    assert_eq!((&other["family"], &other["positions"]), (&Value::Null, &20.into()));
    let page = text(&["positions", path, "--permutations", "2", "--label", "mine"]);
    for part in
        ["RoBERTa, by the prefix", "as published", "random", "sinusoid", "0 to 4", "effective rank", "mine"]
    {
        assert!(page.contains(part), "{part} is not in {page}");
    }
}

/// One line on stderr, exit code 2, nothing on stdout.
fn refused(arguments: &[&str], words: &[&str]) {
    let done = probe().args(arguments).assert().code(2);
    let stderr = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(done.get_output().stdout.is_empty());
    for word in words {
        assert!(stderr.contains(word), "`{word}` is not in: {stderr}");
    }
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = &tables(dir.path());
    let short = dir.path().join("short.csv");
    std::fs::write(&short, "x,y\n1,2\n3,4\n").unwrap();
    let short = short.to_str().unwrap();
    refused(&["dcor", a, short], &["expected 30 rows", "got 2", "same order"]);
    refused(&["dcor", a], &["<B>", "probe --help"]);
    refused(&["dcor", a, "no.npy"], &["no.npy", "readable"]);
    refused(&["rdm", a, "--measure", "manhattan"], &["manhattan", "euclidean"]);
    refused(&["rsa", a, b, "--permutations", "0"], &["--permutations"]);
    refused(&["procrustes", a, b], &["expected 3 columns", "got 5", "--pad"]);
    refused(&["positions", a, "--rows", "0..31"], &["0..30", "0..31"]);
    refused(&["positions", a, "--rows", "5..5"], &["A..B"]);
    refused(&["positions", short], &["at least 10"]);
    refused(&["nonsense"], &["nonsense", "probe --help"]);
    let named = |name: &str, labels: [&str; 2]| {
        let path = dir.path().join(name);
        std::fs::write(&path, format!("{},1\n{},2\n", labels[0], labels[1])).unwrap();
        path.display().to_string()
    };
    refused(
        &["dcor", &named("a.csv", ["v1", "v2"]), &named("b.csv", ["v2", "v1"])],
        &["row 0", "`v1`", "`v2`"],
    );
    std::fs::write(dir.path().join("nan.csv"), "1,nan\n2,3\n").unwrap();
    refused(&["pca", dir.path().join("nan.csv").to_str().unwrap()], &["row 0, column 1"]);
}

/// `probe rdm TABLE | head -1`: the reader goes away, and that is no failure.
#[test]
fn a_closed_pipe_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("many.npy");
    write_npy(&path, Array2::from_shape_fn((400, 2), |(i, j)| (i * 3 + j) as f64).view()).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("probe"))
        .arg("rdm")
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("command"), "{line}");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure_not_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    let [a, _] = &tables(dir.path());
    let nowhere = dir.path().join("no/such/folder/x.npy");
    let done = probe().args(["rdm", a, "--out", nowhere.to_str().unwrap()]).assert().code(1);
    assert!(String::from_utf8_lossy(&done.get_output().stderr).contains("x.npy"));
}

fn file(dir: &Path, name: &str, text: &str) -> String {
    std::fs::write(dir.join(name), text).unwrap();
    dir.join(name).display().to_string()
}

/// Over nothing that is read, by whatever way its path goes; and arrays of NumPy only under a name that says so.
#[test]
fn no_result_is_written_over_an_input_or_under_a_wrong_name() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = &tables(dir.path());
    let detour = dir.path().join(".").join("coords.npy").display().to_string();
    let before = std::fs::read(a).unwrap();
    for arguments in [
        &["rdm", a, "--out", &detour][..],
        &["pca", a, "--scores", &detour],
        &["positions", a, "--map", &detour],
        &["decode", b, a, "--out", &detour],
        &["decode", a, b, "--out", &detour],
    ] {
        refused(arguments, &["expected another file", "coords.npy"]);
    }
    assert_eq!(std::fs::read(a).unwrap(), before);
    let other = dir.path().join("x.csv").display().to_string();
    for arguments in [
        &["rdm", a, "--out", &other][..],
        &["pca", a, "--scores", &other],
        &["positions", a, "--map", &other],
        &["decode", b, a, "--out", &other],
    ] {
        refused(arguments, &["ends in .npy", "x.csv"]);
    }
    assert!(!Path::new(&other).exists());
    let claims = file(dir.path(), "claims.toml", "");
    refused(&["tables", a, "--claims", &claims, "--out", &claims], &["--out", "claims.toml"]);
    let run = dir.path().join("run");
    std::fs::create_dir(&run).unwrap();
    let manifest = file(&run, "manifest.json", "{}");
    let run = run.to_str().unwrap();
    refused(&["map", run, "--out", &manifest], &["belongs to a run", "manifest.json"]);
    refused(&["agreement", run, "--out", &manifest], &["belongs to a run"]);
    refused(&["claims", run, "--claims", &claims, "--out", &manifest], &["belongs to a run"]);
    assert_eq!(std::fs::read_to_string(&manifest).unwrap(), "{}");
}

/// What is advised can be done on the command line.
#[test]
fn advice_fits_what_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let [a, b] = &tables(dir.path());
    let skew = file(dir.path(), "skew.csv", "0,4,2\n3,0,1\n2,1,0\n");
    let selves = file(dir.path(), "selves.csv", "0,3,2\n3,7,1\n2,1,0\n");
    for (table, words) in [(&skew, "a symmetric matrix"), (&selves, "zeros on the diagonal")] {
        refused(&["rdm", table, "--measure", "given"], &[words, "in both triangles"]);
        refused(&["rsa", table, table, "--measure", "given"], &[words, "in both triangles"]);
    }
    refused(&["rdm", a, "--measure", "given"], &["a square matrix", "30 x 3"]);
    for measure in ["mahalanobis", "squared-mahalanobis", "crossnobis"] {
        refused(&["rsa", a, b, "--measure", measure], &[measure, "library", "`given`"]);
    }
    let missing = dir.path().join("missing").display().to_string();
    let claims = file(dir.path(), "claims.toml", "");
    let out = dir.path().join("out.json").display().to_string();
    refused(&["claims", &missing, "--claims", &claims, "--out", &out], &["folder of a run", "got nothing"]);
}

#[test]
fn distances_need_two_rows() {
    let dir = tempfile::tempdir().unwrap();
    let one = file(dir.path(), "one.csv", "x,y\n1,2\n");
    refused(&["rdm", &one], &["expected at least 2, got 1"]);
    let none = dir.path().join("none.npy");
    write_npy(&none, Array2::zeros((0, 3)).view()).unwrap();
    refused(&["rdm", none.to_str().unwrap()], &["expected at least 2, got 0"]);
}

/// The index that pandas and R write is no variable; a counting one names nothing either.
#[test]
fn an_index_without_a_name_is_no_variable() {
    let dir = tempfile::tempdir().unwrap();
    let plain = file(dir.path(), "plain.csv", "c0,c1\n5,1\n2,8\n4,3\n");
    let index = file(dir.path(), "index.csv", ",c0,c1\n0,5,1\n1,2,8\n2,4,3\n");
    let (plain, index) = (json(&["pca", &plain]), json(&["pca", &index]));
    assert_eq!((&index["components"], &index["results"]), (&2.into(), &plain["results"]));
}

#[test]
fn help_says_what_is_permuted() {
    let help = |command: &str| text(&[command, "--help"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help("dcor").contains("The first table; its rows are what is permuted"));
    assert!(help("decode").contains("in the same order; its rows are permuted"));
    assert!(!help("decode").contains("The first table") && !help("procrustes").contains("permuted"));
}
