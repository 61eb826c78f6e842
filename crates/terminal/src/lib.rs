#![doc = include_str!("../README.md")]

mod paths;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind as Wrong;

pub use paths::{overwritten, same_file};

/// The arguments of this process; or the exit code to end with, when everything is said: 0 for help and version, 2 for
/// arguments that are missing or wrong. `program` is what to type before `--help`.
pub fn parse<C: Parser>(program: &str) -> Result<C, ExitCode> {
    parse_from(program, std::env::args_os())
}

/// [`parse`] for any arguments, the name of the program first.
pub fn parse_from<C: Parser, T: Into<OsString> + Clone>(
    program: &str,
    arguments: impl IntoIterator<Item = T>,
) -> Result<C, ExitCode> {
    C::try_parse_from(arguments).map_err(|wrong| {
        if !wrong.use_stderr() {
            // Help and version. That nobody reads them is no failure.
            let _ = wrong.print();
            return ExitCode::SUCCESS;
        }
        if wrong.kind() == Wrong::DisplayHelpOnMissingArgumentOrSubcommand {
            let _ = wrong.print();
        } else {
            tell(&one_line(&wrong, program));
        }
        ExitCode::from(2)
    })
}

/// Text on standard output. A reader that has seen enough, as `head` has, is no failure.
///
/// # Errors
/// When it cannot be written for another reason, such as a full disk.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// One line on standard error, whether anybody reads it or not.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The parser's message without the paragraphs after it.
fn one_line(wrong: &clap::Error, program: &str) -> String {
    let text = wrong.to_string();
    let message = ["\n\nUsage", "\n\nFor more"]
        .iter()
        .fold(text.as_str(), |text, end| text.split_once(end).map_or(text, |(message, _)| message));
    format!("{}; see `{program} --help`", message.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Parser)]
    struct Cli {
        #[arg(long)]
        count: usize,
    }

    #[test]
    fn what_is_wrong_stands_in_one_line() {
        for arguments in [&["x", "--count", "many"][..], &["x", "--cuont", "3"], &["x"]] {
            let wrong = Cli::try_parse_from(arguments).unwrap_err();
            let line = one_line(&wrong, "x");
            assert!(line.starts_with("error: ") && line.ends_with("; see `x --help`"), "{line}");
            assert!(!line.contains('\n') && !line.contains("Usage"), "{line}");
        }
        assert_eq!(parse_from::<Cli, _>("x", ["x", "--count", "3"]).unwrap().count, 3);
    }
}
