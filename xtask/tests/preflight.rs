//! A missing OpenBLAS is found before the build, and named or installed. With a compiler and an apt of our own.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assert_cmd::Command;

/// A folder with a `cc` that links OpenBLAS only once a file says so, and an `apt-get` that makes that file.
fn machine(apt: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let installed = dir.path().join("installed");
    let script = |name: &str, body: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    script(
        "cc",
        &format!("[ \"$1\" = --version ] && exit 0; cat > /dev/null; test -e {}", installed.display()),
    );
    script("apt-get", &apt.replace("INSTALLED", &installed.display().to_string()));
    // Root everywhere, so that nobody's sudo is asked.
    script("id", "echo 0");
    // The build itself is not what is tested: this cargo says that it was called, and stops.
    script("cargo", "echo BUILD $*; exit 3");
    dir
}

const WORKING_APT: &str = "[ \"$1\" = install ] && touch INSTALLED; exit 0";

fn xtask(machine: &Path, arguments: &[&str], ci: &str) -> std::process::Output {
    let path = format!("{}:/usr/bin:/bin", machine.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(arguments)
        .env("PATH", path)
        .env("CC", machine.join("cc"))
        .env("CARGO", machine.join("cargo"));
    command.env("CI", ci).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn it_names_the_one_command_and_stops() {
    let machine = machine(WORKING_APT);
    for command in ["test", "reproduce"] {
        let output = xtask(machine.path(), &[command], "");
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains("apt-get install -y libopenblas-dev"), "{words}");
        assert!(words.contains("--install-deps"), "{words}");
        assert!(!text(&output.stdout).contains("BUILD"), "the build must not start");
    }
}

#[test]
fn it_installs_when_told_to_or_in_ci_and_says_so() {
    for (arguments, ci) in [(&["test", "--install-deps"][..], ""), (&["test"][..], "true")] {
        let machine = machine(WORKING_APT);
        let output = xtask(machine.path(), arguments, ci);
        let words = text(&output.stderr);
        assert!(words.contains("OpenBLAS not found: installing it with"), "{words}");
        assert!(words.contains("OpenBLAS is installed"), "{words}");
        assert!(text(&output.stdout).contains("BUILD test --release --workspace"), "the tests come next");
        assert_eq!(output.status.code(), Some(1), "this cargo fails");
    }
}

#[test]
fn an_installation_that_does_not_help_is_an_error() {
    let machine = machine("exit 0");
    let output = xtask(machine.path(), &["test", "--install-deps"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("did not bring OpenBLAS"), "{}", text(&output.stderr));
}
