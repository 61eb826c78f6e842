//! How much the comparison of models with data would vary with other conditions, other subjects, or both.

mod resamples;

pub use resamples::{Over, Resamples};

use rayon::prelude::*;

use crate::compare::{Aligned, Comparison, NanPolicy, Prepared, align};
use crate::inference::quantile;
use crate::noise_ceiling::{self, NoiseCeiling};
use crate::rdm::{Rdm, resample};
use crate::{StatError, checks};

/// The fewest different conditions in a resample that still count, as in rsatoolbox.
const FEWEST: usize = 3;

/// Bootstrapped comparisons of models with the RDMs of subjects.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    /// What was resampled.
    pub over: Over,
    /// One vector a model, one entry a draw: the mean comparison over subjects. NaN when a draw has fewer than 3 different
    /// conditions, or where the comparison is undefined.
    pub values: Vec<Vec<f64>>,
    /// The noise ceiling of each draw, NaN with fewer than two different subjects.
    pub ceilings: Vec<NoiseCeiling>,
}

/// Compares each model with each subject on every resample of `resamples`, as rsatoolbox's `eval_bootstrap`
/// family.
///
/// Conditions are drawn with replacement; a pair of two copies of one condition is left out, since its distance
/// is 0 by construction. All models share the draws, so that their differences can be judged draw by draw. A
/// bootstrap over conditions speaks of other conditions of the same kind, one over subjects of other subjects.
/// The spread of values over conditions is somewhat too large for conditions few in number, and where both are
/// resampled the plain variance is too large: see [`dual_variance`].
pub fn bootstrap(
    models: &[&Rdm],
    subjects: &[&Rdm],
    how: Comparison,
    resamples: &Resamples,
    nan: NanPolicy,
) -> Result<Bootstrap, StatError> {
    if models.is_empty() || subjects.is_empty() {
        let what = if models.is_empty() { "models of a bootstrap" } else { "subjects of a bootstrap" };
        return Err(StatError::TooFew { what, least: 1, got: 0 });
    }
    let all: Vec<&Rdm> = models.iter().chain(subjects).copied().collect();
    checks::same_length("bootstrap: conditions", resamples.conditions(), all[0].conditions())?;
    checks::same_length("bootstrap: subjects", resamples.subjects(), subjects.len())?;
    let over = resamples.over();
    let none = NoiseCeiling { lower: f64::NAN, upper: f64::NAN };
    let Some(aligned) = align(&all, nan)? else {
        let values = vec![vec![f64::NAN; resamples.draws()]; models.len()];
        return Ok(Bootstrap { over, values, ceilings: vec![none; resamples.draws()] });
    };
    let spread = spread(&aligned);
    let draws = (0..resamples.draws())
        .into_par_iter()
        .map(|draw| {
            let (conditions, copies) = resamples.draw(draw);
            evaluate(&spread, models.len(), &conditions, &copies, how)
        })
        .collect::<Result<Vec<_>, StatError>>()?;
    let values = (0..models.len()).map(|model| draws.iter().map(|(v, _)| v[model]).collect()).collect();
    Ok(Bootstrap { over, values, ceilings: draws.into_iter().map(|(_, ceiling)| ceiling).collect() })
}

impl Bootstrap {
    /// The standard deviation (n - 1) of a model's values over the draws that are defined.
    pub fn standard_error(&self, model: usize) -> Option<f64> {
        spread_of(&self.defined(model))
    }

    /// The percentile interval of a model's values. `None` when no draw is defined.
    pub fn interval(&self, model: usize, level: f64) -> Option<(f64, f64)> {
        let mut values = self.defined(model);
        values.sort_by(f64::total_cmp);
        Some((quantile(&values, (1.0 - level) / 2.0)?, quantile(&values, (1.0 + level) / 2.0)?))
    }

    /// Model `a` minus model `b`, draw by draw.
    pub fn difference(&self, a: usize, b: usize) -> Option<Vec<f64>> {
        let (a, b) = (self.values.get(a)?, self.values.get(b)?);
        Some(a.iter().zip(b).map(|(a, b)| a - b).collect())
    }

    /// One-sided p of a model being above `bound`: (draws at or below it + 1) / (draws + 1).
    pub fn p_above(&self, model: usize, bound: f64) -> Option<f64> {
        let values = self.defined(model);
        let below = values.iter().filter(|value| **value <= bound).count();
        (!values.is_empty()).then(|| (below as f64 + 1.0) / (values.len() as f64 + 1.0))
    }

    /// How many draws of a model are undefined and left out.
    pub fn undefined(&self, model: usize) -> usize {
        self.values.get(model).map_or(0, |values| values.iter().filter(|value| value.is_nan()).count())
    }

    fn defined(&self, model: usize) -> Vec<f64> {
        self.values.get(model).into_iter().flatten().copied().filter(|value| !value.is_nan()).collect()
    }
}

/// The variance of a comparison over new subjects and new conditions, from three bootstraps of the same draws:
/// over both, subjects alone, conditions alone (Schütt et al. 2023, the small-sample form of rsatoolbox's
/// `_dual_bootstrap`). The plain variance over both counts the noise of measurement twice; this one is never
/// above it, unless a corrected variance over one alone is.
pub fn dual_variance(
    both: f64,
    over_subjects: f64,
    over_conditions: f64,
    subjects: usize,
    conditions: usize,
) -> f64 {
    let correction = |n: usize| n as f64 / (n as f64 - 1.0);
    let (s, c) = (correction(subjects), correction(conditions));
    let estimate = s * over_subjects + c * over_conditions - s * c * (both - over_subjects - over_conditions);
    estimate.max(s * over_subjects).max(c * over_conditions).min(both)
}

/// Vectors with NaN where a pair is missing, so that pairs can be found by their place.
fn spread(aligned: &Aligned) -> Aligned {
    let place = |vector: &Vec<f64>| match &aligned.present {
        None => vector.clone(),
        Some(present) => {
            let mut next = vector.iter().copied();
            present.iter().map(|is| if *is { next.next().unwrap_or(f64::NAN) } else { f64::NAN }).collect()
        }
    };
    let vectors = aligned.vectors.iter().map(place).collect();
    Aligned { conditions: aligned.conditions, vectors, present: None }
}

fn evaluate(
    all: &Aligned,
    models: usize,
    conditions: &[usize],
    copies: &[usize],
    how: Comparison,
) -> Result<(Vec<f64>, NoiseCeiling), StatError> {
    let nothing = NoiseCeiling { lower: f64::NAN, upper: f64::NAN };
    let mut distinct = conditions.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() < FEWEST {
        return Ok((vec![f64::NAN; models], nothing));
    }
    let drawn: Vec<Vec<f64>> =
        all.vectors.iter().map(|vector| resample(all.conditions, vector, conditions)).collect();
    let present: Vec<bool> = drawn[0].iter().map(|value| !value.is_nan()).collect();
    let keep =
        |vector: Vec<f64>| -> Vec<f64> { vector.into_iter().filter(|value| !value.is_nan()).collect() };
    let mut kept: Vec<Vec<f64>> = drawn.into_iter().map(keep).collect();
    let subjects = kept.split_off(models);
    let present = present.contains(&false).then_some(present);
    let subjects = Aligned { conditions: conditions.len(), vectors: subjects, present };
    let ready: Vec<Prepared> = subjects.prepare_all(how)?;
    let count: usize = copies.iter().sum();
    let values = kept
        .iter()
        .map(|model| {
            let model = subjects.prepare(model, how)?;
            let chosen = ready.iter().zip(copies).filter(|(_, copies)| **copies > 0);
            Ok(chosen.map(|(ready, &copies)| copies as f64 * model.with(ready)).sum::<f64>() / count as f64)
        })
        .collect::<Result<Vec<f64>, StatError>>()?;
    Ok((values, noise_ceiling::of_aligned(&subjects, copies, how)?))
}

fn spread_of(values: &[f64]) -> Option<f64> {
    let mean = crate::inference::mean(values)?;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (values.len() > 1).then(|| (squares / (values.len() as f64 - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn vectors(value: &Value) -> Vec<Vec<f64>> {
        let row = |row: &Value| row.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        value.as_array().unwrap().iter().map(row).collect()
    }

    /// Draws given, values and ceilings of rsatoolbox 0.3.2: with copies of conditions, of subjects, of both.
    #[test]
    fn a_draw_is_evaluated_as_in_rsatoolbox() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/rsa_more.json");
        let golden: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let golden = &golden["rdms"];
        let vectors = [vectors(&golden["models"]), vectors(&golden["subjects"])].concat();
        let all = Aligned { conditions: 7, vectors, present: None };
        for case in golden["resampled"].as_array().unwrap() {
            let list = |name: &str| -> Vec<usize> {
                case[name].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
            };
            let mut copies = vec![0; 6];
            list("subjects").iter().for_each(|&k| copies[k] += 1);
            for (how, name) in [
                (Comparison::Pearson, "corr"),
                (Comparison::Spearman, "spearman"),
                (Comparison::KendallTauA, "tau-a"),
                (Comparison::KendallTauB, "kendall"),
                (Comparison::RhoA, "rho-a"),
                (Comparison::Cosine, "cosine"),
                (Comparison::WhitenedPearson, "corr_cov"),
                (Comparison::WhitenedCosine, "cosine_cov"),
            ] {
                let (values, ceiling) = evaluate(&all, 2, &list("conditions"), &copies, how).unwrap();
                let got = [values[0], values[1], ceiling.lower, ceiling.upper];
                let expected = [
                    &case["mean"][name][0],
                    &case["mean"][name][1],
                    &case["ceiling"][name][0],
                    &case["ceiling"][name][1],
                ];
                for (got, expected) in got.iter().zip(expected) {
                    assert!((got - expected.as_f64().unwrap()).abs() < 1e-10, "{name}: {got} {expected}");
                }
            }
        }
    }
}
