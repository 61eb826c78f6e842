//! `tasks lst generate`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use streams::Streams;
use tasks::latin_square::{GeneratorConfig, LatinSquareData, Level, Tally};

use crate::outputs;
use crate::problems::BadInput;

/// What to generate. Whatever is not given is as in the config file, else as in the published data.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write to; it is created if need be.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The seed: the same one gives the same bytes.
    #[arg(long)]
    seed: u64,
    /// The order of the squares, 3 to 9 [default: 4].
    #[arg(long)]
    order: Option<usize>,
    /// Puzzles to train and test on, a third a level [default: 9000].
    #[arg(long)]
    pool: Option<usize>,
    /// Items of the generalization set, a third a level [default: 108].
    #[arg(long)]
    generalization: Option<usize>,
    /// Orientations of each puzzle of the generalization set, 1 to 4 [default: 3].
    #[arg(long)]
    orientations: Option<usize>,
    /// How far the pool is from the generalization set, exclusive [default: 0.8].
    #[arg(long, value_name = "DISTANCE")]
    min_jaccard: Option<f64>,
    /// Candidates that can fail in a row before it gives up [default: 10000000].
    #[arg(long)]
    max_rejections: Option<u64>,
    /// A JSON file of the settings of the generator, such as the numbers of givens.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Replace files that hold something else.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
    let config = args.settings()?;
    let start = Instant::now();
    let (data, report) = LatinSquareData::generate_with_report(&config, &Streams::new(args.seed))?;
    let seconds = start.elapsed().as_secs_f64();
    if !args.force {
        outputs::refuse_to_replace(&args.out, &data.text_files())?;
    }
    data.save(&args.out)?;
    let (pool, items) = (data.train.len() + data.test.len(), data.generalization.len());
    let (order, folder) = (data.order, args.out.display());
    writeln!(
        out,
        "{folder}: {pool} puzzles of order {order} and {items} to generalize to, drawn in {seconds:.1} s"
    )?;
    writeln!(out, "sha256 {}", data.sha256())?;
    print_tallies(out, "generalization", &report.generalization)?;
    print_tallies(out, "pool", &report.pool)
}

fn print_tallies(out: &mut impl Write, set: &str, tallies: &BTreeMap<Level, Tally>) -> anyhow::Result<()> {
    for (level, tally) in tallies {
        let (accepted, candidates, share) = (tally.accepted, tally.candidates, 100.0 * tally.acceptance());
        writeln!(out, "{set:<14} {level:<10} {accepted} of {candidates} candidates ({share:.2} %): {tally}")?;
    }
    Ok(())
}

impl Args {
    fn settings(&self) -> anyhow::Result<GeneratorConfig> {
        let default = match &self.config {
            Some(file) => read_settings(file)?,
            None => GeneratorConfig::default(),
        };
        Ok(GeneratorConfig {
            order: self.order.unwrap_or(default.order),
            pool: self.pool.unwrap_or(default.pool),
            generalization: self.generalization.unwrap_or(default.generalization),
            orientations: self.orientations.unwrap_or(default.orientations),
            min_jaccard_distance: self.min_jaccard.unwrap_or(default.min_jaccard_distance),
            max_rejections: self.max_rejections.unwrap_or(default.max_rejections),
            ..default
        })
    }
}

fn read_settings(file: &Path) -> Result<GeneratorConfig, BadInput> {
    let wrong = |problem: String| BadInput(format!("{}: {problem}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(format!("cannot read: {error}")))?;
    serde_json::from_str(&text).map_err(|error| {
        wrong(format!("expected generator settings in JSON, got: {error}; correct the file"))
    })
}
