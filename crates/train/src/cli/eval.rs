//! `train eval`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use train::TrainError;
use train::device::DeviceKind;
use train::functional::{FreshDraw, FunctionalResult, Projection, TableChange, functional};
use train::spare_runs;

use super::{OnDevice, not_over, on_device, print};

#[derive(Args)]
pub(super) struct EvalArgs {
    /// The directory of a finished run
    run: PathBuf,
    /// Tables from this safetensors file (such as another run's tensors.safetensors) in place of the run's own
    #[arg(long)]
    table: Option<PathBuf>,
    /// Tables as they were at init, epoch-<n> or final
    #[arg(long)]
    snapshot: Option<String>,
    /// Add the change of the tables since initialization to a fresh draw from N(0, SIGMA²)
    #[arg(long, value_name = "SIGMA", requires = "seed", allow_negative_numbers = true)]
    add_change_to: Option<f64>,
    /// Seed of the fresh draw
    #[arg(long, requires = "add_change_to")]
    seed: Option<u64>,
    /// Keep of the tables what coordinates predict by least squares
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "additive")]
    project_coords: Option<How>,
    /// Permute the rows of the tables, all tables alike
    #[arg(long, value_name = "SEED")]
    permute_table: Option<u64>,
    /// Write the tables that were used to this safetensors file
    #[arg(long)]
    write_table: Option<PathBuf>,
    /// The folder of puzzles or recordings, where it is no longer where the run found it
    #[arg(long, visible_alias = "recordings")]
    puzzles: Option<PathBuf>,
    /// cpu or cuda
    #[arg(long, default_value_t)]
    device: DeviceKind,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum How {
    /// An effect of each row and of each column
    Additive,
    /// A constant and the coordinates
    Linear,
}

pub(super) fn main(args: &EvalArgs) -> Result<(), TrainError> {
    // Before minutes are spent on what cannot be written.
    if let Some(path) = &args.write_table {
        spare_runs("--write-table", path)?;
        not_over("--write-table", path, "--table", args.table.as_deref())?;
    }
    let result = on_device(args.device, Job(args))?;
    if let Some(path) = &args.write_table {
        let Some(tables) = &result.tables else {
            return Err(TrainError::Config {
                place: "--write-table".to_owned(),
                problem: "the model keeps its own tables: give what is to stand in their place".to_owned(),
            });
        };
        tables.write(path)?;
    }
    if args.json {
        return print(&serde_json::to_string_pretty(&result).unwrap_or_default());
    }
    print(&text(&result))
}

struct Job<'a>(&'a EvalArgs);

impl OnDevice for Job<'_> {
    type Output = FunctionalResult;

    fn call<B: train::TrainBackend>(self) -> Result<FunctionalResult, TrainError> {
        let args = self.0;
        let draw = args.add_change_to.zip(args.seed).map(|(sigma, seed)| FreshDraw { sigma, seed });
        let change = TableChange {
            table: args.table.clone(),
            snapshot: args.snapshot.clone(),
            add_change_to: draw,
            project: args.project_coords.map(|how| match how {
                How::Additive => Projection::Additive,
                How::Linear => Projection::Linear,
            }),
            permute: args.permute_table,
        };
        functional::<B::InnerBackend>(&args.run, &change, args.puzzles.clone())
    }
}

fn text(result: &FunctionalResult) -> String {
    let mut lines = vec![format!("{}: {}", result.run, tables(result))];
    for table in result.tables.iter().flat_map(|changed| &changed.tables) {
        let kept = table.explained.zip(table.explained_of_random).map_or(String::new(), |(share, random)| {
            format!(", {share:.3} of the variance kept (of random rows {random:.3})")
        });
        lines.push(format!("  {}: rms {:.4}{kept}", table.name, table.rms));
    }
    lines.push(format!("{:<15} {:<12} {:>7} {:>9} {:>9}", "split", "level", "n", "loss", "accuracy"));
    for score in &result.scores {
        let quality = match (score.accuracy, score.r2) {
            (Some(accuracy), _) => format!("{accuracy:>9.4}"),
            (None, Some(r2)) => format!("R² {r2:>6.3}"),
            (None, None) => format!("{:>9}", "-"),
        };
        lines.push(format!(
            "{:<15} {:<12} {:>7} {:>9.4} {quality}",
            score.split, score.level, score.n, score.loss
        ));
    }
    lines.join("\n")
}

fn tables(result: &FunctionalResult) -> String {
    let Some(changed) = &result.tables else { return "its own tables".to_owned() };
    let mut text = format!("tables `{}` of {}", changed.snapshot, changed.source);
    if let Some(FreshDraw { sigma, seed }) = changed.add_change_to {
        text += &format!(", their change added to a draw at sigma {sigma} (seed {seed})");
    }
    if let Some(how) = changed.project {
        let how = if how == Projection::Additive { "row and column effects" } else { "a linear map" };
        text += &format!(", projected on {how}");
    }
    if let Some(seed) = changed.permute {
        text += &format!(", rows permuted (seed {seed})");
    }
    text
}
