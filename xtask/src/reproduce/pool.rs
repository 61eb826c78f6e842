//! Training runs side by side: one process and one thread each, one progress line for all.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Deserialize;

use super::plan::{Frozen, Run};
use crate::{bad_input, exit_code, paths};

/// Runs that could not be carried out.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Ids and exit codes.
    failed: Vec<(String, u8)>,
    /// Of how many runs.
    runs: usize,
}

impl Failures {
    /// The failures of further runs.
    pub(crate) fn add(&mut self, others: Self) {
        self.failed.extend(others.failed);
        self.runs += others.runs;
    }

    /// An error if there are any.
    ///
    /// # Errors
    /// One line that names the runs.
    pub(crate) fn into_result(self) -> Result<()> {
        if self.failed.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.failed.iter().map(|(id, _)| id.as_str()).collect();
        let message = format!(
            "{} of {} runs failed ({}), see above; the others are kept",
            names.len(),
            self.runs,
            names.join(", ")
        );
        let is_bad_input = self.failed.iter().all(|(_, code)| *code == 2);
        Err(if is_bad_input { bad_input(message) } else { anyhow!(message) })
    }
}

/// Carries out all runs of a plan, `jobs` at a time. Runs that are complete are skipped, begun ones continued.
/// A run that fails does not stop the others.
pub(crate) fn train_all(frozen: &Frozen, out: &Path, jobs: usize) -> Failures {
    let total = frozen.plan.runs.iter().fold(0u64, |total, run| total.saturating_add(run.steps));
    let board = Board::new(total, frozen.plan.runs.len());
    let queue = Mutex::new(frozen.plan.runs.iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(frozen.plan.runs.len()) {
            scope.spawn(|| {
                while let Some(run) = next(&queue) {
                    if let Err(error) = train(frozen, run, out, &board) {
                        board.say(&format!("{}: {error:#}", run.id));
                        lock(&failures).push((run.id.clone(), exit_code(&error)));
                    }
                }
            });
        }
    });
    board.bar.finish_and_clear();
    let failed = failures.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Failures { failed, runs: frozen.plan.runs.len() }
}

fn next<'a>(queue: &Mutex<std::slice::Iter<'a, Run>>) -> Option<&'a Run> {
    lock(queue).next()
}

fn train(frozen: &Frozen, run: &Run, out: &Path, board: &Board) -> Result<()> {
    let mut command = Command::new(paths::binary("train"));
    command
        .arg("run")
        .arg("--plan")
        .arg(&frozen.path)
        .args(["--id", &run.id, "--progress-json", "--out"])
        .arg(out);
    super::one_thread(&mut command);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| paths::cannot_start("train"))?;
    // Read beside: a child that writes much there would wait for a reader, and we for its end.
    let stderr = child.stderr.take();
    let (followed, words) = std::thread::scope(|scope| {
        let words = scope.spawn(|| {
            let mut words = Vec::new();
            let read = stderr.map(|mut stderr| stderr.read_to_end(&mut words)).transpose();
            read.map(|_| String::from_utf8_lossy(&words).into_owned())
        });
        let followed = follow(&mut child, run, board);
        if followed.is_err() {
            // Else it would go on, and keep its folder locked. That it cannot be stopped adds nothing to the error.
            let _ = child.kill();
        }
        (followed, words.join())
    });
    let status = child.wait()?;
    followed?;
    let words = words.map_err(|_| anyhow!("cannot follow train"))??;
    let words = words.trim();
    if !status.success() {
        board.forget(run);
        let words = if words.is_empty() { format!("stopped ({status})") } else { words.to_owned() };
        return Err(if status.code() == Some(2) { bad_input(words) } else { anyhow!(words) });
    }
    board.done(run);
    // `train` says how the run went: complete, resumed, or skipped and why.
    let word = words.rsplit_once(": ").map_or(words, |(_, word)| word);
    board.say(&format!("{}: {}", run.id, if words.contains("skipped") { words } else { word }));
    Ok(())
}

/// What `train run --progress-json` prints.
#[derive(Deserialize)]
struct Progress {
    step: u64,
}

fn follow(child: &mut Child, run: &Run, board: &Board) -> Result<()> {
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            if let Ok(progress) = serde_json::from_str::<Progress>(&line?) {
                board.at(run, progress.step);
            }
        }
    }
    Ok(())
}

/// The one progress line.
struct Board {
    bar: ProgressBar,
    state: Mutex<State>,
    total: u64,
    runs: usize,
    is_terminal: bool,
}

struct State {
    steps: BTreeMap<String, u64>,
    /// Steps that were not taken by this call: they tell nothing about its speed.
    inherited: BTreeMap<String, u64>,
    done: usize,
    started: Instant,
    said: Instant,
}

impl Board {
    fn new(total: u64, runs: usize) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        let state =
            State { steps: BTreeMap::new(), inherited: BTreeMap::new(), done: 0, started: now, said: now };
        Self { bar, state: Mutex::new(state), total, runs, is_terminal }
    }

    fn at(&self, run: &Run, step: u64) {
        let mut state = lock(&self.state);
        state.inherited.entry(run.id.clone()).or_insert(step.saturating_sub(1));
        state.steps.insert(run.id.clone(), step);
        self.draw(&mut state);
    }

    /// A run that stops early leaves the rest of its steps untaken.
    fn done(&self, run: &Run) {
        let mut state = lock(&self.state);
        state.done += 1;
        // Steps that the run did not take here, since it was skipped or stopped early, tell nothing about the speed.
        let untaken = run.steps.saturating_sub(state.steps.get(&run.id).copied().unwrap_or(0));
        *state.inherited.entry(run.id.clone()).or_insert(0) += untaken;
        state.steps.insert(run.id.clone(), run.steps);
        self.draw(&mut state);
    }

    fn forget(&self, run: &Run) {
        let mut state = lock(&self.state);
        state.steps.remove(&run.id);
        state.inherited.remove(&run.id);
    }

    fn say(&self, line: &str) {
        if self.is_terminal {
            self.bar.println(line);
        } else {
            eprintln!("{line}");
        }
    }

    fn draw(&self, state: &mut State) {
        let taken: u64 = state.steps.values().sum();
        let own = taken.saturating_sub(state.inherited.values().sum());
        let seconds = state.started.elapsed().as_secs_f64();
        let rate = own as f64 / seconds;
        // The first steps wait for data and caches: they would promise hours.
        let left = if own > 0 && seconds > 15.0 { (self.total - taken) as f64 / rate } else { f64::NAN };
        let line = format!(
            "{} of {} runs done, {:.1} steps/s, {} left",
            state.done,
            self.runs,
            rate,
            if left.is_finite() { pretty(left) } else { "?".to_owned() }
        );
        self.bar.set_position(taken);
        self.bar.set_message(line.clone());
        // Where no line can be redrawn, a new one now and then.
        if !self.is_terminal && state.said.elapsed() > Duration::from_secs(60) {
            state.said = Instant::now();
            eprintln!("{line}");
        }
    }
}

fn pretty(seconds: f64) -> String {
    humantime::format_duration(Duration::from_secs(seconds as u64)).to_string()
}

/// A panic of another thread does not make its numbers wrong.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
