//! How parcels are extracted.

/// Whose rules hold where libraries differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Semantics {
    /// Voxels that are not finite are left out of the mean and counted; labels are resampled to the nearest voxel,
    /// to the outer faces of the image; a lost parcel is never dropped.
    #[default]
    Strict,
    /// As nilearn 0.14: values that are not finite count as 0 in the mean; resampling knows nothing beyond the
    /// centres of the outer voxels; parcels without voxels are dropped; unscaled float32 gives float32; a sphere has
    /// the first voxel whose coordinates have the whole part of the seed's, too.
    NilearnCompat,
}

/// What to do with a parcel that has no voxel left, or no finite value in some frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LostParcels {
    /// An error that names it.
    #[default]
    Refuse,
    /// A column of NaN; the coverage report names it.
    Nan,
}

/// How parcels are extracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExtractOptions {
    /// Whose rules hold.
    pub semantics: Semantics,
    /// What to do with lost parcels. Under [`Semantics::NilearnCompat`] those without voxels are dropped instead.
    pub lost: LostParcels,
    /// Refuse labels and masks on another grid, instead of resampling them to the data.
    pub same_grid: bool,
    /// Also compute the mean over all voxels of the mask, or of all parcels where there is no mask.
    pub global_signal: bool,
}

impl ExtractOptions {
    /// As nilearn does it.
    pub fn nilearn_compat() -> Self {
        ExtractOptions { semantics: Semantics::NilearnCompat, ..Self::default() }
    }

    pub(crate) fn is_compat(&self) -> bool {
        self.semantics == Semantics::NilearnCompat
    }
}
