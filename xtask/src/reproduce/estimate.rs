//! How long the runs of a plan would take here, from a few steps.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::one_thread;
use super::plan::Frozen;
use crate::{check_status, paths};

/// What `train measure --json` prints.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Measurement {
    seconds_per_step: f64,
    seconds_per_item: f64,
    peak_memory: u64,
}

/// Lists the runs with their time, from a few steps of the first run in `jobs` processes at once.
pub(super) fn dry_run(frozen: &Frozen, out: &Path, jobs: usize) -> Result<()> {
    let plan = &frozen.plan;
    let first = plan.runs.first().context("the plan has no run")?;
    eprintln!("timing a few steps of {jobs} run(s) at once ...");
    let measured = measure(&frozen.path, &first.id, 3, jobs)?;
    let mean = |f: fn(&Measurement) -> f64| measured.iter().map(f).sum::<f64>() / measured.len() as f64;
    let (step, item) = (mean(|m| m.seconds_per_step), mean(|m| m.seconds_per_item));
    let memory = measured.iter().map(|m| m.peak_memory).sum::<u64>() as f64 / 1024f64.powi(3);

    let runs = out.join("runs").join(&plan.experiment);
    println!("{:<36} {:>9} {:>10}", "run", "steps", "minutes");
    // When each of the jobs is free again; a run goes to the first that is.
    let mut free = vec![0.0f64; jobs];
    for run in &plan.runs {
        let folder = runs.join(&run.id);
        let complete = folder.join("model.safetensors").exists() && !folder.join("checkpoint").exists();
        let seconds = if complete { 0.0 } else { run.steps as f64 * step + run.evaluated as f64 * item };
        if let Some(first) = free.iter_mut().min_by(|a, b| a.total_cmp(b)) {
            *first += seconds;
        }
        let here = if complete {
            "  (complete)"
        } else if folder.exists() {
            "  (begun)"
        } else {
            ""
        };
        println!("{:<36} {:>9} {:>10.1}{here}", run.id, run.steps, seconds / 60.0);
    }
    let last = free.into_iter().fold(0.0, f64::max);
    println!(
        "{} runs, at most some {:.0} minutes with {jobs} at a time ({:.0} ms a step), {memory:.1} GiB of memory",
        plan.runs.len(),
        (last / 60.0).ceil(),
        step * 1e3,
    );
    Ok(())
}

fn measure(plan: &Path, id: &str, steps: u64, count: usize) -> Result<Vec<Measurement>> {
    let spawn = || {
        let mut command = Command::new(paths::binary("train"));
        command.arg("measure").arg("--plan").arg(plan);
        command.args(["--id", id, "--json", "--steps", &steps.to_string()]);
        one_thread(&mut command);
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
