//! Everything that a run needs to go on exactly where it was, in one file.

use std::path::Path;

use burn::tensor::TensorData;
use pe_core::weights::Weights;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::config::SCHEMA;
use crate::evaluate::Score;
use crate::stop::{PlateauWatch, StoppedBy};
use crate::tensor_file;

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Optimizer steps taken.
    pub step: u64,
    /// Epochs finished.
    pub epoch: u64,
    /// Batches taken of the epoch at hand.
    pub batch: u64,
    /// Running score of the epoch at hand.
    pub running: Running,
    /// The watch on the training loss.
    pub plateau: PlateauWatch,
    /// Why the run has ended, once it has.
    pub stopped: Option<StoppedBy>,
    /// Length of `metrics.jsonl`.
    pub metrics_bytes: u64,
    /// Wall time so far.
    pub seconds: f64,
}

/// A running score.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Running {
    n: usize,
    loss_sum: f64,
    correct: usize,
    #[serde(default)]
    value_sum: f64,
    #[serde(default)]
    value_squares: f64,
}

impl From<Running> for Score {
    fn from(running: Running) -> Self {
        let Running { n, loss_sum, correct, value_sum, value_squares } = running;
        Score { n, loss_sum, correct, value_sum, value_squares }
    }
}

impl From<Score> for Running {
    fn from(score: Score) -> Self {
        let Score { n, loss_sum, correct, value_sum, value_squares } = score;
        Running { n, loss_sum, correct, value_sum, value_squares }
    }
}

/// A checkpoint.
pub(crate) struct Checkpoint {
    pub position: Position,
    pub weights: Weights,
    /// Moments of the optimizer.
    pub optimizer: Weights,
    /// Tables kept so far.
    pub snapshots: Weights,
}

const GROUPS: [&str; 3] = ["weights/", "optimizer/", "snapshots/"];

impl Checkpoint {
    pub(crate) fn save(&self, path: &Path, config_hash: &str) -> Result<(), TrainError> {
        let mut all = Weights::new();
        for (group, tensors) in GROUPS.iter().zip([&self.weights, &self.optimizer, &self.snapshots]) {
            let named = |(name, data): (&String, &TensorData)| (format!("{group}{name}"), data.clone());
            all.extend(tensors.iter().map(named));
        }
        let position = serde_json::to_string(&self.position).unwrap_or_default();
        let metadata =
            [("schema", SCHEMA.to_string()), ("config_hash", config_hash.to_owned()), ("position", position)];
        tensor_file::write(path, &all, &metadata)
    }

    pub(crate) fn load(path: &Path, config_hash: &str) -> Result<Self, TrainError> {
        let (tensors, metadata) = tensor_file::read(path)?;
        let damaged = |problem: String| TrainError::Damaged { path: path.display().to_string(), problem };
        let get = |key: &str| {
            metadata
                .get(key)
                .ok_or_else(|| damaged(format!("no `{key}` in the metadata: delete it and start again")))
        };
        if *get("schema")? != SCHEMA.to_string() {
            return Err(TrainError::Schema {
                path: path.display().to_string(),
                got: get("schema")?.clone(),
                expected: SCHEMA,
                remedy: "delete the checkpoint and start the run again",
            });
        }
        if get("config_hash")? != config_hash {
            return Err(TrainError::OtherRun {
                path: path.display().to_string(),
                expected: config_hash.to_owned(),
                got: get("config_hash")?.clone(),
            });
        }
        let position = serde_json::from_str(get("position")?).map_err(|error| {
            damaged(format!("the position cannot be read ({error}): delete it and start again"))
        })?;
        let [mut weights, mut optimizer, mut snapshots] = [(); 3].map(|()| Weights::new());
        for (name, data) in tensors {
            let mut groups = GROUPS.iter().zip([&mut weights, &mut optimizer, &mut snapshots]);
            if let Some((group, set)) = groups.find(|(group, _)| name.starts_with(**group)) {
                set.insert(name[group.len()..].to_owned(), data);
            }
        }
        Ok(Self { position, weights, optimizer, snapshots })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_reads_back_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.safetensors");
        let set =
            |x: f32| Weights::from([("a.b".to_owned(), TensorData::new(vec![x, f32::MIN_POSITIVE], [2]))]);
        let running = Running { n: 3, loss_sum: 0.1 + 0.2, correct: 1, ..Running::default() };
        let position = Position { step: 7, running, seconds: 1.0 / 3.0, ..Position::default() };
        let saved = Checkpoint { position, weights: set(0.1), optimizer: set(0.2), snapshots: set(0.3) };
        saved.save(&path, "abc").unwrap();

        let loaded = Checkpoint::load(&path, "abc").unwrap();
        assert_eq!(loaded.position, saved.position);
        assert_eq!(
            (loaded.weights, loaded.optimizer, loaded.snapshots),
            (saved.weights, saved.optimizer, saved.snapshots)
        );
        assert!(matches!(Checkpoint::load(&path, "other"), Err(TrainError::OtherRun { .. })));
    }
}
