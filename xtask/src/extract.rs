//! `cargo xtask extract`: series of parcels from scanner files, by `tasks fmri extract`; the step before `discover`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::{build, check_status, paths, say};

#[derive(Args)]
#[command(disable_help_flag = true)]
pub(crate) struct ExtractArgs {
    /// The options of `tasks fmri extract`: --bold, --labels, --out and more, see `cargo xtask extract --help`; and
    /// --no-build, to use the binaries as they were built before
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
    options: Vec<OsString>,
}

/// What `tasks fmri extract` does not know of.
const OWN_OPTIONS: &str = "Options of `cargo xtask extract` itself:
      --no-build      Use the binaries as they were built before
      --install-deps  Install missing system packages instead of naming them
Without --regions, names and places are written beside --out, as NAME.regions.csv";

/// What a call asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    help: bool,
    build: bool,
    install_deps: bool,
    /// For the program.
    passed: Vec<OsString>,
    /// The file of the series.
    out: Option<PathBuf>,
    /// The table of places, where they are written.
    regions: Option<PathBuf>,
}

pub(crate) fn main(args: &ExtractArgs, install_deps: bool) -> Result<()> {
    let asked = Asked::of(&args.options);
    if asked.help {
        return help();
    }
    if asked.build {
        build::binaries(install_deps || asked.install_deps)?;
    }
    let status = Command::new(paths::binary("tasks"))
        .args(["fmri", "extract"])
        .args(&asked.passed)
        .status()
        .with_context(|| paths::cannot_start("tasks"))?;
    check_status("`tasks fmri extract`", status)?;
    if let Some(next) = asked.next_step() {
        say(&next);
    }
    Ok(())
}

/// The options, without building anything: of the program if it is there, and those of this command.
fn help() -> Result<()> {
    let program = paths::binary("tasks");
    if program.is_file() {
        let status = Command::new(&program).args(["fmri", "extract", "--help"]).status();
        check_status("`tasks fmri extract --help`", status.with_context(|| paths::cannot_start("tasks"))?)?;
        say("");
    } else {
        say(&format!(
            "The options are those of `tasks fmri extract`, which is not built yet ({}): `cargo build --release \
             --workspace --bins`, then this again.",
            program.display()
        ));
    }
    say(OWN_OPTIONS);
    Ok(())
}

impl Asked {
    /// Takes out what is for xtask, and asks for the table of places that `discover` reads, beside the series.
    fn of(options: &[OsString]) -> Self {
        let own = |name: &str| options.iter().any(|option| option == name);
        let mut passed: Vec<OsString> = options
            .iter()
            .filter(|option| *option != "--no-build" && *option != "--install-deps")
            .cloned()
            .collect();
        let out = value(&passed, "--out").map(PathBuf::from);
        let mut regions = value(&passed, "--regions").map(PathBuf::from);
        let help = ["--help", "-h"].iter().any(|name| own(name));
        if let (Some(out), None, false) = (&out, &regions, help) {
            let beside = beside(out);
            passed.extend(["--regions".into(), beside.clone().into()]);
            regions = Some(beside);
        }
        Self { help, build: !own("--no-build"), install_deps: own("--install-deps"), passed, out, regions }
    }

    /// What to type next; nothing where nothing was written, as for `--help`.
    fn next_step(&self) -> Option<String> {
        let (out, regions) = (self.out.as_ref()?, self.regions.as_ref()?);
        let table = std::fs::read_to_string(regions).ok()?;
        // Grayordinates have names, and no places.
        let has_places = table.lines().next().unwrap_or_default().split(',').any(|column| column == "x");
        let (what, coords) = match has_places {
            true => ("places: ", format!(" --coords {}", typed(regions))),
            false => ("names:  ", String::new()),
        };
        let regions = regions.display();
        Some(format!("{what}  {regions}\nnext:     cargo xtask discover --series {}{coords}", typed(out)))
    }
}

/// A path as one types it into a shell.
fn typed(path: &Path) -> String {
    let text = path.to_string_lossy();
    shlex::try_quote(&text).map_or_else(|_| text.to_string(), |quoted| quoted.into_owned())
}

/// `sub-01.npz` has its places in `sub-01.regions.csv`.
fn beside(out: &Path) -> PathBuf {
    out.with_extension("regions.csv")
}

/// The value of an option, written `--name VALUE` or `--name=VALUE`.
fn value(options: &[OsString], name: &str) -> Option<OsString> {
    let after = options.iter().position(|option| option == name).and_then(|at| options.get(at + 1)).cloned();
    let prefix = format!("{name}=");
    after.or_else(|| {
        options.iter().find_map(|option| option.to_str()?.strip_prefix(&prefix).map(OsString::from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Asked {
        Asked::of(&text.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_passed_on_and_places_are_asked_for() {
        let found = asked("--bold b.nii --no-build --labels a.nii --out=x/s.npz --detrend");
        assert!(!found.build && !found.install_deps);
        let passed = "--bold b.nii --labels a.nii --out=x/s.npz --detrend --regions x/s.regions.csv";
        assert_eq!(found.passed, passed.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(asked("--out s.npz --regions r.csv").regions, Some("r.csv".into()));
        let help = asked("--out s.npz --help");
        assert!(help.help && help.regions.is_none() && asked("-h").help && !found.help);
        assert_eq!(asked("--bold b.nii").out, None);
    }

    /// What is printed can be typed: quoted, and without places where there are none.
    #[test]
    fn the_next_step_can_be_typed() {
        let dir = tempfile::tempdir().unwrap();
        let (out, regions) = (dir.path().join("my series.npz"), dir.path().join("my series.regions.csv"));
        let asked = Asked::of(&["--out".into(), out.clone().into()]);
        assert_eq!(asked.next_step(), None, "nothing was written");
        for (table, has_places) in [("name,x,y,z\na,1,2,3\n", true), ("name\na\n", false)] {
            std::fs::write(&regions, table).unwrap();
            let step = asked.next_step().unwrap();
            let words = shlex::split(step.split("discover").last().unwrap()).unwrap();
            let series = ["--series", out.to_str().unwrap()];
            let coords = ["--coords", regions.to_str().unwrap()];
            assert_eq!(words, [&series[..], if has_places { &coords } else { &[] }].concat());
        }
    }
}
