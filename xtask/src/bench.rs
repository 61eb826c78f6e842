//! `cargo xtask bench`: speed and memory on this machine.

mod scaling;
mod torch;
mod train;

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
}

pub(crate) fn main(args: &BenchArgs, install_deps: bool) -> Result<()> {
    match &args.what {
        What::Train(args) => train::main(args, install_deps),
        What::Scaling(args) => scaling::main(args, install_deps),
    }
}
