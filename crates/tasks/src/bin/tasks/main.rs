//! The command `tasks`: makes, checks and describes task data.
//!
//! Exit code 0 is success, 2 bad input (arguments, settings, files), 1 what failed while running, such as a full disk.

mod fmri;
mod generate;
mod inspect;
mod problems;

use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use problems::{exit_code, one_line};

/// Makes, checks and describes task data.
#[derive(Parser)]
#[command(name = "tasks", version)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// The Latin Square Task.
    #[command(subcommand)]
    Lst(Lst),
    /// Series of brain regions.
    #[command(subcommand)]
    Fmri(Fmri),
}

#[derive(Subcommand)]
enum Lst {
    /// Draws puzzles and writes them in the text form.
    Generate(generate::Args),
    /// Checks every puzzle of a folder or file, and how far the pool is from the generalization set.
    Check(inspect::CheckArgs),
    /// Prints what a folder or file holds, in numbers.
    Stats(inspect::StatsArgs),
}

#[derive(Subcommand)]
enum Fmri {
    /// Takes the mean series of parcels out of a recording, cleans them, and reports what each parcel covers.
    Extract(Box<fmri::Args>),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(asked) if !asked.use_stderr() => {
            // Help and version. That nobody reads them is no failure.
            let _ = asked.print();
            return ExitCode::SUCCESS;
        }
        Err(nothing) if nothing.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = nothing.print();
            return ExitCode::from(2);
        }
        Err(wrong) => {
            eprintln!("{}", one_line(&wrong));
            return ExitCode::from(2);
        }
    };
    let mut out = io::stdout().lock();
    let done = match cli.task {
        Task::Lst(Lst::Generate(args)) => generate::run(&args, &mut out),
        Task::Lst(Lst::Check(args)) => inspect::check(&args, &mut out),
        Task::Lst(Lst::Stats(args)) => inspect::stats(&args, &mut out),
        Task::Fmri(Fmri::Extract(args)) => fmri::run(&args, &mut out),
    };
    match done.and_then(|()| Ok(io::Write::flush(&mut out)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => exit_code(&problem),
    }
}
