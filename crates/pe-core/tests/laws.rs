//! Every variant against every law. A new variant is one more row in `variants`.

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Bool, Tensor, TensorData};
use pe_core::additive::{LearnedConfig, Sharing};
use pe_core::weights::{self, NamePath};
use pe_core::{
    Arm, Context, Coords, Cpu, Distribution, Encoder, EncoderConfig, EncodingConfig, Input, Norm, PeBackend,
    Positions, Readout, Trace, TrainCpu,
};
use streams::{Stream, StreamRng, Streams};

const SIDES: [usize; 2] = [2, 3];
const TOKENS: usize = 6;

fn variants() -> Vec<(String, EncodingConfig, bool)> {
    let named = [
        "learn-0.2",
        "learn-0.0",
        "learn-2.0",
        "2d-fixed",
        "1d-fixed",
        "random",
        "nope",
        "c-nope",
        "c-learn-0.2",
        "relative",
        "c-relative",
        "relative-bias",
        "alibi",
        "rope",
        "rope-0.5",
        "2d-rope",
    ];
    let named = named.into_iter().map(|name| {
        let arm: Arm = name.parse().unwrap();
        (name.to_owned(), arm.encoding, arm.causal)
    });
    let shared = LearnedConfig { sigma: 0.3, distribution: Distribution::Uniform, sharing: Sharing::Shared };
    named.chain([("learn-0.3 uniform shared".to_owned(), EncodingConfig::Learned(shared), false)]).collect()
}

/// Small sizes, in all combinations of what laws should not depend on.
fn configs() -> Vec<(String, EncoderConfig)> {
    let mut configs = Vec::new();
    for (name, encoding, causal) in variants() {
        for (preset, norm, heads) in
            [("paper", Norm::Post, 1), ("clean", Norm::Post, 2), ("clean", Norm::Pre, 4)]
        {
            let base = match preset {
                "paper" => EncoderConfig::paper(3, 2, TOKENS, 2, encoding.clone()),
                _ => EncoderConfig::clean(3, 2, TOKENS, 2, encoding.clone()),
            };
            let final_norm = norm == Norm::Pre;
            let config =
                EncoderConfig { width: 16, hidden: 24, blocks: 2, heads, norm, final_norm, causal, ..base };
            configs.push((format!("{name}, {preset}, {norm:?}, {heads} heads"), config));
        }
    }
    configs
}

fn streams() -> Streams {
    Streams::new(11)
}

fn rng() -> StreamRng {
    streams().rng(Stream::Dropout)
}

fn grid() -> Positions {
    Positions::grid(&SIDES).unwrap()
}

/// Three items of tokens that differ from each other and between items.
fn tokens<B: PeBackend>() -> Tensor<B, 3> {
    let values: Vec<f32> = (0..3 * TOKENS * 3).map(|i| (i as f32 * 0.7).sin()).collect();
    Tensor::from_data(TensorData::new(values, [3, TOKENS, 3]), &Default::default())
}

fn build<B: PeBackend>(config: &EncoderConfig) -> Encoder<B> {
    config.init(&streams(), &Default::default()).unwrap()
}

fn run<B: PeBackend>(
    encoder: &Encoder<B>,
    tokens: Tensor<B, 3>,
    positions: &Positions,
    targets: &[usize],
) -> Tensor<B, 3> {
    encoder.forward(Input::new(tokens, positions).read_at(targets), &mut Context::evaluation(rng())).unwrap()
}

fn values<const D: usize>(tensor: Tensor<Cpu, D>) -> Vec<f32> {
    tensor.to_data().to_vec().unwrap()
}

fn assert_close(a: &[f32], b: &[f32], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let worst = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(worst < 1e-5, "{what}: differ by {worst}");
}

fn without_dropout(config: &EncoderConfig, readout: Readout) -> EncoderConfig {
    EncoderConfig { sinusoid_dropout: 0.0, readout, ..config.clone() }
}

#[test]
fn outputs_have_the_documented_shape_and_are_finite() {
    for (name, config) in configs() {
        for (readout, rows) in [(Readout::Last, 1), (Readout::Target, 1), (Readout::All, TOKENS)] {
            let encoder = build::<Cpu>(&EncoderConfig { readout, ..config.clone() });
            let output = run(&encoder, tokens(), &grid(), &[0, 3, 5]);
            assert_eq!(output.dims(), [3, rows, 2], "{name} {readout:?}");
            assert!(values(output).iter().all(|v| v.is_finite()), "{name} {readout:?}");
        }
    }
}

#[test]
fn a_gradient_reaches_every_trainable_parameter() {
    struct Check<'a> {
        path: NamePath,
        grads: &'a <TrainCpu as burn::tensor::backend::AutodiffBackend>::Gradients,
        what: &'a str,
        reached: usize,
    }
    impl ModuleVisitor<TrainCpu> for Check<'_> {
        fn enter_module(&mut self, name: &str, container: &str) {
            self.path.enter(name, container);
        }
        fn exit_module(&mut self, _name: &str, container: &str) {
            self.path.exit(container);
        }
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<TrainCpu, D>>) {
            let tensor = param.val();
            let name = self.path.name();
            assert_eq!(tensor.is_require_grad(), !name.contains("frozen"), "{}: {name}", self.what);
            if tensor.is_require_grad() {
                let grad =
                    tensor.grad(self.grads).unwrap_or_else(|| panic!("{}: no gradient at {name}", self.what));
                let largest = grad.abs().max().into_scalar();
                assert!(largest.is_finite() && largest > 0.0, "{}: gradient {largest} at {name}", self.what);
                self.reached += 1;
            }
        }
    }
    for (name, config) in configs() {
        let encoder = build::<TrainCpu>(&config);
        let weight = tokens::<TrainCpu>().narrow(1, 0, 1).narrow(2, 0, 2);
        let loss = (run(&encoder, tokens(), &grid(), &[1, 2, 4]) * weight).sum();
        let grads = loss.backward();
        let mut check = Check { path: NamePath::default(), grads: &grads, what: &name, reached: 0 };
        encoder.visit(&mut check);
        assert!(check.reached >= 28, "{name}: {}", check.reached);
    }
}

#[test]
fn tokens_that_move_with_their_positions_permute_the_output() {
    let order = [4, 0, 5, 2, 1, 3];
    for (name, config) in configs().into_iter().filter(|(_, config)| !config.causal) {
        let encoder = build::<Cpu>(&without_dropout(&config, Readout::All));
        let straight = run(&encoder, tokens(), &grid(), &[]);
        let index = Tensor::from_data(TensorData::from(order.map(|i| i as i64)), &Default::default());
        let moved = run(&encoder, tokens().select(1, Tensor::clone(&index)), &grid().permuted(&order), &[]);
        assert_close(&values(straight.select(1, index)), &values(moved), &name);
    }
}

/// Without the positions moving along, only `nope` stays the same: the law above is no accident.
#[test]
fn an_encoding_tells_positions_apart() {
    let order = [4, 0, 5, 2, 1, 3];
    for (name, config) in configs().into_iter().filter(|(_, config)| !config.causal) {
        let encoder = build::<Cpu>(&without_dropout(&config, Readout::All));
        let straight = run(&encoder, tokens(), &grid(), &[]);
        let moved = run(&encoder, tokens(), &grid().permuted(&order), &[]);
        let same = straight.sub(moved).abs().max().into_scalar() < 1e-5;
        // A relative bias starts at 0, where it says nothing yet.
        let blind = ["nope", "learn-0.0", "relative-bias"].iter().any(|arm| name.starts_with(arm));
        assert_eq!(same, blind, "{name}");
    }
}

/// Positions moved as a whole: encodings of differences see no change, encodings of places do.
#[test]
fn relative_encodings_are_those_that_a_translation_leaves_alone() {
    let moved: Vec<f64> = grid().coords().values().iter().map(|x| x + 2.0).collect();
    let moved = Positions::new((3..TOKENS + 3).collect(), Coords::new(moved, 2).unwrap()).unwrap();
    let differences = ["relative", "c-relative", "alibi", "rope", "2d-rope"];
    let nothing = ["nope", "c-nope", "learn-0.0"];
    for (name, config) in configs() {
        let config = EncoderConfig { tokens: TOKENS + 3, ..without_dropout(&config, Readout::All) };
        let encoder = build::<Cpu>(&config);
        let straight = run(&encoder, tokens(), &grid(), &[]);
        let same = straight.sub(run(&encoder, tokens(), &moved, &[])).abs().max().into_scalar() < 1e-5;
        let blind = differences.iter().chain(&nothing).any(|arm| name.starts_with(arm));
        assert_eq!(same, blind, "{name}");
    }
}

#[test]
fn a_causal_encoder_ignores_what_comes_later() {
    for (name, config) in configs().into_iter().filter(|(_, config)| config.causal) {
        let encoder = build::<Cpu>(&without_dropout(&config, Readout::All));
        let (head, tail) = (tokens::<Cpu>().narrow(1, 0, 4), tokens::<Cpu>().narrow(1, 4, 2) * 3.0);
        let whole = run(&encoder, tokens(), &grid(), &[]);
        let other = run(&encoder, Tensor::cat(vec![head, tail], 1), &grid(), &[]);
        let prefix = |t: &Tensor<Cpu, 3>| values(t.clone().narrow(1, 0, 4));
        assert_close(&prefix(&whole), &prefix(&other), &name);
        let suffix = |t: &Tensor<Cpu, 3>| t.clone().narrow(1, 4, 2);
        assert!(suffix(&whole).sub(suffix(&other)).abs().max().into_scalar() > 1e-3, "{name}");
    }
}

#[test]
fn reading_some_rows_gives_what_reading_all_gives_there() {
    let targets = [2, 5, 0];
    for (name, config) in configs() {
        let read =
            |readout| run(&build::<Cpu>(&without_dropout(&config, readout)), tokens(), &grid(), &targets);
        let all = read(Readout::All);
        let at = |item: usize, token: usize| all.clone().narrow(0, item, 1).narrow(1, token, 1);
        let picked = Tensor::cat((0..3).map(|item| at(item, targets[item])).collect(), 0);
        assert_close(&values(read(Readout::Target)), &values(picked), &format!("{name}, target"));
        // Two of each item, in any order.
        let pairs = [4, 1, 0, 5, 3, 3];
        let config_2 = without_dropout(&config, Readout::Target);
        let read_2 = run(&build::<Cpu>(&config_2), tokens(), &grid(), &pairs);
        assert_eq!(read_2.dims(), [3, 2, 2]);
        let picked = Tensor::cat((0..6).map(|i| at(i / 2, pairs[i])).collect(), 0).reshape([3, 2, 2]);
        assert_close(&values(read_2), &values(picked), &format!("{name}, two targets"));
        let last = all.clone().narrow(1, TOKENS - 1, 1);
        assert_close(&values(read(Readout::Last)), &values(last), &format!("{name}, last"));
    }
}

#[test]
fn save_and_load_give_the_same_bits() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.safetensors");
    for (name, config) in configs() {
        let encoder = build::<Cpu>(&config);
        weights::save::<Cpu, _>(&encoder, &path).unwrap();
        let other = config.init::<Cpu>(&Streams::new(99), &Default::default()).unwrap();
        let loaded = weights::load::<Cpu, _>(other, &path).unwrap();
        assert_eq!(weights::weights::<Cpu, _>(&encoder), weights::weights::<Cpu, _>(&loaded), "{name}");
        let outputs = [&encoder, &loaded].map(|e| values(run(e, tokens(), &grid(), &[0, 1, 2])));
        assert_eq!(outputs[0], outputs[1], "{name}");
    }
}

#[test]
fn each_stream_moves_its_own_parameters_only() {
    for (name, config) in configs() {
        let draw = |streams: Streams| {
            weights::weights::<Cpu, _>(&config.init::<Cpu>(&streams, &Default::default()).unwrap())
        };
        let plain = draw(streams());
        for (stream, is_table) in [(Stream::PeInit, true), (Stream::WeightInit, false)] {
            for (parameter, data) in draw(streams().pin(stream, 5)) {
                let drawn = data.to_vec::<f32>().unwrap().iter().any(|v| *v != 0.0 && *v != 1.0);
                let moves = drawn && parameter.starts_with("encoding.") == is_table;
                assert_eq!(plain[&parameter] != data, moves, "{name}: {parameter} by {stream}");
            }
        }
    }
}

#[test]
fn an_item_that_sees_nothing_gets_weight_zero_and_a_finite_output() {
    for (name, config) in configs() {
        let encoder = build::<Cpu>(&config);
        let hidden: Vec<bool> = (0..3 * TOKENS).map(|i| i < TOKENS || i == 2 * TOKENS).collect();
        let hidden =
            Tensor::<Cpu, 2, Bool>::from_data(TensorData::new(hidden, [3, TOKENS]), &Default::default());
        let trace = Trace::of(["blocks.1.attention.weights"]);
        let mut context = Context::evaluation(rng()).with_trace(trace);
        let positions = grid();
        let input = Input::new(tokens(), &positions).read_at(&[0, 1, 2]).hide_keys(hidden);
        let output = encoder.forward(input, &mut context).unwrap();
        assert!(values(output).iter().all(|v| v.is_finite()), "{name}");
        let weights = &context.trace.activations()[0];
        for (i, row) in weights.values.chunks(TOKENS).enumerate() {
            let (item, query) = (i / (config.heads * TOKENS), i % TOKENS);
            let sum: f32 = row.iter().sum();
            // In a causal encoder the first token of item 2 sees only itself, which is hidden.
            let blind = item == 0 || (config.causal && item == 2 && query == 0);
            assert!((sum - if blind { 0.0 } else { 1.0 }).abs() < 1e-5, "{name}: item {item}, sum {sum}");
            assert!(item != 2 || row[0] == 0.0, "{name}: a hidden key has weight {}", row[0]);
        }
    }
}

#[test]
fn dropout_on_sinusoids_stays_in_evaluation_in_paper_only() {
    for (name, config) in configs() {
        let encoder = build::<Cpu>(&config);
        let output = |seed: u64| {
            let mut context = Context::evaluation(Streams::new(seed).rng(Stream::Dropout));
            values(encoder.forward(Input::new(tokens(), &grid()).read_at(&[0, 1, 2]), &mut context).unwrap())
        };
        let sinusoid = name.starts_with("2d-fixed") || name.starts_with("1d-fixed");
        assert_eq!(output(1) != output(2), sinusoid && name.contains("paper"), "{name}");
    }
}

#[test]
fn every_listed_activation_can_be_traced() {
    for (name, config) in configs() {
        let all = config.activations();
        let mut context = Context::evaluation(rng()).with_trace(Trace::of(all.clone()));
        let positions = grid();
        build::<Cpu>(&config)
            .forward(Input::new(tokens(), &positions).read_at(&[0, 1, 2]), &mut context)
            .unwrap();
        let seen: Vec<&str> = context.trace.activations().iter().map(|a| a.name.as_str()).collect();
        assert_eq!(seen, all, "{name}");
        for activation in context.trace.activations() {
            assert_eq!(activation.shape.iter().product::<usize>(), activation.values.len());
            assert!(activation.values.iter().all(|v| v.is_finite()), "{name}: {}", activation.name);
        }
    }
}
