//! Accuracy: at the end by split and level beside the published figures, and epoch by epoch.

use std::collections::BTreeSet;

use super::markdown::{percent, table};
use super::published::{Published, at};
use super::read::{RunResult, arms, of_arm};

const LEVELS: [&str; 3] = ["binary", "ternary", "quaternary"];

/// People (n = 40) on the generalization items, by level. Source: the data published with the task.
const HUMAN: [&str; 3] = ["96.67", "87.01", "66.25"];

/// The accuracy table.
pub(super) fn accuracy(runs: &[RunResult], published: &[Published]) -> String {
    let mut rows = Vec::new();
    for arm in arms(runs) {
        let of = |split: &str, level: &str| -> Vec<f64> {
            of_arm(runs, arm).filter_map(|run| run.last(split, level)).collect()
        };
        let aulc: Vec<f64> = of_arm(runs, arm)
            .filter_map(|run| run.probe["learning"]["generalization_aulc"].as_f64())
            .collect();
        let mut row = vec![arm.to_owned(), of_arm(runs, arm).count().to_string()];
        row.push(percent(&of("generalization", "all")));
        row.extend(LEVELS.map(|level| percent(&of("generalization", level))));
        row.extend([percent(&of("test", "all")), percent(&of("train-full", "all")), percent(&aulc)]);
        row.push(
            at(published, arm, 4000, "generalization", "all")
                .map_or("-".to_owned(), |p| format!("{:.1} ± {:.1}", 100.0 * p.mean, 100.0 * p.sd)),
        );
        rows.push(row);
    }
    if !published.is_empty() {
        let [binary, ternary, quaternary] = HUMAN.map(str::to_owned);
        let dash = || "-".to_owned();
        rows.push(vec![
            "people".to_owned(),
            dash(),
            dash(),
            binary,
            ternary,
            quaternary,
            dash(),
            dash(),
            dash(),
            dash(),
        ]);
    }
    let head = [
        "PE",
        "seeds",
        "generalization",
        "binary",
        "ternary",
        "quaternary",
        "test",
        "training",
        "mean over epochs",
        "published, epoch 4000",
    ];
    format!(
        "## Accuracy at the end (%)\n\nMean ± standard deviation over seeds. *Generalization*: the items unlike all training puzzles. \
         *Mean over epochs*: of the generalization accuracy, over the evaluations after epoch 0; runs of different lengths \
         cannot be compared by it. *Published*: generalization on the published puzzles, 15 seeds, learning rate 1e-4, from \
         the authors' logs. *People*: 40 of them, on the published generalization items. At unequal training accuracy a \
         difference in generalization is one of learning speed. Preset `paper` drops 10 % of token + sinusoid, as the published \
         code does, in the fixed sinusoids alone.\n\n{}",
        table(&head, rows)
    )
}

/// Generalization accuracy epoch by epoch, beside what was published.
pub(super) fn curves(runs: &[RunResult], published: &[Published]) -> String {
    let arms = arms(runs);
    let epochs = shown(runs);
    let mut rows = Vec::new();
    for epoch in epochs {
        let cell = |arm: &&str| {
            let values =
                |split| -> Vec<f64> { of_arm(runs, arm).filter_map(|run| run.at(epoch, split)).collect() };
            format!("{} ({})", percent(&values("generalization")), percent(&values("train")))
        };
        rows.push(std::iter::once(epoch.to_string()).chain(arms.iter().map(cell)).collect());
    }
    let beside: &[u64] = if published.is_empty() { &[] } else { &[0, 200, 1000, 4000] };
    for &epoch in beside {
        let cell = |arm: &&str| {
            let of = |split| {
                at(published, arm, epoch, split, "all")
                    .map_or("-".to_owned(), |p| format!("{:.1}", 100.0 * p.mean))
            };
            format!("{} ({})", of("generalization"), of("train"))
        };
        rows.push(std::iter::once(format!("published {epoch}")).chain(arms.iter().map(cell)).collect());
    }
    let head: Vec<&str> = std::iter::once("epoch").chain(arms.iter().copied()).collect();
    format!(
        "## Learning curves (%)\n\nGeneralization accuracy, and in brackets training accuracy (over the epoch's own batches); a run \
         that has ended keeps its last value. The published rows are of the published puzzles at learning rate 1e-4, and of \
         later epochs: compare the order of the arms, not the epochs.\n\n{}",
        table(&head, rows)
    )
}

/// At most some twenty epochs, evenly chosen, with the first and the last.
fn shown(runs: &[RunResult]) -> Vec<u64> {
    let all: BTreeSet<u64> = runs
        .iter()
        .flat_map(|run| &run.scores)
        .filter(|score| score.split == "generalization")
        .map(|score| score.epoch)
        .collect();
    let every = all.len().div_ceil(20).max(1);
    let last = all.len().saturating_sub(1);
    all.into_iter()
        .enumerate()
        .filter(|(i, _)| i % every == 0 || *i == last)
        .map(|(_, epoch)| epoch)
        .collect()
}

/// The last scores of every run.
pub(super) fn accuracy_csv(runs: &[RunResult]) -> String {
    let mut text = "arm,seed,split,level,accuracy\n".to_owned();
    for run in runs {
        for split in ["generalization", "test", "train-full"] {
            for level in std::iter::once("all").chain(LEVELS) {
                if let Some(accuracy) = run.last(split, level) {
                    text += &format!("{},{},{split},{level},{accuracy}\n", run.arm, run.seed);
                }
            }
        }
    }
    text
}

/// All scores of every run.
pub(super) fn curves_csv(runs: &[RunResult]) -> String {
    let mut text = "arm,seed,epoch,step,split,level,n,accuracy,loss\n".to_owned();
    for run in runs {
        for s in &run.scores {
            text += &format!(
                "{},{},{},{},{},{},{},{},{}\n",
                run.arm, run.seed, s.epoch, s.step, s.split, s.level, s.n, s.accuracy, s.loss
            );
        }
    }
    text
}
