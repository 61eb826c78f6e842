//! `cargo xtask bench probe`: statistics beside the Python libraries that compute them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::spread;
use crate::reproduce::cores;
use crate::{bad_input, build, check_status, paths, say};

/// Task, what it is, who else computes it, and by how much numbers may differ.
const TASKS: [(&str, &str, &[&str], f64); 5] = [
    ("rdm", "Euclidean RDM, 2,000 x 768", &["scipy", "rsatoolbox"], 1e-9),
    ("rsa", "Spearman RSA, n = 94, 10,000 permutations", &["scipy"], 1e-9),
    ("dcor", "distance correlation, n = 2,000", &["dcor"], 1e-9),
    ("dcor-test", "bias-corrected dcor, n = 360, 1,000 permutations", &["dcor"], 1e-9),
    ("order", "order classification, 512 x 768, 5 x 512 pairs", &["scikit-learn"], 1e-9),
];

#[derive(Args)]
pub(crate) struct ProbeArgs {
    /// Tasks: rdm, rsa, dcor, dcor-test, order
    #[arg(long, value_delimiter = ',', default_values = ["rdm", "rsa", "dcor", "dcor-test", "order"])]
    tasks: Vec<String>,
    /// Repeats in each process
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Interleaved rounds
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// A Python that has scipy, rsatoolbox, dcor or scikit-learn [default: python3]
    #[arg(long)]
    python: Option<PathBuf>,
    /// Use the binaries as they were built before
    #[arg(long)]
    no_build: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What either program prints.
#[derive(Debug, Clone, Deserialize)]
struct Outcome {
    seconds: Vec<f64>,
    values: Vec<f64>,
}

/// One line of the result.
#[derive(Debug, Serialize)]
struct Row {
    task: String,
    what: String,
    threads: usize,
    /// `probe`, or a library with its version.
    by: String,
    rounds: usize,
    seconds_median: f64,
    seconds_min: f64,
    seconds_max: f64,
    /// Theirs over ours, round by round: median, least, most.
    ratio: Option<[f64; 3]>,
    /// The largest difference of a number from ours.
    difference: Option<f64>,
}

/// Seconds by round, and the numbers, by threads and by who computed them.
type Seen = BTreeMap<(usize, String), (Vec<f64>, Vec<f64>)>;

const OURS: &str = "probe";

pub(super) fn main(args: &ProbeArgs, install_deps: bool) -> Result<()> {
    if let Some(unknown) = args.tasks.iter().find(|task| !TASKS.iter().any(|known| known.0 == *task)) {
        return Err(bad_input(format!(
            "--tasks: expected rdm, rsa, dcor, dcor-test or order, got {unknown}"
        )));
    }
    if !args.no_build {
        build::binaries(install_deps)?;
    }
    let python = args.python.clone().unwrap_or_else(|| "python3".into());
    let libraries = libraries(&python);
    if libraries.is_empty() {
        eprintln!(
            "no library found (`--python` names a Python that has scipy, dcor, ...): our own figures only"
        );
    }
    let folder = paths::root().join("out").join("bench").join("probe");
    let mut rows = Vec::new();
    for (task, what, theirs, tolerance) in
        TASKS.iter().filter(|known| args.tasks.iter().any(|task| task == known.0))
    {
        let mut ways = vec![OURS.to_owned()];
        ways.extend(
            theirs.iter().filter(|name| libraries.contains_key(**name)).map(|name| (*name).to_owned()),
        );
        let mut seen = Seen::new();
        let counts = if cores() > 1 { vec![1, cores()] } else { vec![1] };
        for round in 0..args.rounds.max(1) {
            for &threads in &counts {
                for way in &ways {
                    let command = command(way, task, &folder, &python, args.repeats.max(1));
                    let outcome = finish(command, threads, way)?;
                    let seconds = median(outcome.seconds);
                    eprintln!("{task}, round {}, {threads} thread(s), {way}: {seconds:.4} s", round + 1);
                    let entry = seen.entry((threads, way.clone())).or_default();
                    entry.0.push(seconds);
                    entry.1 = outcome.values;
                }
            }
        }
        check(task, &seen, *tolerance)?;
        rows.extend(seen.iter().map(|((threads, way), _)| row(task, what, *threads, way, &seen, &libraries)));
    }
    if args.json {
        say(&serde_json::to_string_pretty(&rows)?);
    } else {
        print_table(&rows);
    }
    Ok(())
}

/// Libraries that the Python has, with their versions.
fn libraries(python: &Path) -> BTreeMap<String, String> {
    let output = Command::new(python).arg(script()).arg("--libraries").stderr(Stdio::null()).output();
    let found = output.ok().and_then(|output| serde_json::from_slice(&output.stdout).ok());
    found.unwrap_or_default()
}

fn script() -> PathBuf {
    paths::root().join("xtask").join("python").join("probe_bench.py")
}

fn command(way: &str, task: &str, folder: &Path, python: &Path, repeats: usize) -> Command {
    let mut command = if way == OURS {
        let mut command = Command::new(paths::binary("probe"));
        command.args(["benchmark", task]);
        command
    } else {
        let mut command = Command::new(python);
        command.arg(script()).args([task, way]);
        command
    };
    command.arg(folder).args(["--repeats", &repeats.to_string()]);
    command
}

fn finish(mut command: Command, threads: usize, what: &str) -> Result<Outcome> {
    for pool in ["RAYON_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"] {
        command.env(pool, threads.to_string());
    }
    // Ours splits its work by rayon, around a BLAS of one thread.
    command.env("OPENBLAS_NUM_THREADS", if what == OURS { "1".into() } else { threads.to_string() });
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start {command:?}"))?;
    check_status(what, output.status)?;
    serde_json::from_slice(&output.stdout).with_context(|| format!("{what} printed no result"))
}

/// All must have computed the same numbers, or their times mean nothing.
fn check(task: &str, seen: &Seen, tolerance: f64) -> Result<()> {
    let ours = ours(seen, 1);
    for ((threads, way), (_, values)) in seen {
        let worst = difference(ours, values);
        if values.len() != ours.len() || worst.is_nan() || worst > tolerance {
            bail!(
                "{task}: {way} on {threads} thread(s) gives {values:?}, probe gives {ours:?}; at most {tolerance:.0e} is allowed"
            );
        }
    }
    Ok(())
}

fn ours(seen: &Seen, threads: usize) -> &[f64] {
    seen.get(&(threads, OURS.to_owned())).map_or(&[], |(_, values)| values)
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs() / a.abs().max(1.0)).fold(0.0, f64::max)
}

fn row(
    task: &str,
    what: &str,
    threads: usize,
    way: &str,
    seen: &Seen,
    libraries: &BTreeMap<String, String>,
) -> Row {
    let (seconds, values) = &seen[&(threads, way.to_owned())];
    let twin = seen.get(&(threads, OURS.to_owned())).filter(|_| way != OURS);
    let ratio =
        twin.map(|(ours, _)| spread(seconds.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect()));
    let [seconds_median, seconds_min, seconds_max] = spread(seconds.clone());
    Row {
        task: task.to_owned(),
        what: what.to_owned(),
        threads,
        by: libraries.get(way).cloned().unwrap_or_else(|| way.to_owned()),
        rounds: seconds.len(),
        seconds_median,
        seconds_min,
        seconds_max,
        ratio,
        difference: twin.map(|_| difference(ours(seen, 1), values)),
    }
}

fn median(values: Vec<f64>) -> f64 {
    spread(values)[0]
}

fn print_table(rows: &[Row]) {
    say(&format!(
        "{:<50} {:>7}  {:<38} {:>10} {:>20} {:>26} {:>10}",
        "", "threads", "by", "seconds", "min .. max", "theirs / ours (min .. max)", "difference"
    ));
    for row in rows {
        let range = format!("{:.4} .. {:.4}", row.seconds_min, row.seconds_max);
        let ratio = row
            .ratio
            .map_or(String::new(), |[median, min, max]| format!("{median:.2} ({min:.2} .. {max:.2})"));
        let difference = row.difference.map_or(String::new(), |difference| format!("{difference:.1e}"));
        say(&format!(
            "{:<50} {:>7}  {:<38} {:>10.4} {range:>20} {ratio:>26} {difference:>10}",
            row.what, row.threads, row.by, row.seconds_median
        ));
    }
}
