//! From a declared experiment to the list of its runs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use pe_core::{Arm, EncoderConfig};
use serde::{Deserialize, Serialize};
use streams::Stream;
use toml::{Table, Value};

use crate::TrainError;
use crate::config::{CUSTOM, RunConfig, SCALES, SCHEMA, check_schema, toml_error, toml_problem};
use crate::task::{DatasetIdentity, TaskConfig};

/// `EXPERIMENT.toml`: what is the same in all runs, and what varies at each scale.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Version of the format, that of the run directory.
    pub schema: u32,
    /// Its name, such as `lst`.
    pub name: String,
    /// A run config without `schema`, `experiment`, `scale`, `arm` and `seeds.seed`; `model` may name a `preset`
    /// (`paper` or `clean`) and override its fields.
    pub base: Table,
    /// The scales by name.
    pub scales: BTreeMap<String, Scale>,
}

/// What varies at one scale.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Arms by name, such as `2d-fixed`.
    #[serde(default)]
    pub pe: Vec<String>,
    /// The σ of learned arms.
    #[serde(default)]
    pub sigma: Vec<f64>,
    /// Seeds; every arm runs with each.
    pub seeds: Vec<u64>,
    /// Settings that differ from `base`.
    #[serde(default)]
    pub set: Table,
}

/// What the command line changes in a scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overrides {
    /// With `sigma`, the only arms.
    pub pe: Vec<String>,
    /// With `pe`, the only arms.
    pub sigma: Vec<f64>,
    /// The only seeds.
    pub seeds: Vec<u64>,
    /// A folder of puzzles instead of generated ones.
    pub puzzles: Option<PathBuf>,
}

/// The runs of an experiment at a scale, frozen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Version of the run directory.
    pub schema: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Name of the scale.
    pub scale: String,
    /// The data of all runs.
    pub dataset: DatasetIdentity,
    /// The runs.
    pub runs: Vec<PlannedRun>,
}

/// One run of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedRun {
    /// Name of its directory.
    pub id: String,
    /// Its arm.
    pub arm: String,
    /// Its seed.
    pub seed: u64,
    /// Hash of its config.
    pub config_hash: String,
    /// Optimizer steps that it can take at most.
    pub steps: u64,
    /// Items that it evaluates at most.
    pub evaluated: u64,
    /// Its config, as TOML.
    pub config: String,
}

impl Experiment {
    /// Reads an experiment; `place` names it in errors.
    ///
    /// # Errors
    /// When it is not TOML, has unknown or missing keys, or another schema.
    pub fn from_toml(text: &str, place: &str) -> Result<Self, TrainError> {
        check_schema(text, place, "use the version of this program that it was written for")?;
        toml::from_str(text).map_err(|error| toml_error(&error, text, place))
    }

    /// Expands, checks and hashes the runs of a scale. Loads the data once, so that each config names their hash.
    ///
    /// # Errors
    /// When the scale does not exist, a run's config is not valid, or the data cannot be made or read.
    pub fn plan(&self, scale_name: &str, overrides: &Overrides) -> Result<Plan, TrainError> {
        let scale = self.scales.get(scale_name).ok_or_else(|| TrainError::Config {
            place: format!("scale `{scale_name}`"),
            problem: format!("unknown: expected one of {}", names(self.scales.keys())),
        })?;
        let seeds = if overrides.seeds.is_empty() { &scale.seeds } else { &overrides.seeds };
        let mut configs = Vec::new();
        for arm in arms(scale, overrides).map_err(|error| error.at(self.place(scale_name)))? {
            for &seed in seeds {
                configs.push(self.config(scale_name, scale, &arm, seed, overrides)?);
            }
        }
        let Some(first) = configs.first() else {
            let problem = "no run: expected at least one arm and one seed".to_owned();
            return Err(TrainError::Config { place: format!("scale `{scale_name}`"), problem });
        };
        one_data_set(&configs).map_err(|error| error.at(self.place(scale_name)))?;
        let dataset = first.task.load(&first.seeds)?.identity;
        let mut seen = BTreeSet::new();
        let mut runs = Vec::new();
        for config in configs {
            // The split may differ between seeds, the puzzles may not.
            let config = RunConfig { task: config.task.with_identity(&dataset), ..config };
            config.validate()?;
            let run = PlannedRun::new(&config, &dataset);
            if !seen.insert(run.id.clone()) {
                let problem = format!("run {} stands twice: name each arm and seed once", run.id);
                return Err(TrainError::Config { place: format!("scale `{scale_name}`"), problem });
            }
            runs.push(run);
        }
        Ok(Plan {
            schema: SCHEMA,
            experiment: self.name.clone(),
            scale: scale_name.to_owned(),
            dataset,
            runs,
        })
    }

    fn place(&self, scale_name: &str) -> String {
        format!("experiment `{}`, scale `{scale_name}`", self.name)
    }

    fn config(
        &self,
        scale_name: &str,
        scale: &Scale,
        arm: &Arm,
        seed: u64,
        overrides: &Overrides,
    ) -> Result<RunConfig, TrainError> {
        let place = self.place(scale_name);
        let bad = |problem: String| TrainError::Config { place: place.clone(), problem };
        let mut table = self.base.clone();
        merge(&mut table, &scale.set);
        if let Some(key) =
            ["schema", "experiment", "scale", "arm"].into_iter().find(|key| table.contains_key(*key))
        {
            return Err(bad(format!(
                "`{key}` does not belong in `base` or `set`, the plan fills it in: remove it"
            )));
        }
        insert(&mut table, &["schema"], i64::from(SCHEMA));
        insert(&mut table, &["experiment"], self.name.as_str());
        // A scale of your own is none that a claim could be judged at.
        let scale_of_run = if SCALES.contains(&scale_name) { scale_name } else { CUSTOM };
        insert(&mut table, &["scale"], scale_of_run);
        insert(&mut table, &["arm"], arm.to_string());
        insert(
            &mut table,
            &["seeds", "seed"],
            i64::try_from(seed).map_err(|_| bad(format!("seed {seed} is above 2^63 - 1")))?,
        );
        if let Some(folder) = &overrides.puzzles {
            let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            let whole =
                whole.to_str().ok_or_else(|| bad("--puzzles is not UTF-8: rename the folder".to_owned()))?;
            insert(&mut table, &["task", "puzzles"], whole);
        }
        let task: TaskConfig = part(&table, "task").map_err(bad)?;
        let model = model(&table, &task, arm).map_err(bad)?;
        table.insert("model".to_owned(), Value::Table(model));
        let config: RunConfig =
            Value::Table(table).try_into().map_err(|error: toml::de::Error| bad(toml_problem(&error)))?;
        config.validate().map_err(|error| error.at(place.clone()))?;
        Ok(config)
    }
}

impl Plan {
    /// Reads a plan; `place` names it in errors.
    ///
    /// # Errors
    /// When it is truncated, is no plan, or has another schema.
    pub fn from_json(text: &str, place: &str) -> Result<Self, TrainError> {
        let bad = |error: serde_json::Error| TrainError::Config {
            place: place.to_owned(),
            problem: format!("not a whole plan ({error}); make it again with `train plan --json`"),
        };
        let value: serde_json::Value = serde_json::from_str(text).map_err(bad)?;
        match value.get("schema") {
            Some(schema) if schema.as_u64() != Some(u64::from(SCHEMA)) => Err(TrainError::Schema {
                path: place.to_owned(),
                got: schema.to_string(),
                expected: SCHEMA,
                remedy: "make it again with `train plan --json`",
            }),
            _ => serde_json::from_str(text).map_err(bad),
        }
    }

    /// The config of the run `id`; `place` names the plan in errors.
    ///
    /// # Errors
    /// When there is no such run, its config is not valid, or it is not the one that was planned.
    pub fn config(&self, id: &str, place: &str) -> Result<RunConfig, TrainError> {
        let bad = |problem: String| TrainError::Config { place: place.to_owned(), problem };
        let run = self.runs.iter().find(|run| run.id == id);
        let run = run.ok_or_else(|| bad(format!("no run `{id}`: expected one of its `id`s")))?;
        let config = RunConfig::from_toml(&run.config, &format!("{place}, run {id}"))?;
        if config.hash() != run.config_hash || config.run_id() != run.id {
            return Err(bad(format!(
                "the config of run `{id}` is not the one that was planned: make the plan again"
            )));
        }
        Ok(config)
    }
}

impl PlannedRun {
    fn new(config: &RunConfig, dataset: &DatasetIdentity) -> Self {
        let per_epoch = dataset.train.div_ceil(config.batch) as u64;
        let steps = config.stop.most_steps(per_epoch);
        let evaluations = steps.div_ceil(per_epoch) / config.record.evaluate_every + 2;
        Self {
            id: config.run_id(),
            arm: config.arm.clone(),
            seed: config.seeds.seed(),
            config_hash: config.hash(),
            steps,
            evaluated: evaluations * (dataset.test + dataset.generalization) as u64 + dataset.train as u64,
            config: config.to_toml(),
        }
    }
}

/// The arms of a scale: those of the command line if there are any, else its own.
fn arms(scale: &Scale, overrides: &Overrides) -> Result<Vec<Arm>, TrainError> {
    let given = !(overrides.pe.is_empty() && overrides.sigma.is_empty());
    let (pe, sigma) = if given { (&overrides.pe, &overrides.sigma) } else { (&scale.pe, &scale.sigma) };
    let learned = sigma.iter().map(|sigma| format!("learn-{sigma:?}"));
    pe.iter().cloned().chain(learned).map(|name| Ok(name.parse::<Arm>()?)).collect()
}

/// Generated puzzles must be the same in all runs, since a plan names one set of data.
fn one_data_set(configs: &[RunConfig]) -> Result<(), TrainError> {
    let seeds: BTreeSet<u64> = configs.iter().map(|config| config.seeds.seed_of(Stream::Data)).collect();
    let generated = configs.iter().any(|config| config.task.task().is_generated());
    if generated && seeds.len() > 1 {
        let problem =
            "every seed would generate other data: pin them, as in `[base.seeds]` `pins = { data = 1 }`";
        return Err(TrainError::Config { place: "`base.seeds`".to_owned(), problem: problem.to_owned() });
    }
    Ok(())
}

/// The model of the table: its preset with the arm's encoding, and the fields that the table overrides.
fn model(table: &Table, task: &TaskConfig, arm: &Arm) -> Result<Table, String> {
    let mut given = match table.get("model") {
        Some(Value::Table(given)) => given.clone(),
        Some(other) => return Err(format!("`model` is {other}: expected a table")),
        None => Table::new(),
    };
    let [inputs, outputs, tokens, axes] = task.task().sizes();
    let encoding = arm.encoding.clone();
    let preset = match given.remove("preset").as_ref().map(|preset| preset.as_str()) {
        None | Some(Some("paper")) => EncoderConfig::paper(inputs, outputs, tokens, axes, encoding),
        Some(Some("clean")) => EncoderConfig::clean(inputs, outputs, tokens, axes, encoding),
        Some(other) => return Err(format!("`model.preset` is {other:?}: expected \"paper\" or \"clean\"")),
    };
    let preset = EncoderConfig { causal: arm.causal, ..preset };
    let mut model = Table::try_from(preset).map_err(|error| error.to_string())?;
    merge(&mut model, &given);
    Ok(model)
}

fn part<T: serde::de::DeserializeOwned>(table: &Table, key: &str) -> Result<T, String> {
    let value = table.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
    value.clone().try_into().map_err(|error: toml::de::Error| format!("`{key}`: {}", toml_problem(&error)))
}

/// Puts the values of `over` into `table`, table by table.
fn merge(table: &mut Table, over: &Table) {
    for (key, value) in over {
        match (table.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

fn insert(table: &mut Table, path: &[&str], value: impl Into<Value>) {
    let nested = path
        .iter()
        .rev()
        .fold(value.into(), |value, key| Value::Table(Table::from_iter([((*key).to_owned(), value)])));
    if let Value::Table(nested) = nested {
        merge(table, &nested);
    }
}

fn names<'a>(keys: impl Iterator<Item = &'a String>) -> String {
    keys.cloned().collect::<Vec<_>>().join(", ")
}
