//! `cargo xtask discover`: trains on recordings of your own, and says what geometry their channels have.
//!
//! Any recording of channels over time: brain regions, electrodes, weather stations. The training time is cut into two
//! contiguous halves; tables that learn independently of each other, from different frames, starting values and masks,
//! can only share what is in the recording.

mod experiment;
mod findings;
mod predictions;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::report::{self, numbers};
use crate::reproduce::plan::{Frozen, PlanRequest, freeze};
use crate::reproduce::{estimate, job_count, judge, pool};
use crate::{bad_input, build, check_status, paths, say, sha256};
pub(crate) use experiment::{LARGE, SMALL, Settings};
pub(crate) use findings::{ArmFindings, Findings, Found, LEVEL};

#[derive(Args)]
pub(crate) struct DiscoverArgs {
    /// Recordings of the same channels, frames by channels: .npy, .npz, .mat, .csv, .tsv or .ptseries.nii
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    series: Vec<PathBuf>,
    /// Where channels are: CSV with the columns name, x and, as far as there are such, y, z
    #[arg(long, value_name = "FILE")]
    coords: Option<PathBuf>,
    /// What channels belong to: CSV with the column name and some of network, hemisphere, cortical
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The arrays are channels by frames
    #[arg(long)]
    parcels_by_frames: bool,
    /// Which array of an .npz or .mat file
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,
    /// smoke (seconds: does it run?), quick (minutes) or standard (four times the steps, six seeds)
    #[arg(long, value_enum, default_value_t = experiment::Scale::Quick)]
    scale: experiment::Scale,
    /// Seeds of each half instead of those of the scale
    #[arg(long, value_name = "N")]
    seeds: Option<u64>,
    /// The first seed; the others follow it [default: from the bytes of the recordings]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Optimizer steps of each run instead of those of the scale
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Autocorrelation times left out between the halves and before the tested frames
    #[arg(long, value_name = "TIMES", default_value_t = 5.0)]
    gap: f64,
    /// Runs at once, one thread each [default: the number of cores]
    #[arg(long)]
    jobs: Option<usize>,
    /// Where everything goes [default: out/discover/NAME of the first file, in the project]
    #[arg(long)]
    out: Option<PathBuf>,
    /// List the runs and estimate their time, without training
    #[arg(long)]
    dry_run: bool,
    /// Use the binaries as they were built before
    #[arg(long)]
    no_build: bool,
}

/// What `tasks fmri channels` prints.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Channels {
    /// How many.
    pub channels: usize,
    /// Their names.
    pub names: Vec<String>,
    /// Axes of their places, where these are known.
    pub axes: Option<usize>,
    /// What each belongs to, where this is known.
    pub networks: Option<Vec<String>>,
    /// By file.
    pub recordings: Vec<Recording>,
}

/// One recording, and how its time is cut.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Recording {
    pub name: String,
    pub frames: u64,
    pub autocorrelation_time: f64,
    /// The share of the variance that a straight line in time explains.
    pub trend: f64,
    pub halves: [u64; 2],
    pub test: u64,
}

pub(crate) fn main(args: &DiscoverArgs, install_deps: bool) -> Result<()> {
    let jobs = job_count(args.jobs)?;
    let mut settings = Settings::of(args.scale, args.seeds, args.steps, args.gap)?;
    if !args.no_build {
        build::binaries(install_deps)?;
    }
    let name = name(&args.series);
    let out = args.out.clone().unwrap_or_else(|| paths::root().join("out").join("discover").join(&name));
    not_of_others(&out, &args.series)?;
    std::fs::create_dir_all(&out).with_context(|| format!("cannot create {}", out.display()))?;
    let regions = out.join("regions.csv");
    let channels = channels(args, &regions)?;
    settings.first_seed = args.seed.map_or_else(|| seed_of(&args.series), Ok)?;
    let own = experiment::Own {
        series: &args.series,
        regions: &regions,
        parcels_by_frames: args.parcels_by_frames,
        variable: args.variable.as_deref(),
    };
    let file = out.join("experiment.toml");
    report::write_atomic(&file, experiment::text(&settings, &channels, &own)?.as_bytes())?;
    let experiment = file.to_str().context("--out is not UTF-8: choose another folder")?.to_owned();
    let request = PlanRequest { experiment, scale: experiment::SCALE.to_owned(), ..PlanRequest::default() };
    let frozen = freeze(&request, &out.join("plans"))?;
    say(&told(&channels, &frozen, &settings));
    if args.dry_run {
        return estimate::dry_run(&frozen, &out, jobs);
    }
    if args.scale != experiment::Scale::Smoke {
        let seconds = estimate::forecast(&frozen, &out, jobs)?;
        say(&format!("estimate: some {} with {jobs} runs at a time", numbers::duration(seconds)));
    }
    let runs = out.join("runs");
    pool::train_all(&frozen, &runs, jobs).into_result()?;
    let dirs: Vec<PathBuf> = frozen.plan.runs.iter().map(|run| frozen.plan.folder(&runs, run)).collect();
    judge::probe_new(&dirs)?;
    conclude(&out, &dirs, &name, &channels, &settings, args)
}

/// From probed runs to the verdict, its files and its page.
fn conclude(
    out: &Path,
    dirs: &[PathBuf],
    name: &str,
    channels: &Channels,
    settings: &Settings,
    args: &DiscoverArgs,
) -> Result<()> {
    let (agreement, map) = (out.join("agreement.json"), out.join("consensus.json"));
    probe("agreement", dirs, &agreement)?;
    let is_small = |dir: &&PathBuf| findings::arm_of(dir).is_ok_and(|arm| arm == experiment::arm(SMALL));
    let small: Vec<PathBuf> = dirs.iter().filter(is_small).cloned().collect();
    probe("map", &small, &map)?;
    let mut findings = Findings::of(name, dirs, &agreement, channels, settings)?;
    findings.series = args.series.iter().map(|path| whole(path).display().to_string()).collect();
    findings.words = words::words(&findings);
    let text = serde_json::to_vec_pretty(&findings).context("discover.json")?;
    report::write_atomic(&out.join("discover.json"), &text)?;
    let page = report::discovered::write(&findings, channels, dirs, &map, out)?;
    say("");
    findings.words.iter().for_each(|line| say(line));
    let shown = |name: &str| out.join(name).display().to_string();
    say(&format!(
        "\nverdict: {}\nmap:     {}\npage:    {}",
        shown("discover.json"),
        shown("map.csv"),
        page.display()
    ));
    Ok(())
}

/// A command of `probe` on runs, to a file.
fn probe(command: &str, dirs: &[PathBuf], out: &Path) -> Result<()> {
    let mut probe = Command::new(paths::binary("probe"));
    probe
        .env("OPENBLAS_NUM_THREADS", "1")
        .arg(command)
        .args(dirs)
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null());
    check_status(&format!("`probe {command}`"), probe.status().with_context(|| paths::cannot_start("probe"))?)
}

/// Reads and checks the recordings; writes the table of their channels.
fn channels(args: &DiscoverArgs, regions: &Path) -> Result<Channels> {
    let mut command = Command::new(paths::binary("tasks"));
    // As `train` will see them: recordings of one file name are called by their folders, too.
    let series = args.series.iter().map(|path| whole(path));
    command.args(["fmri", "channels", "--series"]).args(series).arg("--out").arg(regions);
    // The same recordings may be asked again.
    command.arg("--force");
    command.arg(format!("--gap={}", args.gap)).arg(format!("--test-fraction={}", experiment::TEST_FRACTION));
    for (flag, path) in [("--coords", &args.coords), ("--labels", &args.labels)] {
        command.args(path.iter().flat_map(|path| [flag.as_ref(), path.as_os_str()]));
    }
    command.args(args.parcels_by_frames.then_some("--parcels-by-frames"));
    command.args(args.variable.iter().map(|name| format!("--variable={name}")));
    let output = command.stderr(Stdio::inherit()).output().with_context(|| paths::cannot_start("tasks"))?;
    check_status("`tasks fmri channels`", output.status)?;
    serde_json::from_slice(&output.stdout).context("`tasks fmri channels` printed no channels")
}

/// What is about to happen.
fn told(channels: &Channels, frozen: &Frozen, settings: &Settings) -> String {
    let sum = |of: fn(&Recording) -> u64| channels.recordings.iter().map(of).sum::<u64>();
    let longest = channels.recordings.iter().map(|one| one.autocorrelation_time).fold(0.0, f64::max);
    let recordings = match channels.recordings.len() {
        1 => "1 recording".to_owned(),
        n => format!("{n} recordings"),
    };
    format!(
        "{} channels, {} frames in {}, autocorrelation time {} frames: {} and {} frames to train on, {} to test \
         on\n{} runs of {} steps: σ {SMALL:?} and {LARGE:?}, seeds of each half: {}",
        channels.channels,
        numbers::grouped(sum(|one| one.frames)),
        recordings,
        numbers::fixed(longest, 1),
        sum(|one| one.halves[0]),
        sum(|one| one.halves[1]),
        sum(|one| one.test),
        frozen.plan.runs.len(),
        settings.steps,
        settings.seeds,
    )
}

/// A seed from what is in the files: the same recording gives the same runs, another one other starting values. With one
/// fixed seed for all recordings, starting tables of two halves that are alike by chance would be so in every recording.
fn seed_of(series: &[PathBuf]) -> Result<u64> {
    let mut hashes = String::new();
    for path in series {
        hashes += &sha256(&std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?);
    }
    // At most seven digits: seeds that a person can type.
    let digits = &sha256(hashes.as_bytes())[..5];
    Ok(1 + u64::from_str_radix(digits, 16).context("the hash of the recordings")?)
}

/// A folder's name from that of the first file.
fn name(series: &[PathBuf]) -> String {
    let stem =
        series.first().and_then(|path| path.file_stem()).unwrap_or_default().to_string_lossy().into_owned();
    let clean: String =
        stem.chars().map(|c| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' }).collect();
    if clean.is_empty() { "recording".to_owned() } else { clean }
}

/// Refuses a folder with the verdict on other files: recordings are often called alike, as `sub-01/bold.npz` and
/// `sub-02/bold.npz`.
fn not_of_others(out: &Path, series: &[PathBuf]) -> Result<()> {
    #[derive(Deserialize)]
    struct Earlier {
        series: Vec<PathBuf>,
    }
    let path = out.join("discover.json");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let Ok(earlier) = serde_json::from_str::<Earlier>(&text) else { return Ok(()) };
    if earlier.series.iter().map(|path| whole(path)).eq(series.iter().map(|path| whole(path))) {
        return Ok(());
    }
    let names: Vec<String> = earlier.series.iter().map(|file| file.display().to_string()).collect();
    Err(bad_input(format!(
        "{}: expected a new folder, or that of these recordings, got the verdict on {}: name another with --out",
        out.display(),
        names.join(", ")
    )))
}

/// A path that means the same from any folder.
fn whole(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Refuses counts that cannot be.
fn at_least_one(flag: &str, value: u64) -> Result<u64> {
    if value > 0 { Ok(value) } else { Err(bad_input(format!("{flag} is 0: expected at least 1"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recording_has_seeds_of_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            dir.path().join(name)
        };
        let (a, same, other) = (file("a", "1,2"), file("b", "1,2"), file("c", "1,3"));
        let of = |path: &PathBuf| seed_of(std::slice::from_ref(path)).unwrap();
        assert_eq!(of(&a), of(&same), "what is in a file counts, not its name");
        assert!(of(&a) != of(&other) && of(&a) > 0 && of(&a) < 1 << 21);
    }

    /// Two recordings of one file name have one default folder: the second does not replace the first's verdict.
    #[test]
    fn the_verdict_on_other_files_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let of = |files: &[&str]| files.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert!(not_of_others(dir.path(), &of(&["sub-01/bold.npz"])).is_ok(), "an empty folder");
        let said = serde_json::json!({ "series": [std::path::absolute("sub-01/bold.npz").unwrap()] });
        std::fs::write(dir.path().join("discover.json"), said.to_string()).unwrap();
        assert!(not_of_others(dir.path(), &of(&["sub-01/bold.npz"])).is_ok(), "the same again");
        for other in [&["sub-02/bold.npz"][..], &["sub-01/bold.npz", "sub-02/bold.npz"]] {
            let error = not_of_others(dir.path(), &of(other)).unwrap_err().to_string();
            assert!(error.contains("sub-01/bold.npz") && error.contains("--out"), "{error}");
        }
    }

    #[test]
    fn the_folder_has_the_name_of_the_first_file() {
        let of = |path: &str| name(&[PathBuf::from(path), PathBuf::from("other.csv")]);
        assert_eq!(
            (of("a/b/My data 1.csv"), of("x.npz"), of("")),
            ("My-data-1".into(), "x".into(), "recording".into())
        );
    }
}
