//! What went wrong, for a terminal and for the exit code.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use tasks::fmri::FmriError;
use tasks::latin_square::LatinSquareError;
use tasks::masked::MaskedError;
use tasks::network::NetworkError;

/// The most lines of problems that are printed.
const SHOWN: usize = 20;

/// Prints the problem, one line each, and says how to exit.
pub(crate) fn exit_code(problem: &anyhow::Error) -> ExitCode {
    if let Some(OutputError(output)) = OutputError::of(problem) {
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

/// Standard output, whose errors are [`OutputError`]s: other errors of reading and writing are told from them.
pub(crate) struct Output<W>(pub(crate) W);

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(OutputError::wrap)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(OutputError::wrap)
    }
}

/// Why standard output could not be written: what is inside an [`io::Error`] of [`Output`].
#[derive(Debug)]
pub(crate) struct OutputError(io::Error);

impl OutputError {
    fn wrap(problem: io::Error) -> io::Error {
        io::Error::new(problem.kind(), OutputError(problem))
    }

    fn of(problem: &anyhow::Error) -> Option<&Self> {
        problem.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for OutputError {}

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

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    /// A writer that fails, as a closed pipe does.
    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::BrokenPipe))
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::Error::from(io::ErrorKind::BrokenPipe))
        }
    }

    #[test]
    fn only_errors_of_standard_output_are_its_own() {
        let mut out = Output(Closed);
        let line = anyhow::Error::from(writeln!(out, "a").unwrap_err());
        let json = serde_json::to_writer(&mut out, &[1]).map_err(io::Error::from).unwrap_err();
        let flush = anyhow::Error::from(out.flush().unwrap_err());
        let is = |got: ExitCode, code: ExitCode| assert_eq!(format!("{got:?}"), format!("{code:?}"));
        for own in [line, anyhow::Error::from(json), flush] {
            assert_eq!(OutputError::of(&own).unwrap().0.kind(), io::ErrorKind::BrokenPipe);
            is(exit_code(&own), ExitCode::SUCCESS);
        }
        // A pipe to another program, say.
        let other = Closed.flush().context("python").unwrap_err();
        assert!(OutputError::of(&other).is_none());
        is(exit_code(&other), ExitCode::from(1));
        is(exit_code(&BadInput("--x: no".to_owned()).into()), ExitCode::from(2));
    }
}
