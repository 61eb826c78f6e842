//! Recordings of one's own, from a CSV to a verdict: a planted ring is found, white noise gives none, and what is wrong
//! with files is said in one line.

mod support;

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use rand::RngExt;
use serde_json::Value;
use streams::{Stream, Streams};
use support::built;

/// Channels of the recordings that are made here.
const CHANNELS: usize = 12;

/// The tries of the check of the level, and the most false finds: at 0.01, more than 4 of 100 come up once in 290 times.
const TRIES: u64 = 100;
const MOST_FALSE: usize = 4;

fn discover(series: &[&Path], out: &Path, more: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.arg("discover").arg("--series").args(series).arg("--out").arg(out);
    command.args(["--no-build", "--scale", "smoke"]).args(more).output().unwrap()
}

/// Independent standard normal values, `[frames][CHANNELS]` (Box and Muller).
fn noise(frames: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = Streams::new(seed).rng(Stream::Data);
    let mut normal = || {
        let (radius, angle) = (1.0 - rng.random::<f64>(), rng.random::<f64>());
        (-2.0 * radius.ln()).sqrt() * (TAU * angle).cos()
    };
    (0..frames).map(|_| (0..CHANNELS).map(|_| normal()).collect()).collect()
}

/// Where channel `i` sits on the ring: not in the order of the columns, which a test could find by itself.
fn place(channel: usize) -> usize {
    5 * channel % CHANNELS
}

/// A linear process in which each channel follows its neighbours on a ring.
fn ring(frames: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut at = vec![0.0; CHANNELS];
    let mut step = |noise: &Vec<f64>| {
        let next = |i: usize| {
            let neighbours = at[(i + 1) % CHANNELS] + at[(i + CHANNELS - 1) % CHANNELS];
            0.2 * at[i] + 0.35 * neighbours + noise[i]
        };
        at = (0..CHANNELS).map(next).collect();
        (0..CHANNELS).map(|channel| at[place(channel)]).collect()
    };
    noise(frames, seed).iter().map(&mut step).collect()
}

fn csv(path: &Path, rows: &[Vec<f64>]) -> PathBuf {
    let names: Vec<String> = (0..CHANNELS).map(|channel| format!("c{channel}")).collect();
    let mut text = names.join(",") + "\n";
    for row in rows {
        text += &(row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n");
    }
    std::fs::write(path, text).unwrap();
    path.to_owned()
}

/// Places on the circle, in another order than the columns: they are joined by name.
fn places(path: &Path) -> PathBuf {
    let mut text = "name,x,y\n".to_owned();
    for channel in (0..CHANNELS).rev() {
        let angle = TAU * place(channel) as f64 / CHANNELS as f64;
        writeln!(text, "c{channel},{},{}", angle.cos(), angle.sin()).unwrap();
    }
    std::fs::write(path, text).unwrap();
    path.to_owned()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_planted_ring_is_found_and_drawn() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (series, coords) =
        (csv(&dir.path().join("ring.csv"), &ring(900, 1)), places(&dir.path().join("places.csv")));
    let out = dir.path().join("out");
    let output =
        discover(&[&series], &out, &["--coords", coords.to_str().unwrap(), "--seeds", "2", "--steps", "600"]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    let found = json(&out.join("discover.json"));
    let verdict = &found["verdict"];
    assert_eq!(verdict["geometry"], "found", "{stdout}");
    assert_eq!(
        (&verdict["coordinates"], &verdict["is_predictable"]),
        (&"found".into(), &true.into()),
        "{stdout}"
    );
    assert_eq!(found["arms"][0]["runs"], 4);
    assert_eq!(found["arms"][0]["halves"]["pairs"], 4, "each run of one half against each of the other");
    assert!(stdout.contains("Geometry: found") && stdout.contains("Prediction: yes"), "{stdout}");

    // Opposite channels lie apart in the map, neighbours near: the known places were not used for the components.
    let map = std::fs::read_to_string(out.join("map.csv")).unwrap();
    let rows: Vec<Vec<String>> =
        map.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    assert_eq!((rows.len(), &rows[0][0][..], &rows[1][0][..]), (CHANNELS + 1, "name", "c0"));
    let at = |channel: usize| -> [f64; 2] { [1, 2].map(|column| rows[channel + 1][column].parse().unwrap()) };
    let apart = |a: usize, b: usize| (at(a)[0] - at(b)[0]).hypot(at(a)[1] - at(b)[1]);
    let mean = |steps: usize| -> f64 {
        let pair =
            |channel: usize| (0..CHANNELS).find(|other| place(*other) == (place(channel) + steps) % CHANNELS);
        (0..CHANNELS).map(|channel| apart(channel, pair(channel).unwrap())).sum::<f64>() / CHANNELS as f64
    };
    assert!(mean(6) > 2.0 * mean(1), "opposite {} apart, neighbours {}", mean(6), mean(1));

    let page = std::fs::read_to_string(out.join("index.html")).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    roxmltree::Document::parse_with_options(&page, options).unwrap();
    for name in ["map", "similarity", "agreement"] {
        assert!(
            page.contains(&format!("figures/{name}.svg")) && out.join(format!("figures/{name}.csv")).exists()
        );
    }

    // Again: no run is repeated, and the verdict is the same to the byte.
    let before = std::fs::read(out.join("discover.json")).unwrap();
    let again =
        discover(&[&series], &out, &["--coords", coords.to_str().unwrap(), "--seeds", "2", "--steps", "600"]);
    assert_eq!(String::from_utf8_lossy(&again.stderr).matches("skipped: complete already").count(), 8);
    assert_eq!(std::fs::read(out.join("discover.json")).unwrap(), before);
}

/// 100 recordings of nothing, with places that have nothing to do with them: neither verdict may find anything more often
/// than its level allows.
#[test]
fn white_noise_gives_none() {
    if std::env::var_os("RUN_SLOW_TESTS").is_none() {
        eprintln!("skipped: set RUN_SLOW_TESTS=1 for {TRIES} recordings of white noise, some minutes");
        return;
    }
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let coords = places(&dir.path().join("places.csv"));
    let (mut geometry, mut coordinates, mut predictable) = (Vec::new(), Vec::new(), 0);
    for seed in 0..TRIES {
        let (file, out) =
            (dir.path().join(format!("noise-{seed}.csv")), dir.path().join(format!("out-{seed}")));
        let series = csv(&file, &noise(400, 1000 + seed));
        let output = discover(&[&series], &out, &["--coords", coords.to_str().unwrap()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found = json(&out.join("discover.json"));
        predictable += usize::from(found["verdict"]["is_predictable"] == true);
        let small = &found["arms"][0];
        for (what, p, list) in [
            ("geometry", &small["halves"]["p"], &mut geometry),
            ("coordinates", &small["coordinates"]["p"], &mut coordinates),
        ] {
            let p = p.as_f64().unwrap();
            assert_eq!(found["verdict"][what] == "found", p < 0.01, "the verdict is the p at the level");
            list.push(p);
        }
        std::fs::remove_dir_all(&out).unwrap();
        eprintln!(
            "try {seed}: p of the halves {:.4}, of the places {:.4}",
            geometry.last().unwrap(),
            coordinates.last().unwrap()
        );
    }
    let finds = |p: &[f64]| p.iter().filter(|p| **p < 0.01).count();
    eprintln!(
        "{TRIES} tries: {} and {} false finds, {predictable} predictable",
        finds(&geometry),
        finds(&coordinates)
    );
    assert!(
        finds(&geometry) <= MOST_FALSE && finds(&coordinates) <= MOST_FALSE,
        "{geometry:?}\n{coordinates:?}"
    );
    assert!(predictable <= MOST_FALSE, "{predictable} recordings of nothing count as predictable");
    // The p of the halves is uniform, not just rarely small: a fifth below 0.2, within 4 standard errors.
    let below = geometry.iter().filter(|p| **p < 0.2).count() as f64 / TRIES as f64;
    assert!((below - 0.2).abs() < 0.16, "{below} of the p are below 0.2");
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    if !built() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let good = csv(&dir.path().join("good.csv"), &noise(300, 1));
    let changed = |name: &str, change: fn(usize, &mut Vec<f64>)| {
        let mut rows = noise(300, 2);
        rows.iter_mut().enumerate().for_each(|(frame, row)| change(frame, row));
        csv(&dir.path().join(name), &rows)
    };
    let nan = changed("nan.csv", |frame, row| {
        if frame == 7 {
            row[2] = f64::NAN
        }
    });
    let constant = changed("constant.csv", |_, row| row[3] = 5.0);
    let half = changed("half.csv", |frame, row| {
        if frame < 180 {
            row[3] = 5.0
        }
    });
    let clock = changed("clock.csv", |frame, row| row[0] = frame as f64 / 100.0);
    let short = csv(&dir.path().join("short.csv"), &noise(50, 3));
    let few = write("few.csv", &format!("a,b\n{}", "1,2\n2,1\n3,3\n".repeat(100)));
    let other = write("other.csv", &std::fs::read_to_string(&good).unwrap().replacen("c3", "d3", 1));
    let coords = write("coords.csv", "name,x,y\nc0,1,2\n");
    let unnamed = write(
        "unnamed.csv",
        &std::fs::read_to_string(&good)
            .unwrap()
            .lines()
            .skip(1)
            .fold(String::new(), |all, line| all + line + "\n"),
    );
    let placeless = write("placeless.csv", "name\nc0\n");
    let numbers = (0..CHANNELS).map(|channel| channel.to_string()).collect::<Vec<_>>().join(",");
    let counted = write("counted.csv", &(numbers + "\n" + &std::fs::read_to_string(&unnamed).unwrap()));
    for (series, more, words) in [
        (vec![&nan], vec![], "finite values"),
        (vec![&constant], vec![], "5 throughout"),
        (vec![&half], vec![], "channel c3"),
        (vec![&clock], vec![], "leave the column of times out"),
        (vec![&short], vec![], "frames in each half"),
        (vec![&few], vec![], "at least 8 channels"),
        (vec![&good, &few], vec![], "few"),
        (vec![&good, &other], vec![], "d3"),
        (vec![&good], vec!["--coords", coords.to_str().unwrap()], "c1"),
        (vec![&unnamed], vec!["--coords", coords.to_str().unwrap()], "12 lines"),
        (vec![&good], vec!["--coords", placeless.to_str().unwrap()], "--labels"),
        (vec![&counted], vec![], "0 to 11, which look like numbers of columns"),
        (vec![&good], vec!["--parcels-by-frames"], "a header that names 12 columns"),
        (vec![&good], vec!["--variable", "foo"], "only .npz and .mat hold several arrays"),
        (vec![&good], vec!["--seeds", "0"], "--seeds is 0"),
        (vec![&good], vec!["--gap", "nan"], "--gap"),
        (vec![&dir.path().join("nothing.csv")], vec![], "nothing.csv"),
    ] {
        let series: Vec<&Path> = series.into_iter().map(PathBuf::as_path).collect();
        let output = discover(&series, &dir.path().join("out"), &more);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{series:?} {more:?}: {text}");
        assert!(text.contains(words), "expected {words:?} in: {text}");
    }
}

/// Help is there at once, and names the options that only this command has.
#[test]
fn help_of_extract_builds_nothing() {
    if !built() {
        return;
    }
    for flag in ["--help", "-h"] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).args(["extract", flag]).output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && stderr.is_empty(), "{stderr}");
        assert!(stdout.contains("--bold") && stdout.contains("--no-build"), "{stdout}");
    }
}
