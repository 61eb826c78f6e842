//! Whole runs of tiny models. One program, so that it links once.

mod beside;
mod common;
#[cfg(unix)]
mod full_disk;
#[cfg(unix)]
mod kill;
mod learning;
mod optimizer;
mod pins;
mod plan;
mod record;
mod refusals;
mod run_directory;
