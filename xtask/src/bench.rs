//! `cargo xtask bench`: speed and memory on this machine.

mod extract;
mod peak;
mod probe;
mod scaling;
mod torch;
mod train;
mod volume;

use anyhow::Result;
use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The training step, one run alone and one per core; beside PyTorch where it is installed
    Train(train::TrainArgs),
    /// The training step against tokens, width, batch, encoding and processes
    Scaling(scaling::ScalingArgs),
    /// Statistics on one thread and on all cores; beside scipy, rsatoolbox, dcor and scikit-learn where they are installed
    Probe(probe::ProbeArgs),
    /// Parcel extraction from a compressed 4-D volume; beside nilearn where it is installed
    Extract(extract::ExtractArgs),
}

pub(crate) fn main(args: &BenchArgs, install_deps: bool) -> Result<()> {
    match &args.what {
        What::Train(args) => train::main(args, install_deps),
        What::Scaling(args) => scaling::main(args, install_deps),
        What::Probe(args) => probe::main(args, install_deps),
        What::Extract(args) => extract::main(args, install_deps),
    }
}

/// Median, least, most.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(f64::NAN);
    [at(values.len() / 2), at(0), at(values.len().saturating_sub(1))]
}
