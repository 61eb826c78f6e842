//! The resolved config of one run: everything that decides its bytes.

use pe_core::{Arm, EncoderConfig};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use streams::Streams;

use crate::TrainError;
use crate::optimizer::OptimizerConfig;
use crate::schedule::Schedule;
use crate::stop::StopRules;
use crate::task::{Objective, TaskConfig};

/// Version of the run directory. A directory of another version is refused.
pub const SCHEMA: u32 = 1;

/// The scales that verdicts know.
pub(crate) const SCALES: [&str; 4] = ["quick", "standard", "paper", CUSTOM];

/// The scale of whatever the papers' claims are not judged on.
pub(crate) const CUSTOM: &str = "custom";

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Version of the run directory.
    pub schema: u32,
    /// The experiment it belongs to, such as `lst`.
    pub experiment: String,
    /// The scale of the experiment, or `custom`.
    pub scale: String,
    /// What is compared across runs, such as `learn-0.2`.
    pub arm: String,
    /// Which of the experiment's groups of runs it belongs to, where it has several, such as one for each set of data.
    /// Runs of different groups are never compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Items per optimizer step; the last batch of an epoch may be smaller.
    pub batch: usize,
    /// The seed of the run, and streams pinned to other seeds.
    pub seeds: Streams,
    /// The data.
    pub task: TaskConfig,
    /// The encoder.
    pub model: EncoderConfig,
    /// The optimizer.
    pub optimizer: OptimizerConfig,
    /// The learning rate over time.
    #[serde(default)]
    pub schedule: Schedule,
    /// Largest global norm of the gradient; larger ones are scaled down to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clip: Option<f64>,
    /// When the run ends.
    pub stop: StopRules,
    /// What is recorded on the way.
    #[serde(default)]
    pub record: Record,
}

/// What is recorded on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Epochs from one evaluation to the next; the last epoch is always evaluated.
    pub evaluate_every: u64,
    /// Epochs after which the tables of the encoding are kept, besides the first and the last.
    #[serde(default)]
    pub snapshots: Vec<u64>,
}

impl Default for Record {
    fn default() -> Self {
        Self { evaluate_every: 1, snapshots: Vec::new() }
    }
}

impl RunConfig {
    /// Reads and checks a config; `place` names it in errors.
    ///
    /// # Errors
    /// When it is not TOML, has unknown or missing keys, another schema, or settings out of range.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, TrainError> {
        check_schema(
            text,
            place,
            "use the version of this program that wrote it, or another output directory",
        )?;
        let config: Self = toml::from_str(text).map_err(|error| toml_error(&error, text, place))?;
        config.validate().map_err(|error| error.at(place))?;
        Ok(config)
    }

    /// The config as TOML.
    pub fn to_toml(&self) -> String {
        // `validate` refuses the few values that TOML cannot hold.
        toml::to_string(self).unwrap_or_default()
    }

    /// Checks all settings before anything is allocated.
    ///
    /// # Errors
    /// Names the setting, what was given and what is allowed.
    pub fn validate(&self) -> Result<(), TrainError> {
        for (field, name) in [("experiment", &self.experiment), ("scale", &self.scale), ("arm", &self.arm)] {
            check_name(field, name)?;
        }
        if let Some(variant) = &self.variant {
            check_name("variant", variant)?;
        }
        self.check_arm()?;
        if !SCALES.contains(&self.scale.as_str()) {
            return Err(setting_error("scale", &self.scale, "quick, standard, paper or custom"));
        }
        if self.batch == 0 {
            return Err(setting_error("batch", 0, "at least 1"));
        }
        if self.record.evaluate_every == 0 {
            return Err(setting_error("record.evaluate_every", 0, "at least 1"));
        }
        if self.record.snapshots.contains(&0) {
            return Err(setting_error(
                "record.snapshots",
                0,
                "epochs from 1 on (epoch 0 is always kept, as `init`)",
            ));
        }
        if let Some(clip) = self.clip
            && !(clip > 0.0 && clip.is_finite())
        {
            return Err(setting_error("clip", clip, "a finite number > 0"));
        }
        self.optimizer.validate()?;
        self.schedule.validate()?;
        self.stop.validate()?;
        self.task.validate(&self.model, self.batch)?;
        if let Some(goal) = self.stop.train_accuracy
            && self.task.task().objective() != Objective::CrossEntropy
        {
            let expected = "nothing, since this task asks for numbers: use `stop.epochs` or `stop.plateau`";
            return Err(setting_error("stop.train_accuracy", goal, expected));
        }
        self.model.validate().map_err(|error| TrainError::from(error).at("`model`"))?;
        // Whole numbers in TOML end at 2^63 - 1, and texts are UTF-8. A config that cannot be written has no hash.
        match toml::to_string(self) {
            Ok(_) => Ok(()),
            Err(error) => Err(TrainError::Config {
                place: "config".to_owned(),
                problem: format!(
                    "cannot be written as TOML ({error}): use numbers up to 2^63 - 1 and UTF-8 paths"
                ),
            }),
        }
    }

    /// A name of the paper must not stand on another encoding: every later comparison goes by it.
    fn check_arm(&self) -> Result<(), TrainError> {
        let actual = Arm { encoding: self.model.encoding.clone(), causal: self.model.causal };
        match self.arm.parse::<Arm>() {
            Ok(named) if named != actual => Err(TrainError::Config {
                place: "`arm`".to_owned(),
                problem: format!(
                    "`{}` is the paper's name of another encoding than `model.encoding` and `model.causal` make: choose a name of your own, such as `{actual}-mine`",
                    self.arm
                ),
            }),
            _ => Ok(()),
        }
    }

    /// What identifies the run: the first 16 hex digits of the SHA-256 of the config. Where the data lie does not
    /// count, what they are does.
    pub fn hash(&self) -> String {
        let config = Self { task: self.task.without_place(), ..self.clone() };
        short_hash(config.to_toml())
    }

    /// Name of the run directory: group, arm and seed for the reader, the hash for certainty.
    pub fn run_id(&self) -> String {
        let group = self.variant.as_ref().map_or(String::new(), |variant| format!("{variant}-"));
        format!("{group}{}-s{}-{}", self.arm, self.seeds.seed(), &self.hash()[..8])
    }
}

/// The first 16 hex digits of the SHA-256.
pub(crate) fn short_hash(bytes: impl AsRef<[u8]>) -> String {
    format!("{:x}", Sha256::digest(bytes))[..16].to_owned()
}

/// The error of a setting out of range.
pub fn setting_error(field: &'static str, got: impl ToString, expected: &'static str) -> TrainError {
    TrainError::Setting { field, got: got.to_string(), expected }
}

/// Names become parts of paths.
fn check_name(field: &'static str, name: &str) -> Result<(), TrainError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > 100 || name.starts_with('.') || !name.chars().all(allowed) {
        let expected = "1 to 100 letters, digits, `-`, `_` and `.`, not `.` first, since it names a folder";
        return Err(setting_error(field, format!("{name:?}"), expected));
    }
    Ok(())
}

/// An error of the TOML reader in one line: line, column, what, and what to do.
pub(crate) fn toml_error(error: &toml::de::Error, text: &str, place: &str) -> TrainError {
    let place = match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => {
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            format!("{place}:{line}:{column}")
        }
        None => place.to_owned(),
    };
    TrainError::Config { place, problem: toml_problem(error) }
}

/// The same without a place, for values that come from no text.
pub(crate) fn toml_problem(error: &toml::de::Error) -> String {
    let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
    let remedy = match () {
        () if message.starts_with("unknown field") => "; correct or remove it",
        () if message.starts_with("missing field") => "; add it",
        () => "; correct it",
    };
    message + remedy
}

pub(crate) fn check_schema(text: &str, place: &str, remedy: &'static str) -> Result<(), TrainError> {
    #[derive(Deserialize)]
    struct Head {
        schema: Option<toml::Value>,
    }
    match toml::from_str::<Head>(text) {
        Ok(Head { schema: Some(got) }) if got.as_integer() != Some(i64::from(SCHEMA)) => {
            Err(TrainError::Schema { path: place.to_owned(), got: got.to_string(), expected: SCHEMA, remedy })
        }
        _ => Ok(()),
    }
}
