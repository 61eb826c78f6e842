//! Which graph: its nodes, and what couples them.

use serde::{Deserialize, Serialize};

use super::NetworkError;
use super::error::check;

/// The most nodes of a graph: matrices of all pairs are made for its statistics.
pub(crate) const MAX_NODES: usize = 10_000;

/// A graph with a ground truth. In a file: `kind = "grid"`, then its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GraphConfig {
    /// Nodes on a grid of 1, 2, 3 or more axes.
    Grid(GridConfig),
    /// Nodes on a circle.
    Ring(RingConfig),
    /// Nodes anywhere in a box.
    Points(PointsConfig),
    /// Modules that lie nowhere.
    Modular(ModularConfig),
    /// Modules that are clusters in space.
    SpatialModules(SpatialModulesConfig),
}

/// A grid whose nodes are one step apart; the last axis runs fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GridConfig {
    /// Nodes along each axis.
    pub sides: Vec<usize>,
    /// Whether each axis closes upon itself. A closed axis has at least 3 nodes.
    pub periodic: bool,
    /// `l` of the coupling `exp(-d²/2l²)`, in steps.
    pub length: f64,
    /// Couplings below this, before rows are normalised, are left out; 0 keeps all. It makes large grids sparse.
    pub cutoff: f64,
}

/// Nodes on a circle, one step apart along it: a grid of one closed axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RingConfig {
    /// Nodes, at least 3.
    pub nodes: usize,
    /// `l` of the coupling `exp(-d²/2l²)`, in steps along the circle.
    pub length: f64,
    /// As in [`GridConfig::cutoff`].
    pub cutoff: f64,
}

/// Nodes that are independent and uniform in a box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PointsConfig {
    /// Nodes.
    pub nodes: usize,
    /// The sides of the box, one an axis.
    pub extent: Vec<f64>,
    /// Whether the box closes upon itself.
    pub periodic: bool,
    /// `l` of the coupling `exp(-d²/2l²)`, in the unit of `extent`.
    pub length: f64,
    /// As in [`GridConfig::cutoff`].
    pub cutoff: f64,
}

/// A stochastic block model (Holland et al. 1983): two nodes are joined, both ways, with a probability that depends
/// on whether they share a module.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModularConfig {
    /// Nodes of each module; at least 2 modules.
    pub sizes: Vec<usize>,
    /// The probability of an edge within a module.
    pub within: f64,
    /// The probability of an edge between modules.
    pub between: f64,
    /// The weight of an edge is log-normal, `exp(spread · z)`; 0 makes all equal.
    pub weight_spread: f64,
    /// The share of nodes, over all modules, whose outgoing weights are negative.
    pub inhibitory: f64,
}

/// Modules that are clusters in a box: `exp(-d²/2l²)`, times `between` for nodes of different modules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SpatialModulesConfig {
    /// Nodes of each module; at least 2 modules.
    pub sizes: Vec<usize>,
    /// The sides of the box in which the centres of the modules are uniform, one an axis.
    pub extent: Vec<f64>,
    /// The standard deviation of a node about its module's centre, along each axis.
    pub scatter: f64,
    /// `l` of the coupling, in the unit of `extent`.
    pub length: f64,
    /// What the coupling between modules is multiplied by, 0 to 1.
    pub between: f64,
    /// As in [`GridConfig::cutoff`].
    pub cutoff: f64,
}

impl Default for GraphConfig {
    fn default() -> Self {
        GraphConfig::Grid(GridConfig::default())
    }
}

impl Default for GridConfig {
    fn default() -> Self {
        Self { sides: vec![6, 6], periodic: false, length: 1.0, cutoff: 0.0 }
    }
}

impl Default for RingConfig {
    fn default() -> Self {
        Self { nodes: 36, length: 1.0, cutoff: 0.0 }
    }
}

impl Default for PointsConfig {
    fn default() -> Self {
        Self { nodes: 36, extent: vec![6.0, 6.0], periodic: false, length: 1.0, cutoff: 0.0 }
    }
}

impl Default for ModularConfig {
    fn default() -> Self {
        Self { sizes: vec![9; 4], within: 0.8, between: 0.05, weight_spread: 0.0, inhibitory: 0.0 }
    }
}

impl Default for SpatialModulesConfig {
    fn default() -> Self {
        Self {
            sizes: vec![9; 4],
            extent: vec![6.0, 6.0],
            scatter: 0.8,
            length: 1.0,
            between: 0.5,
            cutoff: 0.0,
        }
    }
}

impl GraphConfig {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.sides.iter().fold(1, |nodes: usize, &side| nodes.saturating_mul(side)),
            Self::Ring(ring) => ring.nodes,
            Self::Points(points) => points.nodes,
            Self::Modular(ModularConfig { sizes, .. })
            | Self::SpatialModules(SpatialModulesConfig { sizes, .. }) => {
                sizes.iter().fold(0, |nodes: usize, &size| nodes.saturating_add(size))
            }
        }
    }

    /// Coordinates of a node: 0 for modules that lie nowhere.
    pub fn axes(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.sides.len(),
            Self::Ring(_) => 1,
            Self::Points(points) => points.extent.len(),
            Self::Modular(_) => 0,
            Self::SpatialModules(modules) => modules.extent.len(),
        }
    }

    /// Checks each setting by itself. Whether the graph is connected only its making can tell.
    ///
    /// # Errors
    /// [`NetworkError::Setting`], naming the first setting that is wrong.
    pub fn validate(&self) -> Result<(), NetworkError> {
        let expected = format!("2 to {MAX_NODES} nodes in all");
        check("graph", (2..=MAX_NODES).contains(&self.nodes()), &expected, self.nodes())?;
        match self {
            Self::Grid(grid) => {
                let least = if grid.periodic { 3 } else { 1 };
                let valid = !grid.sides.is_empty() && grid.sides.iter().all(|&side| side >= least);
                let expected = format!("one side an axis, each at least {least}");
                check("graph.sides", valid, &expected, format!("{:?}", grid.sides))?;
                kernel(grid.length, grid.cutoff)
            }
            Self::Ring(ring) => {
                check("graph.nodes", ring.nodes >= 3, "at least 3", ring.nodes)?;
                kernel(ring.length, ring.cutoff)
            }
            Self::Points(points) => {
                extent(&points.extent)?;
                kernel(points.length, points.cutoff)
            }
            Self::Modular(config) => {
                sizes(&config.sizes)?;
                share("graph.within", config.within)?;
                share("graph.between", config.between)?;
                check(
                    "graph.weight_spread",
                    (0.0..=5.0).contains(&config.weight_spread),
                    "0 to 5",
                    config.weight_spread,
                )?;
                share("graph.inhibitory", config.inhibitory)
            }
            Self::SpatialModules(config) => {
                sizes(&config.sizes)?;
                extent(&config.extent)?;
                let scatter = config.scatter;
                check("graph.scatter", scatter > 0.0 && scatter.is_finite(), "above 0", scatter)?;
                share("graph.between", config.between)?;
                kernel(config.length, config.cutoff)
            }
        }
    }
}

fn kernel(length: f64, cutoff: f64) -> Result<(), NetworkError> {
    check("graph.length", length > 0.0 && length.is_finite(), "above 0", length)?;
    check("graph.cutoff", (0.0..1.0).contains(&cutoff), "at least 0 and below 1", cutoff)
}

fn extent(extent: &[f64]) -> Result<(), NetworkError> {
    let valid = !extent.is_empty() && extent.iter().all(|&side| side > 0.0 && side.is_finite());
    check("graph.extent", valid, "one side an axis, each above 0", format!("{extent:?}"))
}

fn sizes(sizes: &[usize]) -> Result<(), NetworkError> {
    let valid = sizes.len() >= 2 && sizes.iter().all(|&size| size > 0);
    check("graph.sizes", valid, "at least 2 modules of at least 1 node", format!("{sizes:?}"))
}

fn share(key: &'static str, share: f64) -> Result<(), NetworkError> {
    check(key, (0.0..=1.0).contains(&share), "0 to 1", share)
}
