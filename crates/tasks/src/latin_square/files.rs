//! The published text form: CSV files with the columns ID, LST_num, condition, puzzles and solutions.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::grid::order_of_length;
use super::{Grid, LatinSquareError, Level, Place, Puzzle, PuzzleError};
use crate::write_whole;

/// The files of the pool, one a level.
pub const POOL_FILES: [(Level, &str); 3] =
    [(Level::Binary, "binary.csv"), (Level::Ternary, "ternary.csv"), (Level::Quaternary, "quaternary.csv")];

/// The names that the generalization set can have: the one that is written, and the published one.
pub const GENERALIZATION_FILES: [&str; 2] = ["generalization.csv", "human108.csv"];

/// The columns that are read.
const COLUMNS: [&str; 4] = ["LST_num", "condition", "puzzles", "solutions"];

/// The puzzles of a folder.
pub(crate) struct Folder {
    pub(crate) order: usize,
    pub(crate) pool: Vec<Puzzle>,
    pub(crate) generalization: Vec<Puzzle>,
}

/// All puzzles of a folder, or everything that is wrong with them: never an empty list.
pub(crate) fn read_folder(folder: &Path) -> Result<Folder, Vec<LatinSquareError>> {
    let generalization = generalization_file(folder).map_err(|error| vec![error])?;
    let mut reader = Reader::default();
    for (level, name) in POOL_FILES {
        reader.read(&folder.join(name), Some(level));
    }
    let pool = reader.puzzles.len();
    reader.read(&folder.join(generalization), None);
    let (order, mut puzzles) = reader.finish(folder)?;
    let generalization = puzzles.split_off(pool);
    Ok(Folder { order, pool: puzzles, generalization })
}

/// The puzzles of one file, or everything that is wrong with them. The names of [`POOL_FILES`] imply a level.
pub(crate) fn read_file(file: &Path) -> Result<(usize, Vec<Puzzle>), Vec<LatinSquareError>> {
    let mut reader = Reader::default();
    let level = POOL_FILES.into_iter().find(|(_, name)| file.file_name().is_some_and(|found| found == *name));
    reader.read(file, level.map(|(level, _)| level));
    reader.finish(file)
}

fn generalization_file(folder: &Path) -> Result<&'static str, LatinSquareError> {
    fs::read_dir(folder).map_err(|problem| LatinSquareError::reading(folder, problem))?;
    let present: Vec<_> =
        GENERALIZATION_FILES.into_iter().filter(|name| folder.join(name).exists()).collect();
    match present[..] {
        [name] => Ok(name),
        _ => Err(LatinSquareError::Layout {
            folder: folder.display().to_string(),
            expected: format!("one of {}", GENERALIZATION_FILES.join(" and ")),
            got: if present.is_empty() { "neither" } else { "both" }.to_owned(),
        }),
    }
}

/// Reads files of one data set, and keeps what is wrong with each line.
#[derive(Default)]
struct Reader {
    /// That of the first puzzle.
    order: Option<usize>,
    puzzles: Vec<Puzzle>,
    seen: HashMap<Grid, Place>,
    errors: Vec<LatinSquareError>,
}

impl Reader {
    fn finish(self, path: &Path) -> Result<(usize, Vec<Puzzle>), Vec<LatinSquareError>> {
        match self.order {
            _ if !self.errors.is_empty() => Err(self.errors),
            Some(order) => Ok((order, self.puzzles)),
            None => Err(vec![LatinSquareError::Layout {
                folder: path.display().to_string(),
                expected: "puzzles".to_owned(),
                got: "none".to_owned(),
            }]),
        }
    }

    fn read(&mut self, path: &Path, level: Option<Level>) {
        if let Err(error) = self.read_lines(path, level) {
            self.errors.push(error);
        }
    }

    /// Fails on what concerns the whole file.
    fn read_lines(&mut self, path: &Path, level: Option<Level>) -> Result<(), LatinSquareError> {
        let bytes = fs::read(path).map_err(|problem| LatinSquareError::reading(path, problem))?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let mut csv = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(bytes);
        let mut lines = Lines { bytes, offset: 0, line: 1 };
        let header = csv.headers().map_err(|error| csv_error(path, error))?.clone();
        let columns = columns(path, &header)?;
        for record in csv.records() {
            let record = record.map_err(|error| csv_error(path, error))?;
            let line = lines.of(record.position());
            if record.len() != header.len() {
                let problem = PuzzleError::Fields { expected: header.len(), got: record.len() };
                self.errors.push(LatinSquareError::line(path, line, problem));
                continue;
            }
            let fields = columns.map(|column| &record[column]);
            match self.puzzle(fields, level).and_then(|puzzle| self.keep(puzzle, path, line)) {
                Ok(()) => {}
                Err(problem) => self.errors.push(LatinSquareError::line(path, line, problem)),
            }
        }
        Ok(())
    }

    /// The puzzle of a line, if it is what the line says it is.
    fn puzzle(&mut self, fields: [&str; 4], file: Option<Level>) -> Result<Puzzle, PuzzleError> {
        let [group, condition, text, solution] = fields;
        let order = self.order.or_else(|| order_of_length(text.chars().count()));
        let puzzle = Puzzle::from_text(text, order.unwrap_or(4))?;
        self.order = order;
        let found = puzzle.level();
        if condition.parse() != Ok(found) {
            return Err(PuzzleError::Condition { found, stated: condition.to_owned() });
        }
        if solution.parse() != Ok(puzzle.answer()) {
            return Err(PuzzleError::Answer { solved: puzzle.answer(), stated: solution.to_owned() });
        }
        if let Some(file) = file.filter(|&file| file != found) {
            return Err(PuzzleError::WrongFile { file, found });
        }
        let number = || group.parse().map_err(|_| PuzzleError::Group { got: group.to_owned() });
        let group = if group.is_empty() { None } else { Some(number()?) };
        Ok(puzzle.with_group(group))
    }

    fn keep(&mut self, puzzle: Puzzle, path: &Path, line: u64) -> Result<(), PuzzleError> {
        if let Some(first) = self.seen.get(puzzle.grid()) {
            return Err(PuzzleError::Duplicate { first: first.clone() });
        }
        self.seen.insert(puzzle.grid().clone(), Place { file: path.to_owned(), line });
        self.puzzles.push(puzzle);
        Ok(())
    }
}

/// Counts lines. The position of a record is that of the blank lines before it, which are no part of it.
struct Lines<'a> {
    bytes: &'a [u8],
    offset: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line in which a record starts that is not before the last one asked for.
    fn of(&mut self, record: Option<&csv::Position>) -> u64 {
        let start = record.map_or(self.offset, |position| position.byte() as usize);
        while self.offset < start || self.bytes.get(self.offset).is_some_and(|byte| b"\r\n".contains(byte)) {
            self.line += u64::from(self.bytes.get(self.offset) == Some(&b'\n'));
            self.offset += 1;
        }
        self.line
    }
}

/// Where each of [`COLUMNS`] stands.
fn columns(path: &Path, header: &csv::StringRecord) -> Result<[usize; 4], LatinSquareError> {
    let found = COLUMNS.map(|name| header.iter().position(|column| column == name));
    if found.contains(&None) {
        let got = header.iter().collect::<Vec<_>>().join(", ");
        return Err(not_csv(path, 1, format!("{got:?}")));
    }
    Ok(found.map(Option::unwrap_or_default))
}

fn csv_error(path: &Path, error: csv::Error) -> LatinSquareError {
    let line = error.position().map_or(1, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(problem) => LatinSquareError::reading(path, problem),
        csv::ErrorKind::Utf8 { .. } => not_csv(path, line, "bytes that are no UTF-8 text".to_owned()),
        kind => not_csv(path, line, format!("{kind:?}")),
    }
}

fn not_csv(path: &Path, line: u64, got: String) -> LatinSquareError {
    let place = Place { file: path.to_owned(), line };
    LatinSquareError::Csv { place, expected: COLUMNS.join(", "), got }
}

/// The names and contents of the files of a data set.
pub(crate) fn text_files(pool: &[Puzzle], generalization: &[Puzzle]) -> Vec<(&'static str, String)> {
    let of = |level: Level| table(pool.iter().filter(move |puzzle| puzzle.level() == level));
    let mut files: Vec<_> = POOL_FILES.into_iter().map(|(level, name)| (name, of(level))).collect();
    files.push((GENERALIZATION_FILES[0], table(generalization.iter())));
    files
}

fn table<'a>(puzzles: impl Iterator<Item = &'a Puzzle>) -> String {
    let header = "ID,LST_num,condition,puzzles,solutions\n".to_owned();
    puzzles.enumerate().fold(header, |text, (id, puzzle)| {
        let group = puzzle.group().map(|group| group.to_string()).unwrap_or_default();
        text + &format!("{id},{group},{},{puzzle},{}\n", puzzle.level().condition(), puzzle.answer())
    })
}

/// Writes files, each under a temporary name that is then replaced.
pub(crate) fn write_folder(folder: &Path, files: &[(&str, String)]) -> Result<(), LatinSquareError> {
    fs::create_dir_all(folder).map_err(|problem| LatinSquareError::writing(folder, problem))?;
    if folder.join(GENERALIZATION_FILES[1]).exists() {
        return Err(LatinSquareError::Layout {
            folder: folder.display().to_string(),
            expected: format!("no other generalization set beside {}", GENERALIZATION_FILES[0]),
            got: GENERALIZATION_FILES[1].to_owned(),
        });
    }
    for (name, content) in files {
        let path = folder.join(name);
        write_whole(&path, content.as_bytes())
            .map_err(|problem| LatinSquareError::writing(&path, problem))?;
    }
    Ok(())
}
