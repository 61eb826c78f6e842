//! A limit on the size of files stands in for a full disk.

use std::fs;
use std::process::Command;

use crate::common::{Place, Record, ended, refused};

/// A run whose files may have at most `kilobytes`. With `trap`, a larger one is an error, as on a full disk;
/// without, the system kills the process.
fn limited(place: &Place, out: &str, kilobytes: u32, trap: &str, args: &str) -> Command {
    let script = format!("{trap} ulimit -f {kilobytes}; exec \"$0\" run config.toml --out {out} {args}");
    let mut command = Command::new("bash");
    command.current_dir(place.path()).args(["-c", &script, env!("CARGO_BIN_EXE_train")]);
    command
}

/// 10 kB of lines, tables of as many, weights of 20 kB, checkpoints of 60.
const CHANGES: [(&str, &str); 2] = [("stop.epochs", "12"), ("record.evaluate_every", "4")];

const IGNORE: &str = "trap '' XFSZ;";

/// The line that grows, the checkpoint, and the final files: each is where the space may end.
#[test]
fn is_code_1_leaves_no_half_file_and_resumes() {
    let place = Place::new(&CHANGES);
    let whole = place.complete("whole");
    for (out, kilobytes, args, file) in [
        ("lines", 5, "", "metrics.jsonl"),
        ("checkpoint", 30, "--checkpoint-steps 4", "state.safetensors"),
        ("results", 15, "", "model.safetensors"),
    ] {
        let dir = place.run_dir(out);
        let (code, line) = refused(&limited(&place, out, kilobytes, IGNORE, args).output().unwrap());
        assert!(code == 1 && line.contains(file) && line.contains("start again"), "{code}: {line}");
        let names: Vec<String> = [dir.clone(), dir.join("checkpoint")]
            .iter()
            .flat_map(|folder| fs::read_dir(folder).unwrap())
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert!(names.iter().all(|name| !name.starts_with('.') || name == ".lock"), "{names:?}");
        assert!(!names.contains(&file.to_owned()) || file == "metrics.jsonl", "{names:?}");
        let (code, line) = place.run(out, &[]);
        assert!(code == 0, "{line}");
        assert!(Record::read(&dir) == whole, "{out}");
    }
}

#[test]
fn a_process_killed_for_a_too_large_file_resumes() {
    let place = Place::new(&CHANGES);
    let whole = place.complete("whole");
    let output = limited(&place, "out", 30, "", "--checkpoint-steps 4").output().unwrap();
    assert_eq!(ended(&output).0, -1, "a signal");
    let (code, line) = place.run("out", &[]);
    assert!(code == 0, "{line}");
    assert!(Record::read(&place.run_dir("out")) == whole);
}
