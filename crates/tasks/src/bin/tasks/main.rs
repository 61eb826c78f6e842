//! The command `tasks`: makes, checks and describes task data.
//!
//! Exit code 0 is success, 2 bad input (arguments, settings, files), 1 what failed while running, such as a full disk.

mod fmri;
mod fmri_channels;
mod fmri_regions;
mod fmri_series;
mod generate;
mod inspect;
mod network;
mod network_baselines;
mod network_bench;
mod outputs;
mod problems;
mod recordings;

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use problems::{Output, exit_code};

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
    /// Stochastic networks with a known graph.
    #[command(subcommand)]
    Network(Network),
    /// Series of brain regions.
    #[command(subcommand)]
    Fmri(Fmri),
}

#[derive(Subcommand)]
enum Network {
    /// Simulates subjects on one graph, and writes arrays that NumPy reads.
    Simulate(network::SimulateArgs),
    /// Prints what decides whether there is anything to learn from a simulated folder.
    Stats(network::StatsArgs),
    /// Prints how well linear predictors do on masked nodes of a simulated folder.
    Baselines(network_baselines::BaselinesArgs),
    /// Times the simulation, beside NumPy.
    Bench(network_bench::BenchArgs),
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
    /// Writes synthetic recordings with planted places, as a folder that `train plan --recordings` reads.
    StandIn(recordings::StandInArgs),
    /// Checks recordings of any channels, cuts their time into halves, and writes one table of what is known of the channels.
    Channels(fmri_channels::Args),
    /// Prints what can be predicted of a folder of recordings without a network, and what correlations say of places.
    Stats(recordings::StatsArgs),
}

fn main() -> ExitCode {
    let cli = match terminal::parse::<Cli>("tasks") {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let mut out = Output(io::stdout().lock());
    let done = match cli.task {
        Task::Lst(Lst::Generate(args)) => generate::run(&args, &mut out),
        Task::Lst(Lst::Check(args)) => inspect::check(&args, &mut out),
        Task::Lst(Lst::Stats(args)) => inspect::stats(&args, &mut out),
        Task::Network(Network::Simulate(args)) => network::simulate(&args, &mut out),
        Task::Network(Network::Stats(args)) => network::stats(&args, &mut out),
        Task::Network(Network::Baselines(args)) => network_baselines::run(&args, &mut out),
        Task::Network(Network::Bench(args)) => network_bench::run(&args, &mut out),
        Task::Fmri(Fmri::Extract(args)) => fmri::run(&args, &mut out),
        Task::Fmri(Fmri::Channels(args)) => fmri_channels::run(&args, &mut out),
        Task::Fmri(Fmri::StandIn(args)) => recordings::make(&args, &mut out),
        Task::Fmri(Fmri::Stats(args)) => recordings::stats(&args, &mut out),
    };
    match done.and_then(|()| Ok(io::Write::flush(&mut out)?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => exit_code(&problem),
    }
}
