//! A task that asks for numbers, at tokens that are drawn anew each epoch.

use std::sync::Arc;

use pe_core::{Coords, Positions, TrainCpu};
use rand::RngExt;
use rand::seq::SliceRandom;
use streams::{Stream, Streams};

use super::*;
use crate::task::{DatasetIdentity, Objective, Redraw, Split};

const TOKENS: usize = 6;
const ITEMS: usize = 64;

/// All tokens of an item have one value; the tokens that are asked for show 0 and a flag.
#[derive(Debug)]
struct SomeOfSix;

impl SomeOfSix {
    /// Items in as many levels as there are numbers of tokens to be asked for, level after level.
    fn split(label: &str, asked: &[usize]) -> Split {
        let mut rng = Streams::new(1).rng_for(Stream::Mask, label);
        let mut split = Split::default();
        for item in 0..ITEMS {
            let value = 2.0 * rng.random::<f32>() - 1.0;
            let level = item * asked.len() / ITEMS;
            let mut tokens: Vec<usize> = (0..TOKENS).collect();
            let (chosen, _) = tokens.partial_shuffle(&mut rng, asked[level]);
            for token in 0..TOKENS {
                split.tokens.extend(if chosen.contains(&token) { [0.0, 1.0] } else { [value, 0.0] });
            }
            split.starts.push(split.targets.len());
            split.targets.extend(chosen.iter());
            split.values.extend(chosen.iter().map(|_| value));
            split.levels.push(level);
        }
        split
    }
}

impl Redraw for SomeOfSix {
    fn items(&self, epoch: u64) -> Split {
        Self::split(&format!("train/{epoch}"), &[2])
    }
}

fn data() -> Dataset {
    let test = SomeOfSix::split("test", &[1, 4]);
    Dataset {
        positions: Positions::in_order(Coords::grid(&[TOKENS]).unwrap()),
        places: None,
        features: 2,
        objective: Objective::SquaredError,
        levels: vec!["first".to_owned(), "second".to_owned()],
        train: SomeOfSix.items(0),
        redraw: Some(Arc::new(SomeOfSix)),
        test,
        generalization: Split::default(),
        identity: DatasetIdentity {
            name: "some-of-six".to_owned(),
            source: "generated".to_owned(),
            sha256: String::new(),
            train: ITEMS,
            test: ITEMS,
            generalization: 0,
        },
        centres: Vec::new(),
        truth: Vec::new(),
        tokens: None,
        baselines: None,
    }
}

fn config() -> RunConfig {
    let text = r#"
        schema = 1
        experiment = "numbers"
        scale = "custom"
        arm = "learn-0.2"
        batch = 24
        seeds = { seed = 1 }
        task = { kind = "latin-square" }
        optimizer = { kind = "adam-w", lr = 3e-3 }
        stop = { epochs = 40 }
        [model]
        inputs = 2
        outputs = 1
        tokens = 6
        axes = 1
        width = 16
        heads = 2
        blocks = 2
        hidden = 24
        norm = "post"
        norm_epsilon = 1e-5
        final_norm = false
        mlp = "gelu-hidden"
        causal = false
        readout = "target"
        dropout = 0.0
        sinusoid_dropout = 0.0
        encoding = { kind = "learned", sigma = 0.2 }
    "#;
    // Not checked against its task, which is another one than the data here.
    toml::from_str(text).unwrap()
}

/// Every line without its wall time.
fn finish(session: &mut Session<TrainCpu>) -> Vec<Line> {
    let mut lines = Vec::new();
    while session.position().stopped.is_none() {
        lines.extend(session.advance().unwrap());
    }
    lines
        .into_iter()
        .map(|mut line| {
            let (Line::Evaluation { seconds, .. } | Line::Encoding { seconds, .. }) = &mut line;
            *seconds = 0.0;
            line
        })
        .collect()
}

#[test]
fn numbers_are_learned_and_reported_by_loss_and_r2() {
    let mut session = Session::<TrainCpu>::new(&config(), data()).unwrap();
    let before = session.look_before_training().unwrap();
    let lines = finish(&mut session);
    let r2_of = |lines: &[Line], level: &str| {
        let found = lines.iter().rev().find_map(|line| match line {
            Line::Evaluation { split, level: l, accuracy, r2, loss, n, .. }
                if split == "test" && l == level =>
            {
                assert!(accuracy.is_none() && *loss >= 0.0 && *n == answers(level));
                *r2
            }
            _ => None,
        });
        found.unwrap()
    };
    for level in ["all", "first", "second"] {
        let (first, last) = (r2_of(&before, level), r2_of(&lines, level));
        assert!(first < 0.5 && last > 0.8, "{level}: {first} to {last}");
    }
    // There is no generalization split, so nothing is said of it.
    assert!(
        !lines.iter().any(|line| matches!(line, Line::Evaluation { split, .. } if split == "generalization"))
    );
    assert!(session.progress().accuracy.is_none() && session.progress().loss.is_finite());
}

/// Half of the items are asked for one token each, the other half for four.
fn answers(level: &str) -> usize {
    match level {
        "first" => ITEMS / 2,
        "second" => 4 * ITEMS / 2,
        _ => 5 * ITEMS / 2,
    }
}

/// Stopped within an epoch, with the items of that epoch to be drawn again.
#[test]
fn a_resumed_session_draws_the_items_of_its_epoch() {
    let config = RunConfig { stop: crate::stop::StopRules::epochs(4), ..config() };
    let mut whole = Session::<TrainCpu>::new(&config, data()).unwrap();
    let lines = finish(&mut whole);
    let mut parted = Session::<TrainCpu>::new(&config, data()).unwrap();
    // Three steps an epoch: this is in the second.
    for _ in 0..5 {
        parted.advance().unwrap();
    }
    let checkpoint = parted.checkpoint(0);
    let mut resumed = Session::<TrainCpu>::resume(&config, data(), checkpoint).unwrap();
    let rest = finish(&mut resumed);
    assert_eq!(lines[lines.len() - rest.len()..], rest[..]);
    assert_eq!(resumed.checkpoint(0).weights, whole.checkpoint(0).weights);
    assert_ne!(SomeOfSix.items(1).targets, SomeOfSix.items(2).targets);
}

/// Labels that are not there, a goal that makes no sense.
#[test]
fn squared_error_has_no_accuracy_to_reach() {
    let mut score = Score { n: 4, loss_sum: 1.0, value_sum: 2.0, value_squares: 5.0, ..Score::default() };
    assert_eq!(score.quality(Objective::SquaredError), (None, Some(1.0 - 1.0 / 4.0)));
    score.correct = 3;
    assert_eq!(score.quality(Objective::CrossEntropy), (Some(0.75), None));
}
