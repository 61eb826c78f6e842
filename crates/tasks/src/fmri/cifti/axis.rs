//! What the rows and columns of a CIFTI matrix are.

use crate::fmri::affine::Grid;
use crate::fmri::label_table::LabelTable;

/// The meaning of one dimension of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub enum Axis {
    /// Points in time.
    Series(Series),
    /// Grayordinates.
    BrainModels(BrainModels),
    /// Sets of grayordinates.
    Parcels(Vec<Parcel>),
    /// Maps of labels.
    Labels(Vec<NamedMap>),
    /// Maps of values, by their names.
    Scalars(Vec<String>),
}

/// Points at equal distances.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// How many.
    pub points: usize,
    /// Seconds from one to the next; nothing if the unit is no time or the step 0.
    pub step: Option<f64>,
}

/// The grayordinates of an axis, structure by structure.
#[derive(Debug, Clone, PartialEq)]
pub struct BrainModels {
    /// In the order of the axis.
    pub models: Vec<BrainModel>,
    /// The lattice of the voxels, if there are any.
    pub volume: Option<Grid>,
}

/// The grayordinates of one structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrainModel {
    /// `CIFTI_STRUCTURE_CORTEX_LEFT`, say.
    pub structure: String,
    /// Its grayordinates.
    pub elements: Elements,
}

/// Vertices of a surface, or voxels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elements {
    /// Some of the vertices of a surface.
    Vertices {
        /// How many vertices the whole surface has.
        surface: usize,
        /// Their indices.
        indices: Vec<u32>,
    },
    /// Indices (i, j, k) on the lattice of the axis.
    Voxels(Vec<[u32; 3]>),
}

/// A parcel: a name, its voxels, and its vertices by structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    /// Its name.
    pub name: String,
    /// How many voxels and vertices it has.
    pub size: usize,
}

/// A map of labels.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedMap {
    /// Its name.
    pub name: String,
    /// The names of the labels.
    pub table: LabelTable,
}

impl Axis {
    /// The length of the dimension.
    pub fn len(&self) -> usize {
        match self {
            Axis::Series(series) => series.points,
            Axis::BrainModels(models) => models.len(),
            Axis::Parcels(parcels) => parcels.len(),
            Axis::Labels(maps) => maps.len(),
            Axis::Scalars(names) => names.len(),
        }
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of the kind in the standard.
    pub fn kind(&self) -> &'static str {
        match self {
            Axis::Series(_) => "SERIES",
            Axis::BrainModels(_) => "BRAIN_MODELS",
            Axis::Parcels(_) => "PARCELS",
            Axis::Labels(_) => "LABELS",
            Axis::Scalars(_) => "SCALARS",
        }
    }
}

impl BrainModels {
    /// The number of grayordinates.
    pub fn len(&self) -> usize {
        self.models.iter().map(|model| model.elements.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place in mm of each grayordinate that is a voxel; a vertex has none without its surface file.
    pub fn positions(&self) -> Vec<Option<[f64; 3]>> {
        let place = |voxel: [u32; 3]| self.volume.map(|grid| grid.affine.apply(voxel.map(f64::from)));
        let of = |model: &BrainModel| match &model.elements {
            Elements::Vertices { indices, .. } => vec![None; indices.len()],
            Elements::Voxels(voxels) => voxels.iter().map(|voxel| place(*voxel)).collect(),
        };
        self.models.iter().flat_map(of).collect()
    }
}

impl Elements {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Elements::Vertices { indices, .. } => indices.len(),
            Elements::Voxels(voxels) => voxels.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
