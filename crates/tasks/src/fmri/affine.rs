//! Where voxels are: 3 x 4 maps from voxel indices to millimetres.

use nalgebra::Matrix3;

/// An affine map from voxel indices (i, j, k) to millimetres (x, y, z), right-anterior-superior positive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Three rows: linear part, then offset.
    pub rows: [[f64; 4]; 3],
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Affine =
        Affine { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// The image of a point.
    pub fn apply(&self, point: [f64; 3]) -> [f64; 3] {
        self.rows.map(|[a, b, c, d]| a * point[0] + b * point[1] + c * point[2] + d)
    }

    /// The map that does `first`, then this one.
    pub fn after(&self, first: &Affine) -> Affine {
        let rows = self.rows.map(|row| {
            let mut product = [0.0, 0.0, 0.0, row[3]];
            for (k, other) in first.rows.iter().enumerate() {
                for (sum, value) in product.iter_mut().zip(other) {
                    *sum += row[k] * value;
                }
            }
            product
        });
        Affine { rows }
    }

    /// The map back, or nothing if this one is singular.
    pub fn inverse(&self) -> Option<Affine> {
        let linear = self.linear().try_inverse()?;
        let offset = -(linear * nalgebra::Vector3::from(self.rows.map(|row| row[3])));
        let row = |r: usize| [linear[(r, 0)], linear[(r, 1)], linear[(r, 2)], offset[r]];
        let inverse = Affine { rows: [row(0), row(1), row(2)] };
        inverse.is_finite().then_some(inverse)
    }

    /// The volume of a voxel in mm³.
    pub fn voxel_volume(&self) -> f64 {
        self.linear().determinant().abs()
    }

    /// Whether all entries are finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|value| value.is_finite())
    }

    /// All entries times a factor: a change of unit.
    pub(crate) fn scaled(&self, factor: f64) -> Affine {
        Affine { rows: self.rows.map(|row| row.map(|value| value * factor)) }
    }

    fn linear(&self) -> Matrix3<f64> {
        Matrix3::from_fn(|row, column| self.rows[row][column])
    }
}

/// The lattice of a volume: how many voxels, and where they are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Voxels along i, j, k; i runs fastest.
    pub shape: [usize; 3],
    /// Voxel indices to mm.
    pub affine: Affine,
}

impl Grid {
    /// How far, in mm, the corners of two grids may lie apart for them to be the same: the rounding of headers.
    pub const TOLERANCE_MM: f64 = 1e-2;

    /// The number of voxels.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has no voxel. No reader makes such a grid.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both have the same shape, and their corners lie within [`Grid::TOLERANCE_MM`].
    pub fn matches(&self, other: &Grid) -> bool {
        self.shape == other.shape
            && (0..8).all(|corner| {
                let at =
                    |axis: usize| if corner >> axis & 1 == 1 { self.shape[axis] as f64 - 1.0 } else { 0.0 };
                let point = [at(0), at(1), at(2)];
                let (a, b) = (self.affine.apply(point), other.affine.apply(point));
                a.iter().zip(b).all(|(a, b)| (a - b).abs() <= Self::TOLERANCE_MM)
            })
    }

    /// The indices (i, j, k) of the voxel with this number.
    pub fn voxel(&self, number: usize) -> [usize; 3] {
        let [x, y, _] = self.shape;
        [number % x, number / x % y, number / (x * y)]
    }

    /// The centre of a voxel in mm.
    pub fn position(&self, number: usize) -> [f64; 3] {
        self.affine.apply(self.voxel(number).map(|index| index as f64))
    }

    /// The number of a voxel, if the grid has it.
    pub fn number(&self, voxel: [i64; 3]) -> Option<usize> {
        let mut number = 0;
        for axis in (0..3).rev() {
            let index = usize::try_from(voxel[axis]).ok().filter(|&index| index < self.shape[axis])?;
            number = number * self.shape[axis] + index;
        }
        Some(number)
    }
}

impl std::fmt::Display for Grid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [x, y, z] = self.shape;
        let origin = self.affine.apply([0.0; 3]).map(|value| format!("{value:.3}")).join(", ");
        write!(f, "{x} x {y} x {z} voxels of {:.4} mm³ from ({origin})", self.affine.voxel_volume())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_and_composition_agree() {
        let affine = Affine { rows: [[2.0, 0.5, 0.0, -3.0], [0.0, -3.0, 0.25, 7.0], [1.0, 0.0, 4.0, 11.0]] };
        let back = affine.inverse().unwrap().after(&affine);
        for (row, expected) in back.rows.iter().zip(Affine::IDENTITY.rows) {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
        }
        assert!(Affine { rows: [[0.0; 4]; 3] }.inverse().is_none());
    }

    #[test]
    fn numbers_and_voxels_agree() {
        let grid = Grid { shape: [3, 4, 5], affine: Affine::IDENTITY };
        for number in 0..grid.len() {
            assert_eq!(grid.number(grid.voxel(number).map(|index| index as i64)), Some(number));
        }
        assert_eq!(grid.voxel(1), [1, 0, 0]);
        assert_eq!(grid.number([0, -1, 0]), None);
        assert_eq!(grid.number([0, 4, 0]), None);
    }
}
