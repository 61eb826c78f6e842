//! How long the runs of a plan would take here, from a few steps.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::one_thread;
use super::plan::{Frozen, Progress, Run};
use crate::report::numbers::duration;
use crate::{check_status, paths, say};

/// Steps to time. `train measure` takes their median: with a few, it would be one of steps at which the allocator and
/// the caches still fill, and these take twice as long.
const STEPS: u64 = 25;

/// What `train measure --json` prints.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Measurement {
    seconds_per_step: f64,
    seconds_per_item: f64,
    peak_memory: u64,
}

/// Lists the runs with their time, from a few steps of the first run of each group in `jobs` processes at once.
pub(crate) fn dry_run(frozen: &Frozen, out: &Path, jobs: usize) -> Result<()> {
    let (plan, runs) = (&frozen.plan, out.join("runs"));
    let left = |run: &&Run| plan.progress_of(&runs, run) != Progress::Complete;
    let jobs = at_once(jobs, plan.runs.iter().filter(left).count());
    if plan.runs.iter().any(|run| left(&run)) {
        eprintln!("timing a few steps of {jobs} run(s) at once ...");
    }
    // Groups differ in their data, and so in what a step takes.
    let mut speeds: BTreeMap<&Option<String>, Speed> = BTreeMap::new();
    for run in plan.runs.iter().filter(left) {
        if !speeds.contains_key(&run.variant) {
            speeds.insert(&run.variant, Speed::of(&measure(&frozen.path, &run.id, STEPS, jobs)?));
        }
    }
    let most = speeds.values().map(|speed| speed.gibibytes).fold(0.0, f64::max);

    say(&format!("{:<36} {:>9} {:>10}", "run", "steps", "time"));
    // When each of the jobs is free again; a run goes to the first that is.
    let mut free = vec![0.0f64; jobs];
    for run in &plan.runs {
        let progress = plan.progress_of(&runs, run);
        let seconds = match progress {
            Progress::Complete => 0.0,
            _ => speeds.get(&run.variant).map_or(f64::NAN, |speed| speed.seconds(run)),
        };
        if let Some(first) = free.iter_mut().min_by(|a, b| a.total_cmp(b)) {
            *first += seconds;
        }
        let here = match progress {
            Progress::Complete => "  (complete)",
            Progress::Begun => "  (begun)",
            Progress::Absent => "",
        };
        say(&format!("{:<36} {:>9} {:>10}{here}", run.id, run.steps, duration(seconds)));
    }
    let last = free.into_iter().fold(0.0, f64::max);
    let steps: Vec<String> = speeds.values().map(|speed| format!("{:.0}", speed.step * 1e3)).collect();
    say(&if speeds.is_empty() {
        format!("{} runs, all complete", plan.runs.len())
    } else {
        format!(
            "{} runs, at most some {} with {jobs} at a time ({} ms a step), {most:.1} GiB of memory",
            plan.runs.len(),
            duration(last),
            steps.join(", "),
        )
    });
    Ok(())
}

/// Seconds that the runs of a plan which are not complete take at most, `jobs` at a time: by a few steps of the first, to
/// which the others are alike.
pub(crate) fn forecast(frozen: &Frozen, out: &Path, jobs: usize) -> Result<f64> {
    let (plan, runs) = (&frozen.plan, out.join("runs"));
    let left: Vec<&Run> =
        plan.runs.iter().filter(|run| plan.progress_of(&runs, run) != Progress::Complete).collect();
    let Some(first) = left.first() else { return Ok(0.0) };
    let jobs = at_once(jobs, left.len());
    let speed = Speed::of(&measure(&frozen.path, &first.id, STEPS, jobs)?);
    let seconds: Vec<f64> = left.iter().map(|run| speed.seconds(run)).collect();
    let rounds = seconds.len().div_ceil(jobs) as f64;
    Ok(rounds * seconds.iter().sum::<f64>() / seconds.len() as f64)
}

/// How many runs really go at once: no more than there are.
fn at_once(jobs: usize, left: usize) -> usize {
    jobs.min(left).max(1)
}

/// How fast runs of a group go, means over processes side by side.
struct Speed {
    /// Seconds a step.
    step: f64,
    /// Seconds an evaluated item.
    item: f64,
    /// Memory of all processes.
    gibibytes: f64,
}

impl Speed {
    fn of(measured: &[Measurement]) -> Self {
        let mean = |f: fn(&Measurement) -> f64| measured.iter().map(f).sum::<f64>() / measured.len() as f64;
        let bytes: u64 = measured.iter().map(|m| m.peak_memory).sum();
        let gibibytes = bytes as f64 / 1024f64.powi(3);
        Self { step: mean(|m| m.seconds_per_step), item: mean(|m| m.seconds_per_item), gibibytes }
    }

    fn seconds(&self, run: &Run) -> f64 {
        run.steps as f64 * self.step + run.evaluated as f64 * self.item
    }
}

fn measure(plan: &Path, id: &str, steps: u64, count: usize) -> Result<Vec<Measurement>> {
    let spawn = || {
        let mut command = Command::new(paths::binary("train"));
        command.arg("measure").arg("--plan").arg(plan);
        command.args(["--id", id, "--json", "--steps", &steps.to_string()]);
        one_thread(&mut command);
        command.stdout(Stdio::piped()).spawn().with_context(|| paths::cannot_start("train"))
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
