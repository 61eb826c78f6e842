//! What went wrong, for a terminal and for the exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

use tasks::fmri::FmriError;
use tasks::latin_square::LatinSquareError;
use tasks::masked::MaskedError;
use tasks::network::NetworkError;

/// The most lines of problems that are printed.
const SHOWN: usize = 20;

/// Prints the problem, one line each, and says how to exit.
pub(crate) fn exit_code(problem: &anyhow::Error) -> ExitCode {
    if let Some(output) = problem.downcast_ref::<io::Error>() {
        // A reader that has seen enough, as `head` has.
        if output.kind() == io::ErrorKind::BrokenPipe {
            return ExitCode::SUCCESS;
        }
        eprintln!("standard output: cannot write: {output}");
        return ExitCode::from(1);
    }
    eprintln!("{problem}");
    let input = match (problem.downcast_ref::<LatinSquareError>(), problem.downcast_ref::<Problems>()) {
        (Some(error), _) => error.is_input(),
        (_, Some(Problems(errors))) => errors.iter().all(LatinSquareError::is_input),
        _ => {
            let network = problem.downcast_ref::<NetworkError>().is_some_and(NetworkError::is_input);
            let masked = problem.downcast_ref::<MaskedError>().is_some_and(MaskedError::is_input);
            let fmri = problem.downcast_ref::<FmriError>().is_some_and(FmriError::is_input);
            network || masked || fmri || problem.is::<BadInput>()
        }
    };
    ExitCode::from(if input { 2 } else { 1 })
}

/// Arguments that the parser accepts, yet that cannot be.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// Everything that is wrong with some files.
#[derive(Debug)]
pub(crate) struct Problems(pub(crate) Vec<LatinSquareError>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>();
        f.write_str(&shown.join("\n"))?;
        match self.0.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Problems {}
