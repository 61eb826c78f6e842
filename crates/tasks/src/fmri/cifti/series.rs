//! Series of grayordinates or parcels.

use std::path::Path;

use ndarray::Array2;

use super::axis::Axis;
use super::file::CiftiFile;
use super::labels::DenseLabels;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::extract::{ExtractOptions, Extraction, Regions, Sums};
use crate::fmri::series::ParcelSeries;

/// Reads a `.ptseries.nii` file: `[frames, parcels]`, with the names of the parcels.
///
/// # Errors
/// If the file is damaged or of another kind.
pub fn read_parcel_series(path: &Path) -> Result<ParcelSeries> {
    let mut file = CiftiFile::open(path)?;
    let [Axis::Series(series), Axis::Parcels(parcels)] = file.axes.clone() else {
        return Err(file.wrong_kind("SERIES by PARCELS (.ptseries.nii)"));
    };
    let (mut values, mut run) = (Vec::new(), Vec::new());
    while file.next_run(&mut run)? {
        values.append(&mut run);
    }
    let by_parcel = Array2::from_shape_vec((parcels.len(), series.points), values).map_err(|problem| {
        FmriError::format(path, "data", "one number a parcel and frame", problem, "write the file again")
    })?;
    let names = parcels.into_iter().map(|parcel| parcel.name).collect();
    Ok(ParcelSeries {
        series: by_parcel.reversed_axes().as_standard_layout().into_owned(),
        names: Some(names),
        coordinates: None,
        ids: None,
        repetition_time: series.step,
    })
}

/// The mean series of each parcel of a `.dtseries.nii` file, read grayordinate by grayordinate.
///
/// # Errors
/// If a file is damaged or of another kind, if both are not on the same grayordinates, or if a parcel is left without
/// a finite value and the options refuse that.
pub fn read_dense_series(path: &Path, labels: &DenseLabels, options: &ExtractOptions) -> Result<Extraction> {
    let mut file = CiftiFile::open(path)?;
    let [Axis::Series(series), Axis::BrainModels(models)] = file.axes.clone() else {
        return Err(file.wrong_kind("SERIES by BRAIN_MODELS (.dtseries.nii)"));
    };
    if models != labels.models {
        return Err(FmriError::mismatch(
            format!("{} and {}", path.display(), labels.path.display()),
            "the same grayordinates",
            format!("{} and {} that differ", models.len(), labels.models.len()),
            "use labels of the same surface mesh and volume space",
        ));
    }
    let regions = Regions::of_grayordinates(labels)?;
    let mut sums = Sums::new(&regions, options);
    let mut run = Vec::new();
    let mut entries = regions.entries().iter().peekable();
    for grayordinate in 0u32.. {
        if !file.next_run(&mut run)? {
            break;
        }
        if let Some(entry) = entries.next_if(|entry| entry.element == grayordinate) {
            sums.add_series(entry.region as usize, &run);
        }
    }
    let extraction = sums.finish(regions, options, series.points, Vec::new())?;
    Ok(Extraction { repetition_time: series.step, ..extraction })
}
