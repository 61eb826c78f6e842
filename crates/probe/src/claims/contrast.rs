//! Differences between arms, paired by seed.

mod plan;
mod puzzles;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use self::plan::Plan;
use super::result::too_small;
use super::spec::Matched;
use super::{ALPHA, Claim, ClaimResult, Interval, Rule, Runs, SEEDS_TO_JUDGE, Verdict};
use crate::StatError;
use crate::inference::{benjamini_hochberg, mean, sign_flip, student_interval};
use crate::run_dir::InputError;

/// Whether a figure decides, or is measured beside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It decides.
    Primary,
    /// It does not; its p is corrected for the number of secondary figures.
    Secondary,
}

/// The mean over seeds of a metric's difference between two arms, or of the metric itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// Does it decide?
    pub role: Role,
    /// What is compared.
    pub metric: String,
    /// Arm.
    pub treatment: String,
    /// Arm; null when the treatment's own value is held against 0.
    pub control: Option<String>,
    /// Seeds.
    pub n: usize,
    /// Mean difference.
    pub mean: Option<f64>,
    /// Mean of the treatment over the same seeds.
    pub treatment_mean: Option<f64>,
    /// Mean of the control over the same seeds.
    pub control_mean: Option<f64>,
    /// Of the mean difference (Student t over seeds); null with few seeds or when the claim is not judged.
    pub interval: Option<Interval>,
    /// Of the mean difference of final generalization accuracy, these seeds given: percentiles over resamples of the
    /// puzzles. Null for other metrics, where runs wrote no answers, where the pairs are of several data sets, or when
    /// the claim is not judged.
    #[serde(default)]
    pub interval_by_puzzle: Option<Interval>,
    /// Exact two-sided sign-flip p over seeds (of a non-inferiority: of the difference plus the margin); null
    /// as above.
    pub p: Option<f64>,
    /// Of a secondary contrast: p after Benjamini-Hochberg.
    pub p_adjusted: Option<f64>,
    /// Of a primary contrast: whether the mean points the claim's way.
    pub agrees: Option<bool>,
    /// Whether both runs of every pair fit their training data as required; false marks a **raw, unmatched**
    /// contrast; null when none is required, or there is no pair.
    pub matched: Option<bool>,
    /// The pairs.
    pub pairs: Vec<Pair>,
    /// Runs that could not be paired.
    pub left_out: Vec<LeftOut>,
}

/// One seed of a contrast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The seed.
    pub seed: u64,
    /// The treatment's value.
    pub treatment: f64,
    /// The control's.
    pub control: Option<f64>,
    /// Their difference, or the treatment's value.
    pub difference: f64,
    /// Training accuracy of the treatment.
    pub treatment_fit: Option<f64>,
    /// Training accuracy of the control.
    pub control_fit: Option<f64>,
    /// Loss of the treatment on all training items, where no accuracy is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub treatment_loss: Option<f64>,
    /// The same of the control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control_loss: Option<f64>,
}

/// A run that does not count, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its arm.
    pub arm: String,
    /// Its seed.
    pub seed: u64,
    /// Why.
    pub reason: String,
}

/// Judges a claim about differences between arms.
pub(super) fn judge(claim: &Claim, runs: &Runs) -> Result<ClaimResult, InputError> {
    let mut result = ClaimResult::unjudged(claim, runs);
    let plans = plan::plans(claim);
    let mut contrasts = plans
        .iter()
        .map(|plan| contrast(plan, claim, runs))
        .collect::<Result<Vec<_>, _>>()
        // There is no file to name: the claim is the place.
        .map_err(|source| InputError::Statistic { path: claim.id.clone().into(), source })?;
    adjust(&mut contrasts);
    let primary: Vec<&Contrast> = contrasts.iter().filter(|c| c.role == Role::Primary).collect();
    result.n = primary.iter().map(|c| c.n).min().unwrap_or(0);
    let obstacles = obstacles(claim, runs, &plans, &primary);
    if let Some(least) = least_favourable(&plans, &primary) {
        result.value = least.mean;
        if obstacles.is_empty() {
            (result.interval, result.p) = (least.interval.clone(), least.p);
        }
    }
    if obstacles.is_empty() {
        let so_far = primary.iter().all(|c| c.agrees == Some(true));
        result.verdict =
            Verdict::of(result.n >= SEEDS_TO_JUDGE, so_far, primary.iter().all(|c| holds(&claim.rule, c)));
        result.reason = reading(&claim.rule, &contrasts);
    } else {
        result.reason = Some(obstacles.join("; "));
        contrasts.iter_mut().for_each(Contrast::withhold);
    }
    result.detail.contrasts = contrasts;
    Ok(result)
}

fn contrast(plan: &Plan, claim: &Claim, runs: &Runs) -> Result<Contrast, StatError> {
    let treatments = runs.of_arm(claim, &plan.treatment);
    let controls = plan.control.as_ref().map(|arm| runs.of_arm(claim, arm));
    let (mut pairs, mut left_out) = (Vec::new(), Vec::new());
    let others = controls.iter().flat_map(|controls| controls.keys());
    for &seed in treatments.keys().chain(others).collect::<BTreeSet<_>>() {
        let treatment = treatments.get(&seed).copied();
        let paired = match &controls {
            None => plan.single(treatment),
            Some(controls) => plan.pair(treatment, controls.get(&seed).copied()),
        };
        match paired {
            Ok(pair) => pairs.push(Pair { seed, ..pair }),
            Err((arm, reason)) => left_out.push(LeftOut { arm, seed, reason }),
        }
    }
    let seeds = || pairs.iter().map(|pair| &pair.seed);
    let by_puzzle = controls.as_ref().filter(|_| plan.metric.is_generalization());
    let by_puzzle = by_puzzle.and_then(|controls| {
        puzzles::interval(seeds().filter_map(|seed| Some((*treatments.get(seed)?, *controls.get(seed)?))))
    });
    let column = |f: fn(&Pair) -> Option<f64>| pairs.iter().filter_map(f).collect::<Vec<f64>>();
    let differences = column(|pair| Some(pair.difference));
    let from_null: Vec<f64> = differences.iter().map(|d| d - plan.null).collect();
    let enough = pairs.len() >= SEEDS_TO_JUDGE;
    let interval = student_interval(&differences, 1.0 - ALPHA).filter(|_| enough);
    Ok(Contrast {
        role: plan.role,
        metric: plan.metric.to_string(),
        treatment: plan.treatment.clone(),
        control: plan.control.clone(),
        n: pairs.len(),
        mean: mean(&differences),
        treatment_mean: mean(&column(|pair| Some(pair.treatment))),
        control_mean: mean(&column(|pair| pair.control)),
        interval: interval.map(|(low, high)| Interval {
            low,
            high,
            level: 1.0 - ALPHA,
            method: "student-t".into(),
        }),
        interval_by_puzzle: by_puzzle,
        p: if enough { Some(sign_flip(&from_null)?) } else { None },
        p_adjusted: None,
        agrees: plan.sign.and_then(|sign| Some(sign * mean(&from_null)? > 0.0)),
        matched: claim
            .rule
            .matched()
            .filter(|_| !pairs.is_empty())
            .map(|matched| pairs.iter().all(|pair| pair.is_matched(matched))),
        pairs,
        left_out,
    })
}

impl Contrast {
    /// Leaves the figures, and nothing that a judgement could rest on.
    pub(super) fn withhold(&mut self) {
        (self.interval, self.interval_by_puzzle, self.p, self.p_adjusted) = (None, None, None, None);
    }
}

impl Pair {
    fn is_matched(&self, matched: Matched) -> bool {
        match matched {
            Matched::Accuracy(fit) => {
                let reached = |accuracy: Option<f64>| accuracy.is_some_and(|accuracy| accuracy >= fit);
                reached(self.treatment_fit) && (self.control.is_none() || reached(self.control_fit))
            }
            Matched::Loss(share) => match (self.treatment_loss, self.control_loss) {
                (Some(a), Some(b)) => (a - b).abs() <= share * a.min(b),
                (Some(_), None) => self.control.is_none(),
                _ => false,
            },
        }
    }
}

/// Corrects the secondary contrasts for being many.
fn adjust(contrasts: &mut [Contrast]) {
    let secondary: Vec<&mut Contrast> =
        contrasts.iter_mut().filter(|c| c.role == Role::Secondary && c.p.is_some()).collect();
    let p: Vec<f64> = secondary.iter().filter_map(|c| c.p).collect();
    for (contrast, adjusted) in secondary.into_iter().zip(benjamini_hochberg(&p)) {
        contrast.p_adjusted = Some(adjusted);
    }
}

/// Everything that stands between the runs and a judgement.
fn obstacles(claim: &Claim, runs: &Runs, plans: &[Plan], primary: &[&Contrast]) -> Vec<String> {
    let mut obstacles = Vec::new();
    let arms: BTreeSet<&String> = plans
        .iter()
        .filter(|plan| plan.role == Role::Primary)
        .flat_map(|plan| std::iter::once(&plan.treatment).chain(&plan.control))
        .collect();
    let missing: Vec<String> = arms
        .into_iter()
        .filter(|arm| runs.of_arm(claim, arm).is_empty())
        .map(|arm| format!("`{arm}`"))
        .collect();
    if !missing.is_empty() {
        obstacles.push(format!("missing: runs of {}", missing.join(", ")));
    } else if let Some(empty) = primary.iter().find(|c| c.n == 0) {
        let why = empty.left_out.first().map_or("no seed in common", |left_out| &left_out.reason);
        obstacles.push(format!("no pair for {}: {why}", empty.metric));
    }
    obstacles.extend(too_small(claim, runs.scale()));
    if let (Some(required), Some(contrast)) =
        (claim.rule.matched(), primary.iter().find(|c| c.n > 0 && c.matched == Some(false)))
    {
        let matched = contrast.pairs.iter().filter(|pair| pair.is_matched(required)).count();
        obstacles.push(format!(
            "unmatched: {required}{} in {matched} of {} pairs with `{}`; the contrast is raw",
            if matches!(required, Matched::Accuracy(_)) { " in both arms" } else { "" },
            contrast.n,
            contrast.control.as_deref().unwrap_or("itself"),
        ));
    }
    obstacles
}

/// The primary contrast that speaks least for the claim: one that points the other way before one that does not, then
/// the largest p, then the smallest effect.
fn least_favourable<'a>(plans: &[Plan], primary: &[&'a Contrast]) -> Option<&'a Contrast> {
    if primary.iter().any(|c| c.n == 0) {
        // A figure that leaves a control out would be read as the claim's.
        return None;
    }
    let sign = plans.iter().find_map(|plan| plan.sign).unwrap_or(1.0);
    let agrees = |c: &Contrast| c.agrees == Some(true);
    let key = |c: &Contrast| {
        // Of those that point the other way, the surest is the worst.
        let p = c.p.unwrap_or(1.0);
        (if agrees(c) { -p } else { p }, sign * c.mean.unwrap_or(f64::INFINITY))
    };
    primary.iter().copied().min_by(|a, b| {
        let (x, y) = (key(a), key(b));
        agrees(a).cmp(&agrees(b)).then(x.0.total_cmp(&y.0)).then(x.1.total_cmp(&y.1))
    })
}

fn holds(rule: &Rule, contrast: &Contrast) -> bool {
    match rule {
        Rule::NonInferior { margin, .. } => contrast.interval.as_ref().is_some_and(|i| i.low > -margin),
        _ => contrast.agrees == Some(true) && contrast.p.is_some_and(|p| p < ALPHA),
    }
}

/// Of a geometry claim: does the control's change carry the geometry that its table hides?
fn reading(rule: &Rule, contrasts: &[Contrast]) -> Option<String> {
    let Rule::Geometry { control, .. } = rule else { return None };
    let hidden = contrasts.iter().find(|c| plan::is_change_of(c, control))?;
    let carried = hidden.mean? > 0.0 && hidden.p_adjusted? < ALPHA;
    carried.then(|| format!("the change of `{control}` carries the geometry too: masked, not unlearned"))
}
