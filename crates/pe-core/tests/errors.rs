//! Bad sizes and mismatched inputs give the documented one-line error.

use burn::tensor::{Tensor, TensorData};
use pe_core::{Arm, Context, Coords, Cpu, EncoderConfig, Input, PeError, Positions, Readout, Trace, weights};
use streams::{Stream, Streams};

fn config(arm: &str) -> EncoderConfig {
    let encoding = arm.parse::<Arm>().unwrap().encoding;
    EncoderConfig { width: 8, hidden: 8, blocks: 1, ..EncoderConfig::paper(3, 2, 4, 2, encoding) }
}

fn init_error(config: EncoderConfig) -> String {
    config.init::<Cpu>(&Streams::new(1), &Default::default()).unwrap_err().to_string()
}

#[test]
fn impossible_sizes_are_refused_before_allocation() {
    let cases = [
        (EncoderConfig { width: 0, ..config("nope") }, "`width` is 0"),
        (EncoderConfig { blocks: 0, ..config("nope") }, "`blocks` is 0"),
        (EncoderConfig { heads: 3, ..config("nope") }, "width 8 is not divisible by 3 heads"),
        (EncoderConfig { width: usize::MAX, heads: 2, ..config("nope") }, "is not divisible by 2 heads"),
        (EncoderConfig { width: 7, ..config("1d-fixed") }, "width 7 is odd: 1d-fixed"),
        (
            EncoderConfig { width: 3, ..config("2d-fixed") },
            "width 3 is too small for 2d-fixed on 2 axes: expected at least 4",
        ),
        (
            EncoderConfig { heads: 8, ..config("rope") },
            "rope turns pairs of dimensions: a head of width 1 is too small, expected at least 2",
        ),
        (
            EncoderConfig { heads: 4, ..config("2d-rope") },
            "a head of width 2 is too small, expected at least 4",
        ),
        (EncoderConfig { dropout: 1.0, ..config("nope") }, "`dropout` is 1: expected a probability"),
        (EncoderConfig { sinusoid_dropout: f64::NAN, ..config("nope") }, "`sinusoid_dropout` is NaN"),
        (EncoderConfig { norm_epsilon: 0.0, ..config("nope") }, "`norm_epsilon` is 0"),
    ];
    for (config, expected) in cases {
        let message = init_error(config);
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1);
    }
}

#[test]
fn an_odd_width_leaves_the_rest_of_a_kd_sinusoid_at_zero() {
    let encoder = EncoderConfig { width: 11, heads: 1, ..config("2d-fixed") }
        .init::<Cpu>(&Streams::new(1), &Default::default())
        .unwrap();
    let placement =
        encoder.encoding().place(&Positions::grid(&[2, 2]).unwrap(), &Default::default()).unwrap();
    let table: Vec<f32> = encoder.encoding().table(0, &placement).unwrap().to_data().to_vec().unwrap();
    for row in table.chunks(11) {
        // 2·floor(11 / 4) = 4 dimensions per axis; 3 are left over.
        assert!(row[8..].iter().all(|v| *v == 0.0));
        assert!((row[..8].iter().map(|v| v * v).sum::<f32>() - 4.0).abs() < 1e-5);
    }
}

fn forward_error(
    config: &EncoderConfig,
    shape: [usize; 3],
    positions: &Positions,
    targets: Option<&[usize]>,
    trace: Trace,
) -> PeError {
    let encoder = config.init::<Cpu>(&Streams::new(1), &Default::default()).unwrap();
    let tokens = Tensor::from_data(TensorData::zeros::<f32, _>(shape), &Default::default());
    let mut input = Input::new(tokens, positions);
    if let Some(targets) = targets {
        input = input.read_at(targets);
    }
    let mut context = Context::evaluation(Streams::new(1).rng(Stream::Dropout)).with_trace(trace);
    encoder.forward(input, &mut context).unwrap_err()
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let grid = Positions::grid(&[2, 2]).unwrap();
    let far = Positions::new(vec![0, 1, 2, 9], Coords::grid(&[2, 2]).unwrap()).unwrap();
    let learned = config("learn-0.1");
    let target = EncoderConfig { readout: Readout::Target, ..config("nope") };
    let none = Trace::none;
    let cases = [
        (forward_error(&learned, [2, 4, 5], &grid, None, none()), "5 features per token: expected 3"),
        (forward_error(&learned, [2, 5, 3], &grid, None, none()), "5 tokens but 4 positions"),
        (forward_error(&learned, [2, 4, 3], &far, None, none()), "position id 9 has no row in a table of 4"),
        (forward_error(&target, [2, 4, 3], &grid, None, none()), "got none for a batch of 2"),
        (forward_error(&target, [2, 4, 3], &grid, Some(&[1]), none()), "got 1 targets for a batch of 2"),
        (forward_error(&target, [2, 4, 3], &grid, Some(&[1, 4]), none()), "got target 4 for a batch of 2"),
        (
            forward_error(&learned, [2, 4, 3], &grid, None, Trace::of(["blocks.1.output"])),
            "unknown activation `blocks.1.output`: expected one of embedding, blocks.0.input",
        ),
    ];
    for (error, expected) in cases {
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn damaged_or_foreign_weight_files_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("w.safetensors");
    let build = |config: &EncoderConfig| config.init::<Cpu>(&Streams::new(1), &Default::default()).unwrap();
    let load_error =
        |config: &EncoderConfig| weights::load::<Cpu, _>(build(config), &path).unwrap_err().to_string();

    assert!(load_error(&config("nope")).contains("w.safetensors"), "a missing file is named");
    weights::save::<Cpu, _>(&build(&config("learn-0.1")), &path).unwrap();
    let wider = EncoderConfig { width: 16, ..config("learn-0.1") };
    assert!(load_error(&wider).contains("expected shape [3, 16], got [3, 8]"), "{}", load_error(&wider));
    assert!(load_error(&config("nope")).contains("`encoding.tables.0` does not exist in this model"));
    let deeper = EncoderConfig { blocks: 2, ..config("learn-0.1") };
    assert!(load_error(&deeper).contains("got nothing"), "{}", load_error(&deeper));

    let whole = std::fs::read(&path).unwrap();
    for cut in [0, 4, 100, whole.len() - 1] {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let message = load_error(&config("learn-0.1"));
        assert!(message.contains("not a whole safetensors file"), "cut at {cut}: {message}");
        assert_eq!(message.lines().count(), 1);
    }
}
