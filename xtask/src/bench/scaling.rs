//! `cargo xtask bench scaling`: time and memory of the step against tokens, width, batch, encoding and processes.

use std::process::Command;

use anyhow::Result;
use clap::Args;
use serde::Serialize;

use super::train::{Outcome, finish, rate, spawn};
use crate::reproduce::cores;
use crate::{build, paths, say};

#[derive(Args)]
pub(crate) struct ScalingArgs {
    /// Steps to time at each size
    #[arg(long, default_value_t = 5)]
    steps: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Row {
    /// What is varied, and to what.
    what: &'static str,
    value: String,
    processes: usize,
    milliseconds_per_step: f64,
    steps_per_second: f64,
    share_of_gemm_peak: f64,
    peak_memory_mib: f64,
}

pub(super) fn main(args: &ScalingArgs, install_deps: bool) -> Result<()> {
    build::binaries(install_deps)?;
    let mut rows = Vec::new();
    for (what, base, flag, values) in plan() {
        for value in values {
            let options: Vec<&str> = base.iter().copied().chain([flag, value.as_str()]).collect();
            rows.push(measure(what, &value, &options, 1, args.steps)?);
        }
    }
    for processes in 1..=2 * cores() {
        rows.push(measure(
            "processes, lst",
            &processes.to_string(),
            &["--shape", "lst"],
            processes,
            args.steps,
        )?);
    }
    if args.json {
        say(&serde_json::to_string_pretty(&rows)?);
    } else {
        print_table(&rows);
    }
    Ok(())
}

/// What is varied: its name, the sizes that stay, the option, its values.
fn plan() -> Vec<(&'static str, Vec<&'static str>, &'static str, Vec<String>)> {
    let numbers = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>();
    let arms = ["learn-0.2", "nope", "c-nope", "relative", "relative-bias", "alibi", "rope", "2d-rope"];
    vec![
        (
            "tokens (width 64, batch 16)",
            vec!["--shape", "fmri", "--batch", "16"],
            "--tokens",
            numbers(&[16, 32, 64, 128, 256, 512, 1024]),
        ),
        (
            "width (16 tokens, batch 128)",
            vec!["--shape", "lst"],
            "--width",
            numbers(&[32, 64, 128, 160, 256, 512]),
        ),
        (
            "batch (16 tokens, width 160)",
            vec!["--shape", "lst"],
            "--batch",
            numbers(&[8, 32, 64, 128, 256, 512]),
        ),
        ("encoding, lst", vec!["--shape", "lst"], "--pe", arms.map(str::to_owned).to_vec()),
    ]
}

fn measure(what: &'static str, value: &str, options: &[&str], processes: usize, steps: usize) -> Result<Row> {
    eprintln!("{what}: {value} ...");
    let children = (0..processes).map(|_| {
        let mut command = Command::new(paths::binary("train"));
        command.args(["benchmark", "--json", "--steps", &steps.to_string()]).args(options);
        spawn(command)
    });
    let children = children.collect::<Result<Vec<_>>>()?;
    let outcomes =
        children.into_iter().map(|child| finish(child, "`train benchmark`")).collect::<Result<Vec<_>>>()?;
    let mean = |f: fn(&Outcome) -> f64| outcomes.iter().map(f).sum::<f64>() / outcomes.len() as f64;
    Ok(Row {
        what,
        value: value.to_owned(),
        processes,
        milliseconds_per_step: 1e3 * mean(|o| o.seconds_per_step),
        steps_per_second: rate(&outcomes),
        share_of_gemm_peak: mean(|o| o.gflop_per_step / o.seconds_per_step / o.gemm_peak),
        peak_memory_mib: mean(|o| o.peak_memory as f64) / 1024f64.powi(2),
    })
}

fn print_table(rows: &[Row]) {
    say(&format!(
        "{:<30} {:>14} {:>10} {:>10} {:>10} {:>9}",
        "what varies", "", "ms a step", "steps/s", "GEMM peak", "peak MiB"
    ));
    for row in rows {
        say(&format!(
            "{:<30} {:>14} {:>10.2} {:>10.2} {:>8.0} % {:>9.0}",
            row.what,
            row.value,
            row.milliseconds_per_step,
            row.steps_per_second,
            100.0 * row.share_of_gemm_peak,
            row.peak_memory_mib
        ));
    }
}
