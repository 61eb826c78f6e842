//! From a declared experiment to the list of its runs.

mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use pe_core::Arm;
use serde::{Deserialize, Serialize};
use streams::Stream;
use toml::{Table, Value};

use self::settings::{insert, merge, model, names, part, place_data};
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
    /// A run config without `schema`, `experiment`, `scale`, `arm`, `variant` and `seeds.seed`; `model` may name a `preset`
    /// (`paper` or `clean`) and override its fields.
    pub base: Table,
    /// Groups of runs that differ in more than arm and seed, such as in their data, by name: settings that differ from
    /// `base`. Without any, all runs are one group without a name.
    #[serde(default)]
    pub variants: BTreeMap<String, Table>,
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
    /// Settings that differ from `base` and its variants.
    #[serde(default)]
    pub set: Table,
    /// Which of the variants run, in this order; needed where there are any.
    #[serde(default)]
    pub groups: Vec<Group>,
}

/// A variant at one scale.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name.
    pub variant: String,
    /// Arms besides those of the scale.
    #[serde(default)]
    pub pe: Vec<String>,
    /// The σ of its learned arms instead of those of the scale.
    #[serde(default)]
    pub sigma: Option<Vec<f64>>,
    /// Its seeds instead of those of the scale.
    #[serde(default)]
    pub seeds: Option<Vec<u64>>,
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
    /// A folder of recordings instead of the synthetic stand-in.
    pub recordings: Option<PathBuf>,
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
    /// The data of all runs; of several groups, of the first.
    pub dataset: DatasetIdentity,
    /// The groups with their data, where they have names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<PlannedVariant>,
    /// The runs.
    pub runs: Vec<PlannedRun>,
}

/// A named group of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedVariant {
    /// Its name.
    pub name: String,
    /// The data of its runs.
    pub dataset: DatasetIdentity,
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
    /// Its group, where that has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
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
        let bad = |problem: String| TrainError::Config { place: format!("scale `{scale_name}`"), problem };
        let mut seen = BTreeSet::new();
        let (mut runs, mut variants, mut first) = (Vec::new(), Vec::new(), None);
        for group in self.groups(scale).map_err(bad)? {
            let (dataset, planned) = self.group(scale_name, scale, group, overrides)?;
            if let Some(twice) = planned.iter().find(|run| !seen.insert(run.id.clone())) {
                return Err(bad(format!("run {} stands twice: name each arm and seed once", twice.id)));
            }
            runs.extend(planned);
            variants.extend(
                group.map(|group| PlannedVariant { name: group.variant.clone(), dataset: dataset.clone() }),
            );
            first.get_or_insert(dataset);
        }
        let dataset = first.ok_or_else(|| bad("no group: expected at least one".to_owned()))?;
        let (experiment, scale) = (self.name.clone(), scale_name.to_owned());
        Ok(Plan { schema: SCHEMA, experiment, scale, dataset, variants, runs })
    }

    /// The groups of a scale; one without a name where the experiment has no variants.
    fn groups<'a>(&self, scale: &'a Scale) -> Result<Vec<Option<&'a Group>>, String> {
        if self.variants.is_empty() && scale.groups.is_empty() {
            return Ok(vec![None]);
        }
        let known = || match self.variants.is_empty() {
            true => "none, since the experiment has no `variants`".to_owned(),
            false => format!("some of {}", names(self.variants.keys())),
        };
        if let Some(group) = scale.groups.iter().find(|group| !self.variants.contains_key(&group.variant)) {
            return Err(format!("`groups` has the variant `{}`: expected {}", group.variant, known()));
        }
        match scale.groups.is_empty() {
            true => Err(format!("`groups` is empty: expected {}", known())),
            false => Ok(scale.groups.iter().map(Some).collect()),
        }
    }

    /// The runs of a group, and their data.
    fn group(
        &self,
        scale_name: &str,
        scale: &Scale,
        group: Option<&Group>,
        overrides: &Overrides,
    ) -> Result<(DatasetIdentity, Vec<PlannedRun>), TrainError> {
        let own_seeds = group.and_then(|group| group.seeds.as_ref()).unwrap_or(&scale.seeds);
        let seeds = if overrides.seeds.is_empty() { own_seeds } else { &overrides.seeds };
        let table = self.table(scale_name, scale, group, overrides)?;
        let mut configs = Vec::new();
        for arm in arms(scale, group, overrides).map_err(|error| error.at(self.place(scale_name)))? {
            for &seed in seeds {
                configs.push(config(&table, &arm, seed, &self.place(scale_name))?);
            }
        }
        let Some(first) = configs.first() else {
            let problem = "no run: expected at least one arm and one seed".to_owned();
            return Err(TrainError::Config { place: format!("scale `{scale_name}`"), problem });
        };
        one_data_set(&configs).map_err(|error| error.at(self.place(scale_name)))?;
        let dataset = first.task.load(&first.seeds)?.identity;
        let mut runs = Vec::new();
        for config in configs {
            // The split may differ between seeds, the data may not.
            let config = RunConfig { task: config.task.with_identity(&dataset), ..config };
            config.validate()?;
            runs.push(PlannedRun::new(&config, &dataset));
        }
        Ok((dataset, runs))
    }

    fn place(&self, scale_name: &str) -> String {
        format!("experiment `{}`, scale `{scale_name}`", self.name)
    }

    /// What is the same in all configs of a group, with what its data tell.
    fn table(
        &self,
        scale_name: &str,
        scale: &Scale,
        group: Option<&Group>,
        overrides: &Overrides,
    ) -> Result<Table, TrainError> {
        let bad = |problem: String| TrainError::Config { place: self.place(scale_name), problem };
        let mut table = self.base.clone();
        if let Some(settings) = group.and_then(|group| self.variants.get(&group.variant)) {
            merge(&mut table, settings);
        }
        merge(&mut table, &scale.set);
        if let Some(key) = ["schema", "experiment", "scale", "arm", "variant"]
            .into_iter()
            .find(|key| table.contains_key(*key))
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
        if let Some(group) = group {
            insert(&mut table, &["variant"], group.variant.as_str());
        }
        place_data(&mut table, overrides).map_err(bad)?;
        let task: TaskConfig = part(&table, "task").map_err(bad)?;
        let resolved = task.clone().resolved().map_err(|error| error.at(self.place(scale_name)))?;
        if resolved != task {
            let task = Table::try_from(resolved).map_err(|error| bad(format!("`task`: {error}")))?;
            table.insert("task".to_owned(), Value::Table(task));
        }
        Ok(table)
    }
}

/// The config of an arm and a seed; `place` names the experiment in errors.
fn config(table: &Table, arm: &Arm, seed: u64, place: &str) -> Result<RunConfig, TrainError> {
    let bad = |problem: String| TrainError::Config { place: place.to_owned(), problem };
    let mut table = table.clone();
    insert(&mut table, &["arm"], arm.to_string());
    let seed = i64::try_from(seed).map_err(|_| bad(format!("seed {seed} is above 2^63 - 1")))?;
    insert(&mut table, &["seeds", "seed"], seed);
    let task: TaskConfig = part(&table, "task").map_err(bad)?;
    let model = model(&table, &task, arm).map_err(bad)?;
    table.insert("model".to_owned(), Value::Table(model));
    let config: RunConfig =
        Value::Table(table).try_into().map_err(|error: toml::de::Error| bad(toml_problem(&error)))?;
    config.validate().map_err(|error| error.at(place))?;
    Ok(config)
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
        let tested = (dataset.test + dataset.generalization) as u64;
        Self {
            id: config.run_id(),
            arm: config.arm.clone(),
            seed: config.seeds.seed(),
            variant: config.variant.clone(),
            config_hash: config.hash(),
            steps,
            // Of a run without end there is no number: it is the largest.
            evaluated: evaluations.saturating_mul(tested).saturating_add(dataset.train as u64),
            config: config.to_toml(),
        }
    }
}

/// The arms of a group: those of the command line if there are any, else those of the scale and its own.
fn arms(scale: &Scale, group: Option<&Group>, overrides: &Overrides) -> Result<Vec<Arm>, TrainError> {
    let own = group.map_or(&[][..], |group| &group.pe);
    let own_sigma = group.and_then(|group| group.sigma.as_ref()).unwrap_or(&scale.sigma);
    let given = !(overrides.pe.is_empty() && overrides.sigma.is_empty());
    let (pe, sigma) = match given {
        true => (overrides.pe.clone(), &overrides.sigma),
        false => (scale.pe.iter().chain(own).cloned().collect(), own_sigma),
    };
    let learned = sigma.iter().map(|sigma| format!("learn-{sigma:?}"));
    pe.into_iter().chain(learned).map(|name| Ok(name.parse::<Arm>()?)).collect()
}

/// Generated data must be the same in all runs of a group, since a plan names one set of data for it.
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
