//! The page of a small experiment: whole, readable without a network, and true to the runs.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;
use support::{built, small_experiment};

fn xtask(arguments: &[&str]) -> Output {
    std::process::Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().unwrap()
}

fn report(dirs: &[&Path], out: &Path) -> Output {
    let dirs = dirs.iter().map(|dir| dir.to_str().unwrap());
    let arguments: Vec<&str> =
        ["report", "--no-build", "--out", out.to_str().unwrap()].into_iter().chain(dirs).collect();
    xtask(&arguments)
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Trains, probes and reports; returns the folder above `runs` and `reports`.
fn small(dir: &Path) -> PathBuf {
    let (file, out) = (dir.join("small.toml"), dir.join("out"));
    let record = "[scales.quick.set.record]\nevaluate_every = 1\nsnapshots = [1]\n";
    std::fs::write(&file, small_experiment("small") + record).unwrap();
    let done = xtask(&[
        "reproduce",
        file.to_str().unwrap(),
        "--no-build",
        "--jobs",
        "2",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(done.status.success(), "{}", words(&done.stderr));
    out
}

fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// The rows of a CSV without quotes in it, by column.
fn csv(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(!text.contains('"'), "{}", path.display());
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in folders(from) {
        std::fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

#[test]
fn the_page_is_whole_and_true_to_the_runs() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let out = small(dir.path());
    let (runs, reports) = (folders(&out.join("runs/small")), out.join("reports"));
    well_formed_and_complete(&reports);
    scores_are_those_of_the_runs(&runs, &reports.join("small-quick-generated"));
    maps_are_those_of_the_runs(&runs, &reports.join("small-quick-generated"));

    // Drawn again from the runs alone: the same page.
    let again = dir.path().join("again");
    let done = report(&[&out], &again);
    assert!(done.status.success(), "{}", words(&done.stderr));
    assert!(words(&done.stdout).contains("small-quick-generated: 8 runs"), "{}", words(&done.stdout));
    for name in ["index.html", "small-quick-generated/similarity.svg", "small-quick-generated/components.csv"]
    {
        assert_eq!(
            std::fs::read(reports.join(name)).unwrap(),
            std::fs::read(again.join(name)).unwrap(),
            "{name}"
        );
    }
    shards_are_merged(&runs, &reports, dir.path());
    broken_runs_are_left_out(&runs, dir.path());
}

/// Files that are not whole, or of another shape, cost their run its place, not the others theirs.
fn broken_runs_are_left_out(runs: &[PathBuf], dir: &Path) {
    let (folder, out) = (dir.join("broken"), dir.join("broken-reports"));
    for run in runs {
        copy(run, &folder.join(run.file_name().unwrap()));
    }
    let file = |run: usize, name: &str| folder.join(runs[run].file_name().unwrap()).join(name);
    type Change<'a> = &'a dyn Fn(&mut Value);
    let changes: [(usize, Change<'_>); 3] = [
        (2, &|probe| probe["pictures"]["tables"] = 3.into()),
        (3, &|probe| drop(probe.as_object_mut().unwrap().remove("learning"))),
        (4, &|probe| probe["schema"] = 2.into()),
    ];
    for (run, change) in changes {
        let mut probe = json(&file(run, "probe.json"));
        change(&mut probe);
        std::fs::write(file(run, "probe.json"), probe.to_string()).unwrap();
    }
    std::fs::write(file(5, "metrics.jsonl"), "").unwrap();
    let config = std::fs::read_to_string(file(6, "config.toml")).unwrap();
    std::fs::write(file(6, "config.toml"), config + "colour = [1,\n").unwrap();
    let manifest = json(&file(7, "manifest.json")).to_string();
    std::fs::write(file(7, "manifest.json"), manifest.replace("\"dataset\":{", "\"data\":{")).unwrap();
    let done = report(&[&folder], &out);
    let said = words(&done.stderr);
    assert!(done.status.success() && words(&done.stdout).contains(": 2 runs"), "{said}");
    let notes: Vec<&str> = said.lines().filter(|line| line.contains("left out, not readable")).collect();
    assert_eq!(notes.len(), 6, "{said}");
    for word in
        ["probe.json", "`learning`", "schema 1, got 2", "metrics.jsonl", "config.toml, line ", "`dataset`"]
    {
        assert!(notes.iter().any(|note| note.contains(word)), "{word}: {said}");
    }
    assert!(!said.contains('^'), "{said}");

    // Where none is left, that is said, and no folder is left behind.
    let alone = dir.join("alone");
    copy(&folder.join(runs[2].file_name().unwrap()), &alone.join("run"));
    let done = report(&[&alone], &dir.join("no-reports"));
    let said = words(&done.stderr);
    assert!(done.status.code() == Some(2) && said.lines().count() == 1, "{said}");
    assert!(said.contains("probe.json, line 1") && !dir.join("no-reports").exists(), "{said}");
}

fn well_formed_and_complete(reports: &Path) {
    let page = std::fs::read_to_string(reports.join("index.html")).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&page, options).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let figures = [
        "accuracy",
        "levels",
        "curves",
        "similarity",
        "similarity-by-block",
        "similarity-while-training",
        "components",
        "components-by-block",
        "attention",
        "norms",
        "geometry",
        "predicts",
    ];
    let figures = figures.map(|name| format!("small-quick-generated-{name}"));
    for id in figures.iter().map(String::as_str).chain(["claims", "small-quick-generated"]) {
        assert_eq!(ids.iter().filter(|found| **found == id).count(), 1, "{id}: {ids:?}");
    }
    // Whatever is named is there, or within the page: nothing is fetched.
    for node in document.descendants() {
        for name in ["href", "src"] {
            let Some(link) = node.attribute(name) else { continue };
            match link.strip_prefix('#') {
                Some(id) => assert!(ids.contains(&id), "{link}"),
                None => assert!(reports.join(link).is_file(), "{link}"),
            }
        }
    }
    for outside in ["http:", "https:", "@import", "url(", "<script", "<link"] {
        let without_names = page.replace("xmlns=\"http://www.w3.org/", "");
        assert!(!without_names.contains(outside), "{outside}");
    }
    let text = document.root_element().descendants().filter_map(|node| node.text()).collect::<String>();
    for part in [
        "lst.learns-sooner",
        "no runs",
        "At equal training accuracy",
        "[D]",
        "carry the authors' dropout",
        "0.1.0",
    ] {
        assert!(text.contains(part), "the page lacks {part:?}");
    }
    assert!(!text.contains("-0.00") && !text.contains("−0.00"), "zero has no sign");
    assert!(
        !text.contains("95.6 ± 3.9") && !text.contains("people"),
        "published figures belong to the paper's experiment"
    );

    let files = folders(&reports.join("small-quick-generated"));
    let drawings: Vec<&PathBuf> =
        files.iter().filter(|file| file.extension().is_some_and(|e| e == "svg")).collect();
    assert_eq!(drawings.len(), figures.len());
    for file in drawings {
        let text = std::fs::read_to_string(file).unwrap();
        let drawing = roxmltree::Document::parse(&text).unwrap();
        let styled = drawing
            .root_element()
            .children()
            .any(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "style")));
        assert!(styled && !text.contains("NaN") && !text.contains("inf"), "{}", file.display());
        assert!(csv(&file.with_extension("csv")).len() > 3, "{}", file.display());
    }
}

fn metrics(run: &Path, kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("metrics.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["kind"] == kind)
        .collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn scores_are_those_of_the_runs(runs: &[PathBuf], folder: &Path) {
    let (curves, accuracy, norms) =
        (csv(&folder.join("curves.csv")), csv(&folder.join("accuracy.csv")), csv(&folder.join("norms.csv")));
    let (mut scores, mut looks) = (0, 0);
    for run in runs {
        let probe = json(&run.join("probe.json"));
        let (arm, seed) = (probe["run"]["arm"].as_str().unwrap(), probe["run"]["seed"].to_string());
        let own = |row: &&BTreeMap<String, String>| row["arm"] == arm && row["seed"] == seed;
        for line in metrics(run, "evaluation") {
            let same = |row: &&BTreeMap<String, String>| {
                own(row)
                    && row["epoch"].parse().ok() == line["epoch"].as_u64()
                    && row["split"] == line["split"]
                    && row["level"] == line["level"]
            };
            let row = curves.iter().find(same).unwrap();
            for number in ["accuracy", "loss"] {
                assert_eq!(row[number].parse::<f64>().unwrap(), line[number].as_f64().unwrap(), "{row:?}");
            }
            scores += 1;
        }
        let last = probe["learning"]["generalization_accuracy"].as_f64().unwrap();
        let row = accuracy.iter().find(|row| own(row) && row["split"] == "generalization").unwrap();
        assert_eq!(row["accuracy"].parse::<f64>().unwrap(), last);
        for line in metrics(run, "encoding") {
            let same = |row: &&BTreeMap<String, String>| {
                own(row)
                    && row["step"].parse().ok() == line["step"].as_u64()
                    && row["table"] == line["table"].as_str().unwrap()
            };
            let row = norms.iter().find(same).unwrap();
            assert_eq!(row["change_rms"].parse::<f64>().unwrap(), line["change_rms"].as_f64().unwrap());
            looks += 1;
        }
    }
    assert_eq!((curves.len(), norms.len()), (scores, looks));
}

/// The drawn maps, from the numbers of the single runs.
fn maps_are_those_of_the_runs(runs: &[PathBuf], folder: &Path) {
    let of_arm: Vec<Value> = runs
        .iter()
        .map(|run| json(&run.join("probe.json")))
        .filter(|probe| probe["run"]["arm"] == "learn-0.2")
        .collect();
    assert_eq!(of_arm.len(), 2);
    let mean = |f: &dyn Fn(&Value) -> f64| of_arm.iter().map(f).sum::<f64>() / 2.0;
    let attention = csv(&folder.join("attention.csv"));
    let is = |row: &&BTreeMap<String, String>| {
        row["arm"] == "learn-0.2"
            && row["seed"] == "1"
            && row["map"] == "block-1"
            && row["query"] == "3"
            && row["key"] == "16"
    };
    let first = of_arm.iter().find(|probe| probe["run"]["seed"] == 1).unwrap();
    let maps = first["pictures"]["attention"].as_array().unwrap();
    let weight = maps.iter().find(|map| map["map"] == "block-1").unwrap()["weights"][2][15].as_f64().unwrap();
    assert_eq!(attention.iter().find(is).unwrap()["weight"].parse::<f64>().unwrap(), weight);

    let similarity = csv(&folder.join("similarity.csv"));
    let is = |row: &&BTreeMap<String, String>| {
        row["arm"] == "learn-0.2"
            && row["state"] == "change"
            && row["position"] == "1"
            && row["other_position"] == "3"
    };
    let cosine = mean(&|probe| {
        let tables = probe["pictures"]["tables"].as_array().unwrap();
        let found =
            tables.iter().find(|table| table["table"] == "all" && table["state"] == "change").unwrap();
        // Upper triangle, row by row: (1, 2), (1, 3), ...
        found["cosine"][1].as_f64().unwrap()
    });
    let drawn: f64 = similarity.iter().find(is).unwrap()["cosine"].parse().unwrap();
    assert!((drawn - cosine).abs() < 1e-12, "{drawn} {cosine}");
}

/// Two machines, one run on both: one page, as if all had been here.
fn shards_are_merged(runs: &[PathBuf], reports: &Path, dir: &Path) {
    let (one, two) = (dir.join("one"), dir.join("two"));
    for (index, run) in runs.iter().enumerate() {
        for (shard, takes) in [(&one, index < 5), (&two, index >= 4)] {
            if takes {
                copy(run, &shard.join(run.file_name().unwrap()));
            }
        }
    }
    let merged = dir.join("merged");
    let done = report(&[&one, &two], &merged);
    let said = words(&done.stderr);
    assert!(done.status.success(), "{said}");
    assert!(said.contains("the same run twice") && said.contains("with the same scores"), "{said}");
    for name in ["accuracy.csv", "curves.svg", "claims.json"] {
        let of = |reports: &Path| std::fs::read(reports.join("small-quick-generated").join(name)).unwrap();
        assert_eq!(of(reports), of(&merged), "{name}");
    }

    // One of them lacks its statistics: it is left out, with the reason.
    std::fs::remove_file(two.join(runs[7].file_name().unwrap()).join("probe.json")).unwrap();
    let done = report(&[&one, &two], &merged);
    assert!(done.status.success() && words(&done.stderr).contains("not probed (--probe does it)"));
    assert!(words(&done.stdout).contains("small-quick-generated: 7 runs"));

    // A second run of the same arm and seed that is not the same run.
    let twin = two.join(runs[4].file_name().unwrap());
    for name in ["manifest.json", "probe.json"] {
        let hash = json(&twin.join(name));
        let hash = hash["config_hash"].as_str().or(hash["run"]["config_hash"].as_str()).unwrap();
        let changed = std::fs::read_to_string(twin.join(name)).unwrap().replace(hash, "0123456789abcdef");
        std::fs::write(twin.join(name), changed).unwrap();
    }
    let done = report(&[&one, &two], &merged);
    assert_eq!(done.status.code(), Some(2));
    let said = words(&done.stderr);
    assert!(said.lines().count() == 1 && said.contains("with another config (0123456789abcdef)"), "{said}");
}

#[test]
fn nothing_to_report_on_is_one_line_and_exit_code_2() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    for (folder, expected) in
        [(dir.path().to_owned(), "expected runs"), (dir.path().join("nowhere"), "got nothing")]
    {
        let done = report(&[&folder], &out);
        let said = words(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.lines().count() == 1 && said.contains(expected), "{said}");
    }
    // A run that trains still.
    let run = dir.path().join("runs/lst/a");
    std::fs::create_dir_all(&run).unwrap();
    std::fs::write(run.join("config.toml"), "schema = 1\n").unwrap();
    std::fs::write(run.join("manifest.json"), r#"{"schema": 1, "status": "running"}"#).unwrap();
    let done = report(&[dir.path()], &out);
    let said = words(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("training has not finished: a"), "{said}");
    assert!(!out.exists());
}

#[test]
fn wrong_arguments_are_one_line_and_a_closed_pipe_is_no_failure() {
    for arguments in [&["report", "--bogus"][..], &["reproduce", "--jobs", "many"], &["nothing"]] {
        let done = xtask(arguments);
        let said = words(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.lines().count() == 1 && said.contains("see `cargo xtask --help`"), "{said}");
    }
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("tidy")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{}", words(&done.stderr));
}
