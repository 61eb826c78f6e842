//! When a run is skipped, redone, resumed or refused.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::common::{Place, Record, copy_folder, program, refused, tiny_config};

#[test]
fn a_complete_run_is_skipped() {
    let place = Place::new(&[]);
    let whole = place.complete("out");
    fs::write(place.run_dir("out").join("probe.json"), "{}").unwrap();
    // As a kill just after the run was declared complete leaves it.
    let dir = place.run_dir("out");
    fs::create_dir(dir.join("checkpoint")).unwrap();
    fs::write(dir.join("checkpoint/state.safetensors"), "").unwrap();
    let (code, line) = place.run("out", &[]);
    assert!(
        code == 0 && line.ends_with("skipped: complete already, with the same config and all files"),
        "{line}"
    );
    assert!(dir.join("probe.json").exists());
    fs::remove_file(dir.join("probe.json")).unwrap();
    assert!(Record::read(&dir) == whole);
}

#[test]
fn a_missing_or_truncated_file_is_reason_to_run_again() {
    let place = Place::new(&[]);
    let whole = place.complete("out");
    let dir = place.run_dir("out");
    for name in ["config.toml", "metrics.jsonl", "tensors.safetensors", "model.safetensors", "manifest.json"]
    {
        for (cut, reason) in [
            (None, format!("{name} is missing")),
            (Some(5), format!("{name} has another size than when it was finished")),
        ] {
            let path = dir.join(name);
            let bytes = fs::read(&path).unwrap();
            match cut {
                None => fs::remove_file(&path).unwrap(),
                Some(n) => fs::write(&path, &bytes[..n]).unwrap(),
            }
            fs::write(dir.join("probe.json"), "of the old run").unwrap();
            let reason = match (name, cut) {
                ("manifest.json", _) => "it was not finished".to_owned(),
                ("config.toml", Some(_)) => "config.toml cannot be read".to_owned(),
                _ => reason,
            };
            let (code, line) = place.run("out", &[]);
            assert!(code == 0 && line.ends_with(&format!("started anew because {reason}")), "{name}: {line}");
            assert!(Record::read(&dir) == whole, "{name}");
        }
    }
}

#[test]
fn an_unfinished_run_without_its_lines_starts_anew() {
    let place = Place::new(&[("stop.epochs", "40")]);
    let whole = place.complete("whole");
    stop_early(&place, "out");
    let metrics = place.run_dir("out").join("metrics.jsonl");
    let lines = fs::read(&metrics).unwrap();
    fs::write(&metrics, &lines[..lines.len() / 2]).unwrap();
    let (code, line) = place.run("out", &[]);
    assert!(code == 0 && line.ends_with("metrics.jsonl has lost lines since the checkpoint"), "{line}");
    assert!(Record::read(&place.run_dir("out")) == whole);
}

/// What a kill leaves between making a temporary file and renaming it goes away with the next start.
#[test]
fn temporary_files_of_a_killed_run_are_swept() {
    let place = Place::new(&[("stop.epochs", "40")]);
    let whole = place.complete("whole");
    stop_early(&place, "out");
    let dir = place.run_dir("out");
    for name in [".model.safetensors.aB3dEf", ".manifest.json.000000", "checkpoint/.state.safetensors.abcdef"]
    {
        fs::write(dir.join(name), "half").unwrap();
    }
    fs::write(dir.join(".note"), "not ours").unwrap();
    assert!(place.run("out", &[]).1.contains("resumed after step"));
    fs::remove_file(dir.join(".note")).unwrap();
    assert!(Record::read(&dir) == whole);
}

#[test]
fn another_config_or_schema_in_the_directory_is_refused() {
    let place = Place::new(&[]);
    let whole = place.complete("out");
    let other = tiny_config(&[("seeds.seed", "2")]);
    // The directory of one run under the name of another.
    let dir = place.path().join("out/tiny").join(other.run_id());
    copy_folder(&place.run_dir("out"), &dir);
    fs::write(place.path().join("other.toml"), other.to_toml()).unwrap();
    let run_other = || {
        let args = ["run", "other.toml", "--out", "out"];
        refused(&program().current_dir(place.path()).args(args).output().unwrap())
    };
    let (code, line) = run_other();
    assert!(code == 2 && line.contains("choose another output directory or delete this one"), "{line}");
    assert!(Record::read(&dir) == whole, "it is left as it was");
    // The manifest knows whose run it is, too.
    fs::remove_file(dir.join("config.toml")).unwrap();
    assert_eq!(run_other().0, 2);

    let here = place.run_dir("out");
    for name in ["config.toml", "manifest.json"] {
        let text = fs::read_to_string(here.join(name)).unwrap();
        let newer =
            text.replacen("schema = 1", "schema = 2", 1).replacen("\"schema\": 1", "\"schema\": 2", 1);
        assert_ne!(newer, text);
        fs::write(here.join(name), newer).unwrap();
        let (code, line) = refused(&place.command("out", &[]).output().unwrap());
        let expected = format!("{name} has schema 2, this program reads schema 1");
        assert!(code == 2 && line.contains(&expected), "{line}");
        fs::write(here.join(name), text).unwrap();
    }
    assert!(Record::read(&here) == whole);
}

/// Nothing says whose run it is, so nothing is overwritten.
#[test]
fn a_directory_with_a_config_that_is_none_is_refused() {
    let place = Place::new(&[]);
    let dir = place.run_dir("out");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("config.toml"), "schema = 1\ncolour").unwrap();
    let (code, line) = refused(&place.command("out", &[]).output().unwrap());
    assert!(code == 2 && line.contains("delete it and start again"), "{line}");
    assert_eq!(fs::read_to_string(dir.join("config.toml")).unwrap(), "schema = 1\ncolour");
}

#[test]
fn a_second_process_is_told_to_wait() {
    let place = Place::new(&[("stop.epochs", "9999")]);
    let mut first = place
        .command("out", &["--progress-json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    BufReader::new(first.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    let second = refused(&place.command("out", &[]).output().unwrap());
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(
        second.0 == 1 && second.1.contains("is being trained by another process: wait for it"),
        "{}",
        second.1
    );
}

#[test]
fn a_run_whose_reader_is_gone_stops_at_a_checkpoint() {
    let place = Place::new(&[]);
    let whole = place.complete("whole");
    let (code, line) = stop_early(&place, "out");
    assert!(code == 1 && line.contains("nobody reads the progress any more"), "{line}");
    let (code, line) = place.run("out", &[]);
    assert!(code == 0 && line.ends_with("complete, resumed after step 1"), "{line}");
    assert!(Record::read(&place.run_dir("out")) == whole);
}

/// The checkpoint knows that the run is over; the results are all that is left to write.
#[test]
fn a_run_stopped_after_its_last_step_writes_its_results() {
    let place = Place::new(&[("batch", "81"), ("stop.epochs", "1")]);
    let whole = place.complete("whole");
    assert_eq!(stop_early(&place, "out").0, 1);
    let (code, line) = place.run("out", &[]);
    assert!(code == 0 && line.ends_with("complete, resumed after step 1"), "{line}");
    assert!(Record::read(&place.run_dir("out")) == whole);
}

/// A run that stops after its first step.
fn stop_early(place: &Place, out: &str) -> (i32, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    refused(&place.command(out, &["--progress-json"]).stdout(writer).output().unwrap())
}
