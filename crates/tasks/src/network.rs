//! Stochastic rate networks whose nodes have a known place or module, and whose activity shows it.
//!
//! `x' = -x + f(g W x) + noise` on a graph `W` with a ground truth: coordinates, modules, or both. The equation, its
//! settings and the graphs are this project's own protocol; the paper that names such a task gives none of them.
//!
//! ```rust
//! use streams::Streams;
//! use tasks::masked::{MaskedConfig, MaskedData, Part, baseline};
//! use tasks::network::{NetworkConfig, NetworkData};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A 6 x 6 grid and 4 subjects, by default of 1,200 frames; here fewer.
//! let config = NetworkConfig { frames: 300, ..NetworkConfig::default() };
//! let streams = Streams::new(2235);
//! let network = NetworkData::generate(&config, &streams)?;
//! for warning in network.warnings() {
//!     eprintln!("{warning}"); // nothing to predict, ground truth hidden, ...
//! }
//!
//! // Half of the nodes masked in training; one subject held out.
//! let data = MaskedData::new(network.recordings(), &MaskedConfig::default(), &streams)?;
//! let batch = data.train_batch(0, 0)?;
//! assert_eq!(batch.tokens.len(), 64 * 36 * 2); // items x nodes x (value, flag)
//! assert_eq!(batch.targets.len(), 64 * 18); // of the masked nodes, `batch.masks`
//!
//! // What a model is to be held against, on masks of 15, 50, 75 and 90 %.
//! let baselines = baseline::standard(&data, Some(&network.graph.distances()), None)?;
//! for row in baseline::table(&data, Part::HeldOut, &baselines)? {
//!     println!("{} at {}: MSE {:?}", row.baseline, row.fraction, row.mse);
//! }
//! # Ok(())
//! # }
//! ```

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
pub use files::{FileRecord, RECORD, Record};
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
