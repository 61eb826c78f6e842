//! A graph with a ground truth: where its nodes are, or which module each belongs to.

use ndarray::Array2;
use streams::{Stream, Streams};

use super::{Coupling, GraphConfig, Layout, NetworkError, modular, spatial};

/// A connected graph, and what a positional encoding could uncover of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    coupling: Coupling,
    layout: Option<Layout>,
    modules: Option<Vec<usize>>,
}

impl Graph {
    /// The graph of these settings; what is random in it comes from the sub-stream `network/graph` of `data`.
    ///
    /// # Errors
    /// [`NetworkError::Setting`] for a setting that is wrong, [`NetworkError::Disconnected`] if the graph falls apart.
    pub fn build(config: &GraphConfig, streams: &Streams) -> Result<Self, NetworkError> {
        config.validate()?;
        let mut rng = streams.rng_for(Stream::Data, "network/graph");
        let (graph, remedy) = match config {
            GraphConfig::Grid(grid) => {
                let layout = Layout::grid(&grid.sides, grid.periodic);
                (spatial::graph(layout, grid.length, grid.cutoff), "raise `length` or lower `cutoff`")
            }
            GraphConfig::Ring(ring) => {
                let layout = Layout::grid(&[ring.nodes], true);
                (spatial::graph(layout, ring.length, ring.cutoff), "raise `length` or lower `cutoff`")
            }
            GraphConfig::Points(points) => (
                spatial::graph(spatial::scattered(points, &mut rng), points.length, points.cutoff),
                "raise `length` or `nodes`, lower `extent`, or try another seed",
            ),
            GraphConfig::Modular(config) => {
                (modular::graph(config, &mut rng), "raise `between` or `within`, or try another seed")
            }
            GraphConfig::SpatialModules(config) => (
                modular::in_space(config, &mut rng),
                "raise `length`, `between` or `scatter`, lower `extent`, or try another seed",
            ),
        };
        graph.connected(remedy)
    }

    pub(crate) fn new(coupling: Coupling, layout: Option<Layout>, modules: Option<Vec<usize>>) -> Self {
        Self { coupling: coupling.normalised(), layout, modules }
    }

    /// As it was saved: rows are normalised already.
    pub(crate) fn from_parts(
        coupling: Coupling,
        layout: Option<Layout>,
        modules: Option<Vec<usize>>,
    ) -> Self {
        Self { coupling, layout, modules }
    }

    fn connected(self, remedy: &'static str) -> Result<Self, NetworkError> {
        let part = self.coupling.parts_of_nodes();
        let parts = part.iter().max().map_or(0, |last| last + 1);
        if parts == 1 {
            return Ok(self);
        }
        let size = |which: usize| part.iter().filter(|&&one| one == which).count();
        let (reached, smallest) = (0..parts).map(|which| (size(which), which)).min().unwrap_or_default();
        let node = part.iter().position(|&one| one == smallest).unwrap_or_default();
        Err(NetworkError::Disconnected { nodes: self.nodes(), parts, node, reached, remedy })
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.coupling.nodes()
    }

    /// `W`: no node reads itself, and the absolute weights of each row add up to 1.
    pub fn coupling(&self) -> &Coupling {
        &self.coupling
    }

    /// Where the nodes are, if they are anywhere.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// The module of each node, counted from 0, if there are modules.
    pub fn modules(&self) -> Option<&[usize]> {
        self.modules.as_deref()
    }

    /// The ground truth as distances, `[nodes, nodes]`: those of the layout, or, for modules that lie nowhere, 0 within
    /// a module and 1 between (0 for a node with itself).
    pub fn distances(&self) -> Array2<f64> {
        let n = self.nodes();
        match (&self.layout, &self.modules) {
            (Some(layout), _) => Array2::from_shape_fn((n, n), |(i, j)| layout.squared_distance(i, j).sqrt()),
            (None, Some(module)) => {
                Array2::from_shape_fn((n, n), |(i, j)| f64::from(u8::from(module[i] != module[j])))
            }
            (None, None) => Array2::zeros((n, n)),
        }
    }
}
