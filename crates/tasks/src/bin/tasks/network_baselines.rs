//! `tasks network baselines`: what linear predictors reach on a simulated folder.

use std::io::Write;
use std::path::PathBuf;

use streams::Streams;
use tasks::masked::baseline::{standard, table};
use tasks::masked::{MaskedConfig, MaskedData, Part};
use tasks::network::NetworkData;

use crate::network::read_settings;

/// What to predict.
#[derive(clap::Args)]
pub(crate) struct BaselinesArgs {
    /// A folder that `simulate` wrote, of at least 2 subjects.
    path: PathBuf,
    /// The seed of masks and of the split into subjects [default: that of the folder].
    #[arg(long)]
    seed: Option<u64>,
    /// A file of masked-token settings, JSON or (if it ends in .toml) TOML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &BaselinesArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let config = match &args.config {
        Some(file) => read_settings(file, "masked-token settings")?,
        None => MaskedConfig::default(),
    };
    let (network, record) = NetworkData::load(&args.path)?;
    let streams = args.seed.map_or(record.streams, Streams::new);
    let data = MaskedData::new(network.recordings(), &config, &streams)?;
    let baselines = standard(&data, Some(&network.graph.distances()), None)?;
    let mut rows = table(&data, Part::Test, &baselines)?;
    rows.extend(table(&data, Part::HeldOut, &baselines)?);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &rows).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(
        out,
        "{:<10}{:>7}{:>8}{:>7}  {:<22}{:>8}{:>8}",
        "part", "share", "masked", "items", "baseline", "MSE", "R²"
    )?;
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
    for row in &rows {
        let (part, mse, r2) = (row.part.name(), number(row.mse), number(row.r2));
        let (share, masked, items, name) = (row.fraction, row.masked, row.items, row.baseline);
        writeln!(out, "{part:<10}{share:>7}{masked:>8}{items:>7}  {name:<22}{mse:>8}{r2:>8}")?;
    }
    writeln!(
        out,
        "ridge-all-others reads the other masked nodes, too: what a linear model could reach at best"
    )?;
    Ok(())
}
