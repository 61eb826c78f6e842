//! The encoder of the paper against PyTorch: outputs, losses, all gradients, and the weights after a step of AdamW.
//!
//! `tests/fixtures/paper_step.py` made the golden file. Weights and batches are not stored: both sides compute them by
//! the same formula. With `TORCH_PYTHON` set to a Python that has PyTorch, every entry is compared as well.

use std::collections::BTreeMap;
use std::process::Command;

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::activation::log_softmax;
use burn::tensor::backend::AutodiffBackend;
use burn::tensor::{Int, Tensor, TensorData};
use pe_core::torch::{from_torch, to_torch};
use pe_core::weights::{self, NamePath, Weights, with_weights};
use pe_core::{Arm, Context, Encoder, EncoderConfig, Input, Positions, TrainCpu};
use serde::Deserialize;
use streams::{Stream, Streams};
use train::optimizer::{Optimizer, OptimizerConfig, OptimizerKind};

#[derive(Deserialize)]
struct Golden {
    library: String,
    batch: usize,
    lr: f64,
    sample: usize,
    float32: BTreeMap<String, f64>,
    losses: Vec<f64>,
    output: Vec<f64>,
    gradients: BTreeMap<String, Summary>,
    weights: BTreeMap<String, Summary>,
}

/// What is stored of a tensor.
#[derive(Deserialize)]
struct Summary {
    entries: Vec<f64>,
    norm: f64,
    signed_sum: f64,
}

/// What we compute, under PyTorch's names.
struct Ours {
    losses: Vec<f64>,
    output: Vec<f32>,
    gradients: Weights,
    weights: Weights,
}

/// `n` numbers of splitmix64 (Steele, Lea & Flood 2014), whose state starts at `stream << 32`.
fn mixed(stream: u64, n: usize) -> impl Iterator<Item = u64> {
    (1..=n as u64).map(move |i| {
        let z = (stream << 32).wrapping_add(i.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}

/// Centre and half width of the entries of a parameter: as large as PyTorch's initial values, but no bias zero and no
/// gain one.
fn initial(name: &str, shape: &[usize]) -> (f64, f64) {
    let last = shape[shape.len() - 1] as f64;
    match name {
        _ if name.contains("norm") && name.ends_with("weight") => (1.0, 0.1),
        _ if name.contains("norm") => (0.0, 0.1),
        _ if name.starts_with("encoding") => (0.0, 0.2 * 3f64.sqrt()),
        _ if name.ends_with("in_proj_weight") => (0.0, (6.0 / (shape[0] + shape[1]) as f64).sqrt()),
        _ if name.ends_with("bias") => (0.0, 0.05),
        _ => (0.0, 1.0 / last.sqrt()),
    }
}

/// The starting weights under PyTorch's names; streams are numbered in the order of the names.
fn formula(model: &Encoder<TrainCpu>) -> Weights {
    let names = to_torch(weights::weights::<TrainCpu, _>(model));
    let fill = |(stream, (name, data)): (usize, (String, TensorData))| {
        let (centre, half) = initial(&name, &data.shape);
        let uniform = |z: u64| (z >> 40) as f64 / f64::from(1 << 23) - 1.0;
        let n = data.shape.iter().product();
        let values =
            mixed(stream as u64, n).map(|z| (centre + half * uniform(z)) as f32).collect::<Vec<f32>>();
        (name, TensorData::new(values, data.shape))
    };
    names.into_iter().enumerate().map(fill).collect()
}

/// Cells of a puzzle: blank, or one of 4 symbols; one of them the target; and one of 4 answers.
fn batch(step: u64, items: usize) -> (Tensor<TrainCpu, 3>, Tensor<TrainCpu, 2, Int>) {
    let mut cells = vec![[0f32; 5]; items * 16];
    for (cell, z) in cells.iter_mut().zip(mixed(1000 + step, items * 16)) {
        let kind = ((z >> 40) % 5) as usize;
        if kind > 0 {
            cell[kind - 1] = 1.0;
        }
    }
    let others: Vec<u64> = mixed(2000 + step, 2 * items).map(|z| z >> 40).collect();
    let (targets, labels) = others.split_at(items);
    for (item, target) in targets.iter().enumerate() {
        cells[item * 16 + (target % 16) as usize] = [0.0, 0.0, 0.0, 0.0, 1.0];
    }
    let labels: Vec<i64> = labels.iter().map(|label| (label % 4) as i64).collect();
    let device = Default::default();
    (
        Tensor::from_data(TensorData::new(cells.concat(), [items, 16, 5]), &device),
        Tensor::from_data(TensorData::new(labels, [items, 1]), &device),
    )
}

fn ours(golden: &Golden) -> Ours {
    let encoding = "learn-0.2".parse::<Arm>().unwrap().encoding;
    let config = EncoderConfig::paper(5, 4, 16, 2, encoding);
    let model = config.init::<TrainCpu>(&Streams::new(1), &Default::default()).unwrap();
    let start = formula(&model);
    // Both directions of the exchange of names.
    let mut model = with_weights(model, from_torch(start.clone()), "the formula").unwrap();
    assert_eq!(to_torch(weights::weights::<TrainCpu, _>(&model)), start);

    let positions = Positions::grid(&[4, 4]).unwrap();
    let rule = OptimizerConfig {
        kind: OptimizerKind::AdamW,
        lr: golden.lr,
        weight_decay: 0.0,
        betas: [0.9, 0.999],
        epsilon: 1e-8,
        momentum: 0.0,
    };
    let mut optimizer = Optimizer::<TrainCpu>::new(rule);
    let (mut losses, mut first) = (Vec::new(), None);
    for step in 0..golden.losses.len() as u64 {
        let (tokens, labels) = batch(step, golden.batch);
        let mut context = Context::training(Streams::new(1).rng(Stream::Dropout));
        let output = model.forward(Input::new(tokens, &positions), &mut context).unwrap();
        let output = output.reshape([golden.batch, 4]);
        let loss = log_softmax(output.clone(), 1).gather(1, labels).mean().neg();
        losses.push(f64::from(loss.clone().into_scalar()));
        let grads = loss.backward();
        let gradients = gradients(&model, &grads);
        model = {
            let grads = GradientsParams::from_grads(grads, &model);
            optimizer.step(golden.lr, model, grads)
        };
        if first.is_none() {
            let output = output.into_data().to_vec::<f32>().unwrap();
            first = Some((output, to_torch(gradients), to_torch(weights::weights::<TrainCpu, _>(&model))));
        }
    }
    let (output, gradients, weights) = first.unwrap();
    Ours { losses, output, gradients, weights }
}

/// All gradients by name.
fn gradients(model: &Encoder<TrainCpu>, grads: &<TrainCpu as AutodiffBackend>::Gradients) -> Weights {
    struct Collect<'a> {
        path: NamePath,
        grads: &'a <TrainCpu as AutodiffBackend>::Gradients,
        named: Weights,
    }
    impl ModuleVisitor<TrainCpu> for Collect<'_> {
        fn enter_module(&mut self, name: &str, container: &str) {
            self.path.enter(name, container);
        }
        fn exit_module(&mut self, _name: &str, container: &str) {
            self.path.exit(container);
        }
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<TrainCpu, D>>) {
            let grad = param.val().grad(self.grads).unwrap();
            self.named.insert(self.path.name(), grad.into_data());
        }
    }
    let mut collect = Collect { path: NamePath::default(), grads, named: Weights::new() };
    model.visit(&mut collect);
    collect.named
}

impl Summary {
    /// Which of `n` entries are stored: all of few, else a subset.
    fn picked(name: &str, n: usize, sample: usize) -> Vec<usize> {
        let stream = 3000 + name.bytes().map(u64::from).sum::<u64>();
        if n <= sample {
            (0..n).collect()
        } else {
            mixed(stream, sample).map(|z| (z % n as u64) as usize).collect()
        }
    }

    fn entries(&self) -> impl Iterator<Item = f64> {
        self.entries.iter().copied()
    }

    /// Norm and sum under pseudo-random signs of all entries: within 1e-5 of `scale` an entry, which independent
    /// errors make √n of it in the sum (five standard deviations).
    fn assert_whole(&self, name: &str, values: &[f32], scale: f64) {
        let values: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
        let norm = values.iter().map(|v| v * v).sum::<f64>().sqrt();
        let signs = mixed(4000, values.len()).map(|z| if z >> 63 == 1 { 1.0 } else { -1.0 });
        let sum: f64 = signs.zip(&values).map(|(sign, v)| sign * v).sum();
        let allowed = 1e-5 * scale * (values.len() as f64).sqrt();
        assert!((norm - self.norm).abs() <= allowed, "{name}: norm {norm}, not {}", self.norm);
        assert!((sum - self.signed_sum).abs() <= 5.0 * allowed, "{name}: {sum}, not {}", self.signed_sum);
    }
}

#[test]
fn outputs_losses_gradients_and_a_step_are_those_of_pytorch() {
    let golden: Golden = serde_json::from_str(include_str!("../fixtures/paper_step.json")).unwrap();
    assert!(golden.library.starts_with("PyTorch"));
    let ours = ours(&golden);
    let far = |a: f64, b: f64| (a - b).abs();
    let worst =
        |pairs: &mut dyn Iterator<Item = (f64, f64)>| pairs.map(|(a, b)| far(a, b)).fold(0.0, f64::max);

    let output = worst(&mut ours.output.iter().map(|v| f64::from(*v)).zip(golden.output.iter().copied()));
    let losses = worst(&mut ours.losses.iter().copied().zip(golden.losses.iter().copied()));
    assert!(output <= 1e-5 && losses <= 1e-5, "outputs are off by {output:e}, losses by {losses:e}");
    assert_eq!((ours.output.len(), ours.losses.len()), (golden.output.len(), golden.losses.len()));

    // Relative to the largest entry of a tensor, or to a tenth of the largest of all where a tensor is smaller: some
    // gradients are sums that cancel.
    let values = |data: &TensorData| data.to_vec::<f32>().unwrap();
    let largest = |data: &TensorData| values(data).iter().fold(0f64, |top, v| top.max(f64::from(v.abs())));
    let floor = 0.1 * ours.gradients.values().map(largest).fold(0.0, f64::max);
    assert_eq!(ours.gradients.keys().collect::<Vec<_>>(), golden.gradients.keys().collect::<Vec<_>>());
    let (mut gradient, mut weight, mut compared) = (0f64, 0f64, 0);
    for (name, expected) in &golden.gradients {
        let (got, after) = (values(&ours.gradients[name]), values(&ours.weights[name]));
        let scale = largest(&ours.gradients[name]).max(floor);
        let picked = Summary::picked(name, got.len(), golden.sample);
        assert_eq!(picked.len(), expected.entries.len());
        for ((&at, g), w) in picked.iter().zip(expected.entries()).zip(golden.weights[name].entries()) {
            gradient = gradient.max(far(f64::from(got[at]), g) / scale);
            // A gradient that is exactly zero, as that of a key's bias, is rounding here and there, of which Adam
            // makes a whole step.
            if g.abs() >= 1e-6 {
                weight = weight.max(far(f64::from(after[at]), w));
                compared += 1;
            }
        }
        expected.assert_whole(name, &got, scale);
    }
    println!(
        "off {}: outputs {output:.1e}, losses {losses:.1e}, gradients {gradient:.1e}, weights after a step {weight:.1e} \
         ({compared} entries); its own float32: {:?}",
        golden.library, golden.float32
    );
    assert!(gradient <= 1e-5 && weight <= 1e-5, "gradients {gradient:e}, weights {weight:e}");
    assert!(compared > 1000);
    compare_everything(&ours);
}

/// All entries, where a Python with PyTorch is named.
fn compare_everything(ours: &Ours) {
    let Ok(python) = std::env::var("TORCH_PYTHON") else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.safetensors");
    let n = ours.output.len() / 4;
    let losses: Vec<f32> = ours.losses.iter().map(|loss| *loss as f32).collect();
    let count = losses.len();
    let mut all = Weights::from([
        ("output".to_owned(), TensorData::new(ours.output.clone(), [n, 4])),
        ("losses".to_owned(), TensorData::new(losses, [count])),
    ]);
    for (group, tensors) in [("gradients/", &ours.gradients), ("weights/", &ours.weights)] {
        all.extend(tensors.iter().map(|(name, data)| (format!("{group}{name}"), data.clone())));
    }
    weights::write(&file, &all, &[]).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/paper_step.py");
    let output = Command::new(python).arg(script).arg("--check").arg(&file).output().unwrap();
    println!("all entries: {}", String::from_utf8_lossy(&output.stdout).trim());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
