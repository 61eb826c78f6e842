//! Classical multidimensional scaling: coordinates from distances.

use ndarray::{Array1, Array2};
use ndarray_linalg::{Eigh, UPLO};

use crate::rdm::{Rdm, square};
use crate::{StatError, checks, pca};

/// Coordinates whose distances come close to given ones.
#[derive(Debug, Clone)]
pub struct Mds {
    /// [n, dimensions], centred, axes by falling variance; in each the entry of largest magnitude is positive.
    /// An axis whose eigenvalue is not above 0 is all 0.
    pub coordinates: Array2<f64>,
    /// All n eigenvalues of `-H D² H / 2`, descending. Negative ones mark distances that no Euclidean space
    /// has; one is always 0.
    pub eigenvalues: Array1<f64>,
    /// The kept eigenvalues above 0 over the sum of the magnitudes of all, in [0, 1]. NaN when all distances
    /// are 0.
    pub goodness: f64,
}

/// Classical (Torgerson) scaling of `distances` to `dimensions` axes, at least 1 and at most n.
///
/// With D² the squared distances and H = I - 1/n, the eigenvectors of `-H D² H / 2` times the roots of their
/// eigenvalues (Torgerson 1952; Gower 1966). For Euclidean distances these are the principal component scores,
/// so all dimensions give the distances back. A random n x d table with d much above n has n - 1 eigenvalues
/// alike: two axes then keep about 2/(n-1). An undefined (NaN) distance is an error. O(n³).
pub fn classical(distances: &Rdm, dimensions: usize) -> Result<Mds, StatError> {
    let n = distances.conditions();
    checks::finite_slice("classical scaling: distances", distances.values())?;
    if dimensions == 0 || dimensions > n {
        return Err(StatError::Parameter {
            what: "classical scaling: dimensions",
            expected: format!("1 to {n}, the number of items"),
            got: dimensions.to_string(),
        });
    }
    let squared: Vec<f64> = distances.values().iter().map(|d| d * d).collect();
    let full = square(n, &squared, 0.0);
    let means: Vec<f64> = full.chunks(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    let inner = Array2::from_shape_fn((n, n), |(i, j)| -0.5 * (full[i * n + j] - means[i] - means[j] + mean));
    let (mut eigenvalues, vectors) =
        inner.eigh(UPLO::Lower).map_err(|source| StatError::Svd { rows: n, columns: n, source })?;
    // LAPACK gives them ascending.
    eigenvalues.invert_axis(ndarray::Axis(0));
    let magnitude: f64 = eigenvalues.iter().map(|v| v.abs()).sum();
    // What rounding leaves of a zero is no axis.
    let least = 1e-13 * eigenvalues.iter().fold(0.0f64, |most, v| most.max(v.abs())) * n as f64;
    let mut coordinates = Array2::zeros((n, dimensions));
    for (axis, mut column) in coordinates.columns_mut().into_iter().enumerate() {
        if eigenvalues[axis] > least {
            column.assign(&(&vectors.column(n - 1 - axis) * eigenvalues[axis].sqrt()));
            let sign = pca::sign_of_largest(column.iter());
            column *= sign;
        }
    }
    let kept: f64 = eigenvalues.iter().take(dimensions).filter(|v| **v > least).sum();
    let goodness = if magnitude > 0.0 { kept / magnitude } else { f64::NAN };
    Ok(Mds { coordinates, eigenvalues: eigenvalues.to_owned(), goodness })
}
