//! The claims on series of runs, judged by `probe claims`; those of one experiment together.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::claims::{Claim, Judgement};
use super::series::Series;
use crate::{check_status, paths};

/// What the claims say of each series, or why nothing can be said. The claims of an experiment are judged together on one
/// series of each variant, of one scale and source: their p are also told as adjusted for being several.
pub(super) fn judge(all: &[Series], claims: &[Claim]) -> Vec<Result<Vec<Judgement>>> {
    let mut together: BTreeMap<Vec<usize>, Option<Vec<Judgement>>> = BTreeMap::new();
    let mut judge = |index: usize| {
        let family = family(all, index);
        let shared = match family.len() {
            1 => None,
            _ => together
                .entry(family)
                .or_insert_with_key(|family| of_runs(family.iter().map(|&one| &all[one])).ok())
                .clone(),
        };
        // One series that cannot be judged must not hide the others.
        let judged = shared.map_or_else(|| of_runs([&all[index]]), Ok)?;
        Ok(own(judged, &all[index], claims))
    };
    (0..all.len()).map(&mut judge).collect()
}

/// The series whose claims are of one family with those of a series: itself, and of each other variant of the experiment the
/// newest of the same scale and source.
fn family(all: &[Series], index: usize) -> Vec<usize> {
    let of = |series: usize| (&all[series].experiment, &all[series].scale, &all[series].source);
    let variant = |series: usize| &all[series].variant;
    let is_first = |one: usize| (0..one).all(|other| of(other) != of(one) || variant(other) != variant(one));
    let is_sibling = |one: usize| of(one) == of(index) && variant(one) != variant(index) && is_first(one);
    (0..all.len()).filter(|&one| one == index || is_sibling(one)).collect()
}

/// Judges all claims on the runs of some series.
fn of_runs<'a>(series: impl IntoIterator<Item = &'a Series>) -> Result<Vec<Judgement>> {
    let runs = series.into_iter().flat_map(|series| &series.runs);
    let output = Command::new(paths::binary("probe"))
        .env("OPENBLAS_NUM_THREADS", "1")
        .arg("claims")
        .args(runs.map(|run| &run.dir))
        .arg("--claims")
        .arg(paths::root().join("xtask").join("claims.toml"))
        .args(["--out", "-"])
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| paths::cannot_start("probe"))?;
    check_status("`probe claims`", output.status)?;
    let claims: Vec<Value> =
        serde_json::from_slice(&output.stdout).context("`probe claims` printed no list of claims")?;
    Ok(claims.into_iter().map(Judgement).collect())
}

/// Those about a series. Of an experiment of another name no claim can be judged, and each says so.
fn own(judged: Vec<Judgement>, series: &Series, claims: &[Claim]) -> Vec<Judgement> {
    let own: Vec<&Claim> = claims.iter().filter(|claim| claim.is_about(series)).collect();
    let is_own = |one: &Judgement| own.is_empty() || own.iter().any(|claim| one.word("id") == claim.id);
    judged.into_iter().filter(is_own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Claims are of one family with those of the other variants: of the same scale and data, and of each the newest.
    #[test]
    fn the_claims_of_an_experiment_are_judged_together() {
        let series = |variant: &str, scale: &str, source: &str| Series {
            name: String::new(),
            experiment: "network".into(),
            variant: Some(variant.to_owned()),
            scale: scale.into(),
            source: source.into(),
            runs: Vec::new(),
            arms: Vec::new(),
        };
        let all = [
            series("grid", "standard", "generated"),
            series("grid", "standard", "generated"),
            series("ring", "standard", "generated"),
            series("ring", "quick", "generated"),
            series("ring", "standard", "files"),
        ];
        let families: Vec<Vec<usize>> = (0..all.len()).map(|index| family(&all, index)).collect();
        assert_eq!(families, [vec![0, 2], vec![1, 2], vec![0, 2], vec![3], vec![4]]);
    }
}
