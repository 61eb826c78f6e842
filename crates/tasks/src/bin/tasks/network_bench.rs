//! `tasks network bench`: the time of a step, beside NumPy in the same run.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, anyhow, bail};
use ndarray_npy::WriteNpyExt;
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};
use tasks::network::{
    DynamicsConfig, Graph, GraphConfig, GridConfig, Operator, Storage, simulate, simulate_from,
};

use crate::problems::BadInput;

/// The program that NumPy runs.
const SCRIPT: &str = include_str!("../../../benches/network_numpy.py");

/// Steps without noise whose end both programs must agree on.
const CHECKED: usize = 50;

/// The most by which they may differ.
const TOLERANCE: f64 = 1e-6;

/// What to time: a periodic grid of two axes, once with all couplings and once without the negligible ones.
#[derive(clap::Args)]
pub(crate) struct BenchArgs {
    /// Nodes: the product of the two sides closest to a square.
    #[arg(long, default_value_t = 1000)]
    nodes: usize,
    /// Steps to time.
    #[arg(long, default_value_t = 100_000)]
    steps: usize,
    /// Interleaved rounds.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// A Python that has NumPy, for the comparison (and SciPy, for the sparse one).
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What one way of taking the steps took.
#[derive(Debug, Serialize)]
struct Row {
    form: &'static str,
    program: String,
    nodes: usize,
    couplings: usize,
    steps: usize,
    /// Nanoseconds for a node and step, of each round.
    ns_per_node_step: Vec<f64>,
    median: f64,
    /// NumPy's time over ours, round by round: median.
    times_ours: Option<f64>,
}

/// What the script prints.
#[derive(Deserialize)]
struct Outcome {
    #[serde(default)]
    missing: Option<String>,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    checked: Vec<f64>,
    #[serde(default)]
    version: String,
}

/// One form of the coupling.
struct Case {
    form: &'static str,
    graph: Graph,
    operator: Operator,
}

pub(crate) fn run(args: &BenchArgs, out: &mut impl Write) -> anyhow::Result<()> {
    if args.nodes < 9 || args.steps == 0 || args.rounds == 0 {
        let message = "--nodes, --steps, --rounds: expected at least 9, 1 and 1, got less; raise it";
        return Err(BadInput(message.to_owned()).into());
    }
    let mut rows = Vec::new();
    for case in [case("dense", args.nodes, 0.0)?, case("sparse", args.nodes, 1e-3)?] {
        rows.extend(time(&case, args)?);
    }
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &rows).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{:<8}{:>10}{:>10}{:>9}  program", "form", "couplings", "ns", "x ours")?;
    for row in &rows {
        let times = row.times_ours.map_or("-".to_owned(), |times| format!("{times:.2}"));
        writeln!(out, "{:<8}{:>10}{:>10.2}{times:>9}  {}", row.form, row.couplings, row.median, row.program)?;
    }
    let (nodes, steps, rounds) = (rows[0].nodes, args.steps, args.rounds);
    writeln!(
        out,
        "ns for a node and step, {nodes} nodes, {steps} steps, median of {rounds} interleaved rounds"
    )?;
    Ok(())
}

fn case(form: &'static str, nodes: usize, cutoff: f64) -> anyhow::Result<Case> {
    let rows =
        (3..).take_while(|side| side * side <= nodes).filter(|side| nodes.is_multiple_of(*side)).last();
    let sides = rows.map_or(vec![nodes], |rows| vec![rows, nodes / rows]);
    let config = GraphConfig::Grid(GridConfig { sides, periodic: true, length: 1.0, cutoff });
    let graph = Graph::build(&config, &Streams::new(0))?;
    let storage = if form == "dense" { Storage::Dense } else { Storage::Sparse };
    let operator = Operator::new(graph.coupling(), storage);
    Ok(Case { form, graph, operator })
}

/// Both programs in turn, as often as there are rounds.
fn time(case: &Case, args: &BenchArgs) -> anyhow::Result<Vec<Row>> {
    let file = std::env::temp_dir().join(format!("network-bench-{}-{}.npy", std::process::id(), case.form));
    let result = rounds(case, args, &file);
    // The file is of no more use, whatever came of it; there is none without Python.
    let _ = std::fs::remove_file(&file);
    result
}

fn rounds(case: &Case, args: &BenchArgs, file: &Path) -> anyhow::Result<Vec<Row>> {
    if args.python.is_some() {
        let matrix = std::fs::File::create(file)
            .map_err(|problem| anyhow!("{}: cannot write: {problem}", file.display()))?;
        case.graph.coupling().to_dense().write_npy(std::io::BufWriter::new(matrix))?;
    }
    let (mut ours, mut theirs, mut version) = (Vec::new(), Vec::new(), String::new());
    for _ in 0..args.rounds {
        ours.push(our_seconds(case, args.steps)?);
        let Some(python) = &args.python else { continue };
        let outcome = numpy(python, file, case, args.steps)?;
        if let Some(missing) = outcome.missing {
            eprintln!("{}: no comparison, {missing} is not installed", case.form);
            continue;
        }
        theirs.push(outcome.seconds);
        version = outcome.version;
    }
    let name = format!("tasks {}", env!("CARGO_PKG_VERSION"));
    let ratios: Vec<f64> = theirs.iter().zip(&ours).map(|(theirs, ours)| theirs / ours).collect();
    let mut rows = vec![row(case, args.steps, name, &ours, None)];
    if !theirs.is_empty() {
        rows.push(row(case, args.steps, version, &theirs, Some(median(&ratios))));
    }
    Ok(rows)
}

fn row(case: &Case, steps: usize, program: String, seconds: &[f64], times_ours: Option<f64>) -> Row {
    let nodes = case.graph.nodes();
    let per_step = |seconds: &f64| seconds * 1e9 / (nodes as f64 * steps as f64);
    let ns_per_node_step: Vec<f64> = seconds.iter().map(per_step).collect();
    let median = median(&ns_per_node_step);
    let couplings = case.graph.coupling().edges();
    Row { form: case.form, program, nodes, couplings, steps, ns_per_node_step, median, times_ours }
}

fn our_seconds(case: &Case, steps: usize) -> anyhow::Result<f64> {
    let dynamics = DynamicsConfig { burn_in: 0, every: steps, ..DynamicsConfig::default() };
    let mut rng = Streams::new(1).rng_for(Stream::Data, "network/bench");
    let start = Instant::now();
    simulate(&case.operator, &dynamics, 1, &mut rng)?;
    Ok(start.elapsed().as_secs_f64())
}

/// Runs the script, and checks that it computes what we do.
fn numpy(python: &Path, file: &Path, case: &Case, steps: usize) -> anyhow::Result<Outcome> {
    let DynamicsConfig { gain, noise, dt, .. } = DynamicsConfig::default();
    let numbers = [gain, noise, dt].map(|number| number.to_string());
    let mut command = Command::new(python);
    command.args(["-c", SCRIPT]).arg(file).args([&steps.to_string(), case.form]).args(numbers);
    // One thread, as we have.
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(variable, "1");
    }
    let output = command.output().map_err(|problem| cannot_run(python, &problem))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().last().unwrap_or("no message");
        bail!("{}: the comparison failed: {last}", python.display());
    }
    let outcome: Outcome = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{}: no result of the comparison", python.display()))?;
    if outcome.missing.is_none() {
        let silent = DynamicsConfig { noise: 0.0, burn_in: 0, every: CHECKED, ..DynamicsConfig::default() };
        let start: Vec<f64> = (0..case.graph.nodes()).map(|node| (node as f64).sin()).collect();
        let mut rng = Streams::new(1).rng(Stream::Data);
        let ours = simulate_from(&case.operator, &silent, &start, 1, &mut rng)?;
        let differences = ours.iter().zip(&outcome.checked).map(|(a, b)| (f64::from(*a) - b).abs());
        let worst = differences.fold(0.0, f64::max);
        if outcome.checked.len() != ours.len() || worst > TOLERANCE {
            bail!("{}: {CHECKED} steps differ by {worst:e}, expected at most {TOLERANCE:e}", case.form);
        }
    }
    Ok(outcome)
}

/// A program that is not there or is none is bad input.
fn cannot_run(python: &Path, problem: &io::Error) -> anyhow::Error {
    let name = python.display();
    match problem.kind() {
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::NotADirectory => {
            BadInput(format!("--python: expected a program to run, got {name} ({problem}); correct the path"))
                .into()
        }
        _ => anyhow!("{name}: cannot run: {problem}"),
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len().is_multiple_of(2) { (values[middle - 1] + values[middle]) / 2.0 } else { values[middle] }
}
