//! The data set: training, test and generalization puzzles.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use streams::Streams;

use super::generator::generate;
use super::split::{TEST_FRACTION, split};
use super::{GenerationReport, GeneratorConfig, LatinSquareError, Puzzle, files};

/// Where puzzles come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataSource {
    /// Drawn by the generator.
    Generated,
    /// Read from files.
    Files,
}

impl fmt::Display for DataSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DataSource::Generated => "generated",
            DataSource::Files => "files",
        })
    }
}

/// Puzzles of one order to train on, to test on, and to test generalization with. No set is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatinSquareData {
    /// The number of rows, of columns and of symbols of every puzzle.
    pub order: usize,
    /// The puzzles to train on, sorted by level: to be shuffled before use in batches.
    pub train: Vec<Puzzle>,
    /// Other puzzles of the same pool, as many of each level.
    pub test: Vec<Puzzle>,
    /// Puzzles unlike those of the pool, the orientations of one puzzle sharing a [group](Puzzle::group).
    pub generalization: Vec<Puzzle>,
    /// Where they come from.
    pub source: DataSource,
}

impl LatinSquareData {
    /// Random puzzles, from the streams `data` (the puzzles) and `split` (which of the pool are tested on).
    ///
    /// # Errors
    /// [`LatinSquareError::Setting`] if the config is not valid, [`LatinSquareError::Shortage`] if the search finds
    /// too few puzzles within its budget.
    pub fn generate(config: &GeneratorConfig, streams: &Streams) -> Result<Self, LatinSquareError> {
        Self::generate_with_report(config, streams).map(|(data, _)| data)
    }

    /// The same, and what the search cost.
    ///
    /// # Errors
    /// Those of [`LatinSquareData::generate`].
    pub fn generate_with_report(
        config: &GeneratorConfig,
        streams: &Streams,
    ) -> Result<(Self, GenerationReport), LatinSquareError> {
        let generated = generate(config, streams)?;
        let (train, test) = split(generated.pool, config.test_fraction, streams)?;
        let (order, generalization) = (config.order, generated.generalization);
        let data = Self { order, train, test, generalization, source: DataSource::Generated };
        Ok((data, generated.report))
    }

    /// The puzzles of a folder in the published text form (see the crate's documentation), every one checked.
    /// One in ten of each level is tested on, chosen by the stream `split`.
    ///
    /// # Errors
    /// The first thing that is wrong with the files, with its line.
    pub fn load(folder: &Path, streams: &Streams) -> Result<Self, LatinSquareError> {
        let files::Folder { order, pool, generalization } =
            files::read_folder(folder).map_err(|mut errors| errors.swap_remove(0))?;
        let (train, test) = split(pool, TEST_FRACTION, streams)?;
        Ok(Self { order, train, test, generalization, source: DataSource::Files })
    }

    /// Writes the text form: a file for each level of the pool, and `generalization.csv`. Each file is written under
    /// a temporary name and renamed; creates the folder, replaces what is there.
    ///
    /// # Errors
    /// [`LatinSquareError::Io`] if writing fails, [`LatinSquareError::Layout`] if another generalization set lies
    /// in the folder under its published name.
    pub fn save(&self, folder: &Path) -> Result<(), LatinSquareError> {
        files::write_folder(folder, &self.text_files())
    }

    /// The text form: the names and contents of its files.
    pub fn text_files(&self) -> Vec<(&'static str, String)> {
        files::text_files(&self.pool(), &self.generalization)
    }

    /// A hash of all puzzles, in hexadecimal: the pool as a set, and the generalization set with its groups, whatever
    /// the order of their lines, the formatting of the files and the split. It is the SHA-256 of
    /// `latin-square/1`, `order N`, `pool`, the lines `TEXT ANSWER LEVEL` of the pool, sorted, `generalization`, and
    /// the lines `TEXT ANSWER LEVEL GROUP` of the generalization set, sorted (`-` for no group), each ended by a
    /// newline.
    pub fn sha256(&self) -> String {
        content_hash(self.order, &self.pool(), &self.generalization)
    }

    /// Training and test puzzles together, sorted.
    fn pool(&self) -> Vec<Puzzle> {
        let mut pool = [self.train.as_slice(), &self.test].concat();
        pool.sort();
        pool
    }
}

pub(crate) fn content_hash(order: usize, pool: &[Puzzle], generalization: &[Puzzle]) -> String {
    let mut hash = Sha256::new();
    hash.update(format!("latin-square/1\norder {order}\npool\n"));
    let line = |puzzle: &Puzzle| format!("{puzzle} {} {}", puzzle.answer(), puzzle.level());
    let with_group = |puzzle: &Puzzle| {
        let group = puzzle.group().map_or("-".to_owned(), |group| group.to_string());
        format!("{} {group}", line(puzzle))
    };
    hash.update(sorted_lines(pool.iter().map(line)));
    hash.update("generalization\n");
    hash.update(sorted_lines(generalization.iter().map(with_group)));
    format!("{:x}", hash.finalize())
}

fn sorted_lines(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.map(|line| line + "\n").collect();
    lines.sort();
    lines.concat()
}
