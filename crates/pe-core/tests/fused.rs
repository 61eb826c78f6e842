//! The block as one operation against its plain twin: outputs and all gradients, through whole encoders.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::backend::AutodiffBackend;
use burn::tensor::{Bool, Tensor, TensorData};
use pe_core::weights::NamePath;
use pe_core::{
    Activation, Arm, Context, Cpu, Encoder, EncoderConfig, EncodingConfig, Input, Mlp, Norm, Positions,
    Readout, Trace, TrainCpu,
};
use proptest::prelude::*;
use streams::{Stream, StreamRng, Streams};

/// A model with a batch.
#[derive(Debug, Clone)]
struct Case {
    config: EncoderConfig,
    batch: usize,
    /// Whether some keys are hidden, all of one item's among them.
    masked: bool,
    /// Tokens that are read of each item, where targets are.
    reads: usize,
    seed: u64,
}

const ARMS: &[&str] = &[
    "learn-0.2",
    "learn-2.0",
    "random",
    "nope",
    "relative",
    "relative-bias",
    "alibi",
    "rope",
    "rope-0.5",
    "2d-rope",
];

/// Named values: the output, and the gradients by the input and by every parameter.
type Named = Vec<(String, Vec<f32>)>;

/// Widths from 5: a norm over three numbers that happen to be close to each other amplifies rounding beyond 1e-5, in
/// both twins. Narrower blocks are compared to f64 inside the crate.
fn cases() -> impl Strategy<Value = Case> {
    let sizes = (1usize..5, 1usize..9, 1usize..4, 2usize..9, 0usize..24, 1usize..3);
    let norm = prop_oneof![Just(Norm::Post), Just(Norm::Pre)];
    let mlp = prop_oneof![Just(Mlp::GeluHidden), Just(Mlp::GeluBoth)];
    let readout = prop_oneof![Just(Readout::All), Just(Readout::Last), Just(Readout::Target)];
    let arm = prop::sample::select(ARMS);
    let choices = (norm, mlp, readout, arm, any::<bool>(), any::<bool>(), any::<u64>(), 1usize..4);
    (sizes, choices).prop_map(|(sizes, (norm, mlp, readout, arm, causal, masked, seed, reads))| {
        let (batch, tokens, heads, head, inner, blocks) = sizes;
        let arm: Arm = arm.parse().unwrap();
        let config = EncoderConfig {
            width: heads * (2 * head + 1),
            hidden: 2 * inner + 3,
            heads,
            blocks,
            norm,
            mlp,
            causal,
            readout,
            final_norm: norm == Norm::Pre,
            ..EncoderConfig::clean(3, 2, tokens, 1, arm.encoding)
        };
        Case { config, batch, masked, reads, seed }
    })
}

fn rng() -> StreamRng {
    Streams::new(1).rng(Stream::Dropout)
}

fn tokens(case: &Case) -> Tensor<TrainCpu, 3> {
    let shape = [case.batch, case.config.tokens, case.config.inputs];
    let phase = (case.seed % 1000) as f32;
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| (phase + 1.3 * i as f32).sin()).collect();
    Tensor::from_data(TensorData::new(values, shape), &Default::default())
}

fn run(case: &Case, context: Context) -> Named {
    let encoder: Encoder<TrainCpu> = case.config.init(&Streams::new(case.seed), &Default::default()).unwrap();
    let n = case.config.tokens;
    let positions = Positions::grid(&[n]).unwrap();
    let targets: Vec<usize> = (0..case.batch * case.reads).map(|i| (i * 3 + 1) % n).collect();
    let tokens = tokens(case).require_grad();
    let mut input = Input::new(tokens.clone(), &positions).read_at(&targets);
    if case.masked {
        let hidden: Vec<bool> = (0..case.batch * n).map(|i| i < n || i % 3 == 0).collect();
        let hidden = TensorData::new(hidden, [case.batch, n]);
        input = input.hide_keys(Tensor::<TrainCpu, 2, Bool>::from_data(hidden, &Default::default()));
    }
    let output = encoder.forward(input, &mut { context }).unwrap();
    let count = output.shape().num_elements();
    let weights: Vec<f32> = (0..count).map(|i| (0.4 + 0.9 * i as f32).cos()).collect();
    let weights = Tensor::from_data(TensorData::new(weights, output.shape()), &Default::default());
    let grads = (output.clone() * weights).sum().backward();

    struct Collect<'a> {
        path: NamePath,
        grads: &'a <TrainCpu as AutodiffBackend>::Gradients,
        named: Named,
    }
    impl ModuleVisitor<TrainCpu> for Collect<'_> {
        fn enter_module(&mut self, name: &str, container: &str) {
            self.path.enter(name, container);
        }
        fn exit_module(&mut self, _name: &str, container: &str) {
            self.path.exit(container);
        }
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<TrainCpu, D>>) {
            if let Some(grad) = param.val().grad(self.grads) {
                self.named.push((self.path.name(), grad.into_data().to_vec().unwrap()));
            }
        }
    }
    let dtokens = tokens.grad(&grads).unwrap().into_data().to_vec().unwrap();
    let output = output.into_data().to_vec().unwrap();
    let named = vec![("output".to_owned(), output), ("tokens".to_owned(), dtokens)];
    let mut collect = Collect { path: NamePath::default(), grads: &grads, named };
    encoder.visit(&mut collect);
    collect.named
}

fn largest(values: &[f32]) -> f32 {
    values.iter().fold(0.0, |top, value| top.max(value.abs()))
}

/// Agreement to 1e-5, relative to the largest value of each tensor, or to a tenth of the largest of all gradients
/// where a tensor is smaller: some gradients are sums that cancel.
fn assert_twins(case: &Case) {
    let fused = run(case, Context::training(rng()));
    let plain = run(case, Context::training(rng()).with_plain_blocks());
    assert_ne!(fused, plain, "to the last bit: is the operation used at all?");
    let floor = 0.1 * plain[1..].iter().map(|(_, values)| largest(values)).fold(0.0, f32::max);
    assert_eq!(fused.len(), plain.len());
    for ((name, fused), (_, plain)) in fused.iter().zip(&plain) {
        let scale = if name == "output" { largest(plain).max(0.1) } else { largest(plain).max(floor) };
        assert_eq!(fused.len(), plain.len(), "{name}");
        let difference: Vec<f32> = fused.iter().zip(plain).map(|(a, b)| a - b).collect();
        let worst = largest(&difference) / scale;
        assert!(worst <= 1e-5, "{name} is off by {worst} of {scale}");
        assert!(fused.iter().all(|value| value.is_finite()), "{name} is not finite");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn outputs_and_all_gradients_are_those_of_plain_tensor_code(case in cases()) {
        assert_twins(&case);
    }
}

fn paper(batch: usize, arm: &str) -> Case {
    let arm: Arm = arm.parse().unwrap();
    Case { config: EncoderConfig::paper(5, 4, 16, 1, arm.encoding), batch, masked: false, reads: 1, seed: 3 }
}

#[test]
fn the_encoder_of_the_paper_agrees_over_several_groups() {
    assert_twins(&paper(70, "learn-0.2"));
    // With the same dropout on the sum of token and sinusoid.
    assert_twins(&paper(5, "1d-fixed"));
    for arm in ["c-relative", "relative-bias", "rope-0.5", "2d-rope"] {
        assert_twins(&paper(70, arm));
    }
}

/// The gradients that plain tensor code registers, and no others: an embedding without gradient stays without.
#[test]
fn frozen_parameters_get_no_gradient() {
    let case = paper(2, "learn-0.2");
    let encoder: Encoder<TrainCpu> = case.config.init(&Streams::new(4), &Default::default()).unwrap();
    let encoder = encoder.no_grad();
    let positions = Positions::grid(&[16]).unwrap();
    let tokens = tokens(&case).require_grad();
    let output =
        encoder.forward(Input::new(tokens.clone(), &positions), &mut Context::training(rng())).unwrap();
    let grads = output.sum().backward();
    assert!(tokens.grad(&grads).is_some());
    struct NoGradient<'a>(&'a <TrainCpu as AutodiffBackend>::Gradients);
    impl ModuleVisitor<TrainCpu> for NoGradient<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<TrainCpu, D>>) {
            assert!(param.val().grad(self.0).is_none());
        }
    }
    encoder.visit(&mut NoGradient(&grads));
}

/// What a trace records of an evaluation of this case, and the output.
fn traced(case: &Case, wanted: &[&str], plain: bool) -> (Vec<f32>, Vec<Activation>) {
    let encoder: Encoder<Cpu> = case.config.init(&Streams::new(5), &Default::default()).unwrap();
    let positions = Positions::grid(&[16]).unwrap();
    let mut context = Context::evaluation(rng()).with_trace(Trace::of(wanted.iter().copied()));
    if plain {
        context = context.with_plain_blocks();
    }
    let output = encoder.forward(Input::new(tokens(case).inner(), &positions), &mut context);
    (output.unwrap().into_data().to_vec().unwrap(), context.trace.take())
}

fn assert_near(a: &[f32], b: &[f32], what: &str) {
    let difference: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    assert!(a.len() == b.len() && largest(&difference) <= 1e-5 * largest(b).max(1.0), "{what}");
}

#[test]
fn a_trace_shows_what_the_operation_computes() {
    for norm in [Norm::Post, Norm::Pre] {
        let mut case = paper(3, "learn-0.2");
        case.config.norm = norm;
        let (fused, _) = traced(&case, &[], false);
        let (output, seen) = traced(&case, &["blocks.1.attention.weights", "blocks.3.output"], false);
        assert_eq!(seen.len(), 2);
        assert_near(&fused, &output, &format!("{norm:?}"));
    }
}

/// Asked for alone, attention weights come out of the operation itself.
#[test]
fn attention_weights_on_request_are_those_of_plain_tensor_code() {
    let wanted = ["blocks.0.attention.weights", "blocks.2.attention.weights", "blocks.3.attention.weights"];
    for arm in ["learn-0.2", "c-relative", "rope"] {
        let mut case = paper(70, arm);
        case.config.heads = 2;
        let ((output, fused), (expected, plain)) =
            (traced(&case, &wanted, false), traced(&case, &wanted, true));
        assert_ne!(fused[0].values, plain[0].values, "to the last bit: is the operation used at all?");
        assert_near(&output, &expected, arm);
        assert_eq!(fused.len(), 3);
        for (fused, plain) in fused.iter().zip(&plain) {
            assert_eq!((&fused.name, &fused.shape), (&plain.name, &plain.shape));
            assert_near(&fused.values, &plain.values, &format!("{arm}: {}", fused.name));
        }
    }
}

/// Dropout inside a block is plain tensor code's: it must not vanish.
#[test]
fn dropout_acts_in_training() {
    let mut case = paper(2, "learn-0.2");
    case.config.dropout = 0.5;
    let encoding = case.config.encoding.clone();
    assert!(matches!(encoding, EncodingConfig::Learned(_)));
    let with = run(&case, Context::training(rng()));
    let without = run(&case, Context::evaluation(rng()));
    assert_ne!(with[0], without[0]);
    assert_eq!(with, run(&case, Context::training(rng()).with_plain_blocks()));
}
