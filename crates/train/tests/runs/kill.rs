//! Kill at any moment, start again: the same bytes as without interruption.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::common::{NETWORK, PAPER_2D, Place, RECORDINGS, Record, copy_folder};

const SIGKILL: i32 = 9;

/// Starts a run that tells every step, and reads lines of it until the one with number `lines`, or about `last`.
fn start(place: &Place, out: &str, lines: usize, last: &str) -> Child {
    let args = ["--progress-json", "--progress-seconds", "0", "--checkpoint-steps", "4"];
    let mut command = place.command(out, &args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut reader = BufReader::new(child.stdout.as_mut().unwrap());
    for _ in 0..lines {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.starts_with(last) {
            break;
        }
    }
    child
}

/// Whether the kill came in time.
fn kill(mut child: Child) -> bool {
    child.kill().unwrap();
    child.wait().unwrap().signal() == Some(SIGKILL)
}

/// Kills right after the start, before and after the first checkpoint, and later; then lets it end.
fn survives(changes: &[(&str, &str)], stopped_by: &str) {
    let place = Place::new(changes);
    let whole = place.complete("whole");
    assert_eq!(whole.manifest["stopped_by"], stopped_by);
    let kills = [0, 1, 2, 3, 5, 6, 9, 13].map(|lines| kill(start(&place, "killed", lines, "never")));
    assert!(kills.iter().filter(|hit| **hit).count() >= 4, "the run is too short for this test: {kills:?}");
    let (code, line) = place.run("killed", &[]);
    assert!(code == 0 && line.contains("resumed after step"), "{line}");
    assert!(Record::read(&place.run_dir("killed")) == whole, "{changes:?}");
}

#[test]
fn adam_w_with_all_that_varies_by_step() {
    survives(
        &[
            ("stop.epochs", "40"),
            ("optimizer.weight_decay", "0.1"),
            ("schedule", "{ kind = 'cosine', warm_up = 10, floor = 0.1 }"),
            ("clip", "0.5"),
            ("model.dropout", "0.1"),
            ("record", "{ evaluate_every = 3, snapshots = [1, 2, 5, 20] }"),
        ],
        "epochs",
    );
}

/// Masks are drawn anew each epoch, and those of a resumed run are the same.
#[test]
fn masked_nodes_of_a_network() {
    survives(
        &[&NETWORK[..], &[("stop.epochs", "30"), ("record", "{ evaluate_every = 1, snapshots = [3] }")]]
            .concat(),
        "epochs",
    );
}

/// Regressions and gaps, too, depend on nothing that a kill could change.
#[test]
fn masked_regions_of_recordings() {
    let settings = [("stop.epochs", "30"), ("record", "{ evaluate_every = 3, snapshots = [3] }")];
    survives(&[&RECORDINGS[..], &settings].concat(), "epochs");
}

/// Plateau: no loss falls by 1 within 30 epochs.
#[test]
fn sgd_with_momentum_and_dropout_in_evaluation_until_a_plateau() {
    let sgd = "{ kind = 'sgd', lr = 0.05, momentum = 0.9, weight_decay = 1e-3 }";
    let stop = "{ epochs = 99, plateau = { patience = 30, min_delta = 1.0 } }";
    survives(&[&PAPER_2D[..], &[("optimizer", sgd), ("stop", stop)]].concat(), "plateau");
}

#[test]
fn adam_until_a_training_accuracy() {
    let adam = "{ kind = 'adam', lr = 1e-3, weight_decay = 1e-4 }";
    survives(&[("optimizer", adam), ("stop", "{ epochs = 300, train_accuracy = 0.5 }")], "train-accuracy");
}

/// At every step; one to three minutes.
#[test]
fn kills_at_every_step() {
    if std::env::var_os("RUN_SLOW_TESTS").is_none() {
        eprintln!("skipped: set RUN_SLOW_TESTS=1 to kill a run at every one of 120 steps");
        return;
    }
    let place = Place::new(&[&PAPER_2D[..], &[("stop.epochs", "40")]].concat());
    let whole = place.complete("whole");
    for lines in 0..=120 {
        kill(start(&place, "killed", lines, "never"));
        let (code, line) = place.run("killed", &[]);
        assert!(code == 0, "{lines}: {line}");
        assert!(Record::read(&place.run_dir("killed")) == whole, "{lines}: {line}");
        std::fs::remove_dir_all(place.run_dir("killed")).unwrap();
    }
}

/// The last steps and the final writes, a little later each time.
#[test]
fn kills_during_the_final_writes() {
    let place = Place::new(&[("stop.epochs", "40")]);
    let whole = place.complete("whole");
    // Nobody reads on: the run stops by itself, at a checkpoint.
    let stopped = || {
        let mut child = start(&place, "almost", 30, "never");
        drop(child.stdout.take());
        child.wait().unwrap().code() == Some(1)
    };
    assert!(stopped(), "it got to its end");

    let mut hits = 0;
    for delay in 0..12 {
        let out = format!("final-{delay}");
        copy_folder(&place.run_dir("almost"), &place.run_dir(&out));
        let child = start(&place, &out, usize::MAX, "{\"step\":120,");
        std::thread::sleep(Duration::from_micros(700 * delay));
        hits += usize::from(kill(child));
        let (code, line) = place.run(&out, &[]);
        assert!(code == 0, "{line}");
        assert!(Record::read(&place.run_dir(&out)) == whole, "{delay}: {line}");
    }
    assert!(hits > 0, "no kill came before the end");
}
