//! `cargo xtask reproduce`: plan, train in parallel, probe, judge, report.

pub(crate) mod estimate;
pub(crate) mod judge;
pub(crate) mod plan;
pub(crate) mod pool;
mod recordings;
mod select;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::Result;
use clap::Args;
use plan::{Frozen, PlanRequest};
use pool::Failures;
use recordings::{Recordings, WITH_RECORDINGS};

use crate::{bad_input, build, paths, report, say, tables};

/// The experiments there are, in the order of the papers.
const EXPERIMENTS: [&str; 3] = ["lst", "network", WITH_RECORDINGS];

/// The one that reads puzzles.
const WITH_PUZZLES: &str = "lst";

/// What reads tables that others have trained: there is nothing to plan or train.
const TABLES: &str = report::tables::NAME;

#[derive(Args)]
pub(crate) struct ReproduceArgs {
    /// lst (the Latin Square Task), network (a stochastic network with known places), fmri (brain regions at rest), tables (position tables of trained models), or an experiment of your own as TOML;
    /// without a name, all experiments there are
    experiment: Option<String>,
    /// quick (minutes), standard (six seeds, to equal training accuracy) or paper (the whole grid); see --dry-run
    /// [default: quick]
    #[arg(long)]
    scale: Option<String>,
    /// Arms instead of those of the scale, such as 2d-fixed,nope,c-nope
    #[arg(long)]
    pe: Option<String>,
    /// σ of learned arms instead of the arms of the scale, such as 0.2,2.0
    #[arg(long)]
    sigma: Option<String>,
    /// Seeds instead of those of the scale, such as 1,2,3
    #[arg(long)]
    seeds: Option<String>,
    /// A folder of puzzles in the published text form, instead of generated ones
    #[arg(long)]
    puzzles: Option<PathBuf>,
    /// A folder of recordings, a file a subject [default of fmri: the data set hcp-aal2 if it was fetched, else a synthetic
    /// stand-in]
    #[arg(long, value_name = "DIR")]
    recordings: Option<PathBuf>,
    /// A folder of position tables or checkpoints, or a tables.toml that lists them [default: tables within --out]
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Runs at once, one thread each [default: the number of cores]
    #[arg(long)]
    jobs: Option<usize>,
    /// Where runs and reports go [default: out in the project]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Train only part i of n of the runs, such as 2/3: each machine takes its part. Copy the run directories together
    /// and call this without --shard for the verdicts on all
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Probe, judge and report the runs that are finished, and train none
    #[arg(long, conflicts_with = "dry_run")]
    no_train: bool,
    /// List the runs and estimate their time from a few steps, without training
    #[arg(long)]
    dry_run: bool,
    /// Use the binaries as they were built before
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn main(args: &ReproduceArgs, install_deps: bool) -> Result<()> {
    let jobs = job_count(args.jobs)?;
    let shard = args.shard.as_deref().map(str::parse::<select::Shard>).transpose()?;
    let experiments: Vec<&str> = match args.experiment.as_deref() {
        None => EXPERIMENTS.to_vec(),
        Some(TABLES) => Vec::new(),
        Some(name) if EXPERIMENTS.contains(&name) || Path::new(name).is_file() => vec![name],
        Some(name) => {
            let known = EXPERIMENTS.join(", ");
            return Err(bad_input(format!(
                "unknown experiment `{name}`: expected {known}, {TABLES}, or a TOML file"
            )));
        }
    };
    no_idle_options(args)?;
    // Of all experiments tables come last: hours would pass before a wrong path were told.
    if let Some(folder) = args.tables.as_deref() {
        tables::check(folder)?;
    }
    if !args.no_build {
        build::binaries(install_deps)?;
    }
    let out = args.out.clone().unwrap_or_else(|| paths::root().join("out"));
    let mut failures = Failures::default();
    for experiment in experiments {
        let given = args.recordings.as_deref().filter(|_| takes(args, experiment, WITH_RECORDINGS));
        let recordings = recordings::choose(given, experiment)?;
        let request = PlanRequest {
            experiment: experiment.to_owned(),
            scale: args.scale.clone().unwrap_or_else(|| "quick".to_owned()),
            pe: args.pe.clone(),
            sigma: args.sigma.clone(),
            seeds: args.seeds.clone(),
            puzzles: args.puzzles.clone().filter(|_| takes(args, experiment, WITH_PUZZLES)),
            recordings: recordings.as_ref().map(|recordings| recordings.folder.clone()),
        };
        let mut frozen = plan::freeze(&request, &out.join("plans"))?;
        recordings::announce(&frozen.plan, recordings.as_ref());
        select::select(&mut frozen, shard, args.no_train, &out)?;
        if args.dry_run {
            estimate::dry_run(&frozen, &out, jobs)?;
        } else {
            failures.add(reproduce(&frozen, recordings.as_ref(), &out, jobs, args.no_train)?);
        }
    }
    with_tables(args, &out)?;
    failures.into_result()
}

/// Refuses what the experiment asked for would not look at.
fn no_idle_options(args: &ReproduceArgs) -> Result<()> {
    let of_runs = [
        ("--scale", args.scale.is_some()),
        ("--pe", args.pe.is_some()),
        ("--sigma", args.sigma.is_some()),
        ("--seeds", args.seeds.is_some()),
        ("--puzzles", args.puzzles.is_some()),
        ("--recordings", args.recordings.is_some()),
        ("--shard", args.shard.is_some()),
        ("--no-train", args.no_train),
    ];
    let of_tables = [("--tables", args.tables.is_some())];
    let (idle, what) = match args.experiment.as_deref() {
        None => return Ok(()),
        Some(TABLES) => (&of_runs[..], "tables were trained by others, and nothing is trained here"),
        Some(_) => (&of_tables[..], "tables are an experiment of their own, `cargo xtask reproduce tables`"),
    };
    match idle.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(bad_input(format!("{option} has no effect here: {what}; leave it out"))),
        None => Ok(()),
    }
}

/// The last part of all experiments, or the one that was asked for.
fn with_tables(args: &ReproduceArgs, out: &Path) -> Result<()> {
    let folder = args.tables.as_deref();
    match args.experiment.as_deref() {
        Some(TABLES) => {}
        None if tables::are_there(folder, out) => {}
        None => {
            say(
                "tables: no position tables of trained models here; `cargo xtask reproduce tables` says how to get some",
            );
            return Ok(());
        }
        Some(_) => return Ok(()),
    }
    if args.dry_run { tables::dry_run(folder, out) } else { tables::reproduce(folder, out) }
}

/// Of all experiments at once, data are for the one that has such.
fn takes(args: &ReproduceArgs, experiment: &str, with: &str) -> bool {
    args.experiment.is_some() || experiment == with
}

/// Trains, probes, judges and reports; what finished is judged whatever else failed, and what failed is returned.
fn reproduce(
    frozen: &Frozen,
    recordings: Option<&Recordings>,
    out: &Path,
    jobs: usize,
    no_train: bool,
) -> Result<Failures> {
    let plan = &frozen.plan;
    let runs = out.join("runs");
    let failures = if no_train { Failures::default() } else { train(frozen, &runs, jobs) };
    let finished = plan.runs.iter().map(|run| plan.folder(&runs, run)).filter(|dir| plan::is_complete(dir));
    let dirs: Vec<PathBuf> = finished.collect();
    if dirs.is_empty() {
        return Ok(failures);
    }
    if let Some(recordings) = recordings {
        report::provenance::record(&runs.join(&plan.experiment), &dirs, &recordings.known)?;
    }
    judge::probe_new(&dirs)?;
    let reports = out.join("reports");
    let report = report::write(std::slice::from_ref(&runs), &reports)?;
    for series in report.series.iter().filter(|series| series.dirs.iter().any(|dir| dirs.contains(dir))) {
        say(&format!(
            "\n{}, {}\n{}verdicts: {}",
            series.name,
            series.data,
            series.verdicts,
            reports.join(&series.name).join("claims.json").display()
        ));
    }
    say(&format!("runs:     {}\nreport:   {}", runs.join(&plan.experiment).display(), report.page.display()));
    Ok(failures)
}

fn train(frozen: &Frozen, runs: &Path, jobs: usize) -> Failures {
    let plan = &frozen.plan;
    say(&format!(
        "{} at scale {}: {} runs on {} data, {jobs} at a time; the plan is {}",
        plan.experiment,
        plan.scale,
        plan.runs.len(),
        plan.dataset.source,
        frozen.path.display()
    ));
    let (done, begun) = plan.progress(runs);
    if done + begun > 0 {
        let begun = if begun > 0 { format!(", {begun} begun") } else { String::new() };
        say(&format!("continuing: {done} of {} runs done{begun}", plan.runs.len()));
    }
    pool::train_all(frozen, runs, jobs)
}

pub(crate) fn job_count(asked: Option<usize>) -> Result<usize> {
    let cores = cores();
    match asked {
        None => Ok(cores),
        Some(0) => Err(bad_input("--jobs is 0: expected at least 1")),
        Some(jobs) => {
            if jobs > cores {
                eprintln!(
                    "warning: {jobs} jobs on {cores} cores: each run needs a core, more jobs gain nothing"
                );
            }
            Ok(jobs)
        }
    }
}

/// The cores of this machine.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Keeps a child from starting threads of its own, and tells it which code it is.
pub(crate) fn one_thread(command: &mut Command) {
    for pool in ["RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"] {
        command.env(pool, "1");
    }
    // The allocator keeps its pages: a step frees and takes the same amounts again and again.
    command.env("MIMALLOC_PURGE_DELAY", "-1");
    // Asked for once: the checkout may change while runs go on, the binaries do not.
    static COMMIT: OnceLock<String> = OnceLock::new();
    command.env("PE_CODE_COMMIT", COMMIT.get_or_init(|| commit().unwrap_or_default()));
}

fn commit() -> Option<String> {
    let output = Command::new("git")
        .args(["describe", "--always", "--dirty"])
        .current_dir(paths::root())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
