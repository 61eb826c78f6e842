//! AdamW, Adam and SGD over named parameters, with a state that can be saved and restored exactly.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, Param};
use burn::optim::GradientsParams;
use burn::tensor::{Tensor, TensorData, backend::AutodiffBackend, backend::Backend};
use pe_core::weights::{NamePath, Weights};
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::config::setting_error;

/// Which optimizer, with its settings. Names and formulas are those of PyTorch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizerConfig {
    /// The rule.
    pub kind: OptimizerKind,
    /// Learning rate, before the schedule.
    pub lr: f64,
    /// Weight decay: decoupled for AdamW, added to the gradient for Adam and SGD.
    #[serde(default)]
    pub weight_decay: f64,
    /// Decay rates of the two moments (Adam, AdamW).
    #[serde(default = "betas")]
    pub betas: [f64; 2],
    /// Added to the root of the second moment (Adam, AdamW).
    #[serde(default = "epsilon")]
    pub epsilon: f64,
    /// Momentum (SGD), without dampening.
    #[serde(default)]
    pub momentum: f64,
}

/// The rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimizerKind {
    /// Loshchilov & Hutter 2019.
    AdamW,
    /// Kingma & Ba 2015.
    Adam,
    /// Stochastic gradient descent with momentum.
    Sgd,
}

fn betas() -> [f64; 2] {
    [0.9, 0.999]
}

fn epsilon() -> f64 {
    1e-8
}

impl OptimizerConfig {
    pub(crate) fn validate(&self) -> Result<(), TrainError> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if !positive(self.lr) {
            return Err(setting_error("optimizer.lr", self.lr, "a finite number > 0"));
        }
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return Err(setting_error("optimizer.weight_decay", self.weight_decay, "a finite number >= 0"));
        }
        if let Some(beta) = self.betas.iter().find(|beta| !(0.0..1.0).contains(*beta)) {
            return Err(setting_error("optimizer.betas", beta, "two numbers in [0, 1)"));
        }
        if !positive(self.epsilon) {
            return Err(setting_error("optimizer.epsilon", self.epsilon, "a finite number > 0"));
        }
        if !(0.0..1.0).contains(&self.momentum) {
            return Err(setting_error("optimizer.momentum", self.momentum, "a number in [0, 1)"));
        }
        if self.momentum != 0.0 && self.kind != OptimizerKind::Sgd {
            return Err(setting_error("optimizer.momentum", self.momentum, "0 unless the kind is `sgd`"));
        }
        Ok(())
    }
}

/// The state of one parameter, flattened.
#[derive(Debug, Clone)]
struct Moments<B: Backend> {
    first: Tensor<B, 1>,
    /// Adam and AdamW only.
    second: Option<Tensor<B, 1>>,
}

/// An optimizer with its state. `B` is the backend with gradients.
pub struct Optimizer<B: AutodiffBackend> {
    config: OptimizerConfig,
    /// Steps taken. Every parameter with a gradient takes part in each, so that one count serves all.
    steps: usize,
    moments: BTreeMap<String, Moments<B::InnerBackend>>,
}

impl<B: AutodiffBackend> Optimizer<B> {
    /// An optimizer at its start.
    pub fn new(config: OptimizerConfig) -> Self {
        Self { config, steps: 0, moments: BTreeMap::new() }
    }

    /// One step: `lr` is the learning rate now. Parameters without a gradient stay.
    pub fn step<M: Module<B>>(&mut self, lr: f64, model: M, grads: GradientsParams) -> M {
        let mut update = Update { path: NamePath::default(), lr, grads, optimizer: self };
        let model = model.map(&mut update);
        self.steps += 1;
        model
    }

    /// The moments as named tensors, `first.<parameter>` and `second.<parameter>`.
    pub fn state(&self) -> Weights {
        let mut state = Weights::new();
        for (name, moments) in &self.moments {
            state.insert(format!("first.{name}"), moments.first.to_data());
            if let Some(second) = &moments.second {
                state.insert(format!("second.{name}"), second.to_data());
            }
        }
        state
    }

    /// An optimizer that goes on from a state after `steps` steps.
    pub fn with_state(config: OptimizerConfig, steps: u64, state: Weights, device: &B::Device) -> Self {
        let tensor = |data: &TensorData| Tensor::from_data(data.clone(), device);
        let moments = state.iter().filter_map(|(key, data)| {
            let name = key.strip_prefix("first.")?;
            let second = state.get(&format!("second.{name}")).map(tensor);
            Some((name.to_owned(), Moments { first: tensor(data), second }))
        });
        Self { config, steps: steps as usize, moments: moments.collect() }
    }

    /// The update of one flattened parameter.
    fn update(
        &mut self,
        name: String,
        lr: f64,
        value: Tensor<B::InnerBackend, 1>,
        grad: Tensor<B::InnerBackend, 1>,
    ) -> Tensor<B::InnerBackend, 1> {
        let old = self.moments.remove(&name);
        let (value, moments) = match self.config.kind {
            OptimizerKind::AdamW | OptimizerKind::Adam => self.adam(lr, value, grad, old),
            OptimizerKind::Sgd => self.sgd(lr, value, grad, old),
        };
        self.moments.insert(name, moments);
        value
    }

    /// `m = β₁m + (1-β₁)g`, `v = β₂v + (1-β₂)g²`, `w = w - lr/(1-β₁ᵗ) m / (√v/√(1-β₂ᵗ) + ε)`; weight decay shrinks `w`
    /// first (AdamW) or is part of `g` (Adam). burn's own rules correct the bias in f32, and so have a larger error.
    fn adam<I: Backend>(
        &self,
        lr: f64,
        value: Tensor<I, 1>,
        grad: Tensor<I, 1>,
        old: Option<Moments<I>>,
    ) -> (Tensor<I, 1>, Moments<I>) {
        let OptimizerConfig { betas: [beta_1, beta_2], epsilon, weight_decay, kind, .. } = self.config;
        let (value, grad) = match kind {
            _ if weight_decay == 0.0 => (value, grad),
            OptimizerKind::AdamW => (value * (1.0 - lr * weight_decay), grad),
            _ => (value.clone(), grad + value * weight_decay),
        };
        let (first, second) = (grad.clone() * (1.0 - beta_1), grad.square() * (1.0 - beta_2));
        let (first, second) = match old {
            Some(Moments { first: m, second: Some(v) }) => (m * beta_1 + first, v * beta_2 + second),
            _ => (first, second),
        };
        let time = (self.steps + 1) as f64;
        let (bias_1, bias_2) = (1.0 - beta_1.powf(time), 1.0 - beta_2.powf(time));
        let scale = second.clone().sqrt() / bias_2.sqrt() + epsilon;
        let value = value - first.clone() / scale * (lr / bias_1);
        (value, Moments { first, second: Some(second) })
    }

    /// `v = momentum v + g`, `w = w - lr v`: PyTorch's SGD without dampening. burn has the rule, but keeps its velocity
    /// to itself, where a checkpoint cannot reach it.
    fn sgd<I: Backend>(
        &self,
        lr: f64,
        value: Tensor<I, 1>,
        grad: Tensor<I, 1>,
        old: Option<Moments<I>>,
    ) -> (Tensor<I, 1>, Moments<I>) {
        let grad = grad + value.clone() * self.config.weight_decay;
        let velocity = match old {
            Some(old) => old.first * self.config.momentum + grad,
            None => grad,
        };
        let value = value - velocity.clone() * lr;
        (value, Moments { first: velocity, second: None })
    }
}

struct Update<'a, B: AutodiffBackend> {
    path: NamePath,
    lr: f64,
    grads: GradientsParams,
    optimizer: &'a mut Optimizer<B>,
}

impl<B: AutodiffBackend> ModuleMapper<B> for Update<'_, B> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<B, D>>) -> Param<Tensor<B, D>> {
        let (id, tensor, mapper) = param.consume();
        let tensor = match self.grads.remove::<B::InnerBackend, D>(id) {
            Some(grad) => {
                let shape = tensor.shape();
                let flat = |t: Tensor<B::InnerBackend, D>| {
                    let n = t.shape().num_elements();
                    t.reshape([n])
                };
                let (value, grad) = (flat(tensor.inner()), flat(grad));
                let value = self.optimizer.update(self.path.name(), self.lr, value, grad);
                Tensor::from_inner(value.reshape(shape)).require_grad()
            }
            None => tensor,
        };
        Param::from_mapped_value(id, tensor, mapper)
    }
}
