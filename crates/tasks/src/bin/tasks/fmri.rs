//! `tasks fmri extract`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ndarray::Array2;
use serde_json::json;
use tasks::fmri::cifti::{DenseLabels, read_dense_series};
use tasks::fmri::dataset::RegionTable;
use tasks::fmri::extract::{
    ExtractOptions, Extraction, LostParcels, Regions, Semantics, SphereOptions, coverage_table, extract,
};
use tasks::fmri::nifti::NiftiFile;
use tasks::fmri::signal::{Band, Cleaned, Cleaning, Standardize, clean};
use tasks::fmri::{
    Centroid, ConfoundOptions, Confounds, FmriError, LabelImage, LabelTable, Mask, bids, centroids,
};

use crate::fmri_regions::regions_csv;
use crate::fmri_series::SeriesToWrite;
use crate::outputs;
use crate::problems::BadInput;

/// What to extract, and what to do with it. Without further options: the mean of each parcel, nothing else.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The recording: NIfTI (.nii, .nii.gz, .hdr) or CIFTI (.dtseries.nii)
    #[arg(long, value_name = "FILE")]
    bold: PathBuf,
    /// The parcels: a label image, or .dlabel.nii
    #[arg(long, value_name = "FILE", required_unless_present = "spheres", conflicts_with = "spheres")]
    labels: Option<PathBuf>,
    /// The names of the labels: TSV or CSV with an id and a name column, or a FreeSurfer table
    #[arg(long, value_name = "FILE", requires = "labels")]
    names: Option<PathBuf>,
    /// Spheres instead of labels: CSV with the columns name, x, y, z (mm)
    #[arg(long, value_name = "FILE")]
    spheres: Option<PathBuf>,
    /// Radius of the spheres in mm [default: only the nearest voxel]
    #[arg(long, value_name = "MM", requires = "spheres")]
    radius: Option<f64>,
    /// Let a voxel belong to several spheres
    #[arg(long, requires = "spheres")]
    allow_overlap: bool,
    /// Use only the voxels of this mask
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// A table of confounds, a line a frame, as fMRIPrep writes it
    #[arg(long, value_name = "FILE")]
    confounds: Option<PathBuf>,
    /// The columns to remove; `*` at the end of a name stands for anything
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "confounds")]
    columns: Vec<String>,
    /// Fill n/a in the first frames of a confound by its first value
    #[arg(long, requires = "columns")]
    backfill: bool,
    /// Scrub frames whose framewise_displacement is above this
    #[arg(long, value_name = "MM", requires = "confounds")]
    scrub_above: Option<f64>,
    /// Remove the mean and the linear trend
    #[arg(long)]
    detrend: bool,
    /// Remove frequencies below this (Butterworth, order 5)
    #[arg(long, value_name = "HZ")]
    high_pass: Option<f64>,
    /// Remove frequencies above this
    #[arg(long, value_name = "HZ")]
    low_pass: Option<f64>,
    /// Seconds from frame to frame [default: from the JSON file beside the recording, or its header]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    tr: Option<f64>,
    /// How to standardize
    #[arg(long, value_enum, default_value_t = Standard::No)]
    standardize: Standard,
    /// Remove the mean over the mask (or over all parcels) as a confound
    #[arg(long)]
    global_signal: bool,
    /// Let a parcel without voxels be a column of NaN instead of an error
    #[arg(long)]
    keep_lost: bool,
    /// Refuse labels and masks on another grid, instead of resampling them
    #[arg(long)]
    same_grid: bool,
    /// Follow nilearn where its rules differ (see the documentation)
    #[arg(long)]
    nilearn_compat: bool,
    /// The file to write: .npz, .npy, .csv or .tsv; a .json of the same name says what was done
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Write the names and places of the parcels too, as CSV
    #[arg(long, value_name = "FILE")]
    regions: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Standard {
    /// Not at all
    No,
    /// Mean 0, standard deviation 1
    Zscore,
    /// Percent of the mean
    Psc,
}

pub(crate) fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<()> {
    let report = args.out.with_extension("json");
    let kind = args.out.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if !["npz", "npy", "csv", "tsv"].contains(&kind) {
        let name = args.out.display();
        return Err(
            BadInput(format!("--out: expected .npz, .npy, .csv or .tsv, got {name}; name it so")).into()
        );
    }
    args.check_idle()?;
    args.check_outputs(&report)?;
    let (extraction, coordinates) = args.extraction()?;
    let (cleaned, time) = args.cleaned(&extraction)?;
    let (extraction, coordinates) = (&extraction, coordinates.as_ref());
    let series = SeriesToWrite { extraction, cleaned: &cleaned, coordinates, time };
    // All of it is made before any of it is written, so that no half of it can be left.
    let content = series.bytes(kind)?;
    let done = serde_json::to_vec_pretty(&series.report(args.record()))?;
    if let Some(path) = &args.regions {
        outputs::write(path, &regions_csv(&extraction.regions.names(), coordinates)?)?;
    }
    outputs::write(&args.out, &content)?;
    outputs::write(&report, &done)?;
    write!(out, "{}", coverage_table(&extraction.regions.coverage))?;
    let (frames, parcels) = cleaned.series.dim();
    let scrubbed = extraction.series.nrows() - frames;
    let dropped = match extraction.regions.dropped.as_slice() {
        [] => String::new(),
        ids => format!(", labels without voxels dropped: {ids:?}"),
    };
    let seconds = time.map_or("unknown".to_owned(), |time| format!("{time} s"));
    writeln!(
        out,
        "{}: {frames} frames ({scrubbed} left out) of {parcels} parcels, repetition time {seconds}{dropped}",
        args.out.display()
    )?;
    Ok(())
}

impl Args {
    /// Refuses options that would do nothing: the parser lets an option stand without what it needs where that conflicts
    /// with another.
    fn check_idle(&self) -> Result<(), BadInput> {
        let (of_spheres, of_labels) = (self.spheres.is_some(), self.labels.is_some());
        let idle = [
            ("--radius", self.radius.is_some() && !of_spheres, "--spheres", "--labels"),
            ("--allow-overlap", self.allow_overlap && !of_spheres, "--spheres", "--labels"),
            ("--names", self.names.is_some() && !of_labels, "--labels", "--spheres"),
        ];
        match idle.into_iter().find(|(_, is_idle, _, _)| *is_idle) {
            None => Ok(()),
            Some((option, _, with, got)) => {
                Err(BadInput(format!("{option}: expected {with} with it, got {got}; leave {option} out")))
            }
        }
    }

    fn check_outputs(&self, report: &Path) -> Result<(), BadInput> {
        let metadata = metadata_beside(&self.bold);
        let given = [
            ("--bold", Some(&self.bold)),
            ("the metadata of --bold", metadata.as_ref()),
            ("--labels", self.labels.as_ref()),
            ("--names", self.names.as_ref()),
            ("--spheres", self.spheres.as_ref()),
            ("--mask", self.mask.as_ref()),
            ("--confounds", self.confounds.as_ref()),
        ];
        let inputs: Vec<_> =
            given.into_iter().filter_map(|(option, path)| Some((option, path?.as_path()))).collect();
        let mut written = vec![("--out", self.out.as_path()), ("--out with .json in its place", report)];
        written.extend(self.regions.iter().map(|path| ("--regions", path.as_path())));
        outputs::check(&written, &inputs, self.force)
    }

    /// What was asked for. Paths are text, with a mark where bytes of theirs are none.
    fn record(&self) -> serde_json::Value {
        let text = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        json!({
            "bold": self.bold.display().to_string(), "labels": text(&self.labels), "names": text(&self.names),
            "spheres": text(&self.spheres), "radius": self.radius, "mask": text(&self.mask),
            "confounds": text(&self.confounds), "columns": self.columns, "scrub_above": self.scrub_above,
            "detrend": self.detrend, "high_pass": self.high_pass, "low_pass": self.low_pass,
            "global_signal": self.global_signal, "nilearn_compat": self.nilearn_compat,
            "standardize": match self.standardize { Standard::No => "no", Standard::Zscore => "zscore", Standard::Psc => "psc" },
        })
    }

    fn options(&self) -> ExtractOptions {
        ExtractOptions {
            semantics: if self.nilearn_compat { Semantics::NilearnCompat } else { Semantics::Strict },
            lost: if self.keep_lost { LostParcels::Nan } else { LostParcels::Refuse },
            same_grid: self.same_grid,
            global_signal: self.global_signal,
        }
    }

    /// The series, and where the parcels are.
    fn extraction(&self) -> anyhow::Result<(Extraction, Option<Array2<f64>>)> {
        let options = self.options();
        if is_cifti(&self.bold) {
            return Ok((self.dense_series(&options)?, None));
        }
        let file = NiftiFile::open(&self.bold)?;
        let grid = file.header.grid;
        let mask = self.mask.as_deref().map(Mask::read).transpose()?;
        let (regions, coordinates) = match (&self.labels, &self.spheres) {
            (Some(path), _) => {
                let labels = LabelImage::read(path)?;
                let names = self.names.as_deref().map(LabelTable::read).transpose()?;
                let regions = Regions::from_labels(&labels, names.as_ref(), mask.as_ref(), &grid, &options)?;
                let places = centroids(&labels, Centroid::Mean);
                let rows: Vec<usize> = regions
                    .ids()
                    .iter()
                    .filter_map(|id| labels.ids.iter().position(|known| known == id))
                    .collect();
                (regions, places.select(ndarray::Axis(0), &rows))
            }
            (None, Some(path)) => {
                let table = RegionTable::read(path)?;
                let places = table.coordinates.filter(|places| places.ncols() == 3).ok_or_else(|| {
                    let path = path.display();
                    BadInput(format!(
                        "{path}: expected the columns name, x, y and z, got fewer; add the others"
                    ))
                })?;
                let seeds: Vec<[f64; 3]> =
                    places.rows().into_iter().map(|row| [row[0], row[1], row[2]]).collect();
                let spheres = SphereOptions { radius: self.radius, allow_overlap: self.allow_overlap };
                let names = Some(table.names.as_slice());
                let regions = Regions::from_spheres(&seeds, names, &spheres, mask.as_ref(), &grid, &options)?;
                (regions, places)
            }
            // The parser asks for one of them.
            (None, None) => {
                return Err(BadInput("expected --labels or --spheres, got neither".to_owned()).into());
            }
        };
        Ok((extract(file.into_frames()?, regions, &options)?, Some(coordinates)))
    }

    fn dense_series(&self, options: &ExtractOptions) -> anyhow::Result<Extraction> {
        let refuse = |what: &str| {
            anyhow::Error::from(BadInput(format!(
                "{what}: expected none with .dtseries.nii, got one; leave it out"
            )))
        };
        for (what, given) in [
            ("--mask", self.mask.is_some()),
            ("--names", self.names.is_some()),
            ("--spheres", self.spheres.is_some()),
        ] {
            if given {
                return Err(refuse(what));
            }
        }
        let labels = DenseLabels::read(self.labels.as_deref().unwrap_or(Path::new("")))?;
        let mut extraction = read_dense_series(&self.bold, &labels, options)?;
        if options.global_signal {
            // Weighted by grayordinates, as the mean over voxels is.
            let weights: Vec<f64> =
                extraction.regions.coverage.iter().map(|parcel| parcel.used_voxels as f64).collect();
            let total: f64 = weights.iter().sum();
            let mean = |row: ndarray::ArrayView1<f64>| {
                row.iter().zip(&weights).map(|(v, w)| v * w).sum::<f64>() / total
            };
            extraction.global = Some(extraction.series.rows().into_iter().map(mean).collect());
        }
        Ok(extraction)
    }

    /// The repetition time: as given; else that of the metadata and of the file, which must agree.
    fn repetition_time(&self, of_file: Option<f64>) -> Result<Option<f64>, FmriError> {
        if self.tr.is_some() {
            return Ok(self.tr);
        }
        match (bids::repetition_time(&self.bold)?, of_file) {
            (Some(json), Some(header)) if (json - header).abs() > 1e-3 => Err(FmriError::Mismatch {
                what: format!("{}: repetition time", self.bold.display()),
                expected: format!("{json} s, as its JSON file says"),
                got: format!("{header} s in its header"),
                remedy: "correct one of them, or give --tr",
            }),
            (json, header) => Ok(json.or(header)),
        }
    }

    fn cleaned(&self, extraction: &Extraction) -> anyhow::Result<(Cleaned, Option<f64>)> {
        let time = self.repetition_time(extraction.repetition_time)?;
        let mut cleaning = Cleaning {
            detrend: self.detrend,
            band: Band { low_pass: self.low_pass, high_pass: self.high_pass },
            repetition_time: time,
            standardize: match self.standardize {
                Standard::No => Standardize::No,
                Standard::Zscore => Standardize::ZScore,
                Standard::Psc => Standardize::PercentChange,
            },
            semantics: self.options().semantics,
            ..Cleaning::default()
        };
        if let Some(path) = &self.confounds {
            let table = Confounds::read(path)?;
            if !self.columns.is_empty() {
                let options = ConfoundOptions { backfill: self.backfill };
                cleaning.confounds = Some(table.select(&self.columns, &options)?.0);
            }
            if let Some(most) = self.scrub_above {
                cleaning.kept = Some(table.frames_at_most("framewise_displacement", most)?);
            }
            if self.columns.is_empty() && self.scrub_above.is_none() {
                let columns = table.names().join(", ");
                let message = format!(
                    "--confounds: expected --columns or --scrub-above with it, got neither; the columns are {columns}"
                );
                return Err(BadInput(message).into());
            }
        }
        if let Some(global) = &extraction.global {
            cleaning = cleaning.with_confound(global)?;
        }
        Ok((clean(&extraction.series, &cleaning)?, time))
    }
}

/// A repetition time.
fn seconds(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite() && *value > 0.0);
    value.ok_or_else(|| "expected seconds, a finite number above 0".to_owned())
}

/// The metadata that have the name of a recording, up to its first point; a report of ours that has it, too, is none.
fn metadata_beside(image: &Path) -> Option<PathBuf> {
    let name = image.file_name()?.to_string_lossy();
    let path = image.with_file_name(format!("{}.json", name.split('.').next()?));
    let found: serde_json::Value = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
    found.get("RepetitionTime").map(|_| path)
}

fn is_cifti(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".dtseries.nii")
}
