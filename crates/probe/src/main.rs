//! The binary `probe`: geometry and statistics of tables, of one run, and verdicts across runs.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
