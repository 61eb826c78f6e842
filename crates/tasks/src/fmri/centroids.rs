//! Where parcels are: one point in mm each.

use ndarray::Array2;

use super::labels::LabelImage;

/// Which point stands for a parcel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centroid {
    /// The mean of its voxels. Of a bent parcel it can lie outside.
    #[default]
    Mean,
    /// Its voxel nearest to the mean, in mm; of equally near ones the first.
    Medoid,
}

/// The centroid of each parcel in mm, `[parcels, 3]`, in the order of the ids.
pub fn centroids(labels: &LabelImage, kind: Centroid) -> Array2<f64> {
    let voxels = || labels.codes.iter().enumerate().filter(|(_, code)| **code > 0);
    let counts = labels.counts();
    let mut sums = vec![[0.0; 3]; labels.ids.len()];
    for (number, code) in voxels() {
        let sum = &mut sums[*code as usize - 1];
        for (sum, index) in sum.iter_mut().zip(labels.grid.voxel(number)) {
            *sum += index as f64;
        }
    }
    let mean =
        |(sum, count): (&[f64; 3], &usize)| labels.grid.affine.apply(sum.map(|sum| sum / *count as f64));
    let means: Vec<[f64; 3]> = sums.iter().zip(&counts).map(mean).collect();
    let points = match kind {
        Centroid::Mean => means,
        Centroid::Medoid => {
            let mut nearest = vec![(f64::INFINITY, [f64::NAN; 3]); means.len()];
            for (number, code) in voxels() {
                let (best, mean) = (&mut nearest[*code as usize - 1], means[*code as usize - 1]);
                let place = labels.grid.position(number);
                let distance = place.iter().zip(mean).map(|(a, b)| (a - b) * (a - b)).sum();
                if distance < best.0 {
                    *best = (distance, place);
                }
            }
            nearest.into_iter().map(|(_, place)| place).collect()
        }
    };
    Array2::from_shape_fn((points.len(), 3), |(parcel, axis)| points[parcel][axis])
}
