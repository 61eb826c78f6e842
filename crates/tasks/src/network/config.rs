//! What to simulate.

use serde::{Deserialize, Serialize};

use super::error::check;
use super::{DynamicsConfig, GraphConfig, NetworkError};

/// The settings of [`NetworkData::generate`](super::NetworkData::generate). The default is the 6 x 6 grid of the
/// project's protocol, 4 subjects of 1,200 frames: 3 to train on, 1 to hold out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkConfig {
    /// The graph, which all subjects share.
    pub graph: GraphConfig,
    /// The equation and its integration.
    pub dynamics: DynamicsConfig,
    /// Independent simulations, at least 1; they differ in their noise.
    pub subjects: usize,
    /// Frames of each subject, at least 2.
    pub frames: usize,
    /// How much subjects differ in their weights as well: each is multiplied by `exp(jitter · z)`, independently, and
    /// rows are normalised again. 0 gives all the same.
    pub weight_jitter: f64,
}

impl Default for NetworkConfig {
    fn default() -> Self {
        Self {
            graph: GraphConfig::default(),
            dynamics: DynamicsConfig::default(),
            subjects: 4,
            frames: 1200,
            weight_jitter: 0.0,
        }
    }
}

/// The most values of all subjects together: 4 GiB of them.
const MAX_VALUES: usize = 1 << 30;

impl NetworkConfig {
    /// Checks each setting by itself, before anything is allocated.
    ///
    /// # Errors
    /// [`NetworkError::Setting`], naming the first setting that is wrong.
    pub fn validate(&self) -> Result<(), NetworkError> {
        self.graph.validate()?;
        self.dynamics.validate()?;
        check("subjects", self.subjects > 0, "at least 1", self.subjects)?;
        check("frames", self.frames > 1, "at least 2", self.frames)?;
        let values = self.subjects.saturating_mul(self.frames).saturating_mul(self.graph.nodes());
        let expected = format!("subjects x frames x nodes of at most {MAX_VALUES}");
        check("frames", values <= MAX_VALUES, &expected, values)?;
        check("weight_jitter", (0.0..=5.0).contains(&self.weight_jitter), "0 to 5", self.weight_jitter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{GridConfig, ModularConfig, PointsConfig, RingConfig, SpatialModulesConfig};

    fn with(graph: GraphConfig) -> NetworkConfig {
        NetworkConfig { graph, ..NetworkConfig::default() }
    }

    fn moving(change: impl FnOnce(&mut DynamicsConfig)) -> NetworkConfig {
        let mut config = NetworkConfig::default();
        change(&mut config.dynamics);
        config
    }

    #[test]
    fn each_wrong_setting_is_named() {
        NetworkConfig::default().validate().unwrap();
        let grid = |sides, periodic| GraphConfig::Grid(GridConfig { sides, periodic, ..Default::default() });
        let modular = ModularConfig::default;
        for (key, config) in [
            ("graph", with(grid(vec![1], false))),
            ("graph", with(grid(vec![usize::MAX, 2], false))),
            ("graph", with(grid(vec![2, 0], false))),
            ("graph.sides", with(grid(vec![2, 6], true))),
            ("graph.length", with(GraphConfig::Ring(RingConfig { length: 0.0, ..Default::default() }))),
            (
                "graph.extent",
                with(GraphConfig::Points(PointsConfig { extent: vec![], ..Default::default() })),
            ),
            ("graph.sizes", with(GraphConfig::Modular(ModularConfig { sizes: vec![9], ..modular() }))),
            ("graph.within", with(GraphConfig::Modular(ModularConfig { within: 1.1, ..modular() }))),
            ("graph.inhibitory", with(GraphConfig::Modular(ModularConfig { inhibitory: -0.1, ..modular() }))),
            (
                "graph.scatter",
                with(GraphConfig::SpatialModules(SpatialModulesConfig {
                    scatter: f64::NAN,
                    ..Default::default()
                })),
            ),
            ("dynamics.gain", moving(|d| d.gain = f64::INFINITY)),
            ("dynamics.noise", moving(|d| d.noise = -1.0)),
            ("dynamics.dt", moving(|d| d.dt = 0.0)),
            ("dynamics.every", moving(|d| d.every = 0)),
            ("subjects", NetworkConfig { subjects: 0, ..Default::default() }),
            ("frames", NetworkConfig { frames: 1, ..Default::default() }),
            ("frames", NetworkConfig { frames: usize::MAX, ..Default::default() }),
            ("weight_jitter", NetworkConfig { weight_jitter: f64::NAN, ..Default::default() }),
        ] {
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(&format!("`{key}`")) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn serde_fills_in_defaults_and_refuses_unknown_settings() {
        let text = r#"{"graph": {"kind": "grid", "sides": [4]}, "dynamics": {"gain": 0.5}}"#;
        let config: NetworkConfig = serde_json::from_str(text).unwrap();
        let GraphConfig::Grid(grid) = &config.graph else { panic!("{config:?}") };
        assert_eq!(grid, &GridConfig { sides: vec![4], ..Default::default() });
        assert_eq!(config.dynamics, DynamicsConfig { gain: 0.5, ..Default::default() });
        let round: NetworkConfig = serde_json::from_str(&serde_json::to_string(&config).unwrap()).unwrap();
        assert_eq!(round, config);
        for wrong in [
            r#"{"graf": {}}"#,
            r#"{"graph": {"kind": "grid", "side": [4]}}"#,
            r#"{"graph": {"kind": "tree"}}"#,
            r#"{"dynamics": {"gian": 1}}"#,
        ] {
            assert!(serde_json::from_str::<NetworkConfig>(wrong).is_err(), "{wrong}");
        }
    }
}
