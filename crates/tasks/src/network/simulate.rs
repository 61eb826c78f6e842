//! One simulation.

use ndarray::Array2;
use pulp::Arch;
use rand::RngExt;
use rand_distr::StandardNormal;
use streams::StreamRng;

use super::kernel::{self, LANES};
use super::{Coupling, DynamicsConfig, Integrator, NetworkError, Storage};

/// Activity beyond this has run away: noise and `f` keep it near 1.
const BOUND: f64 = 1e8;

/// At most this share of all pairs coupled makes sparse rows the faster ones.
const SPARSE_BELOW: f64 = 0.125;

/// A coupling in the form in which it is applied.
#[derive(Debug, Clone)]
pub struct Operator {
    nodes: usize,
    /// Length of a state: the nodes, padded with zeros.
    stride: usize,
    form: Form,
    arch: Arch,
}

#[derive(Debug, Clone)]
enum Form {
    Dense(Vec<f64>),
    Sparse(Coupling),
}

impl Operator {
    /// The coupling, dense or in sparse rows.
    pub fn new(coupling: &Coupling, storage: Storage) -> Self {
        let nodes = coupling.nodes();
        let stride = nodes.next_multiple_of(LANES);
        let sparse = match storage {
            Storage::Auto => coupling.density() <= SPARSE_BELOW,
            Storage::Dense => false,
            Storage::Sparse => true,
        };
        let form = if sparse {
            Form::Sparse(coupling.clone())
        } else {
            let mut weights = vec![0.0; nodes * stride];
            for i in 0..nodes {
                for (j, weight) in coupling.row(i) {
                    weights[i * stride + j] = weight;
                }
            }
            Form::Dense(weights)
        };
        Self { nodes, stride, form, arch: Arch::new() }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether only the weights that are not 0 are held.
    pub fn is_sparse(&self) -> bool {
        matches!(self.form, Form::Sparse(_))
    }

    /// `slopes[..nodes] = -x + f(g W x)`
    fn slopes(&self, dynamics: &DynamicsConfig, x: &[f64], slopes: &mut [f64]) {
        let slopes = &mut slopes[..self.nodes];
        match &self.form {
            Form::Dense(weights) => kernel::dense(self.arch, weights, x, slopes),
            Form::Sparse(coupling) => {
                let (offsets, columns, weights) = coupling.parts();
                kernel::sparse(offsets, columns, weights, x, slopes);
            }
        }
        kernel::slopes(self.arch, dynamics.nonlinearity, dynamics.gain, &x[..self.nodes], slopes);
    }
}

/// Frames of one simulation from `x = 0`, `[frames, nodes]`: the state after the burn-in and `every` steps, after
/// another `every`, and so on. The noise of each step is drawn node by node from `rng`.
///
/// The dynamics are not [checked](DynamicsConfig::check) against the coupling here.
///
/// # Errors
/// [`NetworkError::Setting`] if the settings are not valid, [`NetworkError::Diverged`] if activity runs away.
pub fn simulate(
    operator: &Operator,
    dynamics: &DynamicsConfig,
    frames: usize,
    rng: &mut StreamRng,
) -> Result<Array2<f32>, NetworkError> {
    simulate_from(operator, dynamics, &vec![0.0; operator.nodes], frames, rng)
}

/// The same from another start, `[nodes]`.
///
/// # Errors
/// Those of [`simulate`], and [`NetworkError::Shape`] if the start has not one number a node.
pub fn simulate_from(
    operator: &Operator,
    dynamics: &DynamicsConfig,
    start: &[f64],
    frames: usize,
    rng: &mut StreamRng,
) -> Result<Array2<f32>, NetworkError> {
    dynamics.validate()?;
    if start.len() != operator.nodes {
        let (what, expected) = ("start", format!("{} nodes", operator.nodes));
        return Err(NetworkError::Shape { what, expected, got: start.len().to_string() });
    }
    let mut state = State::new(operator, dynamics);
    state.x[..start.len()].copy_from_slice(start);
    state.advance(dynamics.burn_in, rng);
    let mut series = Array2::zeros((frames, operator.nodes));
    for mut frame in series.rows_mut() {
        state.advance(dynamics.every, rng);
        frame.iter_mut().zip(state.checked()?).for_each(|(value, x)| *value = *x as f32);
    }
    Ok(series)
}

/// The state of a network, and room for the parts of a step.
struct State<'a> {
    operator: &'a Operator,
    dynamics: &'a DynamicsConfig,
    x: Vec<f64>,
    slopes: Vec<f64>,
    noise: Vec<f64>,
    /// The end of the step by Euler's rule, and the slopes there.
    predicted: [Vec<f64>; 2],
    steps: usize,
}

impl<'a> State<'a> {
    fn new(operator: &'a Operator, dynamics: &'a DynamicsConfig) -> Self {
        let zeros = || vec![0.0; operator.stride];
        let predicted = [zeros(), zeros()];
        Self { operator, dynamics, x: zeros(), slopes: zeros(), noise: zeros(), predicted, steps: 0 }
    }

    fn advance(&mut self, steps: usize, rng: &mut StreamRng) {
        for _ in 0..steps {
            self.draw(rng);
            match self.dynamics.integrator {
                Integrator::EulerMaruyama => self.euler(),
                Integrator::Heun => self.heun(),
            }
        }
        self.steps += steps;
    }

    fn draw(&mut self, rng: &mut StreamRng) {
        let size = self.dynamics.noise * self.dynamics.dt.sqrt();
        if size > 0.0 {
            let nodes = self.operator.nodes;
            self.noise[..nodes].fill_with(|| size * rng.sample::<f64, _>(StandardNormal));
        }
    }

    fn euler(&mut self) {
        self.operator.slopes(self.dynamics, &self.x, &mut self.slopes);
        let dt = self.dynamics.dt;
        for ((x, slope), noise) in self.x.iter_mut().zip(&self.slopes).zip(&self.noise) {
            *x += dt * slope + noise;
        }
    }

    fn heun(&mut self) {
        let dt = self.dynamics.dt;
        let [end, end_slopes] = &mut self.predicted;
        self.operator.slopes(self.dynamics, &self.x, &mut self.slopes);
        for (i, end) in end.iter_mut().enumerate() {
            *end = self.x[i] + dt * self.slopes[i] + self.noise[i];
        }
        self.operator.slopes(self.dynamics, end, end_slopes);
        for (i, x) in self.x.iter_mut().enumerate() {
            *x += 0.5 * dt * (self.slopes[i] + end_slopes[i]) + self.noise[i];
        }
    }

    /// The activity of the nodes, unless it ran away.
    fn checked(&self) -> Result<&[f64], NetworkError> {
        let x = &self.x[..self.operator.nodes];
        match x.iter().position(|value| value.is_nan() || value.abs() >= BOUND) {
            None => Ok(x),
            Some(node) => {
                Err(NetworkError::Diverged { bound: BOUND, step: self.steps, node, value: x[node] })
            }
        }
    }
}
