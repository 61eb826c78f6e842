//! Models from and for PyTorch: weights under its names, as a `state_dict` saved with safetensors.

use std::path::Path;

use pe_core::torch::{from_torch, to_torch};
use pe_core::weights::{self, Weights};

use crate::TrainError;
use crate::config::{RunConfig, SCHEMA, short_hash};
use crate::device::DeviceKind;
use crate::metrics::MetricsFile;
use crate::run::manifest;
use crate::run_dir::{Found, Imported, RunDir, spare_runs};
use crate::session::Session;
use crate::step::TrainBackend;
use crate::tensor_file;
use crate::trained::TrainedRun;

/// Writes the weights of the finished run in `dir` to `torch`, under PyTorch's names and layouts.
///
/// # Errors
/// When the run cannot be read, its weights do not fit its config, or the file is one of a run or cannot be written.
pub fn export<B: TrainBackend>(dir: &Path, torch: &Path) -> Result<usize, TrainError> {
    spare_runs("--torch", torch)?;
    let run = TrainedRun::open(dir)?;
    // Whatever is handed on fits the config that describes it.
    run.encoder::<B::InnerBackend>()?;
    let weights = to_torch(run.weights().clone());
    tensor_file::write(torch, &weights, &[("config_hash", run.config().hash())])?;
    Ok(weights.len())
}

/// Writes the weights of the `state_dict` in `torch` to `model`, under our names, once they fit the config.
///
/// # Errors
/// When the file cannot be read, does not fit the config, or `model` is a file of a run or cannot be written.
pub fn import_model<B: TrainBackend>(
    config: &RunConfig,
    torch: &Path,
    model: &Path,
) -> Result<(), TrainError> {
    spare_runs("--out", model)?;
    let weights = read::<B>(config, torch)?;
    tensor_file::write(model, &weights, &[("schema", SCHEMA.to_string())])
}

/// Makes a run directory of a model that was trained in PyTorch, so that it can be probed: its scores and attention
/// maps, and its tables. `initial` is the `state_dict` before training; without it the tables of `init` are the trained
/// ones, so that their change is zero, and whatever is computed of it undefined.
///
/// # Errors
/// As [`import_model`]; and when `dir` holds a run already, or the data of the config cannot be had.
pub fn import_run<B: TrainBackend>(
    config: &RunConfig,
    torch: &Path,
    initial: Option<&Path>,
    dir: &Path,
    device: DeviceKind,
) -> Result<(), TrainError> {
    config.validate()?;
    let trained = read::<B>(config, torch)?;
    let start = match initial {
        Some(initial) => read::<B>(config, initial)?,
        None => trained.clone(),
    };
    let data = config.task.load(&config.seeds)?;
    let path = dir;
    let dir = RunDir::open(path)?;
    if dir.find(config)? != Found::Nothing(None) {
        return Err(TrainError::Config {
            place: path.display().to_string(),
            problem: "holds a run of this config already: delete it or choose another directory".to_owned(),
        });
    }
    let mut manifest = manifest(config, path, device, &data.identity);
    let hash = |path: &Path| std::fs::read(path).map(short_hash).map_err(TrainError::io("read", path));
    manifest.imported = Some(Imported { weights: hash(torch)?, initial: initial.map(hash).transpose()? });
    dir.begin(config)?;
    dir.write_manifest(&manifest)?;
    let mut session = Session::<B>::imported(config, data, start, trained)?;
    let mut metrics = MetricsFile::open(&dir.file("metrics.jsonl"), 0)?;
    metrics.append(&session.look_at_the_end()?)?;
    dir.write_besides(session.baselines()?.as_deref(), session.tokens())?;
    session.write_results(&dir.file("tensors.safetensors"), &dir.file("model.safetensors"))?;
    metrics.sync()?;
    dir.finish(manifest)
}

/// The weights of a `state_dict` under our names, once they fit the config.
fn read<B: TrainBackend>(config: &RunConfig, torch: &Path) -> Result<Weights, TrainError> {
    let place = torch.display().to_string();
    let weights = from_torch(tensor_file::read_given(torch)?);
    let model = config.model.init::<B::InnerBackend>(&config.seeds, &Default::default())?;
    weights::with_weights(model, weights.clone(), &place)?;
    Ok(weights)
}
