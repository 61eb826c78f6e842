//! `cargo xtask bench train`: speed and memory of training on this machine.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};

use crate::reproduce::plan::{self, PlanRequest};
use crate::{build, check_status, paths};

#[derive(Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Optimizer steps per second at the paper's shape (16 tokens, width 160, 4 blocks, batch 128), one run alone
    /// and one per core
    Train {
        /// Steps to time in each process
        #[arg(long, default_value_t = 20)]
        steps: u64,
        /// Interleaved rounds
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What `train measure --json` prints.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Measurement {
    pub seconds_per_step: f64,
    pub seconds_per_item: f64,
    pub peak_memory: u64,
}

#[derive(Serialize)]
struct Row {
    processes: usize,
    rounds: usize,
    steps_per_second_total_median: f64,
    steps_per_second_total_min: f64,
    steps_per_second_total_max: f64,
    peak_memory_mib_per_process: f64,
}

pub(crate) fn main(args: &BenchArgs, install_deps: bool) -> Result<()> {
    build::binaries(install_deps)?;
    let What::Train { steps, rounds, json } = &args.what;
    let request =
        PlanRequest { experiment: "lst".to_owned(), scale: "quick".to_owned(), ..PlanRequest::default() };
    let folder = paths::root().join("out").join("bench");
    let frozen = plan::freeze(&request, &folder)?;
    let id = &frozen.plan.runs.first().context("the plan has no run")?.id;

    let counts = [1, crate::reproduce::cores()];
    let mut seen: [Vec<(f64, u64)>; 2] = Default::default();
    for round in 0..*rounds {
        for (&count, seen) in counts.iter().zip(&mut seen) {
            let all = measure(&frozen.path, id, *steps, count)?;
            let rate = all.iter().map(|m| 1.0 / m.seconds_per_step).sum();
            let memory = all.iter().map(|m| m.peak_memory).max().unwrap_or(0);
            seen.push((rate, memory));
            eprintln!("round {}: {count} process(es), {rate:.2} steps/s in total", round + 1);
        }
    }
    let rows: Vec<Row> = counts.iter().zip(seen).map(|(&count, seen)| row(count, seen)).collect();
    if *json {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    println!(
        "{:>10} {:>24} {:>16} {:>20}",
        "processes", "steps/s in total", "min .. max", "peak MiB a process"
    );
    for row in rows {
        println!(
            "{:>10} {:>24.2} {:>7.2} .. {:<5.2} {:>20.0}",
            row.processes,
            row.steps_per_second_total_median,
            row.steps_per_second_total_min,
            row.steps_per_second_total_max,
            row.peak_memory_mib_per_process
        );
    }
    Ok(())
}

/// Measures a run of a plan in `count` processes at once.
pub(crate) fn measure(
    plan: &std::path::Path,
    id: &str,
    steps: u64,
    count: usize,
) -> Result<Vec<Measurement>> {
    let spawn = || {
        let mut command = Command::new(paths::binary("train"));
        command.arg("measure").arg("--plan").arg(plan).args([
            "--id",
            id,
            "--json",
            "--steps",
            &steps.to_string(),
        ]);
        crate::reproduce::one_thread(&mut command);
        command.stdout(Stdio::piped()).spawn().context("cannot start train")
    };
    let children = (0..count).map(|_| spawn()).collect::<Result<Vec<_>>>()?;
    let mut all = Vec::new();
    for child in children {
        let output = child.wait_with_output()?;
        check_status("`train measure`", output.status)?;
        all.push(serde_json::from_slice(&output.stdout).context("`train measure` printed no measurement")?);
    }
    Ok(all)
}

fn row(processes: usize, mut seen: Vec<(f64, u64)>) -> Row {
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rate = |i: usize| seen.get(i).map_or(f64::NAN, |(rate, _)| *rate);
    let memory = seen.iter().map(|(_, memory)| *memory).max().unwrap_or(0);
    Row {
        processes,
        rounds: seen.len(),
        steps_per_second_total_median: rate(seen.len() / 2),
        steps_per_second_total_min: rate(0),
        steps_per_second_total_max: rate(seen.len().saturating_sub(1)),
        peak_memory_mib_per_process: memory as f64 / 1024f64.powi(2),
    }
}
