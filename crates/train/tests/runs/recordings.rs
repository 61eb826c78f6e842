//! Recordings of parcels: what is recorded, what is read, what is refused, and that planted places are found.

use std::fs;
use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde_json::Value;
use train::plan::Overrides;
use train::{Experiment, Plan, RunConfig};

use crate::common::{Place, RECORDINGS, Record, ended, program, refused, tiny};

/// The settings of [`RECORDINGS`] for other recordings of so many tokens and axes.
fn settings(source: &str, tokens: &str, axes: &str) -> Vec<(&'static str, String)> {
    let mut settings = RECORDINGS.map(|(path, value)| (path, value.to_owned()));
    let start = settings[0].1.find("stand_in").unwrap();
    let end = settings[0].1.find("masked").unwrap();
    settings[0].1.replace_range(start..end, &format!("{source}, "));
    settings[3].1 = tokens.to_owned();
    settings[4].1 = axes.to_owned();
    settings.to_vec()
}

fn pairs<'a>(settings: &'a [(&'static str, String)]) -> Vec<(&'a str, &'a str)> {
    settings.iter().map(|(path, value)| (*path, value.as_str())).collect()
}

/// Three subjects, six regions on a line; a network for each half.
fn folder(at: &Path) -> PathBuf {
    let folder = at.join("recordings");
    fs::create_dir_all(&folder).unwrap();
    for subject in 0..3 {
        let value = |frame: usize, region: usize| {
            let place = (subject * 10_007 + frame * 101 + region * 7 + 1) as f64 * 0.618_033_988_749_895;
            (place.fract() * 9_973.0).fract() + (frame as f64 * 0.3 + region as f64 * 0.5).sin()
        };
        let lines: Vec<String> = (0..60)
            .map(|frame| (0..6).map(|region| value(frame, region).to_string()).collect::<Vec<_>>().join(","))
            .collect();
        fs::write(folder.join(format!("s{subject}.csv")), lines.join("\n")).unwrap();
    }
    fs::write(
        folder.join("regions.csv"),
        "name,network,x\na_L,one,10\na_R,one,20\nb_L,one,30\nb_R,two,40\nc,two,50\nd,two,60\n",
    )
    .unwrap();
    folder
}

#[test]
fn a_run_records_places_sides_and_what_tokens_are_called() {
    let place = Place::new(&RECORDINGS);
    let record = place.complete("out");
    let dataset = &record.manifest["dataset"];
    assert_eq!(
        (dataset["name"].as_str(), dataset["source"].as_str()),
        (Some("recordings"), Some("generated"))
    );
    // 60 frames, 6 of them tested, 3 left out before those; one of three subjects held out.
    let counts = ["train", "test", "generalization"].map(|split| dataset[split].as_u64().unwrap());
    assert_eq!(counts, [2 * 51, 2 * 12, 2 * 20]);
    let tensors = record.tensors();
    let (shape, places) = &tensors["coords"];
    assert_eq!(shape, &[10, 3]);
    assert!(places.iter().any(|value| value.abs() > 20.0), "in millimetres: {places:?}");
    assert_eq!(tensors["truth.hemisphere"].1, [-1.0, 1.0].repeat(5));
    assert_eq!(tensors["truth.cortical"].1, [vec![1.0; 8], vec![0.0; 2]].concat());
    assert_eq!(tensors["truth.correlation"].0, [10, 10]);
    assert!(!tensors.contains_key("truth.placeless") && !tensors.contains_key("truth.modules"));

    let tokens = fs::read_to_string(place.run_dir("out").join("tokens.csv")).unwrap();
    assert!(tokens.starts_with("token,name,hemisphere,cortical,x,y,z\n0,P01_L,L,1,"), "{tokens}");
    let manifest = fs::read_to_string(place.run_dir("out").join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["files"]["tokens.csv"], tokens.len());
    let baselines = fs::read_to_string(place.run_dir("out").join("baselines.json")).unwrap();
    assert!(baselines.contains("\"nearest\"") && baselines.contains("\"paired\""), "{baselines}");
}

/// A run whose table of names is gone is not complete, and is made again as it was.
#[test]
fn a_run_needs_its_names() {
    let place = Place::new(&RECORDINGS);
    let whole = place.complete("out");
    fs::remove_file(place.run_dir("out").join("tokens.csv")).unwrap();
    let (code, line) = place.run("out", &[]);
    assert!(code == 0 && line.contains("tokens.csv is missing"), "{line}");
    assert_eq!(Record::read(&place.run_dir("out")), whole);
}

const EXPERIMENT: &str = r#"
schema = 1
name = "mine"
[base]
batch = 27
model = { preset = "clean", width = 16 }
seeds = { pins = { data = 1, split = 1 } }
optimizer = { kind = "adam-w", lr = 1e-3 }
stop = { epochs = 2 }
[base.task]
kind = "recordings"
stand_in = { pairs = 5, inner_pairs = 1, subjects = 3, frames = 60 }
masked = { batch = 27, standardize = "subject", evaluation = { fractions = [0.5], most_items = 20 } }
[variants.first.task.masked]
block = { index = 0, of = 2 }
[variants.second.task.masked]
block = { index = 1, of = 2 }
[scales.quick]
pe = ["2d-fixed"]
sigma = [0.1]
seeds = [1]
groups = [{ variant = "first" }, { variant = "second" }]
"#;

fn plan(text: &str, overrides: &Overrides) -> Result<Plan, String> {
    let experiment = Experiment::from_toml(text, "e.toml").unwrap();
    experiment.plan("quick", overrides).map_err(|error| error.to_string())
}

fn recordings(folder: &Path) -> Overrides {
    Overrides { recordings: Some(folder.to_owned()), ..Overrides::default() }
}

/// The data say how large the model is, and where they lie is no part of what a run is.
#[test]
fn plans_take_their_sizes_from_the_data() {
    let generated = plan(EXPERIMENT, &Overrides::default()).unwrap();
    assert_eq!(generated.dataset.source, "generated");
    let place = tempfile::tempdir().unwrap();
    let (here, there) = (folder(&place.path().join("a")), folder(&place.path().join("b")));
    let plans = [here, there].map(|folder| plan(EXPERIMENT, &recordings(&folder)).unwrap());
    let [here, there] = &plans;
    assert_eq!((here.dataset.source.as_str(), here.runs.len()), ("files", 4));
    for (one, other) in here.runs.iter().zip(&there.runs) {
        assert_eq!((&one.id, &one.config_hash), (&other.id, &other.config_hash));
        let config = here.config(&one.id, "p.json").unwrap();
        assert_eq!(
            [config.model.inputs, config.model.outputs, config.model.tokens, config.model.axes],
            [2, 1, 6, 1]
        );
    }
    assert_ne!(generated.runs[0].id, here.runs[0].id);
    // What a folder calls made up is not taken for a recording.
    fs::write(place.path().join("a/recordings/dataset.json"), "{\"synthetic\": true}").unwrap();
    let folder = place.path().join("a/recordings");
    assert_eq!(plan(EXPERIMENT, &recordings(&folder)).unwrap().dataset.source, "generated");
    // Half of what lies before the test frames, less than of the whole.
    assert!(here.runs[0].config.contains("block"), "{}", here.runs[0].config);
}

fn config_of(plan: &Plan, run: usize) -> RunConfig {
    plan.config(&plan.runs[run].id, "p.json").unwrap()
}

#[test]
fn recordings_from_files_are_trained_on_and_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = folder(place.path());
    let plan = plan(EXPERIMENT, &recordings(&folder)).unwrap();
    let config = config_of(&plan, 0);
    fs::write(place.path().join("config.toml"), config.to_toml()).unwrap();
    let run = |out: &str| {
        let mut command = program();
        command.current_dir(place.path()).args(["run", "config.toml", "--out", out]);
        command.output().unwrap()
    };
    let (code, line) = ended(&run("out"));
    assert!(code == 0, "{line}");
    let record = Record::read(&place.path().join("out/mine").join(config.run_id()));
    let tensors = record.tensors();
    assert_eq!(tensors["coords"].1, [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]);
    assert_eq!(tensors["truth.modules"].1, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    assert_eq!(tensors["truth.hemisphere"].1, [-1.0, 1.0, -1.0, 1.0, 0.0, 0.0]);

    // Other data under the same config are refused before anything is written.
    let path = folder.join("s1.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("0.", "1.", 1)).unwrap();
    let (code, line) = refused(&run("other"));
    assert!(
        code == 2 && line.contains("have SHA-256") && !place.path().join("other").exists(),
        "{code} {line}"
    );
}

/// One recording, half of it, and a table of names alone: nobody is held out, and nobody knows places.
#[test]
fn half_a_recording_without_places_has_their_index() {
    let place = tempfile::tempdir().unwrap();
    let folder = folder(place.path());
    fs::write(folder.join("regions.csv"), "name\np\nq\nr\ns\nt\nu\n").unwrap();
    let own = format!("files = [{:?}]\nregions = {:?}\n", folder.join("s0.csv"), folder.join("regions.csv"));
    let text = EXPERIMENT
        .replace("stand_in = { pairs = 5, inner_pairs = 1, subjects = 3, frames = 60 }\n", &own)
        .replace("evaluation =", "held_out = { count = 0 }, gap = { frames = 4 }, evaluation =");
    let plan = plan(&text, &Overrides::default()).unwrap();
    let config = config_of(&plan, 3);
    assert_eq!(config.variant.as_deref(), Some("second"));
    assert_eq!((config.model.tokens, config.model.axes), (6, 1));
    fs::write(place.path().join("config.toml"), config.to_toml()).unwrap();
    let output = program().current_dir(place.path()).args(["run", "config.toml"]).output().unwrap();
    let (code, line) = ended(&output);
    assert!(code == 0, "{line}");
    let run = place.path().join("out/runs/mine").join(config.run_id());
    let record = Record::read(&run);
    // 54 frames before the tested ones; without the gap before those and the one between, two halves of 23.
    let counts =
        ["train", "test", "generalization"].map(|split| record.manifest["dataset"][split].as_u64().unwrap());
    assert_eq!(counts, [23, 6, 0]);
    assert!(record.lines(&[("split", "generalization")]).is_empty());
    let tensors = record.tensors();
    assert_eq!(
        (&tensors["truth.placeless"].1, &tensors["coords"].1),
        (&vec![1.0], &vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
    );
    assert!(fs::read_to_string(run.join("tokens.csv")).unwrap().starts_with("token,name\n0,p\n"));
    assert!(!fs::read_to_string(run.join("baselines.json")).unwrap().contains("nearest"));
}

#[test]
fn settings_and_data_that_do_not_fit_are_named() {
    let place = tempfile::tempdir().unwrap();
    let good = folder(place.path());
    let broken = |name: &str, file: &str, text: &str| {
        let folder = folder(&place.path().join(name));
        fs::write(folder.join(file), text).unwrap();
        folder
    };
    for (folder, words) in [
        (place.path().join("none"), "cannot read"),
        (broken("short", "regions.csv", "name\na\n"), "6 lines, as the series, got 1"),
        (broken("wide", "s1.csv", "1,2\n3,4\n"), "expected 6 parcels, as in s0"),
        (broken("hole", "s1.csv", "1,2,3,4,5,n/a\n2,3,4,5,6,7\n"), "finite values"),
        (broken("table", "regions.csv", "label\na\n"), "a column name"),
        (broken("how", "dataset.json", "{\"rate\": 1}"), "unknown field `rate`"),
    ] {
        let error = plan(EXPERIMENT, &recordings(&folder)).unwrap_err();
        assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
    }
    for (from, to, words) in [
        ("kind = \"recordings\"", "kind = \"recordings\"\nfolder = 'a'\nfiles = ['b.csv']", "got both"),
        ("kind = \"recordings\"", "kind = \"recordings\"\nfolder = 'a'", "either recordings or a stand-in"),
        ("kind = \"recordings\"", "kind = \"recordings\"\nregions = 'b.csv'", "belong to `files`"),
        ("pairs = 5", "pairs = 1", "stand_in.pairs"),
        ("index = 0, of = 2", "index = 2, of = 2", "`block`"),
    ] {
        let error = plan(&EXPERIMENT.replacen(from, to, 1), &Overrides::default()).unwrap_err();
        assert!(error.contains(words) && !error.contains('\n'), "{words}: {error}");
    }
    let puzzles = Overrides { puzzles: Some(good.clone()), ..Overrides::default() };
    let error = plan(EXPERIMENT, &puzzles).unwrap_err();
    assert!(error.contains("its task reads no puzzles"), "{error}");
    // A config by hand has to say how large its data are.
    let mine = settings(&format!("folder = {good:?}"), "6", "1");
    fs::write(place.path().join("config.toml"), tiny(&pairs(&mine))).unwrap();
    let output = program().current_dir(place.path()).args(["run", "config.toml"]).output().unwrap();
    let (code, line) = refused(&output);
    assert!(code == 2 && line.contains("make the config with `train plan`"), "{code} {line}");
    let mine = settings(&format!("folder = {good:?}, tokens = 7, axes = 1"), "7", "1");
    fs::write(place.path().join("config.toml"), tiny(&pairs(&mine))).unwrap();
    let output = program().current_dir(place.path()).args(["run", "config.toml"]).output().unwrap();
    let (code, line) = refused(&output);
    assert!(code == 2 && line.contains("6 parcels with 1 axes, the config says 7 and 1"), "{code} {line}");
}

/// The Pearson correlation over pairs of rows of the distances of two tables.
fn distances_agree(one: &Array2<f64>, other: &Array2<f64>) -> f64 {
    let distance = |table: &Array2<f64>, i: usize, j: usize| {
        (&table.row(i) - &table.row(j)).mapv(|step| step * step).sum().sqrt()
    };
    let rows = one.nrows();
    let pairs = || (0..rows).flat_map(|i| (0..i).map(move |j| (i, j)));
    let of = |table: &Array2<f64>| pairs().map(|(i, j)| distance(table, i, j)).collect::<Vec<f64>>();
    let (a, b) = (of(one), of(other));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let product =
        |f: &dyn Fn(f64, f64) -> f64| a.iter().zip(&b).map(|(x, y)| f(x - mean_a, y - mean_b)).sum::<f64>();
    product(&|x, y| x * y) / (product(&|x, _| x * x) * product(&|_, y| y * y)).sqrt()
}

/// A geometry that was planted comes out of the table of the first block; slow (RUN_SLOW_TESTS=1).
///
/// Sixteen pairs with strong coupling to neighbours and none across: correlation falls with distance alone. The bound
/// is far above what chance gives: under a permutation of 32 regions the standard deviation is about 0.1.
#[test]
fn a_planted_geometry_is_recovered() {
    if std::env::var_os("RUN_SLOW_TESTS").is_none() {
        println!("skipped: set RUN_SLOW_TESTS=1 to train for a minute");
        return;
    }
    let task = "stand_in = { pairs = 16, inner_pairs = 2, subjects = 4, frames = 1200, length = 25.0, homotopic = 0.0, \
                distant = 0.0, common = 0.0, noise = 0.25 }";
    let mut settings = settings(task, "32", "3");
    settings[0].1 = settings[0].1.replace("batch = 27", "batch = 64");
    let more = [
        ("arm", "'learn-0.1'"),
        ("model.encoding", "{ kind = 'learned', sigma = 0.1 }"),
        ("model.width", "64"),
        ("model.heads", "1"),
        ("model.blocks", "4"),
        ("model.hidden", "256"),
        ("batch", "64"),
        ("stop.epochs", "24"),
    ];
    settings.extend(more.map(|(path, value)| (path, value.to_owned())));
    let place = Place::new(&pairs(&settings));
    let tensors = place.complete("out").tensors();
    let table = |name: &str| {
        let (shape, values) = &tensors[name];
        Array2::from_shape_vec((shape[0], shape[1]), values.iter().map(|v| f64::from(*v)).collect()).unwrap()
    };
    let places = table("coords");
    let agrees = |name: &str| distances_agree(&table(name), &places);
    let (before, after) = (agrees("pe.init.block-0"), agrees("pe.final.block-0"));
    println!(
        "block 0, distances of rows with those of places: {before:.2} before, {after:.2} after training"
    );
    assert!(before.abs() < 0.3 && after > 0.5, "{before} before, {after} after");
}
