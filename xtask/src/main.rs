//! The project's commands: `cargo xtask reproduce | test | bench | datasets | lint | tidy`.
//!
//! Thin: it links neither burn nor a BLAS. It builds the binaries of the workspace, spawns them, and writes pages
//! from what they leave in files.

mod bench;
mod build;
mod datasets;
mod lint;
mod paths;
mod preflight;
mod report;
mod reproduce;
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
    let cli = Cli::parse();
    let result = match &cli.command {
        Command::Reproduce(args) => reproduce::main(args, cli.install_deps),
        Command::Test(args) => test::main(args, cli.install_deps),
        Command::Bench(args) => bench::main(args, cli.install_deps),
        Command::Datasets(args) => datasets::main(args),
        Command::Lint(args) => lint::main(args, cli.install_deps),
        Command::Tidy => tidy::main(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(exit_code(&error))
        }
    }
}

/// The SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bad input found by xtask or by a program that it called.
#[derive(Debug)]
struct BadInput(String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// An error that ends with exit code 2.
fn bad_input(message: impl Into<String>) -> anyhow::Error {
    BadInput(message.into()).into()
}

fn exit_code(error: &anyhow::Error) -> u8 {
    if error.downcast_ref::<BadInput>().is_some() { 2 } else { 1 }
}

/// `Ok` if the program succeeded, else an error of its exit code; it has said why itself.
fn check_status(what: &str, status: std::process::ExitStatus) -> Result<()> {
    match status.code() {
        Some(0) => Ok(()),
        Some(2) => Err(bad_input(format!("{what} refused its input, see above"))),
        Some(code) => Err(anyhow::anyhow!("{what} failed with exit code {code}, see above")),
        None => Err(anyhow::anyhow!("{what} was stopped by a signal")),
    }
}
