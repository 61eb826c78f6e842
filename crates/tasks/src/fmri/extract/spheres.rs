//! Spheres around coordinates.

use super::coverage::Coverage;
use super::options::ExtractOptions;
use super::regions::{Entry, Regions, blank, check_size, lost_parcels};
use super::resample::to_grid;
use crate::fmri::affine::Grid;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::labels::Mask;

/// What spheres are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SphereOptions {
    /// Voxels whose centres are at most this far from the seed, in mm. Nothing: only the nearest voxel.
    pub radius: Option<f64>,
    /// Whether a voxel may belong to several spheres.
    pub allow_overlap: bool,
}

impl Regions {
    /// Spheres around seeds in mm: the voxel nearest to the seed, and those within the radius. Ids count from 1,
    /// and without names name them: `sphere-1`.
    ///
    /// # Errors
    /// If a sphere has no voxel, if spheres overlap and that is refused, or if a number is not finite.
    pub fn from_spheres(
        seeds: &[[f64; 3]],
        names: Option<&[String]>,
        spheres: &SphereOptions,
        mask: Option<&Mask>,
        grid: &Grid,
        options: &ExtractOptions,
    ) -> Result<Self> {
        check_size(grid.len())?;
        if let Some(radius) = spheres.radius.filter(|radius| !(radius.is_finite() && *radius > 0.0)) {
            return Err(FmriError::setting("radius", "a positive length in mm", radius));
        }
        if seeds.is_empty() || seeds.iter().flatten().any(|value| !value.is_finite()) {
            return Err(FmriError::setting(
                "seeds",
                "one or more points of finite coordinates",
                format!("{seeds:?}"),
            ));
        }
        let inside = mask
            .map(|mask| to_grid(&mask.path, &mask.inside, &mask.grid, grid, false, options))
            .transpose()?;
        let ids: Vec<i64> = (1..=seeds.len() as i64).collect();
        let names = match names {
            Some(names) if names.len() == seeds.len() => names.to_vec(),
            Some(names) => {
                return Err(FmriError::setting("names", format!("{} names", seeds.len()), names.len()));
            }
            None => ids.iter().map(|id| format!("sphere-{id}")).collect(),
        };
        let mut coverage = blank(&ids, names, &vec![0; seeds.len()]);
        let mut entries = Vec::new();
        for ((region, seed), parcel) in seeds.iter().enumerate().zip(&mut coverage) {
            for element in voxels(*seed, spheres.radius, inside.as_deref(), grid, options)? {
                parcel.atlas_voxels += 1;
                if inside.as_ref().is_none_or(|inside| inside[element]) {
                    entries.push(Entry { element: element as u32, region: region as u32 });
                    parcel.used_voxels += 1;
                }
            }
            parcel.grid_voxels = parcel.atlas_voxels;
            parcel.fraction = parcel.used_voxels as f64 / parcel.atlas_voxels.max(1) as f64;
        }
        check_lost(&coverage, options)?;
        entries.sort_by_key(|entry| (entry.element, entry.region));
        let shared = entries.windows(2).find(|pair| pair[0].element == pair[1].element);
        if let (Some(pair), false) = (shared, spheres.allow_overlap) {
            let got = format!("spheres {} and {} that share a voxel", pair[0].region + 1, pair[1].region + 1);
            return Err(FmriError::setting("allow_overlap", "spheres that do not overlap, or true", got));
        }
        Regions::new(coverage, entries, inside.as_deref(), grid.len(), options)
    }
}

/// nilearn refuses empty spheres, too, rather than drop them.
fn check_lost(coverage: &[Coverage], options: &ExtractOptions) -> Result<()> {
    let lost: Vec<i64> =
        coverage.iter().filter(|parcel| parcel.used_voxels == 0).map(|parcel| parcel.id).collect();
    if options.is_compat() && !lost.is_empty() {
        return Err(lost_parcels(&lost, "a voxel within the sphere and the mask"));
    }
    Ok(())
}

/// The voxels of a sphere, sorted, inside the mask or not.
fn voxels(
    seed: [f64; 3],
    radius: Option<f64>,
    inside: Option<&[bool]>,
    grid: &Grid,
    options: &ExtractOptions,
) -> Result<Vec<usize>> {
    let Some(inverse) = grid.affine.inverse() else {
        return Err(FmriError::setting("data", "an affine that can be inverted", "a singular one"));
    };
    let nearest = inverse.apply(seed).map(|coordinate| coordinate.round_ties_even() as i64);
    let mut voxels: Vec<usize> = grid.number(nearest).into_iter().collect();
    if let Some(radius) = radius {
        voxels.extend((0..grid.len()).filter(|voxel| {
            let squares = grid.position(*voxel).into_iter().zip(seed).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f64>() <= radius * radius
        }));
    }
    if options.is_compat() {
        voxels.extend(same_whole_part(seed, inside, grid));
    }
    voxels.sort_unstable();
    voxels.dedup();
    Ok(voxels)
}

/// nilearn's "voxel containing the seed": the first one, k running fastest, whose coordinates have the whole part of
/// the seed's. On grids that are not of 1 mm it can lie outside the sphere.
fn same_whole_part(seed: [f64; 3], inside: Option<&[bool]>, grid: &Grid) -> Option<usize> {
    let [x, y, z] = grid.shape;
    let whole = seed.map(f64::trunc);
    let mut voxels = (0..x).flat_map(|i| (0..y).flat_map(move |j| (0..z).map(move |k| i + x * (j + y * k))));
    voxels.find(|voxel| {
        inside.is_none_or(|inside| inside[*voxel]) && grid.position(*voxel).map(f64::trunc) == whole
    })
}
