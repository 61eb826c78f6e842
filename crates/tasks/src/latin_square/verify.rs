//! Checks of files on disk.

use std::path::Path;

use super::files::{self, Folder};
use super::{GENERALIZATION_FILES, LatinSquareError, Puzzle, Summary, closest};

/// Puzzles of files in which nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The order of all puzzles.
    pub order: usize,
    /// The puzzles to train and test on.
    pub pool: Vec<Puzzle>,
    /// The generalization set.
    pub generalization: Vec<Puzzle>,
}

/// Checks the puzzles of a folder or of one file: text, givens, level, answer, uniqueness of the answer, duplicates.
/// With `beyond`, pool and generalization set must also be further apart than this Jaccard distance.
///
/// # Errors
/// Everything that is wrong, one error a line; never an empty list.
pub fn verify(path: &Path, beyond: Option<f64>) -> Result<Verified, Vec<LatinSquareError>> {
    let verified = if path.is_dir() {
        let Folder { order, pool, generalization } = files::read_folder(path)?;
        Verified { order, pool, generalization }
    } else {
        let (order, puzzles) = files::read_file(path)?;
        let generalizes =
            path.file_name().is_some_and(|name| GENERALIZATION_FILES.iter().any(|known| name == *known));
        let (pool, generalization) = if generalizes { (vec![], puzzles) } else { (puzzles, vec![]) };
        Verified { order, pool, generalization }
    };
    match beyond.and_then(|beyond| verified.too_close(beyond)) {
        Some(error) => Err(vec![error]),
        None => Ok(verified),
    }
}

impl Verified {
    /// These puzzles in numbers.
    pub fn summary(&self) -> Summary {
        Summary::new(self.order, &self.pool, &self.generalization)
    }

    fn too_close(&self, beyond: f64) -> Option<LatinSquareError> {
        let closest = closest(&self.pool, &self.generalization)?;
        (closest.distance <= beyond).then(|| LatinSquareError::TooClose {
            expected: beyond,
            got: closest.distance,
            pool: self.pool[closest.first].to_string(),
            generalization: self.generalization[closest.second].to_string(),
        })
    }
}
