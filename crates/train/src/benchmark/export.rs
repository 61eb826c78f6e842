//! The folder that another program takes the same steps from.

use std::path::Path;

use burn::tensor::TensorData;
use pe_core::weights::{Weights, weights};
use pe_core::{Encoder, EncoderConfig, torch};
use serde::Serialize;

use super::{Answers, BATCHES, Batch, Head};
use crate::TrainError;
use crate::optimizer::OptimizerConfig;
use crate::step::TrainBackend;
use crate::tensor_file;

/// `benchmark.json`.
#[derive(Serialize)]
struct Description<'a> {
    head: Head,
    batches: usize,
    model: &'a EncoderConfig,
    optimizer: &'a OptimizerConfig,
}

/// Writes `benchmark.json`, `weights.safetensors` (PyTorch's names) and `batches.safetensors` (`<i>.tokens`, and
/// `<i>.labels` or `<i>.values`, all f32).
pub(super) fn write<B: TrainBackend>(
    folder: &Path,
    head: Head,
    model: &Encoder<B>,
    batches: &[Batch],
    optimizer: &OptimizerConfig,
) -> Result<(), TrainError> {
    std::fs::create_dir_all(folder).map_err(TrainError::io("create", folder))?;
    let description =
        Description { head, batches: BATCHES, model: model.config(), optimizer };
    let text = serde_json::to_string_pretty(&description).unwrap_or_default();
    tensor_file::write_atomic(&folder.join("benchmark.json"), text.as_bytes())?;
    let weights = torch::to_torch(weights::<B, _>(model));
    tensor_file::write(&folder.join("weights.safetensors"), &weights, &[])?;
    let mut all = Weights::new();
    for (index, batch) in batches.iter().enumerate() {
        all.insert(format!("{index}.tokens"), batch.tokens.clone());
        let (name, data) = match &batch.answers {
            Answers::Classes(classes) => {
                let values: Vec<f32> = classes.iter().map(|class| *class as f32).collect();
                let n = values.len();
                ("labels", TensorData::new(values, [n]))
            }
            Answers::Values(values) => ("values", values.clone()),
        };
        all.insert(format!("{index}.{name}"), data);
    }
    tensor_file::write(&folder.join("batches.safetensors"), &all, &[])
}
