//! The optimizers against PyTorch's formulas, written out here in f64.

use burn::module::{Module, Param};
use burn::optim::{AdamWConfig, GradientsParams, SimpleOptimizer};
use burn::tensor::{Tensor, TensorData, backend::Backend};
use pe_core::weights::weights;
use pe_core::{Cpu, TrainCpu};
use train::clip::clip_global_norm;
use train::optimizer::{Optimizer, OptimizerConfig, OptimizerKind};

#[derive(Module, Debug)]
struct Two<B: Backend> {
    vector: Param<Tensor<B, 1>>,
    matrix: Param<Tensor<B, 2>>,
}

type Model = Two<TrainCpu>;

fn model(values: &[f64]) -> Model {
    let (vector, matrix) = halves(values);
    Two { vector: Param::from_tensor(vector), matrix: Param::from_tensor(matrix) }
}

/// Four numbers as a vector, the rest as a matrix of two rows.
fn halves<B: Backend>(values: &[f64]) -> (Tensor<B, 1>, Tensor<B, 2>) {
    let values: Vec<f32> = values.iter().map(|v| *v as f32).collect();
    let rest = values.len() - 4;
    let data = TensorData::new(values[4..].to_vec(), [2, rest / 2]);
    (
        Tensor::from_data(TensorData::new(values[..4].to_vec(), [4]), &Default::default()),
        Tensor::from_data(data, &Default::default()),
    )
}

fn values(model: &Model) -> Vec<f64> {
    let all = weights::<TrainCpu, _>(model);
    let flat = |name: &str| all[name].to_vec::<f32>().unwrap();
    [flat("vector"), flat("matrix")].concat().into_iter().map(f64::from).collect()
}

/// Gradients with these values: those of the sum of parameter times value.
fn gradients(model: &Model, grads: &[f64]) -> GradientsParams {
    let (vector, matrix) = halves::<TrainCpu>(grads);
    let loss = (model.vector.val() * vector).sum() + (model.matrix.val() * matrix).sum();
    GradientsParams::from_grads(loss.backward(), model)
}

/// Gradients over many sizes, down to where epsilon counts, with zeros and changes of sign; f32 like the optimizer's.
fn gradient(step: usize) -> Vec<f64> {
    let sizes = [1.0, -0.3, 1e-3, 1e-8, -1e-8, 1e-12, 0.0, 30.0];
    let wave = |i: usize| ((1 + step * (i + 3)) as f64).sin() + 0.5;
    sizes.iter().enumerate().map(|(i, size)| f64::from((size * wave(i)) as f32)).collect()
}

const START: [f64; 8] = [0.5, -0.25, 0.0, 0.001, -0.002, 0.0, 1.0, -2.0];

fn config(kind: OptimizerKind, lr: f64) -> OptimizerConfig {
    OptimizerConfig { kind, lr, weight_decay: 0.0, betas: [0.9, 0.999], epsilon: 1e-8, momentum: 0.0 }
}

/// PyTorch's rules, element by element.
struct Oracle {
    config: OptimizerConfig,
    time: i32,
    weights: Vec<f64>,
    moments: Vec<[f64; 2]>,
}

impl Oracle {
    fn new(config: &OptimizerConfig) -> Self {
        Self {
            config: config.clone(),
            time: 0,
            weights: START.to_vec(),
            moments: vec![[0.0; 2]; START.len()],
        }
    }

    fn step(&mut self, lr: f64, grads: &[f64]) {
        self.time += 1;
        let OptimizerConfig { kind, weight_decay, betas, epsilon, momentum, .. } = self.config;
        for ((w, [m, v]), &g) in self.weights.iter_mut().zip(&mut self.moments).zip(grads) {
            if kind == OptimizerKind::AdamW {
                *w -= lr * weight_decay * *w;
            }
            let g = if kind == OptimizerKind::AdamW { g } else { g + weight_decay * *w };
            if kind == OptimizerKind::Sgd {
                *m = if self.time == 1 { g } else { momentum * *m + g };
                *w -= lr * *m;
                continue;
            }
            *m = betas[0] * *m + (1.0 - betas[0]) * g;
            *v = betas[1] * *v + (1.0 - betas[1]) * g * g;
            let m_hat = *m / (1.0 - betas[0].powi(self.time));
            let v_hat = *v / (1.0 - betas[1].powi(self.time));
            *w -= lr * m_hat / (v_hat.sqrt() + epsilon);
        }
    }
}

/// Largest difference after so many steps, with a learning rate that changes on the way.
fn largest_difference(config: &OptimizerConfig, steps: usize) -> f64 {
    let mut oracle = Oracle::new(config);
    let (mut model, mut optimizer) = (model(&START), Optimizer::<TrainCpu>::new(config.clone()));
    let mut largest = 0f64;
    for step in 0..steps {
        let (grads, lr) = (gradient(step), config.lr / (1.0 + step as f64));
        oracle.step(lr, &grads);
        let params = gradients(&model, &grads);
        model = optimizer.step(lr, model, params);
        for (ours, exact) in values(&model).iter().zip(&oracle.weights) {
            largest = largest.max((ours - exact).abs());
        }
    }
    largest
}

/// Weights of size 2 have a spacing of 2.4e-7 in f32, half of which each of 20 steps may round by; measured: 5e-7.
#[test]
fn each_rule_follows_the_formulas_to_f32_rounding() {
    use OptimizerKind::{Adam, AdamW, Sgd};
    for config in [
        config(AdamW, 0.01),
        OptimizerConfig { weight_decay: 0.1, ..config(AdamW, 0.1) },
        OptimizerConfig { betas: [0.5, 0.9], epsilon: 1e-3, ..config(AdamW, 0.1) },
        OptimizerConfig { betas: [0.0, 0.5], ..config(AdamW, 0.1) },
        config(Adam, 0.01),
        OptimizerConfig { weight_decay: 0.1, ..config(Adam, 0.1) },
        config(Sgd, 0.01),
        OptimizerConfig { momentum: 0.9, ..config(Sgd, 0.01) },
        OptimizerConfig { momentum: 0.9, weight_decay: 0.1, ..config(Sgd, 0.001) },
    ] {
        let difference = largest_difference(&config, 20);
        println!("{:?}, lr {}: at most {difference:.1e} from the formulas", config.kind, config.lr);
        assert!(difference < 2e-6, "{config:?}: {difference:e}");
    }
}

/// Largest error of single steps from 0, as a share of the learning rate: ours, and burn's own rule. It is the reason
/// why the rule is not burn's.
#[test]
fn adam_w_corrects_the_bias_better_than_burn() {
    let settings = config(OptimizerKind::AdamW, 1.0);
    let burns = AdamWConfig::new().with_epsilon(1e-8).with_weight_decay(0.0).build();
    let mut oracle = Oracle::new(&settings);
    let (mut optimizer, mut state) = (Optimizer::<TrainCpu>::new(settings), None);
    let (mut ours, mut theirs) = (0f64, 0f64);
    for step in 0..200 {
        let grads = gradient(step);
        oracle.weights.fill(0.0);
        oracle.step(1.0, &grads);
        let model = model(&[0.0; 8]);
        let params = gradients(&model, &grads);
        let moved = values(&optimizer.step(1.0, model, params));
        let grads: Vec<f32> = grads.iter().map(|g| *g as f32).collect();
        let grads = Tensor::<Cpu, 1>::from_data(TensorData::new(grads, [8]), &Default::default());
        let (by_burn, next) = burns.step(1.0, grads.zeros_like(), grads, state);
        state = next;
        let by_burn = by_burn.into_data().into_vec::<f32>().unwrap();
        for ((exact, our), their) in oracle.weights.iter().zip(moved).zip(by_burn) {
            ours = ours.max((our - exact).abs());
            theirs = theirs.max((f64::from(their) - exact).abs());
        }
    }
    println!("largest error of a step: ours {ours:.1e}, burn's {theirs:.1e} of the learning rate");
    assert!(ours < 1.5e-6 && ours < theirs, "{ours:e}, {theirs:e}");
}

/// m / (1 - β₁) is g and √(v / (1 - β₂)) is |g|, so that the step is lr sign(g), short of it by ε/(|g| + ε).
#[test]
fn the_first_adam_w_step_has_the_size_of_the_learning_rate() {
    let config = config(OptimizerKind::AdamW, 1e-3);
    let start = [0.0; 8];
    let (model, mut optimizer) = (model(&start), Optimizer::<TrainCpu>::new(config.clone()));
    let grads = gradient(0);
    let params = gradients(&model, &grads);
    let moved = values(&optimizer.step(config.lr, model, params));
    for (moved, g) in moved.iter().zip(&grads) {
        let expected = -config.lr * g / (g.abs() + config.epsilon);
        assert!((moved - expected).abs() <= 1e-6 * config.lr, "{g}: {moved} instead of {expected}");
    }
}

#[test]
fn a_restored_state_goes_on_bit_for_bit() {
    for kind in [OptimizerKind::AdamW, OptimizerKind::Adam, OptimizerKind::Sgd] {
        let momentum = if kind == OptimizerKind::Sgd { 0.9 } else { 0.0 };
        let config = OptimizerConfig { momentum, weight_decay: 0.01, ..config(kind, 0.01) };
        let (mut whole, mut parted) = (model(&START), model(&START));
        let (mut one, mut other) =
            (Optimizer::<TrainCpu>::new(config.clone()), Optimizer::new(config.clone()));
        for step in 0..10 {
            // Through its saved form after every step.
            other = Optimizer::with_state(config.clone(), step as u64, other.state(), &Default::default());
            let (a, b) = (gradients(&whole, &gradient(step)), gradients(&parted, &gradient(step)));
            (whole, parted) = (one.step(0.01, whole, a), other.step(0.01, parted, b));
            assert_eq!(values(&whole), values(&parted), "{kind:?} {step}");
            assert_eq!(one.state(), other.state());
        }
        assert_eq!(one.state().len(), if kind == OptimizerKind::Sgd { 2 } else { 4 });
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// What clipping makes of gradients, seen through a step of plain gradient descent at learning rate 1 from 0.
fn clipped(grads: &[f64], limit: f64) -> (Vec<f64>, f64) {
    let model = model(&[0.0; 8]);
    let mut params = gradients(&model, grads);
    let before = clip_global_norm(&model, &mut params, limit);
    let mut descent = Optimizer::<TrainCpu>::new(config(OptimizerKind::Sgd, 1.0));
    (values(&descent.step(1.0, model, params)).iter().map(|w| -w).collect(), before)
}

#[test]
fn clipping_scales_all_gradients_to_one_joint_norm() {
    let grads = gradient(1);
    let whole = norm(&grads);
    for limit in [0.1, 1.0, whole * 0.999] {
        let (clipped, before) = clipped(&grads, limit);
        assert!((before / whole - 1.0).abs() < 1e-6);
        assert!((norm(&clipped) / limit - 1.0).abs() < 1e-6);
        for (c, g) in clipped.iter().zip(&grads) {
            assert!((c - g * limit / whole).abs() <= 1e-6 * g.abs(), "the direction changed");
        }
    }
    let (untouched, before) = clipped(&grads, whole * 1.001);
    assert!(untouched == grads && (before / whole - 1.0).abs() < 1e-6);
}
