//! Arguments, and errors as one line with an exit code: 2 for bad input, 1 for what failed while running.

mod benchmark;
mod compare;
mod eval;
mod exchange;
mod measure;
mod plan;
mod run;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use pe_core::TrainCpu;
use train::TrainError;
use train::config::RunConfig;
use train::device::DeviceKind;
use train::plan::Plan;

/// Train one encoder with one positional encoding: reproducible, resumable, recorded.
#[derive(Parser)]
#[command(name = "train", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Expand a declared experiment into the list of its runs.
    Plan(plan::PlanArgs),
    /// Carry out one run, or continue it.
    Run(run::RunArgs),
    /// Evaluate a finished run again, with its own tables or with others in their place.
    Eval(eval::EvalArgs),
    /// Write the weights of a finished run for PyTorch.
    Export(exchange::ExportArgs),
    /// Take over weights that were trained in PyTorch.
    Import(exchange::ImportArgs),
    /// Time a few steps of a run, without writing anything.
    Measure(measure::MeasureArgs),
    /// Time the training step at a fixed shape on random batches.
    Benchmark(benchmark::BenchmarkArgs),
    /// Time steps with the fast encoder block and with plain tensor operations, in turns.
    Compare(compare::CompareArgs),
}

pub(crate) fn main() -> ExitCode {
    let cli = match terminal::parse::<Cli>("train") {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let result = match cli.command {
        Command::Plan(args) => plan::main(&args),
        Command::Run(args) => run::main(&args),
        Command::Eval(args) => eval::main(&args),
        Command::Export(args) => exchange::export_main(&args),
        Command::Import(args) => exchange::import_main(&args),
        Command::Measure(args) => measure::main(&args),
        Command::Benchmark(args) => benchmark::main(&args),
        Command::Compare(args) => compare::main(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::tell(&format!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Text and the end of a line on standard output.
fn print(text: &str) -> Result<(), TrainError> {
    let failed = |source| TrainError::Io { action: "write", path: "standard output".to_owned(), source };
    terminal::print(&format!(
        "{text}
"
    ))
    .map_err(failed)
}

/// Where a config comes from.
#[derive(clap::Args)]
struct Source {
    /// A run config as TOML
    #[arg(required_unless_present = "plan", conflicts_with = "plan")]
    config: Option<std::path::PathBuf>,
    /// A plan made by `train plan`
    #[arg(long, requires = "id")]
    plan: Option<std::path::PathBuf>,
    /// Which run of the plan
    #[arg(long, requires = "plan")]
    id: Option<String>,
}

impl Source {
    fn load(&self) -> Result<RunConfig, TrainError> {
        match (&self.config, &self.plan, &self.id) {
            (Some(path), _, _) => RunConfig::from_toml(&read(path)?, &path.display().to_string()),
            (None, Some(path), Some(id)) => {
                let place = path.display().to_string();
                Plan::from_json(&read(path)?, &place)?.config(id, &place)
            }
            _ => Err(TrainError::Config {
                place: "command line".to_owned(),
                problem: "no config: give CONFIG.toml, or --plan and --id".to_owned(),
            }),
        }
    }
}

/// Refuses to write over what is read.
fn not_over(
    option: &str,
    path: &std::path::Path,
    other: &str,
    input: Option<&std::path::Path>,
) -> Result<(), TrainError> {
    match input.filter(|input| terminal::same_file(path, input)) {
        None => Ok(()),
        Some(_) => Err(TrainError::Config {
            place: option.to_owned(),
            problem: format!("{} is the file of {other}, too: expected another; choose one", path.display()),
        }),
    }
}

fn read(path: &std::path::Path) -> Result<String, TrainError> {
    std::fs::read_to_string(path).map_err(|error| TrainError::Config {
        place: path.display().to_string(),
        problem: format!("cannot read it ({error}): check the path"),
    })
}

/// Runs `f::<Backend>()` on the backend of a device.
trait OnDevice {
    type Output;
    fn call<B: train::TrainBackend>(self) -> Result<Self::Output, TrainError>;
}

fn on_device<F: OnDevice>(device: DeviceKind, f: F) -> Result<F::Output, TrainError> {
    device.check()?;
    match device {
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => f.call::<pe_core::TrainCuda>(),
        _ => f.call::<TrainCpu>(),
    }
}
