//! Arguments, and errors as one line with an exit code: 2 for bad input, 1 for what failed while running.

mod compare;
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
    /// Time a few steps of a run, without writing anything.
    Measure(measure::MeasureArgs),
    /// Time steps with the fast encoder block and with plain tensor operations, in turns.
    Compare(compare::CompareArgs),
}

pub(crate) fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Plan(args) => plan::main(&args),
        Command::Run(args) => run::main(&args),
        Command::Measure(args) => measure::main(&args),
        Command::Compare(args) => compare::main(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
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
                let bad = |problem: String| TrainError::Config { place: place.clone(), problem };
                let plan: Plan = serde_json::from_str(&read(path)?)
                    .map_err(|error| bad(format!("not a plan: {error}; make it with `train plan`")))?;
                let run = plan.runs.iter().find(|run| run.id == *id);
                let run = run.ok_or_else(|| bad(format!("no run `{id}`: expected one of its `id`s")))?;
                RunConfig::from_toml(&run.config, &format!("{place}, run {id}"))
            }
            _ => Err(TrainError::Config {
                place: "command line".to_owned(),
                problem: "no config: give CONFIG.toml, or --plan and --id".to_owned(),
            }),
        }
    }
}

fn read(path: &std::path::Path) -> Result<String, TrainError> {
    std::fs::read_to_string(path).map_err(|error| TrainError::Config {
        place: path.display().to_string(),
        problem: format!("cannot read it: {error}"),
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
