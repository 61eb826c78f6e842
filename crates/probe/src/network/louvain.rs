//! Community detection by the Louvain method.

use ndarray::Array2;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use streams::{Stream, StreamRng, Streams};

use super::modularity::modularity_matrix;
use super::{Partition, Signs, Weights};
use crate::StatError;

/// A move must gain this much modularity, so that rounding cannot move items back and forth.
const LEAST_GAIN: f64 = 1e-10;

/// The best partition that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// The partition.
    pub partition: Partition,
    /// Its modularity, by the same resolution and signs. NaN when the network has no weight.
    pub modularity: f64,
    /// How many of the restarts ended this high (within 1e-10): few of many say that there may be better.
    pub found_by: usize,
}

/// Searches the partition of highest [`modularity`](super::modularity()) by the Louvain method (Blondel et al.
/// 2008), the best of `restarts` (at least 1) searches.
///
/// Items move to the module that gains most, in random order; modules become items, and so on; then single
/// items move again, until nothing gains. It is a heuristic: each search ends in a local maximum. Order number
/// r is drawn from sub-stream `probe/louvain/r` of [`Stream::Order`]; of equal searches the first one counts,
/// so the same input gives the same partition on any number of threads. Modules of a sparse network can come
/// out disconnected, which the Leiden method rules out. A random network has communities too, with Q well
/// above 0: compare with shuffled weights. O(n²) memory, made for some thousand items. Without any weight
/// every item is its own module.
pub fn louvain(
    weights: &Weights,
    resolution: f64,
    signs: Signs,
    restarts: usize,
    streams: &Streams,
) -> Result<Communities, StatError> {
    if restarts == 0 {
        return Err(StatError::TooFew { what: "restarts of the Louvain method", least: 1, got: 0 });
    }
    let matrix = modularity_matrix(weights, resolution, signs)?;
    let search = |restart: usize| {
        let mut rng = streams.rng_for(Stream::Order, &format!("probe/louvain/{restart}"));
        let modules = search(&matrix, &mut rng);
        (quality(&matrix, &modules), modules)
    };
    let found: Vec<(f64, Vec<usize>)> = (0..restarts).into_par_iter().map(search).collect();
    let highest = found.iter().fold(f64::NEG_INFINITY, |most, (quality, _)| most.max(*quality));
    let as_high = |quality: f64| quality >= highest - LEAST_GAIN;
    let first = found.iter().find(|(quality, _)| as_high(*quality)).unwrap_or(&found[0]);
    let found_by = found.iter().filter(|(quality, _)| as_high(*quality)).count();
    let modularity = if weights.items() == 0 { f64::NAN } else { first.0 };
    Ok(Communities { partition: Partition::new(&first.1), modularity, found_by })
}

/// Alternates moves of single items with moves of whole modules until neither gains.
fn search(matrix: &Array2<f64>, rng: &mut StreamRng) -> Vec<usize> {
    let mut modules: Vec<usize> = (0..matrix.nrows()).collect();
    while settle(matrix, &mut modules, rng) {
        loop {
            let merged = Partition::new(&modules);
            let between = between_modules(matrix, &merged);
            let mut of_module: Vec<usize> = (0..merged.count()).collect();
            let moved = settle(&between, &mut of_module, rng);
            modules = merged.modules().iter().map(|&module| of_module[module]).collect();
            if !moved {
                break;
            }
        }
    }
    modules
}

/// Moves items one by one to where they gain most, until none gains. Says whether any moved.
fn settle(matrix: &Array2<f64>, modules: &mut [usize], rng: &mut StreamRng) -> bool {
    let n = modules.len();
    let mut sizes = vec![0usize; n];
    modules.iter().for_each(|&module| sizes[module] += 1);
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(rng);
    let (mut moved, mut settled) = (false, false);
    let mut ties = vec![0.0; n];
    while !settled {
        settled = true;
        for &item in &order {
            ties.fill(0.0);
            matrix.row(item).iter().zip(&*modules).for_each(|(value, &module)| ties[module] += value);
            let own = modules[item];
            let stay = ties[own] - matrix[[item, item]];
            // Every module, and one that is empty, where nothing is gained or lost.
            let empty = sizes.iter().position(|&size| size == 0);
            let candidates =
                (0..n).filter(|&module| module != own && (sizes[module] > 0 || Some(module) == empty));
            let best = candidates.fold((own, stay), |best, module| {
                if ties[module] > best.1 { (module, ties[module]) } else { best }
            });
            // Each pair stands twice in the matrix.
            if 2.0 * (best.1 - stay) > LEAST_GAIN {
                sizes[own] -= 1;
                sizes[best.0] += 1;
                modules[item] = best.0;
                (moved, settled) = (true, false);
            }
        }
    }
    moved
}

/// The matrix whose items are the modules.
fn between_modules(matrix: &Array2<f64>, partition: &Partition) -> Array2<f64> {
    let mut between = Array2::zeros((partition.count(), partition.count()));
    for (row, &a) in matrix.rows().into_iter().zip(partition.modules()) {
        row.iter().zip(partition.modules()).for_each(|(value, &b)| between[[a, b]] += value);
    }
    between
}

fn quality(matrix: &Array2<f64>, modules: &[usize]) -> f64 {
    let partition = Partition::new(modules);
    between_modules(matrix, &partition).diag().sum()
}
