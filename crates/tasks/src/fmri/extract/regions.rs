//! Which voxels make up each parcel on the grid of the data.

use std::path::Path;

use super::coverage::Coverage;
use super::options::{ExtractOptions, LostParcels};
use super::resample::to_grid;
use crate::fmri::affine::Grid;
use crate::fmri::cifti::DenseLabels;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::label_table::LabelTable;
use crate::fmri::labels::{LabelImage, Mask, codes};

/// A voxel of a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The number of the voxel or grayordinate.
    pub(crate) element: u32,
    /// The index of the region.
    pub(crate) region: u32,
}

/// The parcels on the grid of the data, in the order of the columns: by id.
#[derive(Debug, Clone)]
pub struct Regions {
    /// What is covered of each, in the order of the columns.
    pub coverage: Vec<Coverage>,
    /// Ids of labels that were dropped, as nilearn does.
    pub dropped: Vec<i64>,
    /// Sorted by voxel.
    entries: Vec<Entry>,
    /// The voxels of the global signal.
    global: Vec<u32>,
    elements: usize,
}

impl Regions {
    /// The parcels of a label image on the grid of the data, within a mask. Without a table, labels are named by
    /// their ids: `label-2001`, as a bare number in the header of a table would be a value.
    ///
    /// # Errors
    /// If the grids differ and that is refused, if a label has no name in the table, or if a parcel has no voxel
    /// left and that is refused.
    pub fn from_labels(
        labels: &LabelImage,
        names: Option<&LabelTable>,
        mask: Option<&Mask>,
        grid: &Grid,
        options: &ExtractOptions,
    ) -> Result<Self> {
        check_size(grid.len())?;
        let on_grid = to_grid(&labels.path, &labels.codes, &labels.grid, grid, 0, options)?;
        let inside = mask
            .map(|mask| to_grid(&mask.path, &mask.inside, &mask.grid, grid, false, options))
            .transpose()?;
        let names = names_of(&labels.path, names, &labels.ids)?;
        let mut coverage = blank(&labels.ids, names, &labels.counts());
        let mut entries = Vec::new();
        for (element, code) in on_grid.iter().enumerate().filter(|(_, code)| **code > 0) {
            let region = code - 1;
            let Some(parcel) = coverage.get_mut(region as usize) else { continue };
            parcel.grid_voxels += 1;
            if inside.as_ref().is_none_or(|inside| inside[element]) {
                parcel.used_voxels += 1;
                entries.push(Entry { element: element as u32, region });
            }
        }
        let ratio = grid.affine.voxel_volume() / labels.grid.affine.voxel_volume();
        for parcel in &mut coverage {
            // Singular affines have no volumes: voxels are counted then.
            let ratio = if ratio.is_finite() && ratio > 0.0 { ratio } else { 1.0 };
            parcel.fraction = parcel.used_voxels as f64 / parcel.atlas_voxels as f64 * ratio;
        }
        Self::new(coverage, entries, inside.as_deref(), grid.len(), options)
    }

    /// The parcels of dense labels.
    pub(crate) fn of_grayordinates(labels: &DenseLabels) -> Result<Self> {
        check_size(labels.labels.len())?;
        let (ids, codes) = codes(&labels.labels);
        let names = labels.table.names(&labels.path.display().to_string(), &ids)?;
        let mut counts = vec![0; ids.len()];
        let mut entries = Vec::new();
        for (element, code) in codes.iter().enumerate().filter(|(_, code)| **code > 0) {
            let region = code - 1;
            counts[region as usize] += 1;
            entries.push(Entry { element: element as u32, region });
        }
        let mut coverage = blank(&ids, names, &counts);
        for parcel in &mut coverage {
            (parcel.grid_voxels, parcel.used_voxels) = (parcel.atlas_voxels, parcel.atlas_voxels);
            parcel.fraction = 1.0;
        }
        Self::new(coverage, entries, None, codes.len(), &ExtractOptions::default())
    }

    /// `entries` are sorted by element. Decides what becomes of regions without one.
    pub(super) fn new(
        mut coverage: Vec<Coverage>,
        mut entries: Vec<Entry>,
        inside: Option<&[bool]>,
        elements: usize,
        options: &ExtractOptions,
    ) -> Result<Self> {
        let lost: Vec<i64> =
            coverage.iter().filter(|parcel| parcel.used_voxels == 0).map(|parcel| parcel.id).collect();
        let mut dropped = Vec::new();
        if options.is_compat() && lost.len() < coverage.len() {
            renumber(&coverage, &mut entries);
            coverage.retain(|parcel| parcel.used_voxels > 0);
            dropped = lost;
        } else if !lost.is_empty() && (options.lost == LostParcels::Refuse || lost.len() == coverage.len()) {
            return Err(lost_parcels(&lost, "a voxel on the grid of the data and within the mask"));
        }
        let global = match (options.global_signal, inside) {
            (false, _) => Vec::new(),
            (true, Some(inside)) => {
                (0..elements as u32).filter(|element| inside[*element as usize]).collect()
            }
            (true, None) => {
                let mut elements: Vec<u32> = entries.iter().map(|entry| entry.element).collect();
                elements.dedup();
                elements
            }
        };
        Ok(Regions { coverage, dropped, entries, global, elements })
    }

    /// How many parcels there are.
    pub fn len(&self) -> usize {
        self.coverage.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.coverage.is_empty()
    }

    /// The ids of the columns.
    pub fn ids(&self) -> Vec<i64> {
        self.coverage.iter().map(|parcel| parcel.id).collect()
    }

    /// The names of the columns.
    pub fn names(&self) -> Vec<String> {
        self.coverage.iter().map(|parcel| parcel.name.clone()).collect()
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn global(&self) -> &[u32] {
        &self.global
    }

    /// The number of voxels of the grid that they were made for.
    pub(super) fn elements(&self) -> usize {
        self.elements
    }
}

/// Coverage of which only the label image is known.
pub(super) fn blank(ids: &[i64], names: Vec<String>, counts: &[usize]) -> Vec<Coverage> {
    let parcel = |((id, name), atlas_voxels): ((&i64, String), &usize)| Coverage {
        id: *id,
        name,
        atlas_voxels: *atlas_voxels,
        grid_voxels: 0,
        used_voxels: 0,
        fraction: 0.0,
        not_finite: 0,
        lost: false,
    };
    ids.iter().zip(names).zip(counts).map(parcel).collect()
}

pub(super) fn lost_parcels(ids: &[i64], expected: &'static str) -> FmriError {
    let shown: Vec<String> = ids.iter().take(10).map(ToString::to_string).collect();
    let more = if ids.len() > shown.len() {
        format!(" and {} more", ids.len() - shown.len())
    } else {
        String::new()
    };
    let remedy = "widen the mask, take other labels, or let lost parcels be columns of NaN";
    FmriError::Lost { parcels: shown.join(", ") + &more, expected, remedy }
}

/// Voxels are numbered by 32 bits.
pub(super) fn check_size(elements: usize) -> Result<()> {
    match u32::try_from(elements) {
        Ok(_) => Ok(()),
        Err(_) => Err(FmriError::setting("labels", "a grid of at most 4294967295 voxels", elements)),
    }
}

fn names_of(path: &Path, table: Option<&LabelTable>, ids: &[i64]) -> Result<Vec<String>> {
    match table {
        Some(table) => table.names(&path.display().to_string(), ids),
        None => Ok(ids.iter().map(|id| format!("label-{id}")).collect()),
    }
}

/// Moves the indices of regions up to where they are once those without voxels are gone.
fn renumber(coverage: &[Coverage], entries: &mut [Entry]) {
    let mut next = 0;
    let new: Vec<u32> = coverage
        .iter()
        .map(|parcel| {
            let number = next;
            next += u32::from(parcel.used_voxels > 0);
            number
        })
        .collect();
    for entry in entries {
        entry.region = new[entry.region as usize];
    }
}
