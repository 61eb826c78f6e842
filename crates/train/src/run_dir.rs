//! The run directory: who may write it, whether it is complete, and how it is written.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::config::{RunConfig, SCHEMA, short_hash};
use crate::stop::StoppedBy;
use crate::task::{BaselineScore, DatasetIdentity};
use crate::tensor_file::write_atomic;

/// A run directory that this process alone may write.
pub(crate) struct RunDir {
    path: PathBuf,
    _lock: File,
}

/// What is in a run directory.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing of use; with the reason, where something was there.
    Nothing(Option<String>),
    /// A checkpoint to go on from.
    Checkpoint,
    /// A complete run of the same config.
    Complete,
}

/// `manifest.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the run directory.
    pub schema: u32,
    /// Name of the directory.
    pub run_id: String,
    /// Hash of the config.
    pub config_hash: String,
    /// Whether the run is over.
    pub status: Status,
    /// Version of this program, with the commit of the checkout where known.
    pub code_version: String,
    /// The first 16 hex digits of the SHA-256 of the program itself.
    #[serde(default)]
    pub program: String,
    /// The device.
    pub device: String,
    /// Threads used.
    pub threads: usize,
    /// CPU features that kernels may choose by; the bits of results may depend on them.
    pub cpu_features: Vec<String>,
    /// The data.
    pub dataset: DatasetIdentity,
    /// When the run was first started.
    pub started: String,
    /// When it was finished.
    pub finished: Option<String>,
    /// Wall time, without interruptions.
    pub seconds: Option<f64>,
    /// Optimizer steps.
    pub steps: Option<u64>,
    /// Epochs.
    pub epochs: Option<u64>,
    /// Why it ended.
    pub stopped_by: Option<StoppedBy>,
    /// Where the weights come from, if they were trained elsewhere: `train import`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
    /// Size in bytes of every file of a complete run.
    pub files: BTreeMap<String, u64>,
}

/// Weights that were trained elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The first 16 hex digits of the SHA-256 of the file of trained weights.
    pub weights: String,
    /// The same of the initial weights, where they are known; else the tables of `init` are the trained ones.
    pub initial: Option<String>,
}

/// Whether a run is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Not yet.
    Running,
    /// Yes, and all files are written.
    Complete,
}

/// The files of a complete run, besides the manifest.
const FILES: [&str; 4] = ["config.toml", "metrics.jsonl", "tensors.safetensors", "model.safetensors"];

/// What some tasks have besides.
const BASELINES: &str = "baselines.json";
const TOKENS: &str = "tokens.csv";
const BESIDES: [&str; 2] = [BASELINES, TOKENS];

/// What others write of a run.
const PROBE: &str = "probe.json";
const MANIFEST: &str = "manifest.json";

const CHECKPOINT: &str = "state.safetensors";

/// Refuses to write something else over a file of a run directory, of any run. `option` is what names the file.
///
/// # Errors
/// If the path has the name of such a file, and lies in a run directory.
pub fn spare_runs(option: &str, path: &Path) -> Result<(), TrainError> {
    // A link leads to the file that a run would miss.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_of_a_run = FILES.iter().chain(&BESIDES).chain(&[MANIFEST, PROBE]).any(|name| path.ends_with(name));
    if !is_of_a_run || !folder.join(MANIFEST).is_file() {
        return Ok(());
    }
    let problem = format!("{} is a file of a run: expected another path; choose one", path.display());
    Err(TrainError::Config { place: option.to_owned(), problem })
}

impl RunDir {
    /// Creates or opens the directory for this process alone.
    pub(crate) fn open(path: &Path) -> Result<Self, TrainError> {
        std::fs::create_dir_all(path).map_err(TrainError::io("create", path))?;
        let lock_path = path.join(".lock");
        let lock = File::create(&lock_path).map_err(TrainError::io("create", &lock_path))?;
        match patiently(|| lock.try_lock()) {
            Ok(()) => {
                let dir = Self { path: path.to_owned(), _lock: lock };
                dir.sweep()?;
                Ok(dir)
            }
            Err(TryLockError::WouldBlock) => Err(TrainError::Locked(path.display().to_string())),
            Err(TryLockError::Error(error)) => Err(TrainError::io("lock", &lock_path)(error)),
        }
    }

    /// Looks at what is there. A run of another config or schema is an error, never overwritten.
    pub(crate) fn find(&self, config: &RunConfig) -> Result<Found, TrainError> {
        let manifest = self.read_manifest()?;
        // Where the config is damaged, the manifest still says whose run it is.
        let whose = manifest.as_ref().map(|manifest| manifest.config_hash.clone());
        let (hash, damage) = match (self.read_config()?, whose) {
            (Some(Ok(found)), _) => (found.hash(), None),
            (Some(Err(error @ TrainError::Schema { .. })), _) => return Err(error),
            (Some(Err(_)), Some(hash)) => (hash, Some("config.toml cannot be read")),
            (Some(Err(error)), None) => {
                let problem = format!("no run that can be continued ({error}): delete it and start again");
                return Err(TrainError::Damaged { path: self.path.display().to_string(), problem });
            }
            (None, Some(hash)) => (hash, Some("config.toml is missing")),
            (None, None) => return Ok(Found::Nothing(None)),
        };
        if hash != config.hash() {
            return Err(TrainError::OtherRun {
                path: self.path.display().to_string(),
                expected: config.hash(),
                got: hash,
            });
        }
        if let Some(damage) = damage {
            return Ok(Found::Nothing(Some(damage.to_owned())));
        }
        let complete = match manifest {
            Some(manifest) if manifest.status == Status::Complete => self.missing(&manifest),
            _ => Some("it was not finished".to_owned()),
        };
        Ok(match complete {
            None => Found::Complete,
            Some(_) if self.checkpoint().exists() => Found::Checkpoint,
            Some(reason) => Found::Nothing(Some(reason)),
        })
    }

    /// The manifest, if there is one that can be read.
    pub(crate) fn read_manifest(&self) -> Result<Option<Manifest>, TrainError> {
        let path = self.file(MANIFEST);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        match value.get("schema") {
            Some(schema) if schema.as_u64() != Some(u64::from(SCHEMA)) => Err(TrainError::Schema {
                path: path.display().to_string(),
                got: schema.to_string(),
                expected: SCHEMA,
                remedy: "use the version of this program that wrote it, or another output directory",
            }),
            _ => Ok(serde_json::from_value(value).ok()),
        }
    }

    /// The config, if the file exists; inside, what is wrong with it.
    fn read_config(&self) -> Result<Option<Result<RunConfig, TrainError>>, TrainError> {
        let path = self.file("config.toml");
        match std::fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(Some(RunConfig::from_toml(&text, &path.display().to_string())))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(TrainError::io("read", &path)(error)),
        }
    }

    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<(), TrainError> {
        let mut text = serde_json::to_string_pretty(manifest).unwrap_or_default();
        text.push('\n');
        write_atomic(&self.file(MANIFEST), text.as_bytes())
    }

    /// Starts anew: drops what an earlier try left, then writes the config.
    pub(crate) fn begin(&self, config: &RunConfig) -> Result<(), TrainError> {
        for name in [MANIFEST, PROBE].iter().chain(&BESIDES).chain(&FILES) {
            remove(&self.file(name), |path| std::fs::remove_file(path))?;
        }
        self.drop_checkpoint()?;
        write_atomic(&self.file("config.toml"), config.to_toml().as_bytes())?;
        let folder = self.file("checkpoint");
        std::fs::create_dir_all(&folder).map_err(TrainError::io("create", &folder))
    }

    /// Writes what some tasks have besides: what is reached without a network, and a table of what tokens are called.
    pub(crate) fn write_besides(
        &self,
        baselines: Option<&[BaselineScore]>,
        tokens: Option<&str>,
    ) -> Result<(), TrainError> {
        if let Some(scores) = baselines {
            let content = serde_json::json!({ "schema": SCHEMA, "scores": scores });
            let mut text = serde_json::to_string_pretty(&content).unwrap_or_default();
            text.push('\n');
            write_atomic(&self.file(BASELINES), text.as_bytes())?;
        }
        match tokens {
            Some(table) => write_atomic(&self.file(TOKENS), table.as_bytes()),
            None => Ok(()),
        }
    }

    /// Declares the run complete, and drops its checkpoint.
    pub(crate) fn finish(&self, mut manifest: Manifest) -> Result<(), TrainError> {
        manifest.status = Status::Complete;
        manifest.finished = Some(now());
        let besides = BESIDES.into_iter().filter(|name| self.file(name).exists());
        for name in FILES.into_iter().chain(besides) {
            let path = self.file(name);
            let size = path.metadata().map_err(TrainError::io("read", &path))?.len();
            manifest.files.insert(name.to_owned(), size);
        }
        self.write_manifest(&manifest)?;
        self.drop_checkpoint()
    }

    /// Removes the checkpoint, if there is one.
    pub(crate) fn drop_checkpoint(&self) -> Result<(), TrainError> {
        remove(&self.file("checkpoint"), |path| std::fs::remove_dir_all(path))
    }

    /// Removes what a process left that was killed between making a temporary file and renaming it.
    fn sweep(&self) -> Result<(), TrainError> {
        for folder in [self.path.clone(), self.file("checkpoint")] {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                if is_temporary(&entry.file_name().to_string_lossy()) {
                    remove(&entry.path(), |path| std::fs::remove_file(path))?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.path.join("checkpoint").join(CHECKPOINT)
    }

    /// Why a run that says it is complete is not.
    fn missing(&self, manifest: &Manifest) -> Option<String> {
        let besides = BESIDES.into_iter().filter(|name| manifest.files.contains_key(*name));
        FILES.into_iter().chain(besides).find_map(|name| {
            let size = self.file(name).metadata().ok().map(|metadata| metadata.len());
            let expected = manifest.files.get(name).copied();
            match size {
                None => Some(format!("{name} is missing")),
                size if size != expected => {
                    Some(format!("{name} has another size than when it was finished"))
                }
                _ => None,
            }
        })
    }
}

fn remove(path: &Path, how: impl Fn(&Path) -> std::io::Result<()>) -> Result<(), TrainError> {
    match how(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(TrainError::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Whether a file has a name that `write_atomic` gives one of ours before it is renamed: `.NAME.` and 6 characters.
fn is_temporary(name: &str) -> bool {
    let ours =
        |base: &str| FILES.iter().chain(&BESIDES).chain(&[MANIFEST, CHECKPOINT]).any(|name| *name == base);
    let parts = name.strip_prefix('.').and_then(|rest| rest.rsplit_once('.'));
    parts.is_some_and(|(base, random)| random.len() == 6 && ours(base))
}

/// Tries for some seconds: a run whose starter was killed ends by itself, but only when it next says how far it is.
fn patiently(lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    const TRIES: usize = 15;
    for _ in 0..TRIES {
        match lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(200)),
            other => return other,
        }
    }
    lock()
}

/// The time now, in UTC.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The CPU features that kernels choose by.
pub(crate) fn cpu_features() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    let found = [
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    #[cfg(not(target_arch = "x86_64"))]
    let found = [(std::env::consts::ARCH, true)];
    found.iter().filter(|(_, there)| *there).map(|(name, _)| (*name).to_owned()).collect()
}

/// What identifies the program that runs, whatever the checkout beside it holds by now.
pub(crate) fn program() -> String {
    short_hash(std::env::current_exe().and_then(std::fs::read).unwrap_or_default())
}

/// Version of this program; `xtask` adds the commit through the environment.
pub(crate) fn code_version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match std::env::var("PE_CODE_COMMIT") {
        Ok(commit) if !commit.is_empty() => format!("{version}+{commit}"),
        _ => version.to_owned(),
    }
}
