//! `tasks network simulate` and `tasks network stats`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::de::DeserializeOwned;
use streams::Streams;
use tasks::network::{NetworkConfig, NetworkData, NetworkStats, NetworkWarning};

use crate::outputs;
use crate::problems::BadInput;

/// What to simulate. Whatever is not given is as in the config file, else as in the project's protocol.
#[derive(clap::Args)]
pub(crate) struct SimulateArgs {
    /// The folder to write to; it is created if need be.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The seed: the same one gives the same bytes.
    #[arg(long)]
    seed: u64,
    /// A file of settings, JSON or (if it ends in .toml) TOML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Independent simulations [default: 4].
    #[arg(long)]
    subjects: Option<usize>,
    /// Frames of each subject [default: 1200].
    #[arg(long)]
    frames: Option<usize>,
    /// The strength of all coupling [default: 1].
    #[arg(long)]
    gain: Option<f64>,
    /// The size of the noise [default: 0.3].
    #[arg(long)]
    noise: Option<f64>,
    /// Replace files that hold something else.
    #[arg(long)]
    force: bool,
}

/// What to describe.
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    /// A folder that `simulate` wrote.
    path: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn simulate(args: &SimulateArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let config = args.settings()?;
    let streams = Streams::new(args.seed);
    let start = Instant::now();
    let data = NetworkData::generate(&config, &streams)?;
    let seconds = start.elapsed().as_secs_f64();
    if !args.force {
        outputs::refuse_to_replace(&args.out, &data.files(&streams))?;
    }
    let record = data.save(&args.out, &streams)?;
    let (folder, subjects, frames) = (args.out.display(), config.subjects, config.frames);
    let nodes = data.graph.nodes();
    writeln!(out, "{folder}: {subjects} subjects of {frames} frames, {nodes} nodes, in {seconds:.1} s")?;
    writeln!(out, "sha256 {}", record.sha256)?;
    print(out, &record.stats, &record.warnings)
}

pub(crate) fn stats(args: &StatsArgs, out: &mut impl Write) -> anyhow::Result<()> {
    let (data, record) = NetworkData::load(&args.path)?;
    let stats = data.stats();
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &stats).map_err(std::io::Error::from)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "sha256 {}", record.sha256)?;
    let warnings = NetworkWarning::of(&data.config.dynamics, &stats);
    print(out, &stats, &warnings.iter().map(ToString::to_string).collect::<Vec<_>>())
}

fn print(out: &mut impl Write, stats: &NetworkStats, warnings: &[String]) -> anyhow::Result<()> {
    let number = |value: Option<f64>| value.map_or("not defined".to_owned(), |value| format!("{value:.3}"));
    let lines = [
        ("density of coupling", number(Some(stats.density))),
        ("spectral radius", number(Some(stats.spectral_radius))),
        ("gain x slope x spectral radius", number(Some(stats.linear_growth))),
        ("standard deviation of a node", number(Some(stats.standard_deviation))),
        ("correlation of neighbours, or within modules", number(stats.near_correlation)),
        ("correlation of far nodes, or between modules", number(stats.far_correlation)),
        ("correlation with the next frame", number(stats.autocorrelation)),
        ("ridge R² of a node from all others", number(stats.ridge_r2)),
        ("correlation of distance with 1 - r", number(stats.distance_correlation)),
    ];
    for (what, value) in lines {
        writeln!(out, "{what:<46} {value}")?;
    }
    for warning in warnings {
        writeln!(out, "warning: {warning}")?;
    }
    Ok(())
}

impl SimulateArgs {
    fn settings(&self) -> anyhow::Result<NetworkConfig> {
        let mut config = match &self.config {
            Some(file) => read_settings(file, "network settings")?,
            None => NetworkConfig::default(),
        };
        config.subjects = self.subjects.unwrap_or(config.subjects);
        config.frames = self.frames.unwrap_or(config.frames);
        config.dynamics.gain = self.gain.unwrap_or(config.dynamics.gain);
        config.dynamics.noise = self.noise.unwrap_or(config.dynamics.noise);
        Ok(config)
    }
}

/// Settings from JSON or TOML; `what` names them in errors.
pub(crate) fn read_settings<T: DeserializeOwned>(file: &Path, what: &str) -> Result<T, BadInput> {
    let wrong = |problem: String| BadInput(format!("{}: {problem}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| wrong(format!("cannot read: {error}")))?;
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    let (form, config) = if is_toml {
        ("TOML", toml::from_str(&text).map_err(|error| error.to_string()))
    } else {
        ("JSON", serde_json::from_str(&text).map_err(|error| error.to_string()))
    };
    config.map_err(|error| {
        let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
        wrong(format!("expected {what} in {form}, got: {error}; correct the file"))
    })
}
