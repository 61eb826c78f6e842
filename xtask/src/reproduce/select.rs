//! Which runs of a plan this call takes: a shard of it, or those that are finished.
//!
//! The plan itself is always frozen whole, so that machines that share it make the same plan and disjoint lists.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use anyhow::Result;

use super::plan::{Frozen, Progress, Run};
use crate::{bad_input, say};

/// Part `number` of `count`: the runs `number`, `number + count`, ... of the plan, counted from 1. In a plan the seeds
/// of an arm stand next to each other, so that every part has its share of quick and of slow arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
    number: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, count)) if (1..=count).contains(&number) => Ok(Self { number, count }),
            _ => Err(bad_input(format!(
                "--shard is `{text}`: expected i/n with i from 1 to n, such as 2/3 for the second of three machines"
            ))),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl Shard {
    fn has(self, index: usize) -> bool {
        index % self.count == self.number - 1
    }
}

/// Leaves in `frozen` the runs of the shard, and with `finished` only those of them that are complete under `out`.
pub(super) fn select(frozen: &mut Frozen, shard: Option<Shard>, finished: bool, out: &Path) -> Result<()> {
    let all = frozen.plan.runs.len();
    let mut index = 0..;
    frozen.plan.runs.retain(|_| index.next().is_none_or(|i| shard.is_none_or(|shard| shard.has(i))));
    if let Some(shard) = shard {
        say(&format!("shard {shard}: {} of the {all} runs", frozen.plan.runs.len()));
    }
    let listed = frozen.plan.runs.len();
    if finished {
        let runs = out.join("runs");
        let own = std::mem::take(&mut frozen.plan.runs);
        let is_finished = |run: &Run| frozen.plan.progress_of(&runs, run) == Progress::Complete;
        frozen.plan.runs = own.into_iter().filter(is_finished).collect();
        say(&format!("{} of {listed} runs are finished, the others are left out", frozen.plan.runs.len()));
    }
    if frozen.plan.runs.is_empty() {
        return Err(bad_input(match shard {
            Some(shard) if listed == 0 => {
                format!("shard {shard} of {all} runs is empty: choose fewer shards")
            }
            _ => format!("no run of the plan is finished under {}: train first", out.display()),
        }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_disjoint_complete_and_even() {
        for count in 1..=7 {
            let shards: Vec<Shard> =
                (1..=count).map(|number| format!("{number}/{count}").parse().unwrap()).collect();
            let mut sizes = vec![0; count];
            for index in 0..20 {
                let owners: Vec<usize> = (0..count).filter(|&s| shards[s].has(index)).collect();
                assert_eq!(owners.len(), 1, "run {index} of {count} shards");
                sizes[owners[0]] += 1;
            }
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.contains(&format!("--shard is `{text}`: expected i/n")), "{error}");
        }
    }
}
