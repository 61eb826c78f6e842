//! Agreement of runs: which of them belong together, and which pairs count.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::{Array2, ArrayView2};
use streams::Streams;

use super::agreement;
use super::report::{AgreementReport, ArmAgreement, LeftOutArm, SeedAgreement, VariantAgreement};
use crate::StatError;
use crate::identifiability::{Untrained, identifiability_within};
use crate::report::{Statistic, side_by_side};
use crate::run_dir::{InputError, RunDir, Table};

/// The kind of encoding whose tables are learned: only these can agree for a reason that is in the data.
const LEARNED: &str = "learned";

/// What the `runs` of one experiment agree on, by arm: `table` is `all`, `block-<b>` or `shared`. `permutations` and
/// `draws` are at least 1.
///
/// Runs of more than one experiment, a run given twice, tables of different tokens, or of different widths within an arm,
/// are errors.
pub fn agreement_report(
    runs: &[RunDir],
    table: &str,
    permutations: usize,
    draws: usize,
    seed: u64,
) -> Result<AgreementReport, InputError> {
    let first = checked(runs)?;
    let mut arms: BTreeMap<(u64, &str), Vec<&RunDir>> = BTreeMap::new();
    for run in runs {
        // Numbers in names by size: positive floats order as their bits do.
        let sigma = run.config.model.encoding.sigma.unwrap_or(0.0).max(0.0).to_bits();
        arms.entry((sigma, &run.config.arm)).or_default().push(run);
    }
    let mut report = AgreementReport {
        schema: crate::run_dir::SCHEMA,
        probe_version: env!("CARGO_PKG_VERSION").to_owned(),
        experiment: first.config.experiment.clone(),
        table: table.to_owned(),
        n: first.tensors.coords.nrows(),
        permutations,
        draws,
        seed,
        arms: Vec::new(),
        left_out: Vec::new(),
    };
    for ((_, arm), runs) in arms {
        if runs.iter().any(|run| run.config.model.encoding.kind != LEARNED) {
            let reason = "its tables are not learned".to_owned();
            report.left_out.push(LeftOutArm { arm: arm.to_owned(), reason });
            continue;
        }
        let tables = runs.iter().map(|run| Learned::of(run, table)).collect::<Result<Vec<_>, _>>()?;
        let found = of_arm(arm, runs[0].config.model.encoding.sigma, &tables, &report);
        report
            .arms
            .push(found.map_err(|source| InputError::Statistic { path: runs[0].path.clone(), source })?);
    }
    Ok(report)
}

/// One run's table.
struct Learned {
    variant: String,
    seed: u64,
    init: Array2<f64>,
    last: Array2<f64>,
}

/// The first run, if all belong together.
fn checked(runs: &[RunDir]) -> Result<&RunDir, InputError> {
    let wrong = |run: &RunDir, place: &str, expected: String, got: String, remedy: &str| InputError::Value {
        path: run.path.clone(),
        place: place.to_owned(),
        expected,
        got,
        remedy: remedy.to_owned(),
    };
    let Some(first) = runs.first() else {
        return Err(InputError::Value {
            path: "probe agreement".into(),
            place: "run directories".into(),
            expected: "at least one".into(),
            got: "none".into(),
            remedy: "pass the runs of one experiment".into(),
        });
    };
    let mut seen = BTreeSet::new();
    for run in runs {
        let (config, tokens) = (&run.config, run.tensors.coords.nrows());
        if config.experiment != first.config.experiment {
            let (expected, got) = (&first.config.experiment, &config.experiment);
            let remedy = "pass the runs of one experiment";
            return Err(wrong(run, "experiment", format!("`{expected}`"), format!("`{got}`"), remedy));
        }
        if tokens != first.tensors.coords.nrows() {
            let expected = format!("{}, as in {}", first.tensors.coords.nrows(), first.path.display());
            return Err(wrong(run, "tokens", expected, tokens.to_string(), "pass runs on the same tokens"));
        }
        if !seen.insert((&config.arm, &config.variant, config.seeds.seed)) {
            let place = format!("arm `{}`, seed {}", config.arm, config.seeds.seed);
            let (expected, got) = ("one run of each variant".to_owned(), "a second one".to_owned());
            return Err(wrong(run, &place, expected, got, "leave one of them out"));
        }
    }
    Ok(first)
}

impl Learned {
    fn of(run: &RunDir, table: &str) -> Result<Self, InputError> {
        let named = run.tensors.tables.iter().filter(|one| table == "all" || one.name == table);
        let chosen: Vec<_> = named.collect();
        if chosen.is_empty() {
            let known: Vec<&str> = run.tensors.tables.iter().map(|one| one.name.as_str()).collect();
            return Err(InputError::Value {
                path: run.path.join("tensors.safetensors"),
                place: "tables".into(),
                expected: format!("`{table}`"),
                got: if known.is_empty() { "none".into() } else { known.join(", ") },
                remedy: "pass --table all, or one of these".into(),
            });
        }
        let beside = |of: fn(&Table) -> &Array2<f64>| {
            side_by_side(&chosen.iter().map(|one| of(one).clone()).collect::<Vec<_>>())
        };
        Ok(Self {
            variant: run.config.variant.clone().unwrap_or_default(),
            seed: run.config.seeds.seed,
            init: beside(|one| &one.init),
            last: beside(|one| &one.last),
        })
    }
}

fn of_arm(
    arm: &str,
    sigma: Option<f64>,
    tables: &[Learned],
    settings: &AgreementReport,
) -> Result<ArmAgreement, StatError> {
    let streams = Streams::new(settings.seed);
    let mut variants: BTreeMap<&str, Vec<&Learned>> = BTreeMap::new();
    for table in tables {
        variants.entry(&table.variant).or_default().push(table);
    }
    let mut reasons = Vec::new();
    let seeds = if variants.values().any(|group| group.len() > 1) {
        let groups: Vec<Vec<ArrayView2<f64>>> =
            variants.values().map(|group| group.iter().map(|one| one.last.view()).collect()).collect();
        let views: Vec<&[ArrayView2<f64>]> = groups.iter().map(Vec::as_slice).collect();
        let initial: Vec<ArrayView2<f64>> = tables.iter().map(|one| one.init.view()).collect();
        let found = identifiability_within(&views, Untrained::like(&initial)?, settings.draws, &streams)?;
        Some(SeedAgreement {
            pairs: found.pairs,
            rsa: found.rsa.into(),
            cka: found.cka.into(),
            procrustes_r2: found.procrustes_r2.into(),
        })
    } else {
        reasons.push("seeds: needs two runs of one variant");
        None
    };
    let apart = seeds_apart(&variants);
    let variants = if apart.len() > 1 {
        let groups: Vec<Vec<ArrayView2<f64>>> =
            apart.values().map(|group| group.iter().map(|one| one.last.view()).collect()).collect();
        let found = agreement(&groups, settings.permutations, &streams)?;
        let seeds = |group: &Vec<&Learned>| group.iter().map(|one| one.seed).collect();
        Some(VariantAgreement {
            pairs: found.pairs,
            value: Statistic::from(found.euclidean).value,
            p: Statistic::from(found.euclidean).p,
            cosine: found.cosine.into(),
            permutations: found.permutations,
            seeds: apart.iter().map(|(variant, group)| ((*variant).to_owned(), seeds(group))).collect(),
        })
    } else {
        reasons.push(match variants.len() {
            1 => "variants: needs runs of two variants",
            _ => "variants: needs two seeds, since runs of one seed share their initialization",
        });
        None
    };
    let reason = (!reasons.is_empty()).then(|| reasons.join("; "));
    Ok(ArmAgreement { arm: arm.to_owned(), sigma, runs: tables.len(), seeds, variants, reason })
}

/// Each seed in one variant only: of those that have it, in the one with the fewest so far, the first of equals. Variants
/// that get none are left out.
fn seeds_apart<'a>(variants: &BTreeMap<&'a str, Vec<&'a Learned>>) -> BTreeMap<&'a str, Vec<&'a Learned>> {
    let seeds: BTreeSet<u64> = variants.values().flatten().map(|one| one.seed).collect();
    let mut apart: BTreeMap<&str, Vec<&Learned>> = BTreeMap::new();
    // Seeds that leave no choice come first.
    let owners =
        |seed: u64| variants.values().filter(|group| group.iter().any(|one| one.seed == seed)).count();
    let mut order: Vec<u64> = seeds.into_iter().collect();
    order.sort_by_key(|&seed| (owners(seed) > 1, seed));
    for seed in order {
        let having = variants
            .iter()
            .filter_map(|(variant, group)| Some((*variant, *group.iter().find(|one| one.seed == seed)?)));
        let least = having.min_by_key(|(variant, _)| apart.get(variant).map_or(0, Vec::len));
        if let Some((variant, one)) = least {
            apart.entry(variant).or_default().push(one);
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two variants of the seeds 1 to 4 get two each; a seed that only one has stays with it.
    #[test]
    fn no_seed_is_in_two_variants() {
        let one = |variant: &str, seed| Learned {
            variant: variant.to_owned(),
            seed,
            init: Array2::zeros((1, 1)),
            last: Array2::zeros((1, 1)),
        };
        let all: Vec<Learned> = (1..=4).flat_map(|seed| [one("first", seed), one("second", seed)]).collect();
        let split = |tables: &[Learned]| -> Vec<Vec<u64>> {
            let mut variants: BTreeMap<&str, Vec<&Learned>> = BTreeMap::new();
            tables.iter().for_each(|table| variants.entry(&table.variant).or_default().push(table));
            seeds_apart(&variants).values().map(|group| group.iter().map(|one| one.seed).collect()).collect()
        };
        assert_eq!(split(&all), [vec![1, 3], vec![2, 4]]);
        let uneven = [one("first", 1), one("second", 1), one("first", 2)];
        assert_eq!(split(&uneven), [vec![2], vec![1]]);
        assert_eq!(split(&all[..2]).len(), 1, "one seed cannot be compared across variants");
        let different = [one("first", 1), one("first", 2), one("second", 8), one("second", 9)];
        assert_eq!(split(&different), [vec![1, 2], vec![8, 9]]);
    }
}
