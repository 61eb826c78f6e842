//! The binary `probe`: statistics of one run, verdicts across runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use probe::claims::{ClaimsFile, Runs, aligned, judge};
use probe::report::{ProbeReport, Settings};
use probe::run_dir::{InputError, RunDir, Scale};
use probe::{WriteError, write_json};

/// Geometry and statistics of trained runs.
#[derive(Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Computes the statistics of one finished run and writes DIR/probe.json.
    Run {
        /// The run directory.
        dir: PathBuf,
        /// Permutations a test.
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        permutations: u32,
        /// Seed of the permutations.
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Judges claims on probed runs, prints a table and writes claims.json.
    Claims {
        /// Run directories with probe.json.
        #[arg(required = true)]
        dirs: Vec<PathBuf>,
        /// The file of claims.
        #[arg(long)]
        claims: PathBuf,
        /// Where to write the verdicts.
        #[arg(long)]
        out: PathBuf,
        /// Only runs of this scale.
        #[arg(long)]
        scale: Option<ScaleArgument>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum ScaleArgument {
    Quick,
    Standard,
    Paper,
    Custom,
}

/// What ends the program early.
enum Failure {
    Input(InputError),
    Write(WriteError),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run { dir, permutations, seed } => {
            run(&dir, Settings { permutations: permutations as usize, seed })
        }
        Command::Claims { dirs, claims, out, scale } => judge_claims(&dirs, &claims, &out, scale),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let (message, code) = failure.told();
            eprintln!("probe: {message}");
            ExitCode::from(code)
        }
    }
}

fn run(dir: &Path, settings: Settings) -> Result<(), Failure> {
    let report = ProbeReport::of(&RunDir::open(dir)?, settings)?;
    write_json(&dir.join("probe.json"), &report)?;
    Ok(())
}

fn judge_claims(
    dirs: &[PathBuf],
    claims: &Path,
    out: &Path,
    scale: Option<ScaleArgument>,
) -> Result<(), Failure> {
    let file = ClaimsFile::read(claims)?;
    let results = judge(&file, &Runs::read(dirs, scale.map(Scale::from))?)?;
    write_json(out, &results)?;
    print!("{}", aligned(&results));
    Ok(())
}

impl Failure {
    /// The message, and the exit code: 2 for bad input, 1 for what failed while running.
    fn told(&self) -> (String, u8) {
        match self {
            Failure::Input(error) => (error.to_string(), if error.is_bad_input() { 2 } else { 1 }),
            Failure::Write(error) => (error.to_string(), 1),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error)
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::Write(error)
    }
}

impl From<ScaleArgument> for Scale {
    fn from(scale: ScaleArgument) -> Self {
        match scale {
            ScaleArgument::Quick => Scale::Quick,
            ScaleArgument::Standard => Scale::Standard,
            ScaleArgument::Paper => Scale::Paper,
            ScaleArgument::Custom => Scale::Custom,
        }
    }
}
