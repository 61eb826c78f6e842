//! Wall time and peak memory of a child process.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::check_status;

/// How often a child is looked at.
const EVERY: Duration = Duration::from_millis(5);

/// What a child took.
pub(super) struct Taken {
    /// From its start to its end.
    pub(super) seconds: f64,
    /// The most resident memory, in bytes; 0 where the system does not say.
    pub(super) peak_memory: u64,
}

/// Runs a command to its end. The peak is Linux's own high-water mark, read until the process is gone.
pub(super) fn run(mut command: Command, what: &str) -> Result<Taken> {
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak_memory = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        peak_memory = high_water_mark(&status_file).unwrap_or(0).max(peak_memory);
        std::thread::sleep(EVERY);
    };
    check_status(what, status)?;
    Ok(Taken { seconds: start.elapsed().as_secs_f64(), peak_memory })
}

fn high_water_mark(status_file: &str) -> Option<u64> {
    let text = std::fs::read_to_string(status_file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
