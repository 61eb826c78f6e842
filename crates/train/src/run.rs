//! A run from its config to a complete run directory, through any number of interruptions.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::TrainError;
use crate::checkpoint::Checkpoint;
use crate::config::RunConfig;
use crate::device::DeviceKind;
use crate::metrics::MetricsFile;
use crate::run_dir::{Found, Manifest, RunDir, Status, code_version, cpu_features, now, program};
use crate::session::Session;
use crate::step::TrainBackend;
use crate::task::DatasetIdentity;

/// How a run is carried out. Nothing here changes its results.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions {
    /// Wall time from one checkpoint to the next.
    pub checkpoint_after: Duration,
    /// Steps from one checkpoint to the next, whatever the time.
    pub checkpoint_steps: Option<u64>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { checkpoint_after: Duration::from_secs(30), checkpoint_steps: None }
    }
}

/// What became of a call to [`run`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The run was complete already.
    Skipped,
    /// The run is complete now; how it began.
    Completed(Beginning),
}

/// How a run began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beginning {
    /// From initial values; with the reason, where an earlier try was thrown away.
    Fresh(Option<String>),
    /// From the checkpoint after this many steps.
    Resumed(u64),
}

/// A word on how far a run is.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Progress {
    /// Optimizer steps taken.
    pub step: u64,
    /// Steps that the run can take at most.
    pub steps: u64,
    /// Epochs finished.
    pub epoch: u64,
    /// Running training loss of the epoch at hand.
    pub loss: f64,
    /// Running training accuracy of the epoch at hand, where classes are asked for.
    pub accuracy: Option<f64>,
    /// Wall time so far, without interruptions.
    pub seconds: f64,
}

/// Carries out a run in `path`: from the start, from its checkpoint, or not at all if it is complete.
///
/// `progress` is called after every step; an error from it stops the run at a checkpoint, to be resumed from there.
///
/// # Errors
/// See [`TrainError`]. What is written so far stays usable.
pub fn run<B: TrainBackend>(
    config: &RunConfig,
    path: &Path,
    device: DeviceKind,
    options: RunOptions,
    progress: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
) -> Result<Outcome, TrainError> {
    config.validate()?;
    // Data that cannot be had leave no directory behind.
    let early = if path.exists() { None } else { Some(config.task.load(&config.seeds)?) };
    let dir = RunDir::open(path)?;
    let start = match dir.find(config)? {
        Found::Complete => {
            // A kill between declaring the run complete and dropping its checkpoint leaves it.
            dir.drop_checkpoint()?;
            return Ok(Outcome::Skipped);
        }
        Found::Checkpoint => Start::from_checkpoint(&dir, config)?,
        Found::Nothing(reason) => Start::Fresh(reason),
    };
    let data = match early {
        Some(data) => data,
        None => config.task.load(&config.seeds)?,
    };
    let mut manifest = manifest(config, path, device, &data.identity);

    let (mut session, beginning) = match start {
        Start::Resume(checkpoint) => {
            manifest.started = dir.read_manifest()?.map_or(manifest.started, |earlier| earlier.started);
            let step = checkpoint.position.step;
            (Session::<B>::resume(config, data, *checkpoint)?, Beginning::Resumed(step))
        }
        Start::Fresh(reason) => {
            dir.begin(config)?;
            (Session::<B>::new(config, data)?, Beginning::Fresh(reason))
        }
    };
    dir.write_manifest(&manifest)?;
    let mut metrics = MetricsFile::open(&dir.file("metrics.jsonl"), session.position().metrics_bytes)?;
    if session.position().step == 0 {
        metrics.append(&session.look_before_training()?)?;
    }

    let mut saved = (Instant::now(), session.position().step);
    while session.position().stopped.is_none() {
        let lines = session.advance()?;
        metrics.append(&lines)?;
        let told = progress(session.progress());
        let step = session.position().step;
        let due = options.checkpoint_steps.is_some_and(|steps| step >= saved.1 + steps);
        // A run that is asked to stop keeps all its steps.
        if told.is_err() || due || saved.0.elapsed() >= options.checkpoint_after {
            metrics.sync()?;
            session.checkpoint(metrics.bytes()).save(&dir.checkpoint(), &config.hash())?;
            saved = (Instant::now(), step);
        }
        told?;
    }
    finish(session, &dir, metrics, manifest)?;
    Ok(Outcome::Completed(beginning))
}

/// What a run starts from.
enum Start {
    Resume(Box<Checkpoint>),
    Fresh(Option<String>),
}

impl Start {
    /// The checkpoint, unless the lines that it counts on are gone.
    fn from_checkpoint(dir: &RunDir, config: &RunConfig) -> Result<Self, TrainError> {
        let checkpoint = Checkpoint::load(&dir.checkpoint(), &config.hash())?;
        let there = dir.file("metrics.jsonl").metadata().map_or(0, |metadata| metadata.len());
        if there < checkpoint.position.metrics_bytes {
            return Ok(Self::Fresh(Some("metrics.jsonl has lost lines since the checkpoint".to_owned())));
        }
        Ok(Self::Resume(Box::new(checkpoint)))
    }
}

fn finish<B: TrainBackend>(
    mut session: Session<B>,
    dir: &RunDir,
    metrics: MetricsFile,
    mut manifest: Manifest,
) -> Result<(), TrainError> {
    dir.write_besides(session.baselines()?.as_deref(), session.tokens())?;
    session.write_results(&dir.file("tensors.safetensors"), &dir.file("model.safetensors"))?;
    metrics.sync()?;
    let position = session.position();
    manifest.seconds = Some(position.seconds);
    manifest.steps = Some(position.step);
    manifest.epochs = Some(position.epoch);
    manifest.stopped_by = position.stopped;
    dir.finish(manifest)
}

pub(crate) fn manifest(
    config: &RunConfig,
    path: &Path,
    device: DeviceKind,
    dataset: &DatasetIdentity,
) -> Manifest {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Manifest {
        schema: config.schema,
        run_id: name.unwrap_or_else(|| config.run_id()),
        config_hash: config.hash(),
        status: Status::Running,
        code_version: code_version(),
        program: program(),
        device: device.to_string(),
        threads: 1,
        cpu_features: cpu_features(),
        dataset: dataset.clone(),
        started: now(),
        finished: None,
        seconds: None,
        steps: None,
        epochs: None,
        stopped_by: None,
        imported: None,
        files: Default::default(),
    }
}
