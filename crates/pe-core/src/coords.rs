//! Where tokens are: k-dimensional coordinates, and distances between them.

use crate::PeError;

/// Coordinates of tokens, one row per token.
///
/// # Shapes
/// - `[tokens, axes]`, row-major; the unit is the caller's (grid steps, millimetres).
#[derive(Debug, Clone, PartialEq)]
pub struct Coords {
    values: Vec<f64>,
    axes: usize,
}

impl Coords {
    /// Coordinates from row-major values.
    ///
    /// # Errors
    /// When the values do not fill rows of `axes`, or one is not finite.
    pub fn new(values: Vec<f64>, axes: usize) -> Result<Self, PeError> {
        if axes == 0 {
            return Err(PeError::Zero { field: "axes" });
        }
        if values.is_empty() || !values.len().is_multiple_of(axes) {
            return Err(PeError::RaggedCoords { values: values.len(), axes });
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(PeError::NonFiniteCoord { token: i / axes, axis: i % axes, value: values[i] });
        }
        Ok(Self { values, axes })
    }

    /// All points of a grid in row-major order: the last axis runs fastest.
    ///
    /// `Coords::grid(&[4, 4])` gives (row, column) of the 16 cells of a 4 x 4 grid.
    ///
    /// # Errors
    /// When there is no axis or an axis has no points.
    pub fn grid(sides: &[usize]) -> Result<Self, PeError> {
        let tokens: usize = sides.iter().product();
        let mut values = Vec::with_capacity(tokens * sides.len());
        for token in 0..tokens {
            let mut stride = tokens;
            for &side in sides {
                stride /= side;
                values.push((token / stride % side) as f64);
            }
        }
        Self::new(values, sides.len())
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.values.len() / self.axes
    }

    /// Number of axes.
    pub fn axes(&self) -> usize {
        self.axes
    }

    /// The coordinates of one token.
    ///
    /// # Panics
    /// When `token` is not below [`Self::tokens`].
    pub fn row(&self, token: usize) -> &[f64] {
        &self.values[token * self.axes..][..self.axes]
    }

    /// All values, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The rows in the order of `order`: row `i` of the result is row `order[i]` of `self`.
    ///
    /// # Panics
    /// When `order` names a token that does not exist.
    pub fn permuted(&self, order: &[usize]) -> Self {
        let values = order.iter().flat_map(|&token| self.row(token).iter().copied()).collect();
        Self { values, axes: self.axes }
    }

    /// The same layout with a median nearest-neighbour distance of 1, so that an encoding made for grid steps
    /// can be used on coordinates in millimetres. The nearest neighbour is the nearest at another place; a single point,
    /// or points that all coincide, stay as they are.
    pub fn with_unit_spacing(&self) -> Self {
        let distances = self.euclidean();
        let n = self.tokens();
        let mut nearest: Vec<f64> = (0..n)
            .map(|i| {
                let others = distances[i * n..(i + 1) * n].iter().filter(|&&distance| distance > 0.0);
                others.fold(f64::INFINITY, |nearest, &distance| nearest.min(distance))
            })
            .collect();
        nearest.sort_by(f64::total_cmp);
        let median = (nearest[(n - 1) / 2] + nearest[n / 2]) / 2.0;
        let scale = if median.is_finite() && median > 0.0 { 1.0 / median } else { 1.0 };
        Self { values: self.values.iter().map(|v| v * scale).collect(), axes: self.axes }
    }

    /// Euclidean distance between all pairs, `[tokens, tokens]` row-major.
    pub fn euclidean(&self) -> Vec<f64> {
        self.pairwise(|a, b| a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt())
    }

    /// Hamming distance between all pairs, `[tokens, tokens]`: on how many axes two tokens differ.
    ///
    /// On a Latin square this is the ground truth: it does not depend on the order of rows or columns, and two
    /// cells at distance 1 share a row or a column (the rook's graph).
    pub fn hamming(&self) -> Vec<f64> {
        self.pairwise(|a, b| a.iter().zip(b).filter(|(x, y)| x != y).count() as f64)
    }

    /// Euclidean distance on a torus, `[tokens, tokens]`: axis `i` wraps around after `periods[i]`.
    ///
    /// # Panics
    /// When `periods` has not one entry per axis.
    pub fn torus(&self, periods: &[f64]) -> Vec<f64> {
        assert_eq!(periods.len(), self.axes, "one period per axis");
        self.pairwise(|a, b| {
            let squares = a.iter().zip(b).zip(periods).map(|((x, y), period)| {
                let step = (x - y).abs() % period;
                step.min(period - step).powi(2)
            });
            squares.sum::<f64>().sqrt()
        })
    }

    fn pairwise(&self, distance: impl Fn(&[f64], &[f64]) -> f64) -> Vec<f64> {
        let n = self.tokens();
        (0..n * n).map(|i| distance(self.row(i / n), self.row(i % n))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_runs_row_by_row() {
        let grid = Coords::grid(&[2, 3]).unwrap();
        let expected = [0., 0., 0., 1., 0., 2., 1., 0., 1., 1., 1., 2.];
        assert_eq!(grid.values(), expected);
        assert_eq!((grid.tokens(), grid.axes()), (6, 2));
        assert_eq!(Coords::grid(&[2, 2, 2]).unwrap().row(5), [1., 0., 1.]);
    }

    /// In the rook's graph of a 4 x 4 grid each cell has 6 neighbours at Hamming distance 1 and 9 at 2.
    #[test]
    fn hamming_distance_is_the_rooks_graph() {
        let distances = Coords::grid(&[4, 4]).unwrap().hamming();
        for row in distances.chunks(16) {
            let count = |d: f64| row.iter().filter(|&&x| x == d).count();
            assert_eq!((count(0.0), count(1.0), count(2.0)), (1, 6, 9));
        }
    }

    #[test]
    fn a_torus_has_no_edge() {
        let ring = Coords::grid(&[6]).unwrap();
        assert_eq!(&ring.torus(&[6.0])[..6], [0., 1., 2., 3., 2., 1.]);
        assert_eq!(&ring.euclidean()[..6], [0., 1., 2., 3., 4., 5.]);
    }

    #[test]
    fn unit_spacing_undoes_a_change_of_unit() {
        let grid = Coords::grid(&[3, 3]).unwrap();
        let millimetres = Coords::new(grid.values().iter().map(|v| v * 7.5).collect(), 2).unwrap();
        for (a, b) in grid.values().iter().zip(millimetres.with_unit_spacing().values()) {
            assert!((a - b).abs() < 1e-12);
        }
        let point = Coords::new(vec![3.0], 1).unwrap();
        assert_eq!(point.with_unit_spacing(), point);
    }

    #[test]
    fn bad_coordinates_are_refused() {
        let message = |r: Result<Coords, PeError>| r.unwrap_err().to_string();
        assert!(message(Coords::new(vec![1.0; 5], 2)).contains("5 coordinate values"));
        assert!(message(Coords::new(vec![0.0, f64::NAN], 1)).contains("token 1"));
        assert!(message(Coords::grid(&[])).contains("`axes` is 0"));
        assert!(message(Coords::grid(&[4, 0])).contains("0 coordinate values"));
    }
}
