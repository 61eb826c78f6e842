//! `tasks fmri channels`.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use tasks::fmri::dataset::{Channels, Cut, Description, RegionTable, subject_names};

use crate::outputs;
use crate::problems::BadInput;

/// Which recordings, what is known of their channels, and how time is cut.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The recordings, a file each: .npy, .npz, .mat, .csv, .tsv or .ptseries.nii, frames by channels
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    series: Vec<PathBuf>,
    /// Where channels are: CSV with the columns name, x and, as far as there are such, y, z
    #[arg(long, value_name = "FILE")]
    coords: Option<PathBuf>,
    /// What channels belong to: CSV with the column name and some of network, hemisphere, cortical
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The arrays are channels by frames
    #[arg(long)]
    parcels_by_frames: bool,
    /// Which array of each .npz or .mat file
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,
    /// The share of each recording, its end, to test on
    #[arg(long, default_value_t = 0.15)]
    test_fraction: f64,
    /// Autocorrelation times in each gap
    #[arg(long, default_value_t = 5.0)]
    gap: f64,
    /// The table of channels to write
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
    if !(args.test_fraction > 0.0 && args.test_fraction < 0.9) {
        let got = args.test_fraction;
        return Err(
            BadInput(format!("--test-fraction: expected a share above 0 and below 0.9, got {got}")).into()
        );
    }
    if !(args.gap >= 0.0 && args.gap.is_finite()) {
        return Err(
            BadInput(format!("--gap: expected autocorrelation times, at least 0, got {}", args.gap)).into()
        );
    }
    let series = args.series.iter().map(|path| ("--series", path));
    let tables = [("--coords", &args.coords), ("--labels", &args.labels)];
    let tables = tables.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)));
    let inputs: Vec<_> = series.chain(tables).map(|(option, path)| (option, path.as_path())).collect();
    outputs::check(&[("--out", args.out.as_path())], &inputs, args.force)?;
    let table = |path: &Option<PathBuf>| path.as_deref().map(RegionTable::read).transpose();
    let how = Description {
        parcels_by_frames: args.parcels_by_frames,
        variable: args.variable.clone(),
        ..Description::default()
    };
    let (coords, labels) = (table(&args.coords)?, table(&args.labels)?);
    if let (Some(path), Some(None)) = (&args.coords, coords.as_ref().map(|table| &table.coordinates)) {
        let path = path.display();
        return Err(BadInput(format!(
            "{path}: expected a column x, got none; or give the table as --labels"
        ))
        .into());
    }
    let files: Vec<(String, PathBuf)> =
        subject_names(&args.series).into_iter().zip(args.series.iter().cloned()).collect();
    let cut = Cut { test_fraction: args.test_fraction, gap: args.gap };
    let channels = Channels::read(&files, coords, labels, &how, cut)?;
    outputs::write(&args.out, channels.table.to_csv(false).as_bytes())?;
    let found = json!({
        "channels": channels.table.names.len(),
        "names": channels.table.names,
        "axes": channels.table.coordinates.as_ref().map(|places| places.ncols()),
        "networks": channels.table.networks,
        "recordings": channels.recordings,
    });
    Ok(writeln!(out, "{found:#}")?)
}
