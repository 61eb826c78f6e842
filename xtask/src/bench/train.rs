//! `cargo xtask bench train`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::{Deserialize, Serialize};

use super::spread;
use super::torch::Torch;
use crate::reproduce::{cores, one_thread};
use crate::{build, check_status, paths, say};

#[derive(Args)]
pub(crate) struct TrainArgs {
    /// Shapes: lst (16 tokens, width 160, batch 128), network (36, 64, 64), fmri (94, 64, 64)
    #[arg(long, value_delimiter = ',', default_values = ["lst", "network", "fmri"])]
    shapes: Vec<String>,
    /// Steps to time in each process
    #[arg(long, default_value_t = 20)]
    steps: usize,
    /// Interleaved rounds
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// A Python that has torch and safetensors [default: python3]
    #[arg(long)]
    python: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// One way to take the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Way {
    Ours,
    OursUnpruned,
    TorchEager,
    TorchCompiled,
    TorchEagerPruned,
    TorchCompiledPruned,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Ours => "ours",
            Way::OursUnpruned => "ours, unpruned",
            Way::TorchEager => "PyTorch eager",
            Way::TorchCompiled => "PyTorch compiled, fused AdamW",
            Way::TorchEagerPruned => "PyTorch eager, pruned",
            Way::TorchCompiledPruned => "PyTorch compiled, fused AdamW, pruned",
        }
    }

    /// The ways of a shape. Only `lst` reads one token, so that only there is something to prune.
    fn all(shape: &str, torch: bool) -> Vec<Way> {
        let ours: &[Way] = if shape == "lst" { &[Way::Ours, Way::OursUnpruned] } else { &[Way::Ours] };
        let theirs: &[Way] = match (torch, shape) {
            (false, _) => &[],
            (true, "lst") => {
                &[Way::TorchEager, Way::TorchCompiled, Way::TorchEagerPruned, Way::TorchCompiledPruned]
            }
            (true, _) => &[Way::TorchEager, Way::TorchCompiled],
        };
        [ours, theirs].concat()
    }
}

/// What either program prints.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Outcome {
    losses: Vec<f64>,
    pub(super) seconds_per_step: f64,
    #[serde(default)]
    pub(super) gflop_per_step: f64,
    #[serde(default)]
    pub(super) gemm_peak: f64,
    #[serde(default)]
    pub(super) peak_memory: u64,
}

/// One line of the result.
#[derive(Debug, Serialize)]
struct Row {
    shape: String,
    processes: usize,
    way: Way,
    rounds: usize,
    steps_per_second_median: f64,
    steps_per_second_min: f64,
    steps_per_second_max: f64,
    /// Ours over this way, round by round: median, least, most. Pruned against pruned, unpruned against unpruned.
    ratio: Option<[f64; 3]>,
    share_of_gemm_peak: Option<f64>,
    peak_memory_mib: Option<f64>,
}

/// The most by which the losses of both programs may differ over 20 steps.
const LOSS_TOLERANCE: f64 = 1e-4;

pub(super) fn main(args: &TrainArgs, install_deps: bool) -> Result<()> {
    build::binaries(install_deps)?;
    let torch = Torch::find(args.python.as_deref());
    match &torch {
        Some(torch) => eprintln!("beside PyTorch {}", torch.version),
        None => eprintln!(
            "no PyTorch found (`--python` names one that has torch and safetensors): our own figures only"
        ),
    }
    let mut rows = Vec::new();
    for shape in &args.shapes {
        let folder = paths::root().join("out").join("bench").join(shape);
        if let Some(torch) = &torch {
            let worst = check_losses(shape, &folder, torch)?;
            eprintln!("{shape}: losses of 20 steps agree within {worst:.1e}");
        }
        let counts = if cores() > 1 { vec![1, cores()] } else { vec![1] };
        let mut seen: BTreeMap<(usize, Way), Vec<Vec<Outcome>>> = BTreeMap::new();
        for round in 0..args.rounds {
            for &count in &counts {
                for way in Way::all(shape, torch.is_some()) {
                    let outcomes = run(way, shape, &folder, args.steps, count, torch.as_ref())?;
                    eprintln!(
                        "{shape}, round {}, {count} process(es), {}: {:.2} steps/s",
                        round + 1,
                        way.name(),
                        rate(&outcomes)
                    );
                    seen.entry((count, way)).or_default().push(outcomes);
                }
            }
        }
        rows.extend(seen.iter().map(|((count, way), rounds)| row(shape, *count, *way, rounds, &seen)));
    }
    if args.json {
        say(&serde_json::to_string_pretty(&rows)?);
    } else {
        print_table(&rows);
    }
    Ok(())
}

/// Takes the same 20 steps in both programs, so that no part of the work can be left out by either.
fn check_losses(shape: &str, folder: &Path, torch: &Torch) -> Result<f64> {
    let mut ours = Command::new(paths::binary("train"));
    ours.args(["benchmark", "--json", "--shape", shape, "--steps", "17", "--export"]).arg(folder);
    let ours = finish(spawn(ours)?, "`train benchmark`")?;
    let theirs = finish(spawn(torch.command(folder, 17, false, false))?, "PyTorch")?;
    let worst = ours.losses.iter().zip(&theirs.losses).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    if ours.losses.len() != theirs.losses.len() || worst.is_nan() || worst > LOSS_TOLERANCE {
        bail!(
            "{shape}: the losses differ by {worst:.1e} over 20 steps, at most {LOSS_TOLERANCE:.0e} is allowed: the two programs do not do the same"
        );
    }
    Ok(worst)
}

fn run(
    way: Way,
    shape: &str,
    folder: &Path,
    steps: usize,
    count: usize,
    torch: Option<&Torch>,
) -> Result<Vec<Outcome>> {
    let command = || {
        let theirs = |compiled, pruned| {
            torch.map(|torch| torch.command(folder, steps, compiled, pruned)).context("no PyTorch")
        };
        let ours = |unpruned: bool| {
            let mut command = Command::new(paths::binary("train"));
            command.args(["benchmark", "--json", "--shape", shape, "--steps", &steps.to_string()]);
            if unpruned {
                command.arg("--unpruned");
            }
            command
        };
        match way {
            Way::Ours => Ok(ours(false)),
            Way::OursUnpruned => Ok(ours(true)),
            Way::TorchEager => theirs(false, false),
            Way::TorchCompiled => theirs(true, false),
            Way::TorchEagerPruned => theirs(false, true),
            Way::TorchCompiledPruned => theirs(true, true),
        }
    };
    let children = (0..count).map(|_| spawn(command()?)).collect::<Result<Vec<_>>>()?;
    children.into_iter().map(|child| finish(child, way.name())).collect()
}

pub(super) fn spawn(mut command: Command) -> Result<std::process::Child> {
    one_thread(&mut command);
    command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {command:?}"))
}

pub(super) fn finish(child: std::process::Child, what: &str) -> Result<Outcome> {
    let output = child.wait_with_output()?;
    check_status(what, output.status)?;
    serde_json::from_slice(&output.stdout).with_context(|| format!("{what} printed no result"))
}

/// Steps per second of all processes together.
pub(super) fn rate(outcomes: &[Outcome]) -> f64 {
    outcomes.iter().map(|outcome| 1.0 / outcome.seconds_per_step).sum()
}

fn row(
    shape: &str,
    count: usize,
    way: Way,
    rounds: &[Vec<Outcome>],
    seen: &BTreeMap<(usize, Way), Vec<Vec<Outcome>>>,
) -> Row {
    let rates: Vec<f64> = rounds.iter().map(|round| rate(round)).collect();
    let twin = match way {
        Way::Ours | Way::OursUnpruned => None,
        Way::TorchEager | Way::TorchCompiled if shape == "lst" => Some(Way::OursUnpruned),
        _ => Some(Way::Ours),
    };
    let ratios = twin
        .and_then(|twin| seen.get(&(count, twin)))
        .map(|ours| spread(ours.iter().zip(&rates).map(|(ours, theirs)| rate(ours) / theirs).collect()));
    let all = || rounds.iter().flatten();
    let share = spread(all().map(|o| o.gflop_per_step / o.seconds_per_step / o.gemm_peak).collect())[0];
    let memory = all().map(|o| o.peak_memory).max().filter(|bytes| *bytes > 0);
    let [median, min, max] = spread(rates);
    Row {
        shape: shape.to_owned(),
        processes: count,
        way,
        rounds: rounds.len(),
        steps_per_second_median: median,
        steps_per_second_min: min,
        steps_per_second_max: max,
        ratio: ratios,
        share_of_gemm_peak: Some(share).filter(|share| share.is_finite()),
        peak_memory_mib: memory.map(|bytes| bytes as f64 / 1024f64.powi(2)),
    }
}

fn print_table(rows: &[Row]) {
    say(&format!(
        "{:<8} {:>9}  {:<38} {:>8} {:>16} {:>24} {:>10} {:>9}",
        "shape",
        "processes",
        "",
        "steps/s",
        "min .. max",
        "ours / this (min .. max)",
        "GEMM peak",
        "peak MiB"
    ));
    for row in rows {
        let ratio = row
            .ratio
            .map_or(String::new(), |[median, min, max]| format!("{median:.2} ({min:.2} .. {max:.2})"));
        let share = row.share_of_gemm_peak.map_or(String::new(), |share| format!("{:.0} %", 100.0 * share));
        let memory = row.peak_memory_mib.map_or(String::new(), |mib| format!("{mib:.0}"));
        let range = format!("{:.2} .. {:.2}", row.steps_per_second_min, row.steps_per_second_max);
        say(&format!(
            "{:<8} {:>9}  {:<38} {:>8.2} {range:>16} {ratio:>24} {share:>10} {memory:>9}",
            row.shape,
            row.processes,
            row.way.name(),
            row.steps_per_second_median,
        ));
    }
}
