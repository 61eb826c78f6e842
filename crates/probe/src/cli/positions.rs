//! `probe positions`.

mod text;

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use ndarray::s;
use probe::io::{Table, TablePath, write_npy};
use probe::positions::checkpoint::{Family, Recognised, recognise};
use probe::positions::claims::{TableFile, TableSource};
use probe::positions::{PositionReport, Settings, similarity};
use probe::run_dir::SCHEMA;

use super::failure::Failure;
use super::input::{named, told};
use super::{output, print};

#[derive(Args)]
pub(super) struct PositionsArgs {
    /// The table, or a checkpoint of BERT, RoBERTa, GPT-2 or ViT (.safetensors) that holds it
    table: TablePath,
    /// Which array of the file, as FILE::NAME does
    #[arg(long, value_name = "NAME")]
    tensor: Option<String>,
    /// Which rows are positions, such as 2..514 [default: all; of a checkpoint those that its kind has]
    #[arg(long, value_name = "A..B", value_parser = rows)]
    rows: Option<Range<usize>>,
    /// Repetitions, each with its own order of rows and its own pairs
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    permutations: u32,
    /// Seed of the repetitions
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// What to call the table [default: its file and array]
    #[arg(long)]
    label: Option<String>,
    /// What the model's self-attention sees: bidirectional, causal [default: as its kind of checkpoint]
    #[arg(long, value_parser = named::<Family>)]
    family: Option<Family>,
    /// A name that tables of one origin share, such as a model and those made from it: they count once in claims
    #[arg(long)]
    lineage: Option<String>,
    /// Also write the whole similarity map (cosines between rows) as .npy
    #[arg(long, value_name = "FILE.npy")]
    map: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &PositionsArgs) -> Result<(), Failure> {
    output::check_npy("--map", args.map.as_deref(), [&args.table])?;
    let (table, recognised) = load(args)?;
    let rows = chosen_rows(args, &table, recognised.as_ref())?;
    let values = table.values.slice(s![rows.clone(), ..]);
    let told = told(&table);
    if let Some(path) = &args.map {
        write_npy(path, similarity::cosines(values).map_err(&told)?.view())?;
    }
    let settings = Settings { permutations: args.permutations as usize, seed: args.seed };
    let report = PositionReport::of(values, settings).map_err(&told)?;
    let file = TableFile {
        schema: SCHEMA,
        label: args.label.clone().unwrap_or_else(|| table.source.to_string()),
        family: args.family.or(recognised.as_ref().map(|found| found.architecture.family())),
        lineage: args.lineage.clone(),
        source: TableSource {
            file: table.source.path.display().to_string(),
            tensor: table.source.name.clone(),
            stored: table.stored.clone(),
            rows,
            recognised,
        },
        report,
    };
    if args.json {
        let text = serde_json::to_string_pretty(&file).map_err(|error| Failure::Output(error.into()))?;
        print(&format!("{text}\n"))
    } else {
        print(&text::page(&file))
    }
}

/// The table, and the kind of checkpoint where it is told by the tensor's name.
fn load(args: &PositionsArgs) -> Result<(Table, Option<Recognised>), Failure> {
    let mut path = args.table.clone();
    if let Some(name) = &args.tensor {
        path = path.named(name);
    }
    let recognised = match path.path.extension().is_some_and(|extension| extension == "safetensors") {
        true => recognise(&path.path, &path.arrays()?, path.name.as_deref()),
        false => None,
    };
    if let Some(found) = &recognised {
        path = path.named(&found.tensor);
    }
    Ok((path.read()?.finite()?, recognised))
}

fn chosen_rows(
    args: &PositionsArgs,
    table: &Table,
    recognised: Option<&Recognised>,
) -> Result<Range<usize>, Failure> {
    let there = table.values.nrows();
    match &args.rows {
        None => Ok(recognised.map_or(0..there, |found| found.rows.clone())),
        Some(rows) if rows.end <= there => Ok(rows.clone()),
        Some(rows) => Err(Failure::Usage(format!(
            "{}: expected --rows within 0..{there}, got {}..{}; the end is the row after the last",
            table.source, rows.start, rows.end
        ))),
    }
}

/// `A..B`.
fn rows(text: &str) -> Result<Range<usize>, String> {
    let ends = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    ends.filter(|rows: &Range<usize>| rows.start < rows.end)
        .ok_or_else(|| "expected A..B with A below B, such as 2..514; B is the row after the last".to_owned())
}
