//! The lines of `metrics.jsonl`. See `docs/run-directory.md`.

use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::evaluate::Score;
use crate::objective::Objective;
use crate::observe::TableLook;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Line {
    /// The score of a split, over all levels or one.
    Evaluation {
        /// Optimizer steps so far.
        step: u64,
        /// Epochs so far.
        epoch: u64,
        /// `train`, `train-full`, `test` or `generalization`.
        split: String,
        /// `all`, or a level.
        level: String,
        /// Number of answers.
        n: usize,
        /// Mean loss.
        loss: f64,
        /// Fraction answered right, where classes are asked for.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        accuracy: Option<f64>,
        /// Coefficient of determination, where numbers are asked for and have a spread.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        r2: Option<f64>,
        /// Wall time since the start, without the time that the run was interrupted.
        seconds: f64,
    },
    /// A look at a table of the encoding.
    Encoding {
        /// Optimizer steps so far.
        step: u64,
        /// Epochs so far.
        epoch: u64,
        /// `block-<b>` or `shared`.
        table: String,
        /// Root mean square of the entries.
        rms: f64,
        /// The same of the change since initialization.
        change_rms: f64,
        /// Effective rank.
        effective_rank: f64,
        /// Root mean square of the entries of embedded tokens.
        token_rms: f64,
        /// `rms / token_rms`.
        ratio: f64,
        /// Wall time since the start.
        seconds: f64,
    },
}

/// When a line was written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub step: u64,
    pub epoch: u64,
    pub seconds: f64,
}

impl Line {
    pub(crate) fn evaluation(
        at: Moment,
        split: &str,
        level: &str,
        score: Score,
        objective: Objective,
    ) -> Self {
        let (accuracy, r2) = score.quality(objective);
        Self::Evaluation {
            step: at.step,
            epoch: at.epoch,
            split: split.to_owned(),
            level: level.to_owned(),
            n: score.n,
            loss: score.loss(),
            accuracy,
            r2,
            seconds: at.seconds,
        }
    }

    pub(crate) fn encoding(at: Moment, table: &str, look: TableLook, token_rms: f64) -> Self {
        Self::Encoding {
            step: at.step,
            epoch: at.epoch,
            table: table.to_owned(),
            rms: look.rms,
            change_rms: look.change_rms,
            effective_rank: look.effective_rank,
            token_rms,
            ratio: look.rms / token_rms,
            seconds: at.seconds,
        }
    }
}

/// `metrics.jsonl`, open for appending.
pub(crate) struct MetricsFile {
    file: File,
    path: PathBuf,
    bytes: u64,
}

impl MetricsFile {
    /// Opens the file and cuts it back to `bytes`, the length at the last checkpoint; it has at least that many.
    pub(crate) fn open(path: &Path, bytes: u64) -> Result<Self, TrainError> {
        let io = TrainError::io("write", path);
        let mut file = OpenOptions::new().create(true).write(true).truncate(false).open(path).map_err(&io)?;
        file.set_len(bytes).and_then(|()| file.seek(std::io::SeekFrom::End(0))).map_err(&io)?;
        sync_folder_of(path).map_err(&io)?;
        Ok(Self { file, path: path.to_owned(), bytes })
    }

    /// Appends lines in one write.
    pub(crate) fn append(&mut self, lines: &[Line]) -> Result<(), TrainError> {
        let mut text = String::new();
        for line in lines {
            text += &serde_json::to_string(line).unwrap_or_default();
            text.push('\n');
        }
        self.file.write_all(text.as_bytes()).map_err(TrainError::io("write", &self.path))?;
        self.bytes += text.len() as u64;
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes sure that all lines are on disk. A checkpoint that counts on them may be written only after that.
    pub(crate) fn sync(&self) -> Result<(), TrainError> {
        self.file.sync_data().map_err(TrainError::io("write", &self.path))
    }
}

/// Makes sure that the name of a new file is on disk, too.
fn sync_folder_of(path: &Path) -> std::io::Result<()> {
    match path.parent() {
        Some(folder) if cfg!(unix) => File::open(folder)?.sync_all(),
        _ => Ok(()),
    }
}
