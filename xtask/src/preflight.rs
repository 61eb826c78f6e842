//! What the build needs from the system, checked before minutes are spent on it.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::bad_input;

/// The Debian and Ubuntu package that `probe` links against.
const PACKAGE: &str = "libopenblas-dev";

/// Checks for a C compiler and OpenBLAS; installs the latter if allowed to.
pub(crate) fn check(install_deps: bool) -> Result<()> {
    let Some(compiler) = c_compiler() else {
        return Err(bad_input(
            "no C compiler found: install one (on Debian or Ubuntu: `sudo apt-get install -y gcc`)",
        ));
    };
    if links_openblas(&compiler)? {
        return Ok(());
    }
    let command = install_command();
    let automatic = install_deps || std::env::var_os("CI").is_some_and(|value| value == "true");
    let Some(command) = command else {
        return Err(bad_input("OpenBLAS not found: install its development files, then run this again"));
    };
    if !automatic {
        return Err(bad_input(format!(
            "OpenBLAS not found: install it with `{command}`, or run this again with --install-deps"
        )));
    }
    eprintln!("OpenBLAS not found: installing it with `{command}`");
    let status = Command::new("sh").args(["-c", &command]).status().context("cannot start sh")?;
    if status.success() && links_openblas(&compiler)? {
        eprintln!("OpenBLAS is installed");
        return Ok(());
    }
    Err(anyhow::anyhow!("`{command}` did not bring OpenBLAS, see above"))
}

fn c_compiler() -> Option<String> {
    let named = std::env::var("CC").ok();
    let candidates = named.into_iter().chain(["cc", "gcc", "clang"].map(str::to_owned));
    candidates.into_iter().find(|name| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    })
}

/// Links a program of one line, which is what the build would do minutes later.
fn links_openblas(compiler: &str) -> Result<bool> {
    let output = std::env::temp_dir().join(format!("openblas-check-{}", std::process::id()));
    let mut child = Command::new(compiler)
        .args(["-x", "c", "-", "-lopenblas", "-o"])
        .arg(&output)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {compiler}"))?;
    if let Some(stdin) = &mut child.stdin {
        stdin.write_all(b"int main(void) { return 0; }\n")?;
    }
    let status = child.wait()?;
    // It exists only if the link worked.
    let _ = std::fs::remove_file(&output);
    Ok(status.success())
}

/// The one command to type, where the system has apt.
fn install_command() -> Option<String> {
    let found = |program: &str, argument: &str| {
        let run = Command::new(program).arg(argument).stdout(Stdio::piped()).stderr(Stdio::null()).output();
        run.ok().filter(|output| output.status.success())
    };
    found("apt-get", "--version")?;
    let is_root = found("id", "-u").is_some_and(|output| output.stdout.trim_ascii() == b"0");
    let sudo = if is_root { "" } else { "sudo " };
    Some(format!("{sudo}apt-get update && {sudo}apt-get install -y {PACKAGE}"))
}
