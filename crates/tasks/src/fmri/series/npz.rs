//! `.npz` archives of arrays.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use ndarray::{Array2, ArrayD, IxDyn, ShapeBuilder};
use zip::ZipArchive;

use super::npy::{read_array, read_texts};
use super::{ParcelSeries, Stored, choose};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::source::{LARGEST_EXPANSION, Source};

type Archive = ZipArchive<BufReader<File>>;

/// Reads the array of that name, or `series`, or the only one of two axes; and `labels`, `names`, `coordinates` and
/// `repetition_time` beside it, as `tasks fmri extract` writes them.
pub(super) fn read(path: &Path, variable: Option<&str>) -> Result<ParcelSeries> {
    let mut archive = open(path)?;
    let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    let mut matrices = Vec::new();
    for name in names.iter().filter_map(|name| name.strip_suffix(".npy")) {
        if variable.is_some_and(|wanted| wanted != name) {
            continue;
        }
        match array(path, &mut archive, name) {
            Ok(stored) if stored.shape.len() == 2 => matrices.push((name, stored)),
            // Arrays of text, say.
            Err(error) if variable.is_some() => return Err(error),
            _ => {}
        }
    }
    let usual = matrices.iter().any(|(name, _)| *name == "series").then_some("series");
    let chosen = choose(path, matrices.iter().map(|(name, _)| *name), variable.or(usual))?;
    let vector = |archive: &mut Archive, name: &str| match names.contains(&format!("{name}.npy")) {
        true => array(path, archive, name).ok().map(|stored| stored.values),
        false => None,
    };
    let ids =
        vector(&mut archive, "labels").map(|labels| labels.into_iter().map(|label| label as i64).collect());
    let repetition_time = vector(&mut archive, "repetition_time").and_then(|time| time.first().copied());
    let series =
        matrices.into_iter().find(|(name, _)| *name == chosen).map(|(_, stored)| stored.into_matrix(path));
    let series = series.unwrap_or_else(|| Ok(Array2::default((0, 0))))?;
    let repetition_time = repetition_time.filter(|time| time.is_finite() && *time > 0.0);
    let ids = ids.filter(|ids: &Vec<i64>| ids.len() == series.ncols());
    let texts = match names.iter().any(|name| name == "names.npy") {
        true => texts(path, &mut archive, "names").ok(),
        false => None,
    };
    let places = match names.iter().any(|name| name == "coordinates.npy") && chosen != "coordinates" {
        true => {
            array(path, &mut archive, "coordinates").ok().and_then(|stored| stored.into_matrix(path).ok())
        }
        false => None,
    };
    let known = |places: &Array2<f64>| {
        places.nrows() == series.ncols() && places.iter().all(|value| value.is_finite())
    };
    Ok(ParcelSeries {
        names: texts.filter(|texts| texts.len() == series.ncols()),
        coordinates: places.filter(known),
        ids,
        repetition_time,
        series,
    })
}

/// One array of an archive, with any number of axes.
///
/// # Errors
/// If it is not there, not of real numbers, or damaged.
pub fn read_npz_array(path: &Path, name: &str) -> Result<ArrayD<f64>> {
    let stored = array(path, &mut open(path)?, name)?;
    let shape = IxDyn(&stored.shape);
    let shaped = if stored.column_major {
        ArrayD::from_shape_vec(shape.f(), stored.values)
    } else {
        ArrayD::from_shape_vec(shape, stored.values)
    };
    shaped.map_err(|problem| {
        FmriError::format(path, "shape", "as many numbers as the shape says", problem, "save it again")
    })
}

fn open(path: &Path) -> Result<Archive> {
    let file = File::open(path).map_err(|problem| FmriError::Read { path: path.to_owned(), problem })?;
    ZipArchive::new(BufReader::new(file)).map_err(|problem| damaged(path, problem))
}

fn damaged(path: &Path, problem: zip::result::ZipError) -> FmriError {
    FmriError::format(path, "archive", "a zip archive of arrays", problem, "save it with numpy.savez again")
}

fn array(path: &Path, archive: &mut Archive, name: &str) -> Result<Stored> {
    read_array(&mut entry(path, archive, name)?, name)
}

fn texts(path: &Path, archive: &mut Archive, name: &str) -> Result<Vec<String>> {
    read_texts(&mut entry(path, archive, name)?, name)
}

fn entry<'a>(path: &'a Path, archive: &'a mut Archive, name: &str) -> Result<Source<'a>> {
    let entry = archive.by_name(&format!("{name}.npy")).map_err(|problem| damaged(path, problem))?;
    // What an entry says of its own size is bounded by what its bytes can become.
    let capacity = entry.size().min(entry.compressed_size().saturating_mul(LARGEST_EXPANSION));
    Ok(Source::part(path, entry, capacity))
}
