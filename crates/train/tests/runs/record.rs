//! What a run records, when, and why it says it ended.

use std::collections::BTreeSet;

use serde_json::Value;
use train::metrics::Line;

use crate::common::{PAPER_2D, Place, Record, floats};

const EVERY_EPOCH: [u64; 5] = [0, 1, 2, 3, 4];

fn numbers(record: &Record, table: &str, key: &str) -> Vec<f64> {
    record
        .lines(&[("kind", "encoding"), ("table", table)])
        .iter()
        .map(|line| line[key].as_f64().unwrap())
        .collect()
}

#[test]
fn lines_have_the_documented_keys_and_values() {
    let place = Place::new(&[]);
    let record = place.complete("out");
    let text = std::fs::read_to_string(place.run_dir("out").join("metrics.jsonl")).unwrap();
    let keys = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
    let mut seconds = 0.0;
    for line in text.lines() {
        seen.insert(keys(line));
        let (Line::Evaluation { seconds: now, .. } | Line::Encoding { seconds: now, .. }) =
            serde_json::from_str(line).unwrap();
        assert!(now >= seconds, "time runs back");
        seconds = now;
    }
    let words = |text: &str| {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        words.sort();
        words
    };
    let evaluation = words("kind step epoch split level n loss accuracy seconds");
    let encoding = words("kind step epoch table rms change_rms effective_rank token_rms ratio seconds");
    assert_eq!(seen, BTreeSet::from([evaluation, encoding]));

    assert_eq!(record.epochs(&[("split", "train")]), [1, 2, 3, 4]);
    assert_eq!(record.epochs(&[("split", "train-full"), ("level", "all")]), [4]);
    for split in ["test", "generalization"] {
        for level in ["all", "binary", "ternary", "quaternary"] {
            assert_eq!(record.epochs(&[("split", split), ("level", level)]), EVERY_EPOCH, "{split} {level}");
        }
    }
    for table in ["block-0", "block-1"] {
        assert_eq!(record.epochs(&[("kind", "encoding"), ("table", table)]), EVERY_EPOCH);
    }
    assert!(
        record
            .metrics
            .iter()
            .all(|line| line["step"].as_u64().unwrap() == 3 * line["epoch"].as_u64().unwrap())
    );
}

#[test]
fn levels_sum_to_all() {
    let record = Place::new(&[]).complete("out");
    let mut sums = 0;
    for all in record.lines(&[("kind", "evaluation"), ("level", "all")]) {
        let number = |line: &Value, key: &str| line[key].as_f64().unwrap();
        let same = |line: &&&Value| ["step", "split"].iter().all(|key| line[*key] == all[*key]);
        let lines = record.lines(&[("kind", "evaluation")]);
        let parts: Vec<_> = lines.iter().filter(same).filter(|line| line["level"] != "all").collect();
        if all["split"] == "train" {
            assert!(parts.is_empty());
            continue;
        }
        sums += 1;
        let sum = |key: &str| parts.iter().map(|line| number(line, "n") * number(line, key)).sum::<f64>();
        let n = number(all, "n");
        assert_eq!(parts.iter().map(|line| number(line, "n")).sum::<f64>(), n);
        assert!((sum("loss") / n - number(all, "loss")).abs() < 1e-12);
        assert!((sum("accuracy") / n - number(all, "accuracy")).abs() < 1e-12);
    }
    assert_eq!(sums, 11, "test and generalization at 5 epochs, train-full at the last");
}

/// 256 entries of standard deviation 0.2: the root mean square is within 5 standard errors, 0.2 / √512 each.
#[test]
fn a_learned_table_starts_at_sigma_and_moves() {
    let record = Place::new(&[("optimizer.lr", "1e-2")]).complete("out");
    for table in ["block-0", "block-1"] {
        let (rms, change) = (numbers(&record, table, "rms"), numbers(&record, table, "change_rms"));
        assert!((rms[0] - 0.2).abs() < 5.0 * 0.2 / 512f64.sqrt(), "{}", rms[0]);
        assert_eq!(change[0], 0.0);
        assert!(change.windows(2).all(|pair| pair[1] > pair[0]), "{change:?}");
        let tensors = record.tensors();
        let rms_of =
            |values: &[f64]| (values.iter().map(|v| v * v).sum::<f64>() / values.len() as f64).sqrt();
        let values = |when: &str| {
            let (shape, values) = &tensors[&format!("pe.{when}.{table}")];
            assert_eq!(*shape, [16, 16]);
            values.iter().map(|v| f64::from(*v)).collect::<Vec<f64>>()
        };
        let (first, last) = (values("init"), values("final"));
        assert!((rms_of(&first) - rms[0]).abs() < 1e-12 && (rms_of(&last) - rms[4]).abs() < 1e-12);
        let moved: Vec<f64> =
            last.iter().zip(&first).map(|(a, b)| f64::from(*a as f32 - *b as f32)).collect();
        assert!((rms_of(&moved) - change[4]).abs() < 1e-12);
        assert!(numbers(&record, table, "effective_rank").iter().all(|rank| (1.0..=16.0).contains(rank)));
        let (token, ratio) = (numbers(&record, table, "token_rms"), numbers(&record, table, "ratio"));
        assert!(ratio.iter().zip(&rms).zip(&token).all(|((ratio, rms), token)| *ratio == rms / token));
    }
}

#[test]
fn what_is_not_trained_does_not_move() {
    let random = [("arm", "'random'"), ("model.encoding", "{ kind = 'random' }")];
    let record = Place::new(&random).complete("out");
    assert!(
        numbers(&record, "block-0", "change_rms")
            .iter()
            .chain(&numbers(&record, "block-1", "change_rms"))
            .all(|c| *c == 0.0)
    );
    let record = Place::new(&PAPER_2D).complete("out");
    assert_eq!(numbers(&record, "shared", "change_rms"), [0.0; 5]);
    let nope = [("arm", "'nope'"), ("model.encoding", "{ kind = 'nope' }")];
    let record = Place::new(&nope).complete("out");
    assert!(record.lines(&[("kind", "encoding")]).is_empty());
    assert!(record.tensors().keys().all(|name| !name.starts_with("pe.")));
}

#[test]
fn snapshots_attention_and_coordinates() {
    let record =
        Place::new(&[("record", "{ evaluate_every = 3, snapshots = [1, 3, 9] }"), ("stop.epochs", "7")]);
    let record = record.complete("out");
    assert_eq!(record.epochs(&[("split", "test"), ("level", "all")]), [0, 3, 6, 7]);
    assert_eq!(record.epochs(&[("kind", "encoding"), ("table", "block-0")]), [0, 3, 6, 7]);
    assert_eq!(record.epochs(&[("split", "train")]), [1, 2, 3, 4, 5, 6, 7]);
    let tensors = record.tensors();
    let mut expected: Vec<String> = ["init", "epoch-1", "epoch-3", "final"]
        .iter()
        .flat_map(|when| [0, 1].map(|block| format!("pe.{when}.block-{block}")))
        .chain(
            [
                "attention.final.block-0",
                "attention.final.block-1",
                "coords",
                "generalization.correct",
                "generalization.unit",
                "token_embedding.norms",
            ]
            .map(str::to_owned),
        )
        .collect();
    expected.sort();
    assert_eq!(tensors.keys().cloned().collect::<Vec<_>>(), expected);
    for block in [0, 1] {
        let (shape, weights) = &tensors[&format!("attention.final.block-{block}")];
        assert_eq!(*shape, [2, 16, 16]);
        for row in weights.chunks(16) {
            assert!(row.iter().all(|w| *w >= 0.0) && (row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
        }
    }
    // Answer by answer it is the accuracy of the last evaluation.
    let (shape, correct) = &tensors["generalization.correct"];
    let share = f64::from(correct.iter().sum::<f32>()) / correct.len() as f64;
    let lines = record.lines(&[("split", "generalization"), ("level", "all")]);
    assert_eq!(*shape, [correct.len()]);
    assert_eq!(share, lines.last().unwrap()["accuracy"].as_f64().unwrap());
    assert_eq!(tensors["generalization.unit"].0, [correct.len()]);
    let (shape, coords) = &tensors["coords"];
    assert_eq!(*shape, [16, 2]);
    let grid: Vec<f32> = (0..16u8).flat_map(|cell| [f32::from(cell / 4), f32::from(cell % 4)]).collect();
    assert_eq!(*coords, grid);
    let (shape, norms) = &tensors["token_embedding.norms"];
    assert!(*shape == [16] && norms.iter().all(|norm| *norm > 0.0));
    // The final tables are those of the final weights.
    let model = floats(&record.model);
    for block in [0, 1] {
        assert_eq!(model[&format!("encoding.tables.{block}")], tensors[&format!("pe.final.block-{block}")]);
    }
}

#[test]
fn each_stop_rule_says_so() {
    let adam = |lr: &str| format!("{{ kind = 'adam-w', lr = {lr} }}");
    for (stop, lr, stopped_by, steps, epochs) in [
        ("{ epochs = 2 }", "1e-3", "epochs", 6, 2),
        ("{ epochs = 2, steps = 6 }", "1e-3", "epochs", 6, 2),
        ("{ epochs = 9, steps = 4 }", "1e-3", "steps", 4, 2),
        ("{ epochs = 2, steps = 5 }", "1e-3", "steps", 5, 2),
        ("{ epochs = 9, steps = 3 }", "1e-3", "steps", 3, 1),
        ("{ epochs = 9, train_accuracy = 0.01 }", "1e-3", "train-accuracy", 3, 1),
        // The first epoch sets the loss to beat; two later ones do not.
        ("{ epochs = 9, plateau = { patience = 2, min_delta = 0.5 } }", "1e-12", "plateau", 9, 3),
    ] {
        let record = Place::new(&[("stop", stop), ("optimizer", &adam(lr))]).complete("out");
        let manifest = &record.manifest;
        assert_eq!(manifest["stopped_by"], stopped_by, "{stop}");
        assert_eq!(
            (manifest["steps"].as_u64(), manifest["epochs"].as_u64()),
            (Some(steps), Some(epochs)),
            "{stop}"
        );
        assert_eq!(manifest["status"], "complete");
        let last = record.metrics.last().unwrap();
        assert_eq!((last["step"].as_u64(), last["epoch"].as_u64()), (Some(steps), Some(epochs)), "{stop}");
        assert_eq!(record.epochs(&[("split", "train-full"), ("level", "all")]), [epochs], "{stop}");
    }
}

/// The running average only leads to a look at all items; it is that look that counts.
#[test]
fn training_accuracy_is_that_of_all_items() {
    let record = Place::new(&[("stop", "{ epochs = 300, train_accuracy = 0.6 }"), ("optimizer.lr", "3e-3")]);
    let record = record.complete("out");
    let looks = record.lines(&[("split", "train-full"), ("level", "all")]);
    let accuracies: Vec<f64> = looks.iter().map(|line| line["accuracy"].as_f64().unwrap()).collect();
    let (last, before) = accuracies.split_last().unwrap();
    assert!(*last >= 0.6 && before.iter().all(|accuracy| *accuracy < 0.6), "{accuracies:?}");
    assert_eq!(record.manifest["stopped_by"], "train-accuracy");
}
