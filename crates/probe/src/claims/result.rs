//! What `claims.json` says.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Claim, Contrast, Published, Rule, Runs, SigmaDetail};
use crate::run_dir::Scale;

/// The judgement of one claim: one element of `claims.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClaimResult {
    /// The claim.
    pub id: String,
    /// The judgement.
    pub verdict: Verdict,
    /// Why it is not judged, or what must be known of the judgement.
    pub reason: Option<String>,
    /// The primary endpoint's figure: a mean difference or a correlation. Of several contrasts the least
    /// favourable.
    pub value: Option<f64>,
    /// Seeds.
    pub n: usize,
    /// Of `value`; only of a judged claim with enough seeds.
    pub interval: Option<Interval>,
    /// Exact two-sided sign-flip p over seeds; only of a judged claim with enough seeds.
    pub p: Option<f64>,
    /// p adjusted for the claims of the experiment being several; null where `p` is. It decides nothing.
    #[serde(default)]
    pub holm: Option<Holm>,
    /// Where the claim is from.
    pub source: String,
    /// The rule as in `claims.toml`.
    pub rule: Rule,
    /// The rule in words.
    pub rule_text: String,
    /// The claim in words.
    pub statement: String,
    /// The primary endpoint in words.
    pub primary: String,
    /// What was published.
    pub published: Published,
    /// The scale of the runs.
    pub scale: Option<Scale>,
    /// The smallest scale at which the claim can be judged.
    pub smallest_scale: Scale,
    /// What the judgement rests on.
    pub detail: Detail,
}

/// What a judgement rests on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Detail {
    /// Where the data of the runs are from: `generated`, `files`.
    pub data: Vec<String>,
    /// How many different data sets the runs of the claim were trained on. Where it is one, p and interval are over
    /// trainings, these data given: they say nothing of other data, or of other held-out subjects.
    #[serde(default)]
    pub data_sets: usize,
    /// Primary contrasts, then secondary ones.
    pub contrasts: Vec<Contrast>,
    /// Correlations over σ, for claims of that kind: the primary one first.
    pub over_sigma: Vec<SigmaDetail>,
}

/// An adjusted p, and for how many it is adjusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Holm {
    /// Of the primary endpoint, of several ones of the largest p (Holm 1979).
    pub p: f64,
    /// The claims of the experiment that have a p, this one included.
    pub claims: usize,
}

/// An interval with its method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Such as 0.95.
    pub level: f64,
    /// `student-t` over seeds, or `bootstrap-by-seed`.
    pub method: String,
}

/// The judgement of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// Enough seeds, and the rule holds.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// Enough seeds, and the figure does not point the claim's way.
    #[serde(rename = "not reproduced")]
    NotReproduced,
    /// Enough seeds, and the figure points the claim's way, but not surely: no evidence is not evidence of none.
    #[serde(rename = "undecided")]
    Undecided,
    /// Few seeds that point the claim's way.
    #[serde(rename = "agrees so far")]
    AgreesSoFar,
    /// Few seeds that do not.
    #[serde(rename = "disagrees so far")]
    DisagreesSoFar,
    /// The scale is too small, an arm is missing, or training fit is not matched.
    #[serde(rename = "not judged at this scale")]
    NotJudged,
    /// The claim is about recorded data, and the runs are on a generated stand-in.
    #[serde(rename = "not judged")]
    StandIn,
}

impl Verdict {
    /// The verdict: `enough` is whether there are enough seeds, or tables, for one, `so_far` whether the figure points the
    /// claim's way, `holds` whether the rule is met.
    pub(crate) fn of(enough: bool, so_far: bool, holds: bool) -> Self {
        match (enough, so_far, holds) {
            (true, _, true) => Verdict::Reproduced,
            (true, true, false) => Verdict::Undecided,
            (true, false, false) => Verdict::NotReproduced,
            (false, true, _) => Verdict::AgreesSoFar,
            (false, false, _) => Verdict::DisagreesSoFar,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Reproduced => "reproduced",
            Verdict::NotReproduced => "not reproduced",
            Verdict::Undecided => "undecided",
            Verdict::AgreesSoFar => "agrees so far",
            Verdict::DisagreesSoFar => "disagrees so far",
            Verdict::NotJudged => "not judged at this scale",
            Verdict::StandIn => "not judged",
        })
    }
}

impl ClaimResult {
    /// A claim before anything is known.
    pub(super) fn unjudged(claim: &Claim, runs: &Runs) -> Self {
        Self {
            id: claim.id.clone(),
            verdict: Verdict::NotJudged,
            reason: None,
            value: None,
            n: 0,
            interval: None,
            p: None,
            holm: None,
            source: claim.source.clone(),
            rule: claim.rule.clone(),
            rule_text: claim.rule.to_string(),
            statement: claim.statement.clone(),
            primary: claim.primary.clone(),
            published: claim.published.clone(),
            scale: runs.scale(),
            smallest_scale: claim.smallest_scale,
            detail: Detail {
                data: runs.sources(claim),
                data_sets: runs.data_sets(claim),
                ..Detail::default()
            },
        }
    }

    /// The verdict with the number of seeds where they are few: `agrees so far (3)`.
    pub fn verdict_text(&self) -> String {
        match self.verdict {
            Verdict::AgreesSoFar | Verdict::DisagreesSoFar => format!("{} ({})", self.verdict, self.n),
            verdict => verdict.to_string(),
        }
    }
}

/// Why runs of this scale cannot judge the claim, if they cannot.
pub(super) fn too_small(claim: &Claim, scale: Option<Scale>) -> Option<String> {
    match scale {
        Some(scale) if !scale.suffices(claim.smallest_scale) => {
            Some(format!("needs scale {}, these runs are {scale}", claim.smallest_scale))
        }
        _ => None,
    }
}
