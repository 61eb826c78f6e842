//! Which contrasts a rule asks for, and which runs make a pair.

use super::{Contrast, Pair, Role};
use crate::claims::{Claim, Metric, Rule, TableStatistic};
use crate::report::{ProbeReport, Reference, State};
use crate::run_dir::Split;

/// One contrast to be computed.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) role: Role,
    pub(super) metric: Metric,
    pub(super) treatment: String,
    /// None: the treatment's own value.
    pub(super) control: Option<String>,
    /// What the difference is held against: 0, or minus the margin.
    pub(super) null: f64,
    /// Which way it must point; none for secondary contrasts.
    pub(super) sign: Option<f64>,
    same_epochs: bool,
}

/// All contrasts of a claim, primary ones first.
pub(super) fn plans(claim: &Claim) -> Vec<Plan> {
    match &claim.rule {
        Rule::Contrast { treatment, controls, metric, direction, same_epochs, .. } => {
            let arms = |metric: &Metric, role| {
                controls
                    .iter()
                    .map(|control| Plan {
                        same_epochs: *same_epochs,
                        sign: (role == Role::Primary).then_some(direction.sign()),
                        ..Plan::new(role, metric, treatment, Some(control))
                    })
                    .collect::<Vec<_>>()
            };
            let secondary = claim.secondary.iter().flat_map(|metric| arms(metric, Role::Secondary));
            arms(metric, Role::Primary).into_iter().chain(secondary).collect()
        }
        Rule::NonInferior { treatment, control, metric, margin, .. } => {
            let primary = Plan {
                null: -margin,
                sign: Some(1.0),
                ..Plan::new(Role::Primary, metric, treatment, Some(control))
            };
            std::iter::once(primary).chain(secondary(claim, treatment, control)).collect()
        }
        Rule::Geometry { treatment, control, table, reference, statistic } => {
            let mut plans = geometry(treatment, control, table, *reference, *statistic);
            plans.extend(secondary(claim, treatment, control));
            plans
        }
        // Judged elsewhere: no contrasts.
        Rule::SpearmanOverSigma { .. } => Vec::new(),
    }
}

/// Whether a contrast is the change of an arm's table, held against 0.
pub(super) fn is_change_of(contrast: &Contrast, arm: &str) -> bool {
    contrast.treatment == arm
        && contrast.control.is_none()
        && contrast.metric.contains(&format!("({})", State::Change))
}

fn geometry(
    treatment: &str,
    control: &str,
    table: &str,
    reference: Reference,
    statistic: TableStatistic,
) -> Vec<Plan> {
    let plan = |role, state, arm, control| {
        let metric = Metric::table(table, state, reference, statistic);
        let sign = (role == Role::Primary).then_some(1.0);
        Plan { sign, ..Plan::new(role, &metric, arm, control) }
    };
    vec![
        plan(Role::Primary, State::Final, treatment, Some(control)),
        plan(Role::Primary, State::Final, treatment, None),
        // The rule asks for a difference: whether the control has any geometry at all is told beside it.
        plan(Role::Secondary, State::Final, control, None),
        plan(Role::Secondary, State::Change, treatment, Some(control)),
        plan(Role::Secondary, State::Change, treatment, None),
        plan(Role::Secondary, State::Change, control, None),
        plan(Role::Secondary, State::Masked, treatment, None),
    ]
}

fn secondary(claim: &Claim, treatment: &str, control: &str) -> Vec<Plan> {
    claim
        .secondary
        .iter()
        .map(|metric| Plan::new(Role::Secondary, metric, treatment, Some(control)))
        .collect()
}

/// The final loss on all training items, of a task that has no accuracy.
fn fitted_loss(report: &ProbeReport) -> Option<f64> {
    let learning = &report.learning;
    learning.loss(Split::TrainFull, "all").filter(|_| learning.train_full_accuracy.is_none())
}

/// The arm whose run does not count, and why.
type Refusal = (String, String);

impl Plan {
    fn new(role: Role, metric: &Metric, treatment: &str, control: Option<&str>) -> Self {
        Self {
            role,
            metric: metric.clone(),
            treatment: treatment.to_owned(),
            control: control.map(str::to_owned),
            null: 0.0,
            sign: None,
            same_epochs: false,
        }
    }

    /// The treatment's own value; the caller fills in the seed.
    pub(super) fn single(&self, treatment: Option<&ProbeReport>) -> Result<Pair, Refusal> {
        let report = treatment.ok_or_else(|| (self.treatment.clone(), "no run".to_owned()))?;
        let value = self.value(report)?;
        Ok(Pair {
            seed: 0,
            treatment: value,
            control: None,
            difference: value,
            treatment_fit: report.learning.train_full_accuracy,
            control_fit: None,
            treatment_loss: fitted_loss(report),
            control_loss: None,
        })
    }

    /// The difference between two runs of one seed; the caller fills in the seed.
    pub(super) fn pair(
        &self,
        treatment: Option<&ProbeReport>,
        control: Option<&ProbeReport>,
    ) -> Result<Pair, Refusal> {
        let (Some(a), Some(b)) = (treatment, control) else {
            let there = treatment.or(control).map_or_else(String::new, |report| report.run.arm.clone());
            return Err((there, "no run of the other arm at this seed".into()));
        };
        let refuse = |reason: String| Err((b.run.arm.clone(), reason));
        if a.run.dataset.sha256 != b.run.dataset.sha256 {
            return refuse("the two runs were trained on different data".into());
        }
        if self.same_epochs && a.run.epochs != b.run.epochs {
            let text = |report: &ProbeReport| report.run.epochs.map_or("?".into(), |n| n.to_string());
            return refuse(format!("the two runs differ in epochs: {} and {}", text(a), text(b)));
        }
        let (x, y) = (self.value(a)?, self.value(b)?);
        Ok(Pair {
            seed: 0,
            treatment: x,
            control: Some(y),
            difference: x - y,
            treatment_fit: a.learning.train_full_accuracy,
            control_fit: b.learning.train_full_accuracy,
            treatment_loss: fitted_loss(a),
            control_loss: fitted_loss(b),
        })
    }

    fn value(&self, report: &ProbeReport) -> Result<f64, Refusal> {
        let missing = || (report.run.arm.clone(), format!("{} is undefined or missing", self.metric));
        self.metric.of(report).ok_or_else(missing)
    }
}
