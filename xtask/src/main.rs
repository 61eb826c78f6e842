//! The project's commands: `cargo xtask reproduce | report | discover | extract | test | bench | datasets | lint | tidy`.
//!
//! Thin: it links neither burn nor a BLAS. It builds the binaries of the workspace, spawns them, and writes pages
//! from what they leave in files.

#![deny(clippy::print_stdout)] // `say`: a closed pipe is no failure.

mod bench;
mod build;
mod datasets;
mod discover;
mod extract;
mod lint;
mod paths;
mod preflight;
mod report;
mod reproduce;
mod tables;
mod test;
mod tidy;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use sha2::{Digest, Sha256};

/// Reproduce the papers, test and measure the project.
#[derive(Parser)]
#[command(name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Install missing system packages instead of naming them (also when CI=true)
    #[arg(long, global = true)]
    install_deps: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Train, probe and judge the claims of the papers; without a name, all experiments there are
    Reproduce(reproduce::ReproduceArgs),
    /// Draw the page of all runs there are, from several folders too, without training
    Report(report::ReportArgs),
    /// Train on recordings of your own: is there a geometry of their channels, and which?
    Discover(discover::DiscoverArgs),
    /// Series of brain regions from scanner files, for `discover`
    Extract(extract::ExtractArgs),
    /// Run all tests
    Test(test::TestArgs),
    /// Measure speed and memory on this machine
    Bench(bench::BenchArgs),
    /// Open data: what there is, fetching it, checking it
    Datasets(datasets::DatasetsArgs),
    /// Check formatting, lints and documentation
    Lint(lint::LintArgs),
    /// Check the dependency law, module docs and file lengths
    Tidy,
}

fn main() -> ExitCode {
    let cli = match terminal::parse::<Cli>("cargo xtask") {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let result = match &cli.command {
        Command::Reproduce(args) => reproduce::main(args, cli.install_deps),
        Command::Report(args) => report::main(args, cli.install_deps),
        Command::Discover(args) => discover::main(args, cli.install_deps),
        Command::Extract(args) => extract::main(args, cli.install_deps),
        Command::Test(args) => test::main(args, cli.install_deps),
        Command::Bench(args) => bench::main(args, cli.install_deps),
        Command::Datasets(args) => datasets::main(args),
        Command::Lint(args) => lint::main(args, cli.install_deps),
        Command::Tidy => tidy::main(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A program that was called has said itself what is wrong.
            if error.downcast_ref::<Told>().is_none() {
                eprintln!("error: {error:#}");
            }
            ExitCode::from(exit_code(&error))
        }
    }
}

/// A line on standard output. A reader that has seen enough, as `head` has, is no failure.
fn say(line: &str) {
    let _ = terminal::print(&format!("{line}\n"));
}

/// The SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Bad input found by xtask.
#[derive(Debug)]
struct BadInput(String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// A program that was called failed with this exit code, and has said why.
#[derive(Debug)]
struct Told {
    what: String,
    code: i32,
}

impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} failed with exit code {}", self.what, self.code)
    }
}

impl std::error::Error for Told {}

/// An error that ends with exit code 2.
fn bad_input(message: impl Into<String>) -> anyhow::Error {
    BadInput(message.into()).into()
}

fn exit_code(error: &anyhow::Error) -> u8 {
    let is_bad_input = error.downcast_ref::<BadInput>().is_some()
        || error.downcast_ref::<Told>().is_some_and(|told| told.code == 2);
    if is_bad_input { 2 } else { 1 }
}

/// `Ok` if the program succeeded, else an error of its exit code. It has said why itself, on our standard error.
fn check_status(what: &str, status: std::process::ExitStatus) -> Result<()> {
    match status.code() {
        Some(0) => Ok(()),
        Some(code) => Err(Told { what: what.to_owned(), code }.into()),
        None => Err(anyhow::anyhow!("{what} was stopped by a signal")),
    }
}
