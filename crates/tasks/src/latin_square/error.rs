//! What can go wrong, each in one line: where, what was expected, what was got, what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::Level;

/// A line of a file. Displayed as `file:line`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// What is wrong with one puzzle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PuzzleError {
    /// An order without a text form.
    #[error("expected an order of 2 to 9, got {got}; choose another order")]
    Order {
        /// The order asked for.
        got: usize,
    },
    /// The text is no square, or not that of the other puzzles.
    #[error(
        "expected {expected} cells ({order} x {order}), got {got} in {text:?}; write every cell, row by row (a spreadsheet drops leading zeros: keep the column as text)"
    )]
    Length {
        /// The order of the data set.
        order: usize,
        /// `order²`.
        expected: usize,
        /// The cells given.
        got: usize,
        /// The text, cut if long.
        text: String,
    },
    /// A character that is no blank, symbol or target.
    #[error(
        "expected 0 (blank), 1-{order} (symbols) or {mark} (target), got {got:?} as character {position}; correct it"
    )]
    Character {
        /// The order of the data set.
        order: usize,
        /// How this order marks its target.
        mark: char,
        /// Counted from 1.
        position: usize,
        /// The character found.
        got: char,
    },
    /// Not exactly one target.
    #[error("expected one target (the character {mark}), got {got}; mark the one cell that is asked for")]
    Targets {
        /// How this order marks its target.
        mark: char,
        /// The number of targets found.
        got: usize,
    },
    /// The target is not a blank cell of the grid.
    #[error("expected the target to be a blank cell below {cells}, got cell {got}; choose a blank cell")]
    Target {
        /// The number of cells.
        cells: usize,
        /// The index given.
        got: usize,
    },
    /// A symbol outside the order.
    #[error("expected a blank (0) or a symbol of 1 to {order}, got {got} in cell {cell}; correct it")]
    Symbol {
        /// The order of the grid.
        order: usize,
        /// The index of the cell.
        cell: usize,
        /// The symbol given.
        got: u8,
    },
    /// The givens break the rule of Latin squares.
    #[error(
        "expected each symbol once in a {line}, got {symbol} twice in {line} {index}; correct one of them"
    )]
    Repeated {
        /// `row` or `column`.
        line: &'static str,
        /// Which row or column, counted from 1.
        index: usize,
        /// The symbol given twice.
        symbol: u8,
    },
    /// No Latin square has these givens.
    #[error("expected givens of some Latin square, got givens that none has; correct a given")]
    Impossible,
    /// The target can take several symbols.
    #[error("expected one symbol that fits the target, got several; add givens")]
    Ambiguous,
    /// The target is determined, but by longer reasoning than any level's.
    #[error(
        "expected a target that the binary, ternary or quaternary rule solves, got one beyond them; add givens or leave it out"
    )]
    NoLevel,
    /// The file states another level than the rules give.
    #[error("expected condition {found:?} by the rules, got {stated:?}; correct the condition or the givens")]
    Condition {
        /// The level by the rules.
        found: Level,
        /// What the file states.
        stated: String,
    },
    /// The file states another answer than the solver finds.
    #[error("expected solution {solved}, the only symbol that fits, got {stated:?}; correct it")]
    Answer {
        /// The answer by the solver.
        solved: u8,
        /// What the file states.
        stated: String,
    },
    /// A puzzle in the file of another level.
    #[error("expected only {file} puzzles in this file, got a {found} one; move the line to {found}.csv")]
    WrongFile {
        /// The level of the file.
        file: Level,
        /// The level of the puzzle.
        found: Level,
    },
    /// A group that is no number.
    #[error("expected a whole number or nothing as LST_num, got {got:?}; correct it")]
    Group {
        /// What the file states.
        got: String,
    },
    /// A line with too few fields.
    #[error("expected {expected} fields as in the header, got {got}; complete the line")]
    Fields {
        /// The number of header fields.
        expected: usize,
        /// The number of fields.
        got: usize,
    },
    /// The same puzzle twice.
    #[error("expected each puzzle once, got the one of {first} again; remove one of them")]
    Duplicate {
        /// Where it stands first.
        first: Place,
    },
}

/// What a file or folder was wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To write it.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
        })
    }
}

/// What can go wrong with a data set of Latin squares.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LatinSquareError {
    /// A puzzle that is not valid by itself.
    #[error(transparent)]
    Puzzle(#[from] PuzzleError),
    /// A line of a file that is not valid.
    #[error("{place}: {problem}")]
    Line {
        /// Where.
        place: Place,
        /// What is wrong.
        problem: Box<PuzzleError>,
    },
    /// A file without the columns, or that is no text.
    #[error("{place}: expected CSV with the columns {expected}, got {got}; correct the file")]
    Csv {
        /// Where.
        place: Place,
        /// The columns needed.
        expected: String,
        /// What is there instead.
        got: String,
    },
    /// A folder without a file that belongs to the text form.
    #[error("{folder}: expected {expected}, got {got}; give the folder that holds the puzzle files")]
    Layout {
        /// The folder.
        folder: String,
        /// The files of the text form.
        expected: String,
        /// What is there instead.
        got: String,
    },
    /// A file that holds too few puzzles to split.
    #[error(
        "expected at least 2 {level} puzzles, to split them into training and test, got {got}; add puzzles"
    )]
    TooFew {
        /// The level.
        level: Level,
        /// The number there.
        got: usize,
    },
    /// A puzzle of the pool that is too much like one of the generalization set.
    #[error(
        "expected a Jaccard distance above {expected} between pool and generalization set, got {got} ({pool} and {generalization}); remove one of them"
    )]
    TooClose {
        /// The distance to exceed.
        expected: f64,
        /// The smallest distance.
        got: f64,
        /// The puzzle of the pool.
        pool: String,
        /// The item of the generalization set.
        generalization: String,
    },
    /// A setting of the generator.
    #[error("generator setting `{key}`: expected {expected}, got {got}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// What it can be.
        expected: String,
        /// What it is.
        got: String,
    },
    /// The generator cannot find what was asked for.
    #[error(
        "generator: expected {wanted} {set} puzzles of level {level} with {givens} givens, got {found} before {rejected} candidates in a row failed ({reasons}); lower `min_jaccard_distance` or the number asked for, or change the givens"
    )]
    Shortage {
        /// `pool` or `generalization`.
        set: &'static str,
        /// The level that is short.
        level: Level,
        /// The number of givens that is short.
        givens: usize,
        /// The number of puzzles asked for.
        wanted: usize,
        /// The number found.
        found: usize,
        /// The number of consecutive candidates that failed.
        rejected: u64,
        /// Why the candidates failed, in counts.
        reasons: String,
    },
    /// Reading or writing failed.
    #[error("{path}: cannot {action}: {problem}", path = path.display())]
    Io {
        /// What was being done.
        action: Access,
        /// To which file or folder.
        path: PathBuf,
        /// Why it failed.
        problem: io::Error,
    },
}

impl LatinSquareError {
    /// Whether the cause is the input (a file, a setting, a path that is not there), not what failed while running.
    pub fn is_input(&self) -> bool {
        match self {
            LatinSquareError::Io { action, problem, .. } => {
                use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
                *action == Access::Read && matches!(problem.kind(), NotFound | IsADirectory | NotADirectory)
            }
            _ => true,
        }
    }

    pub(crate) fn line(file: &Path, line: u64, problem: PuzzleError) -> Self {
        LatinSquareError::Line { place: Place { file: file.to_owned(), line }, problem: Box::new(problem) }
    }

    pub(crate) fn reading(path: &Path, problem: io::Error) -> Self {
        LatinSquareError::Io { action: Access::Read, path: path.to_owned(), problem }
    }

    pub(crate) fn writing(path: &Path, problem: io::Error) -> Self {
        LatinSquareError::Io { action: Access::Write, path: path.to_owned(), problem }
    }
}
