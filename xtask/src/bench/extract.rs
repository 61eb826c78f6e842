//! `cargo xtask bench extract`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Serialize;

use super::peak::{self, Taken};
use super::spread;
use super::volume::{self, SHAPE};
use crate::reproduce::one_thread;
use crate::{build, paths, say};

/// The most by which z-scores may differ: nilearn computes float32 files in single precision.
const TOLERANCE: f64 = 1e-2;

#[derive(Args)]
pub(crate) struct ExtractArgs {
    /// Frames of the synthetic recording; a NIfTI-1 header holds at most 32767
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..=32_767))]
    frames: u16,
    /// Interleaved rounds
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// A Python that has nilearn [default: python3]
    #[arg(long)]
    python: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One line of the result: median, least, most.
#[derive(Serialize)]
struct Row {
    what: &'static str,
    rounds: usize,
    seconds: [f64; 3],
    peak_memory_mib: f64,
    /// This over ours, round by round.
    times_as_long: Option<[f64; 3]>,
}

pub(super) fn main(args: &ExtractArgs, install_deps: bool) -> Result<()> {
    build::binaries(install_deps)?;
    let python = args.python.clone().unwrap_or_else(|| PathBuf::from("python3"));
    let nilearn = nilearn_version(&python);
    match &nilearn {
        Some(version) => eprintln!("beside nilearn {version}"),
        None => eprintln!("no nilearn found (`--python` names a Python that has it): our own figures only"),
    }
    let folder = paths::root().join("out").join("bench").join("extract");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (bold, labels) = (folder.join(format!("bold-{}.nii.gz", args.frames)), folder.join("labels.nii.gz"));
    eprintln!("a recording of {SHAPE:?} x {} float32 in {} (made once) ...", args.frames, folder.display());
    volume::write(&bold, &labels, usize::from(args.frames))?;
    let (ours_file, theirs_file) = (folder.join("ours.npy"), folder.join("nilearn.npy"));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..args.rounds.max(1) {
        ours.push(run_ours(&bold, &labels, &ours_file)?);
        eprintln!("round {}, ours: {:.2} s", round + 1, ours[round].seconds);
        if nilearn.is_some() {
            theirs.push(run_nilearn(&python, &bold, &labels, &theirs_file)?);
            eprintln!("round {}, nilearn: {:.2} s", round + 1, theirs[round].seconds);
        }
    }
    if nilearn.is_some() {
        eprintln!("z-scores agree within {:.1e}", largest_difference(&python, &ours_file, &theirs_file)?);
    }
    let mut rows = vec![row("ours", &ours, None)];
    if nilearn.is_some() {
        rows.push(row("nilearn", &theirs, Some(&ours)));
    }
    print(&rows, args.json)
}

fn nilearn_version(python: &Path) -> Option<String> {
    let code = "import nilearn.maskers; print(nilearn.__version__)";
    let output =
        Command::new(python).args(["-W", "ignore", "-c", code]).stderr(Stdio::null()).output().ok()?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !version.is_empty()).then_some(version)
}

fn run_ours(bold: &Path, labels: &Path, out: &Path) -> Result<Taken> {
    let mut command = Command::new(paths::binary("tasks"));
    command.args(["fmri", "extract", "--detrend", "--standardize", "zscore", "--force"]);
    command.arg("--bold").arg(bold).arg("--labels").arg(labels).arg("--out").arg(out);
    one_thread(&mut command);
    command.stdout(Stdio::null());
    peak::run(command, "tasks fmri extract")
}

/// Its time is that within Python, without the start and the imports; its memory that of the process.
fn run_nilearn(python: &Path, bold: &Path, labels: &Path, out: &Path) -> Result<Taken> {
    let mut command = Command::new(python);
    let seconds = out.with_extension("seconds");
    command.arg("-W").arg("ignore").arg(script()).arg("extract").args([bold, labels, out, &seconds]);
    one_thread(&mut command);
    let taken = peak::run(command, "nilearn")?;
    let text = std::fs::read_to_string(&seconds).with_context(|| seconds.display().to_string())?;
    Ok(Taken { seconds: text.trim().parse().context("seconds of nilearn")?, ..taken })
}

/// Both did the same, or nothing is compared.
fn largest_difference(python: &Path, ours: &Path, theirs: &Path) -> Result<f64> {
    let output = Command::new(python).arg(script()).arg("compare").args([ours, theirs]).output()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let difference: f64 = text.parse().with_context(|| format!("comparison printed {text:?}"))?;
    if difference.is_nan() || difference > TOLERANCE {
        bail!(
            "expected z-scores within {TOLERANCE} of nilearn's, got {difference}: one of both did something else"
        );
    }
    Ok(difference)
}

fn script() -> PathBuf {
    paths::root().join("xtask").join("nilearn").join("extract.py")
}

fn row(what: &'static str, taken: &[Taken], ours: Option<&[Taken]>) -> Row {
    let peak = taken.iter().map(|taken| taken.peak_memory).max().unwrap_or(0);
    let ratios = ours
        .map(|ours| spread(taken.iter().zip(ours).map(|(this, ours)| this.seconds / ours.seconds).collect()));
    Row {
        what,
        rounds: taken.len(),
        seconds: spread(taken.iter().map(|taken| taken.seconds).collect()),
        peak_memory_mib: peak as f64 / 1024f64.powi(2),
        times_as_long: ratios,
    }
}

fn print(rows: &[Row], json: bool) -> Result<()> {
    if json {
        say(&serde_json::to_string_pretty(rows)?);
        return Ok(());
    }
    say(&format!(
        "{:<8} {:>9} {:>18} {:>10} {:>26}",
        "", "seconds", "min .. max", "peak MiB", "times as long (min .. max)"
    ));
    for row in rows {
        let [median, least, most] = row.seconds;
        let ratio = row.times_as_long.map_or(String::new(), |[m, a, b]| format!("{m:.2} ({a:.2} .. {b:.2})"));
        let range = format!("{least:.2} .. {most:.2}");
        say(&format!("{:<8} {median:>9.2} {range:>18} {:>10.0} {ratio:>26}", row.what, row.peak_memory_mib));
    }
    Ok(())
}
