//! Whole runs of tiny models. One program, so that it links once.

mod beside;
mod common;
mod exchange;
#[cfg(unix)]
mod full_disk;
mod functional;
#[cfg(unix)]
mod kill;
mod learning;
mod network;
mod optimizer;
mod pins;
mod plan;
mod pytorch;
mod record;
mod recordings;
mod refusals;
mod run_directory;
