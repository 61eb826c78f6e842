//! Graphs whose coupling falls with distance.

use ndarray::Array2;
use rand::RngExt;
use streams::StreamRng;

use super::{Coupling, Graph, Layout, PointsConfig};

/// `W_ij = exp(-d_ij² / 2l²)`, without what is below `cutoff`, no node with itself.
pub(crate) fn graph(layout: Layout, length: f64, cutoff: f64) -> Graph {
    let nodes = layout.coords().nrows();
    let coupling = Coupling::from_fn(nodes, |i, j| falling(&layout, length, cutoff, i, j));
    Graph::new(coupling, Some(layout), None)
}

pub(crate) fn falling(layout: &Layout, length: f64, cutoff: f64, i: usize, j: usize) -> f64 {
    if i == j {
        return 0.0;
    }
    let weight = (-layout.squared_distance(i, j) / (2.0 * length * length)).exp();
    if weight < cutoff { 0.0 } else { weight }
}

/// Independent points, uniform in a box.
pub(crate) fn scattered(config: &PointsConfig, rng: &mut StreamRng) -> Layout {
    let shape = (config.nodes, config.extent.len());
    let coords = Array2::from_shape_fn(shape, |(_, axis)| config.extent[axis] * rng.random::<f64>());
    Layout::new(coords, config.periodic.then(|| config.extent.clone()))
}
