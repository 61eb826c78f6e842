//! The coupling of a network: who reads from whom, and how strongly.

use ndarray::Array2;
use rand::RngExt;
use rand_distr::StandardNormal;
use streams::StreamRng;

use super::NetworkError;

/// Below this share of a row's sum a weight no longer joins two nodes.
const LEAST_SHARE: f64 = 1e-6;

/// Weights in compressed sparse rows: node `i` reads `sum_j W_ij x_j`.
#[derive(Debug, Clone, PartialEq)]
pub struct Coupling {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    weights: Vec<f64>,
}

impl Coupling {
    /// The weights that are not 0, of a square matrix.
    ///
    /// # Errors
    /// [`NetworkError::Shape`] if it is not square, is empty or holds what is not finite.
    pub fn from_dense(matrix: &Array2<f64>) -> Result<Self, NetworkError> {
        let (rows, columns) = matrix.dim();
        if rows != columns || rows == 0 || matrix.iter().any(|weight| !weight.is_finite()) {
            return Err(NetworkError::Shape {
                what: "coupling",
                expected: "a square matrix of finite numbers".to_owned(),
                got: format!("{rows} x {columns}, or a number that is not finite"),
            });
        }
        Ok(Self::from_fn(rows, |i, j| matrix[[i, j]]))
    }

    /// The weights `weight(i, j)` that are not 0.
    pub(crate) fn from_fn(nodes: usize, mut weight: impl FnMut(usize, usize) -> f64) -> Self {
        let (mut offsets, mut columns, mut weights) = (vec![0], Vec::new(), Vec::new());
        for i in 0..nodes {
            for j in 0..nodes {
                let weight = weight(i, j);
                if weight != 0.0 {
                    columns.push(j as u32);
                    weights.push(weight);
                }
            }
            offsets.push(columns.len());
        }
        Self { offsets, columns, weights }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of weights that are not 0.
    pub fn edges(&self) -> usize {
        self.weights.len()
    }

    /// The share of all pairs that is coupled.
    pub fn density(&self) -> f64 {
        self.edges() as f64 / (self.nodes() * self.nodes()) as f64
    }

    /// Row `i`: the nodes it reads from, in increasing order, and with which weights.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.offsets[i]..self.offsets[i + 1];
        let columns = self.columns[range.clone()].iter().map(|&column| column as usize);
        columns.zip(self.weights[range].iter().copied())
    }

    /// Offsets of rows, columns, weights.
    pub(crate) fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.offsets, &self.columns, &self.weights)
    }

    /// `[nodes, nodes]`
    pub fn to_dense(&self) -> Array2<f64> {
        let mut dense = Array2::zeros((self.nodes(), self.nodes()));
        for i in 0..self.nodes() {
            for (j, weight) in self.row(i) {
                dense[[i, j]] = weight;
            }
        }
        dense
    }

    pub(crate) fn map(&self, mut weight: impl FnMut(f64) -> f64) -> Self {
        Self { weights: self.weights.iter().map(|&w| weight(w)).collect(), ..self.clone() }
    }

    /// The sums of rows.
    pub(crate) fn row_sums(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.nodes()).map(|i| self.row(i).map(|(_, weight)| weight).sum())
    }

    /// Each row divided by the sum of its absolute weights. A row without weights stays so.
    pub(crate) fn normalised(mut self) -> Self {
        for i in 0..self.nodes() {
            let row = &mut self.weights[self.offsets[i]..self.offsets[i + 1]];
            let sum: f64 = row.iter().map(|weight| weight.abs()).sum();
            if sum > 0.0 {
                row.iter_mut().for_each(|weight| *weight /= sum);
            }
        }
        self
    }

    /// Each weight times `exp(spread · z)`, rows normalised again.
    pub(crate) fn jittered(&self, spread: f64, rng: &mut StreamRng) -> Self {
        let mut factor = || (spread * rng.sample::<f64, _>(StandardNormal)).exp();
        self.map(|weight| weight * factor()).normalised()
    }

    /// The connected part of each node, ways taken in either direction; parts are numbered from 0. Of a row, weights
    /// below a millionth of its sum count as none.
    pub(crate) fn parts_of_nodes(&self) -> Vec<usize> {
        let n = self.nodes();
        let mut joined = vec![Vec::new(); n];
        for i in 0..n {
            let sum: f64 = self.row(i).map(|(_, weight)| weight.abs()).sum();
            for (j, _) in self.row(i).filter(|(_, weight)| weight.abs() >= LEAST_SHARE * sum) {
                joined[i].push(j);
                joined[j].push(i);
            }
        }
        let mut part = vec![usize::MAX; n];
        let mut parts = 0;
        for start in 0..n {
            if part[start] != usize::MAX {
                continue;
            }
            let mut todo = vec![start];
            part[start] = parts;
            while let Some(i) = todo.pop() {
                for &j in &joined[i] {
                    if part[j] == usize::MAX {
                        part[j] = parts;
                        todo.push(j);
                    }
                }
            }
            parts += 1;
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn rows_columns_and_back() {
        let dense = array![[0., 2., -2.], [0., 0., 1.], [3., 0., 0.]];
        let coupling = Coupling::from_dense(&dense).unwrap();
        assert_eq!((coupling.nodes(), coupling.edges()), (3, 4));
        assert_eq!(coupling.to_dense(), dense);
        assert_eq!(coupling.row(0).collect::<Vec<_>>(), [(1, 2.0), (2, -2.0)]);
        let expected = array![[0., 0.5, -0.5], [0., 0., 1.], [1., 0., 0.]];
        assert_eq!(coupling.normalised().to_dense(), expected);
        assert!(Coupling::from_dense(&array![[0., 1.]]).is_err());
        assert!(Coupling::from_dense(&array![[f64::NAN]]).is_err());
    }

    #[test]
    fn parts_of_a_graph() {
        let two = Coupling::from_dense(&array![[0., 0., 1.], [0., 0., 0.], [0., 0., 0.]]).unwrap();
        assert_eq!(two.parts_of_nodes(), [0, 1, 0]);
        let weak = Coupling::from_dense(&array![[0., 1., 0.], [1., 0., 1e-9], [0., 0., 0.]]).unwrap();
        assert_eq!(weak.parts_of_nodes(), [0, 0, 1]);
    }
}
