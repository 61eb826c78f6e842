//! Where nodes are.

use ndarray::{Array2, ArrayView1};

/// Coordinates of nodes, and how far each axis runs before it closes upon itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    coords: Array2<f64>,
    periods: Option<Vec<f64>>,
}

impl Layout {
    pub(crate) fn new(coords: Array2<f64>, periods: Option<Vec<f64>>) -> Self {
        Self { coords, periods }
    }

    /// All points of a grid, one step apart; the last axis runs fastest.
    pub(crate) fn grid(sides: &[usize], periodic: bool) -> Self {
        let nodes = sides.iter().product();
        let coords = Array2::from_shape_fn((nodes, sides.len()), |(node, axis)| {
            let stride: usize = sides[axis + 1..].iter().product();
            (node / stride % sides[axis]) as f64
        });
        let periods = periodic.then(|| sides.iter().map(|&side| side as f64).collect());
        Self { coords, periods }
    }

    /// `[nodes, axes]`
    pub fn coords(&self) -> &Array2<f64> {
        &self.coords
    }

    /// After how much each axis repeats itself; none if no axis does.
    pub fn periods(&self) -> Option<&[f64]> {
        self.periods.as_deref()
    }

    /// Whether all numbers are finite, and each axis has a period above 0, if there are periods.
    pub(crate) fn is_sound(&self) -> bool {
        let finite = self.coords.iter().all(|value| value.is_finite());
        let periods = self.periods.as_ref().is_none_or(|periods| {
            periods.len() == self.coords.ncols() && periods.iter().all(|&p| p.is_finite() && p > 0.0)
        });
        finite && periods
    }

    /// The squared distance of two nodes, the short way round where axes are closed.
    pub fn squared_distance(&self, i: usize, j: usize) -> f64 {
        let steps = self.coords.row(i).into_iter().zip(self.coords.row(j)).enumerate();
        steps.map(|(axis, (a, b))| self.shortest(axis, (a - b).abs()).powi(2)).sum()
    }

    fn shortest(&self, axis: usize, step: f64) -> f64 {
        self.periods.as_ref().map_or(step, |periods| step.min(periods[axis] - step))
    }

    /// Coordinates in a space without closed axes: each closed axis becomes a circle of its own circumference (two
    /// columns), so that Euclidean distances keep the order of distances along that axis. `[nodes, axes]`, or
    /// `[nodes, 2 · axes]` if axes are closed.
    pub fn embedded(&self) -> Array2<f64> {
        let Some(periods) = &self.periods else { return self.coords.clone() };
        let (nodes, axes) = self.coords.dim();
        let circle = |row: ArrayView1<f64>, column: usize| {
            let period = periods[column / 2];
            let angle = row[column / 2] / period * std::f64::consts::TAU;
            let radius = period / std::f64::consts::TAU;
            radius * if column.is_multiple_of(2) { angle.cos() } else { angle.sin() }
        };
        Array2::from_shape_fn((nodes, 2 * axes), |(node, column)| circle(self.coords.row(node), column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn a_grid_runs_row_by_row() {
        let expected = array![[0., 0.], [0., 1.], [0., 2.], [1., 0.], [1., 1.], [1., 2.]];
        assert_eq!(Layout::grid(&[2, 3], false).coords(), expected);
        assert_eq!(Layout::grid(&[2, 2, 2], false).coords().row(5), array![1., 0., 1.]);
    }

    #[test]
    fn closed_axes_go_the_short_way() {
        let (open, closed) = (Layout::grid(&[5, 4], false), Layout::grid(&[5, 4], true));
        assert_eq!((open.squared_distance(0, 19), closed.squared_distance(0, 19)), (25.0, 2.0));
        // The chord of one step on a circle of circumference 4 is sqrt(2) · radius.
        let circle = closed.embedded();
        assert_eq!(circle.dim(), (20, 4));
        let chord = (&circle.row(0) - &circle.row(1)).mapv(|d| d * d).sum().sqrt();
        assert!((chord - 2f64.sqrt() * 4.0 / std::f64::consts::TAU).abs() < 1e-12);
    }
}
