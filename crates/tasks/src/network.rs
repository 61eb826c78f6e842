//! Stochastic rate networks whose nodes have a known place or module, and whose activity shows it.
//!
//! `x' = -x + f(g W x) + noise` on a graph `W` with a ground truth: coordinates, modules, or both. The equation, its
//! settings and the graphs are this project's own protocol; the paper that names such a task gives none of them.

mod config;
mod coupling;
mod data;
mod dynamics;
mod error;
mod files;
mod graph;
mod graph_config;
mod kernel;
mod layout;
mod lyapunov;
mod modular;
mod simulate;
mod spatial;
mod spectrum;
mod stats;
mod warning;

pub use config::NetworkConfig;
pub use coupling::Coupling;
pub use data::NetworkData;
pub use dynamics::{DynamicsConfig, Integrator, Nonlinearity, Storage};
pub use error::{Access, NetworkError};
pub use files::{RECORD, Record};
pub use graph::Graph;
pub use graph_config::{
    GraphConfig, GridConfig, ModularConfig, PointsConfig, RingConfig, SpatialModulesConfig,
};
pub use layout::Layout;
pub use lyapunov::{linear_covariance, lyapunov, stein};
pub use simulate::{Operator, simulate, simulate_from};
pub use spectrum::spectral_radius;
pub use stats::NetworkStats;
pub use warning::NetworkWarning;
