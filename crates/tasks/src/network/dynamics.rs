//! The equation of motion and how it is integrated.

use serde::{Deserialize, Serialize};

use super::error::check;
use super::spectrum::radius_of;
use super::{Coupling, NetworkError};

/// `x' = -x + f(g W x) + s ξ(t)`, with white noise ξ that is independent between nodes.
///
/// The defaults are the setting at which a 6 x 6 grid has something to learn: at a gain of 0.9 correlations are weak,
/// and at 1.2 the whole network settles into one of two wells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DynamicsConfig {
    /// `f`.
    pub nonlinearity: Nonlinearity,
    /// `g`, at least 0. Rows of `W` are normalised, so that this is the strength of all coupling.
    pub gain: f64,
    /// `s`: one step adds noise of standard deviation `s sqrt(dt)` to each node.
    pub noise: f64,
    /// The step, in units of a node's own time constant.
    pub dt: f64,
    /// How a step is taken.
    pub integrator: Integrator,
    /// Steps that are left out at the beginning, from `x = 0`.
    pub burn_in: usize,
    /// Steps between frames.
    pub every: usize,
    /// How the coupling is held. It can change the last bits of the result, nothing else.
    pub storage: Storage,
}

/// `f` of the equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nonlinearity {
    /// Slope 1 at 0, between -1 and 1.
    Tanh,
    /// `1 / (1 + exp(-u))`: slope 1/4 at 0, between 0 and 1.
    Logistic,
    /// `max(u, 0)`, without a ceiling.
    Relu,
    /// `u` itself: the Ornstein-Uhlenbeck process, whose covariance is known.
    Linear,
}

/// How a step is taken. With additive noise, Itô and Stratonovich agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Integrator {
    /// One evaluation a step; weak order 1.
    EulerMaruyama,
    /// The average of the slopes at both ends of the step, with one draw of noise; weak order 2 with additive noise
    /// (Kloeden & Platen 1992, ch. 14 and 15).
    Heun,
}

/// How the coupling is held while it is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// Sparse where at most an eighth of the couplings are there, else dense.
    Auto,
    /// Every pair.
    Dense,
    /// Compressed sparse rows.
    Sparse,
}

impl Default for DynamicsConfig {
    fn default() -> Self {
        Self {
            nonlinearity: Nonlinearity::Tanh,
            gain: 1.0,
            noise: 0.3,
            dt: 0.1,
            integrator: Integrator::EulerMaruyama,
            burn_in: 1000,
            every: 10,
            storage: Storage::Auto,
        }
    }
}

impl Nonlinearity {
    /// The steepest slope.
    pub fn slope(self) -> f64 {
        if self == Nonlinearity::Logistic { 0.25 } else { 1.0 }
    }

    /// The name in configs, if it has no ceiling.
    fn unbounded(self) -> Option<&'static str> {
        match self {
            Nonlinearity::Relu => Some("relu"),
            Nonlinearity::Linear => Some("linear"),
            Nonlinearity::Tanh | Nonlinearity::Logistic => None,
        }
    }
}

impl DynamicsConfig {
    /// Checks each setting by itself.
    ///
    /// # Errors
    /// [`NetworkError::Setting`], naming the first setting that is wrong.
    pub fn validate(&self) -> Result<(), NetworkError> {
        let Self { gain, noise, dt, .. } = *self;
        check("dynamics.gain", gain >= 0.0 && gain.is_finite(), "at least 0", gain)?;
        check("dynamics.noise", noise >= 0.0 && noise.is_finite(), "at least 0", noise)?;
        check("dynamics.dt", dt > 0.0 && dt.is_finite(), "above 0", dt)?;
        check("dynamics.every", self.every > 0, "at least 1", self.every)
    }

    /// Checks the dynamics on one coupling, before anything is simulated.
    ///
    /// With `ρ` the spectral radius and `a` the steepest slope: the step is stable for every eigenvalue of a coupling
    /// with `g a ρ < 1` if and only if, at worst, `dt < 2 / (1 + g a ρ)`, for both integrators. Without a ceiling of
    /// `f`, activity is bounded if `g` times the spectral radius of the excitatory part is below 1, because inhibition
    /// only lowers activity below that of the excitatory part alone.
    ///
    /// # Errors
    /// [`NetworkError::StepTooLarge`], [`NetworkError::Unbounded`], and those of [`DynamicsConfig::validate`].
    pub fn check(&self, coupling: &Coupling) -> Result<(), NetworkError> {
        self.validate()?;
        if let Some(nonlinearity) = self.nonlinearity.unbounded() {
            // A linear node can be driven below 0, where inhibition drives up: all weights count.
            let part = if self.nonlinearity == Nonlinearity::Relu {
                coupling.map(|w| w.max(0.0))
            } else {
                coupling.clone()
            };
            let (gain, radius) = (self.gain, radius_of(&part));
            let product = gain * radius;
            if product >= 1.0 {
                return Err(NetworkError::Unbounded { nonlinearity, gain, radius, product });
            }
        }
        let limit = 2.0 / (1.0 + self.growth(radius_of(coupling)));
        if self.dt >= limit {
            return Err(NetworkError::StepTooLarge { dt: self.dt, limit });
        }
        Ok(())
    }

    /// Gain times slope times spectral radius: at 1 the slowest mode stops decaying.
    pub(crate) fn growth(&self, radius: f64) -> f64 {
        self.gain * self.nonlinearity.slope() * radius
    }
}
