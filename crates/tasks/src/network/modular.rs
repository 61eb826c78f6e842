//! Graphs of modules, with and without a place in space.

use ndarray::Array2;
use rand::RngExt;
use rand::seq::index;
use rand_distr::StandardNormal;
use streams::StreamRng;

use super::spatial::falling;
use super::{Coupling, Graph, Layout, ModularConfig, SpatialModulesConfig};

/// Edges both ways with one weight, drawn pair by pair; then the sign of each sending node.
pub(crate) fn graph(config: &ModularConfig, rng: &mut StreamRng) -> Graph {
    let module = modules(&config.sizes);
    let nodes = module.len();
    let mut weights = Array2::<f64>::zeros((nodes, nodes));
    for i in 0..nodes {
        for j in 0..i {
            let chance = if module[i] == module[j] { config.within } else { config.between };
            // Both are drawn for each pair, so that a probability changes no other edge.
            let (edge, z) = (rng.random::<f64>() < chance, rng.sample::<f64, _>(StandardNormal));
            if edge {
                weights[[i, j]] = (config.weight_spread * z).exp();
                weights[[j, i]] = weights[[i, j]];
            }
        }
    }
    let inhibitory = (config.inhibitory * nodes as f64).round() as usize;
    for sender in index::sample(rng, nodes, inhibitory) {
        weights.column_mut(sender).mapv_inplace(|weight| -weight);
    }
    Graph::new(Coupling::from_fn(nodes, |i, j| weights[[i, j]]), None, Some(module))
}

/// Clusters about random centres; coupling falls with distance, and by a factor between modules.
pub(crate) fn in_space(config: &SpatialModulesConfig, rng: &mut StreamRng) -> Graph {
    let module = modules(&config.sizes);
    let axes = config.extent.len();
    let centres = Array2::from_shape_fn((config.sizes.len(), axes), |(_, axis)| {
        config.extent[axis] * rng.random::<f64>()
    });
    let coords = Array2::from_shape_fn((module.len(), axes), |(node, axis)| {
        centres[[module[node], axis]] + config.scatter * rng.sample::<f64, _>(StandardNormal)
    });
    let layout = Layout::new(coords, None);
    let coupling = Coupling::from_fn(module.len(), |i, j| {
        let factor = if module[i] == module[j] { 1.0 } else { config.between };
        factor * falling(&layout, config.length, config.cutoff, i, j)
    });
    Graph::new(coupling, Some(layout), Some(module))
}

/// The module of each node: modules follow each other.
fn modules(sizes: &[usize]) -> Vec<usize> {
    sizes.iter().enumerate().flat_map(|(module, &size)| std::iter::repeat_n(module, size)).collect()
}
