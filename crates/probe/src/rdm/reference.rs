//! Reference structures that follow from coordinates alone.

use ndarray::{Array2, ArrayView2};

use super::condensed::over_pairs;
use super::{Measure, Rdm};
use crate::StatError;

/// In how many axes two tokens differ: the distances of the rook's graph for (row, column) coordinates.
///
/// This is what a Latin square lets a model learn, since permuting rows or columns keeps it a Latin square.
/// The ordered alternative is [`Rdm::of_rows`] of the coordinates with [`Measure::Euclidean`].
pub fn hamming(coords: ArrayView2<f64>) -> Result<Rdm, StatError> {
    Rdm::of_rows(coords, Measure::Hamming)
}

/// Coordinates without order: each axis becomes one indicator column per value that occurs, [tokens, values].
///
/// Rows differ by |x - y| = sqrt(2 h), h the Hamming distance, so this is the Hamming structure for
/// statistics that need coordinates, such as distance correlation.
pub fn one_hot(coords: ArrayView2<f64>) -> Array2<f64> {
    let mut columns = Vec::new();
    for axis in coords.columns() {
        let mut values: Vec<f64> = axis.to_vec();
        values.sort_by(f64::total_cmp);
        values.dedup();
        columns.extend(values.into_iter().map(|value| axis.mapv(|x| f64::from(u8::from(x == value)))));
    }
    Array2::from_shape_fn((coords.nrows(), columns.len()), |(token, column)| columns[column][token])
}

/// Condensed indicator (1 or 0) of pairs that share at least one coordinate: a row or a column.
pub fn shares_any(coords: ArrayView2<f64>) -> Vec<f64> {
    over_pairs(coords.nrows(), |i, j| indicator(coords.row(i).iter().zip(coords.row(j)).any(|(a, b)| a == b)))
}

/// Condensed indicator (1 or 0) of pairs with the same coordinate on `axis`: all 0 for an axis that is not
/// there.
pub fn shares_axis(coords: ArrayView2<f64>, axis: usize) -> Vec<f64> {
    over_pairs(coords.nrows(), |i, j| {
        indicator(axis < coords.ncols() && coords[[i, axis]] == coords[[j, axis]])
    })
}

fn indicator(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn one_hot_distances_are_the_root_of_twice_hamming() {
        let coords = Array2::from_shape_fn((12, 2), |(t, axis)| [t / 4, t % 4][axis] as f64);
        let indicators = one_hot(coords.view());
        assert_eq!(indicators.dim(), (12, 3 + 4));
        let euclidean = Rdm::of_rows(indicators.view(), Measure::Euclidean).unwrap();
        for (e, h) in euclidean.values().iter().zip(hamming(coords.view()).unwrap().values()) {
            approx::assert_abs_diff_eq!(*e, (2.0 * h).sqrt(), epsilon = 1e-15);
        }
    }

    #[test]
    fn sharing_is_by_axis_or_any() {
        let coords = array![[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        assert_eq!(shares_axis(coords.view(), 0), [1.0, 0.0, 0.0]);
        assert_eq!(shares_axis(coords.view(), 1), [0.0, 0.0, 1.0]);
        assert_eq!(shares_any(coords.view()), [1.0, 0.0, 1.0]);
        assert_eq!(hamming(coords.view()).unwrap().values(), [1.0, 2.0, 1.0]);
    }
}
