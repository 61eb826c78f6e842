//! Arguments, and errors as one line with an exit code: 2 for bad input, 1 for what failed while running.

mod agreement;
mod benchmark;
mod check;
mod cka;
mod claims;
mod dcor;
mod decode;
mod failure;
mod input;
mod mantel;
mod map;
mod outcome;
mod output;
mod pca;
mod positions;
mod procrustes;
mod rdm;
mod rsa;
mod run;
mod tables;
mod threads;

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use probe::permutation::Permutations;
use streams::Streams;

use failure::Failure;

/// Geometry and statistics of learned tables, and of runs that learned them.
///
/// Tables are .npy, .npz, .safetensors, .csv or .tsv files, one observation a row; FILE::NAME is one array of a file
/// that holds several. Every command takes --json but `run`, `tables` and `claims`, which write JSON to a file.
#[derive(Parser)]
#[command(name = "probe", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Distances between the rows of a table.
    Rdm(rdm::RdmArgs),
    /// Do two tables have the same distances? RSA with its permutation test.
    Rsa(rsa::RsaArgs),
    /// Distance correlation of two tables, biased and bias-corrected, with permutation tests.
    Dcor(dcor::DcorArgs),
    /// Principal components of a table, and how many dimensions it uses.
    Pca(pca::PcaArgs),
    /// Mantel's test of two distance matrices.
    Mantel(mantel::MantelArgs),
    /// Centred kernel alignment of two tables, linear and RBF, biased and unbiased, with permutation tests.
    Cka(cka::CkaArgs),
    /// One map of the tokens from the tables of several runs.
    Map(map::MapArgs),
    /// Can coordinates be read off a table by a linear map? Out-of-fold R².
    Decode(decode::DecodeArgs),
    /// How well one table can be rotated onto another.
    Procrustes(procrustes::ProcrustesArgs),
    /// What a table of position encodings knows of its positions (Wang and Chen 2020).
    Positions(positions::PositionsArgs),
    /// Judges claims about position tables on reports of `probe positions --json`.
    Tables(tables::TablesArgs),
    /// Computes the statistics of one finished run and writes DIR/probe.json.
    Run(run::RunArgs),
    /// Judges claims on probed runs, prints a table and writes claims.json.
    Claims(claims::ClaimsArgs),
    /// Prints which run directories cannot be judged, and why, as a JSON object.
    Check(check::CheckArgs),
    /// Do runs of one experiment agree on their tables, over seeds and over variants such as halves of the data?
    Agreement(agreement::AgreementArgs),
    /// Times one statistic on inputs that it writes for others to read.
    #[command(hide = true)]
    Benchmark(benchmark::BenchmarkArgs),
}

/// The permutations of a test.
#[derive(Args)]
struct PermutationArgs {
    /// Permutations a test; all of them are enumerated where there are no more
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    permutations: u32,
    /// Seed of the permutations
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

impl PermutationArgs {
    fn of(&self, conditions: usize) -> Permutations {
        Permutations::new(conditions, self.permutations as usize, &Streams::new(self.seed))
    }
}

pub(crate) fn main() -> ExitCode {
    threads::settle_blas();
    let cli = match terminal::parse::<Cli>("probe") {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let done = match &cli.command {
        Command::Rdm(args) => rdm::main(args),
        Command::Rsa(args) => rsa::main(args),
        Command::Dcor(args) => dcor::main(args),
        Command::Pca(args) => pca::main(args),
        Command::Mantel(args) => mantel::main(args),
        Command::Map(args) => map::main(args),
        Command::Cka(args) => cka::main(args),
        Command::Decode(args) => decode::main(args),
        Command::Procrustes(args) => procrustes::main(args),
        Command::Positions(args) => positions::main(args),
        Command::Tables(args) => tables::main(args),
        Command::Run(args) => run::main(args),
        Command::Claims(args) => claims::main(args),
        Command::Check(args) => check::main(args),
        Command::Agreement(args) => agreement::main(args),
        Command::Benchmark(args) => benchmark::main(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::tell(&format!("probe: {failure}"));
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Text on standard output.
fn print(text: &str) -> Result<(), Failure> {
    terminal::print(text).map_err(Failure::Output)
}
