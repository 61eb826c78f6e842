//! `tasks fmri stand-in` and `tasks fmri stats`.

use std::io::Write;
use std::path::PathBuf;

use streams::Streams;
use tasks::fmri::dataset::{PredictorR2, RecordingStats, SubjectSet};
use tasks::fmri::{StandInConfig, stand_in};

use crate::network::read_settings;
use crate::outputs;

/// What to make.
#[derive(clap::Args)]
pub(crate) struct StandInArgs {
    /// The folder to write to; it is created if need be
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The seed: the same one gives the same bytes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A file of settings, JSON or (if it ends in .toml) TOML
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Replace files that hold something else
    #[arg(long)]
    force: bool,
}

/// What to describe.
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// A folder of recordings: a file a subject, regions.csv, dataset.json
    #[arg(required_unless_present = "stand_in", conflicts_with = "stand_in")]
    folder: Option<PathBuf>,
    /// The synthetic stand-in, as the experiment `fmri` has it
    #[arg(long)]
    stand_in: bool,
    /// The seed of the stand-in, and of the masks
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn make(args: &StandInArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let config = match &args.config {
        Some(file) => read_settings(file, "settings of the stand-in")?,
        None => StandInConfig::default(),
    };
    let set = stand_in(&config, &Streams::new(args.seed))?;
    let files = set.files();
    if !args.force {
        outputs::refuse_to_replace(&args.out, &files)?;
    }
    set.save(&args.out)?;
    let (folder, subjects) = (args.out.display(), set.subjects().len());
    writeln!(out, "{folder}: {subjects} subjects of {} frames, {} regions", config.frames, set.parcels())?;
    writeln!(out, "sha256 {}", set.sha256())?;
    writeln!(out, "made up: no brain, and no evidence about one")?;
    Ok(())
}

pub(crate) fn stats(args: &StatsArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let streams = Streams::new(args.seed);
    let set = match &args.folder {
        Some(folder) => SubjectSet::load_folder(folder)?,
        None => stand_in(&StandInConfig::default(), &streams)?,
    };
    let stats = set.stats(&streams)?;
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &stats).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    print(&stats, out)
}

fn print(stats: &RecordingStats, out: &mut impl Write) -> anyhow::Result<()> {
    let number = |value: Option<f64>| value.map_or("not defined".to_owned(), |value| format!("{value:.2}"));
    let RecordingStats { subjects, frames, parcels, .. } = stats;
    writeln!(out, "{subjects} subjects, {frames} frames, {parcels} parcels")?;
    writeln!(out, "{:<46} {}", "autocorrelation time, frames", number(stats.autocorrelation_time))?;
    writeln!(out, "{:<46} {}", "correlation of two parcels, mean", number(stats.mean_correlation))?;
    let mut table = |title: &str, rows: &[PredictorR2]| -> std::io::Result<()> {
        for PredictorR2 { predictor, r2 } in rows {
            writeln!(out, "{:<46} {}", format!("R², {title}: {predictor}"), number(*r2))?;
        }
        Ok(())
    };
    table("one masked", &stats.one_masked)?;
    table("half masked", &stats.half_masked)?;
    for row in &stats.distance_correlation {
        let what = format!("distance with 1 - r, {} ({})", row.parcels, row.count);
        let (raw, without) = (number(row.raw), number(row.without_global_signal));
        writeln!(out, "{what:<46} {raw} raw, {without} without the global signal")?;
    }
    Ok(())
}
