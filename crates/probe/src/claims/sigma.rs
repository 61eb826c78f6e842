//! Does one number of the runs rise or fall with another over the values of σ?

mod series;

use serde::{Deserialize, Serialize};

use self::series::Series;
use super::result::too_small;
use super::{
    ALPHA, Claim, ClaimResult, Direction, Interval, LeftOut, Metric, Role, Rule, Runs, SEEDS_TO_JUDGE,
    Verdict,
};
use crate::inference::{benjamini_hochberg, mean, sign_flip};
use crate::run_dir::InputError;

/// Correlations of two metrics over σ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SigmaDetail {
    /// Does it decide?
    pub role: Role,
    /// What predicts.
    pub x: String,
    /// What is predicted.
    pub y: String,
    /// Means over seeds by σ.
    pub points: Vec<SigmaPoint>,
    /// Spearman correlation of those means: comparable to the published figures.
    pub rho_of_means: Option<f64>,
    /// Spearman correlation over single runs.
    pub rho_of_runs: Option<f64>,
    /// Spearman correlation of σ itself with the means of y: what x must beat to tell more than σ does.
    pub rho_of_sigma: Option<f64>,
    /// Spearman correlation of the means, beyond the root mean square of the final table (partial): does x tell more
    /// than how large the table is? Null where undefined, as where the size orders the values of σ just as x does.
    #[serde(default)]
    pub rho_of_means_beyond_norm: Option<f64>,
    /// The same over single runs.
    #[serde(default)]
    pub rho_of_runs_beyond_norm: Option<f64>,
    /// Within each seed with enough values of σ: (seed, Spearman correlation).
    pub within_seed: Vec<(u64, f64)>,
    /// Of `rho_of_means`: percentiles over resamples of the seeds; null with few seeds or when not judged.
    pub interval: Option<Interval>,
    /// Exact two-sided sign-flip p of the within-seed correlations; null as above.
    pub p: Option<f64>,
    /// Of a secondary one: p after Benjamini-Hochberg.
    pub p_adjusted: Option<f64>,
    /// Runs that do not count.
    pub left_out: Vec<LeftOut>,
}

/// One σ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SigmaPoint {
    /// σ.
    pub sigma: f64,
    /// Runs.
    pub runs: usize,
    /// Mean of x.
    pub x: f64,
    /// Mean of y.
    pub y: f64,
    /// Mean root mean square of the final table; null where there is none.
    #[serde(default)]
    pub rms: Option<f64>,
}

/// Judges a claim about a correlation over σ.
pub(super) fn judge(claim: &Claim, runs: &Runs) -> Result<ClaimResult, InputError> {
    let mut result = ClaimResult::unjudged(claim, runs);
    let Rule::SpearmanOverSigma { x, direction, at_least, fewest_sigmas, .. } = &claim.rule else {
        return Ok(result);
    };
    let mut details = std::iter::once((x, Role::Primary))
        .chain(claim.secondary.iter().map(|metric| (metric, Role::Secondary)))
        .map(|(metric, role)| detail(claim, runs, metric, role))
        .collect::<Result<Vec<_>, _>>()?;
    adjust(&mut details);
    let primary = &details[0];
    // Of a few points a rank correlation is near 1 or -1 whatever they are: the figure would be read.
    let enough = primary.points.len() >= *fewest_sigmas;
    (result.n, result.value) = (primary.within_seed.len(), primary.rho_of_means.filter(|_| enough));
    let obstacles = obstacles(claim, runs, primary, *fewest_sigmas);
    if obstacles.is_empty() {
        (result.interval, result.p) = (primary.interval.clone(), primary.p);
        result.verdict = verdict(primary, *direction, *at_least);
    } else {
        result.reason = Some(obstacles.join("; "));
        details.iter_mut().for_each(SigmaDetail::withhold);
    }
    result.detail.over_sigma = details;
    Ok(result)
}

impl SigmaDetail {
    /// Leaves the figures, and nothing that a judgement could rest on.
    pub(super) fn withhold(&mut self) {
        (self.interval, self.p, self.p_adjusted) = (None, None, None);
    }
}

fn verdict(primary: &SigmaDetail, direction: Direction, at_least: f64) -> Verdict {
    let sign = direction.sign();
    let rhos: Vec<f64> = primary.within_seed.iter().map(|(_, rho)| *rho).collect();
    // Which way it points, and whether it is as strong as claimed, are two things: the bound is the rule's alone.
    let agrees = primary.rho_of_means.is_some_and(|rho| sign * rho > 0.0);
    let strong = primary.rho_of_means.is_some_and(|rho| sign * rho >= at_least);
    let sure = primary.p.is_some_and(|p| p < ALPHA) && mean(&rhos).is_some_and(|rho| sign * rho > 0.0);
    Verdict::of(rhos.len() >= SEEDS_TO_JUDGE, agrees, agrees && strong && sure)
}

fn detail(claim: &Claim, runs: &Runs, x: &Metric, role: Role) -> Result<SigmaDetail, InputError> {
    let series = Series::of(claim, runs, x);
    let within_seed = series.within_seed();
    let rhos: Vec<f64> = within_seed.iter().map(|(_, rho)| *rho).collect();
    let enough = rhos.len() >= SEEDS_TO_JUDGE;
    let at = |source| InputError::Statistic { path: claim.id.clone().into(), source };
    Ok(SigmaDetail {
        role,
        x: x.to_string(),
        y: series.y.to_string(),
        points: series.points(None),
        rho_of_means: series.rho_of_means(None),
        rho_of_runs: series.rho_of_runs(),
        rho_of_sigma: series.rho_of_sigma(),
        rho_of_means_beyond_norm: series.rho_of_means_beyond_norm(),
        rho_of_runs_beyond_norm: series.rho_of_runs_beyond_norm(),
        interval: if enough { series.bootstrap() } else { None },
        p: if enough { Some(sign_flip(&rhos).map_err(at)?) } else { None },
        p_adjusted: None,
        within_seed,
        left_out: series.left_out,
    })
}

fn adjust(details: &mut [SigmaDetail]) {
    let secondary: Vec<&mut SigmaDetail> =
        details.iter_mut().filter(|d| d.role == Role::Secondary && d.p.is_some()).collect();
    let p: Vec<f64> = secondary.iter().filter_map(|d| d.p).collect();
    for (detail, adjusted) in secondary.into_iter().zip(benjamini_hochberg(&p)) {
        detail.p_adjusted = Some(adjusted);
    }
}

fn obstacles(claim: &Claim, runs: &Runs, primary: &SigmaDetail, fewest: usize) -> Vec<String> {
    let mut obstacles = Vec::new();
    let counted = match claim.rule.matched_fit() {
        Some(fit) => format!("with training accuracy >= {fit}"),
        None => "that count".into(),
    };
    if primary.points.len() < fewest {
        let got = primary.points.len();
        obstacles.push(format!("missing: runs {counted} at {fewest} values of sigma, got {got}"));
    } else if primary.within_seed.is_empty() {
        obstacles.push(format!("missing: a seed with runs {counted} at {fewest} values of sigma"));
    }
    obstacles.extend(too_small(claim, runs.scale()));
    obstacles
}
