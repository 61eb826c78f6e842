//! `tasks lst check` and `tasks lst stats`.

use std::io::Write;
use std::path::PathBuf;

use tasks::latin_square::{SetSummary, Verified, verify};

use crate::problems::{BadInput, Problems};

/// What to check.
#[derive(clap::Args)]
pub(crate) struct CheckArgs {
    /// A folder of puzzle files, or one of them.
    path: PathBuf,
    /// The distance that the pool must exceed to the generalization set, 0 to 1.
    #[arg(long, value_name = "DISTANCE", default_value_t = 0.8)]
    min_jaccard: f64,
}

/// What to describe.
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// A folder of puzzle files, or one of them.
    path: PathBuf,
    /// Print JSON, with the counts of givens, answers and targets.
    #[arg(long)]
    json: bool,
}

pub(crate) fn check(args: &CheckArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let beyond = args.min_jaccard;
    if !(0.0..=1.0).contains(&beyond) {
        return Err(BadInput(format!("--min-jaccard: expected 0 to 1, got {beyond}")).into());
    }
    let Verified { order, pool, generalization } = &verify(&args.path, Some(beyond)).map_err(Problems)?;
    let (path, pool, items) = (args.path.display(), pool.len(), generalization.len());
    writeln!(out, "{path}: {pool} puzzles of order {order} and {items} to generalize to, nothing wrong")?;
    Ok(())
}

pub(crate) fn stats(args: &StatsArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let summary = verify(&args.path, None).map_err(Problems)?.summary();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &summary).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "order {}", summary.order)?;
    writeln!(out, "{:<14} {:<10} {:>7} {:>7} {:>7}  answers", "set", "level", "puzzles", "givens", "range")?;
    print_set(out, "pool", &summary.pool)?;
    print_set(out, "generalization", &summary.generalization)?;
    if summary.generalization.groups > 0 {
        writeln!(out, "{} groups in the generalization set", summary.generalization.groups)?;
    }
    if let Some(distance) = summary.min_jaccard_distance {
        writeln!(out, "smallest Jaccard distance between the sets {distance:.4}")?;
    }
    writeln!(out, "sha256 {}", summary.sha256)?;
    Ok(())
}

fn print_set(out: &mut impl Write, name: &str, set: &SetSummary) -> anyhow::Result<()> {
    for (level, of) in &set.levels {
        let range = format!("{}-{}", of.givens_min, of.givens_max);
        let answers = of.answers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let (puzzles, mean) = (of.puzzles, of.givens_mean);
        writeln!(out, "{name:<14} {level:<10} {puzzles:>7} {mean:>7.2} {range:>7}  {answers}")?;
    }
    Ok(())
}
