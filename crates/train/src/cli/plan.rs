//! `train plan`.

use std::path::PathBuf;

use clap::Args;
use train::TrainError;
use train::plan::{Experiment, Overrides};

#[derive(Args)]
pub(super) struct PlanArgs {
    /// The experiment as TOML
    experiment: PathBuf,
    /// The scale
    #[arg(long, default_value = "quick")]
    scale: String,
    /// Arms instead of those of the scale, such as 2d-fixed,nope,c-nope
    #[arg(long, value_delimiter = ',')]
    pe: Vec<String>,
    /// σ of learned arms instead of the arms of the scale
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true)]
    sigma: Vec<f64>,
    /// Seeds instead of those of the scale
    #[arg(long, value_delimiter = ',')]
    seeds: Vec<u64>,
    /// A folder of puzzles in the published text form, instead of generated ones
    #[arg(long)]
    puzzles: Option<PathBuf>,
    /// A folder of recordings (a file a subject, regions.csv, dataset.json), instead of the synthetic stand-in
    #[arg(long)]
    recordings: Option<PathBuf>,
    /// Print the plan as JSON, for `train run --plan`
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &PlanArgs) -> Result<(), TrainError> {
    let place = args.experiment.display().to_string();
    let experiment = Experiment::from_toml(&super::read(&args.experiment)?, &place)?;
    let overrides = Overrides {
        pe: args.pe.clone(),
        sigma: args.sigma.clone(),
        seeds: args.seeds.clone(),
        puzzles: args.puzzles.clone(),
        recordings: args.recordings.clone(),
    };
    let plan = experiment.plan(&args.scale, &overrides)?;
    if args.json {
        return super::print(&serde_json::to_string_pretty(&plan).unwrap_or_default());
    }
    let mut lines = vec![format!("{} at scale {}: {} runs", plan.experiment, plan.scale, plan.runs.len())];
    lines.extend(plan.runs.iter().map(|run| format!("{:<32} at most {:>7} steps", run.id, run.steps)));
    super::print(&lines.join("\n"))
}
