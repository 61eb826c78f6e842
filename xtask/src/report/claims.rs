//! The claims, and what `probe claims` says of them.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use super::numbers::{fixed, p_value, signed};
use super::series::Series;
use crate::paths;

/// What the page needs of a file of claims; `probe` knows the rest.
#[derive(Debug, Deserialize)]
pub(super) struct ClaimsFile {
    pub claim: Vec<Claim>,
}

/// One claim.
#[derive(Debug, Deserialize)]
pub(super) struct Claim {
    pub id: String,
    /// Of a claim about tables that others have trained: none.
    pub experiment: Option<String>,
    /// The group of runs it is about, where the experiment has several.
    pub variant: Option<String>,
    pub statement: String,
    pub source: String,
    pub published: Published,
    pub primary: String,
    pub smallest_scale: Option<String>,
}

/// What was published.
#[derive(Debug, Deserialize)]
pub(super) struct Published {
    pub text: String,
}

impl ClaimsFile {
    /// Those about runs.
    pub(super) fn read() -> Result<Self> {
        Self::of("claims.toml")
    }

    /// A file in `xtask/`.
    pub(super) fn of(name: &str) -> Result<Self> {
        let path = paths::root().join("xtask").join(name);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| path.display().to_string())
    }
}

impl Claim {
    /// Whether the runs of a series can speak to it.
    pub(super) fn is_about(&self, series: &Series) -> bool {
        self.experiment.as_ref() == Some(&series.experiment) && self.variant == series.variant
    }
}

/// One element of `claims.json`.
#[derive(Debug, Clone)]
pub(super) struct Judgement(pub Value);

impl Judgement {
    pub(super) fn word(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or("")
    }

    /// The verdict, with the number of seeds.
    pub(super) fn verdict(&self) -> String {
        let verdict = self.word("verdict");
        match self.0["n"].as_u64() {
            Some(n) if is_judged(verdict) => format!("{verdict} ({n})"),
            _ => verdict.to_owned(),
        }
    }

    /// `yes`, `no` or `open`.
    pub(super) fn leaning(&self) -> &'static str {
        match self.word("verdict") {
            "reproduced" | "agrees so far" => "yes",
            "not reproduced" | "disagrees so far" => "no",
            _ => "open",
        }
    }

    /// The figure that decides: its value, unit, what it is of, its interval and its p.
    pub(super) fn measured(&self) -> Option<String> {
        let value = self.0["value"].as_f64()?;
        if self.0["tables"].is_array() {
            let p = self.0["p"].as_f64().map_or(String::new(), said_p);
            return Some(format!("{}, {}{p}", fixed(value, 3), self.word("rule_text")));
        }
        let contrasts = self.contrasts().filter(|contrast| contrast["role"] == "primary");
        let decisive = { contrasts }.find(|contrast| contrast["mean"].as_f64() == Some(value));
        let (metric, of) = match decisive {
            Some(contrast) => (contrast["metric"].as_str().unwrap_or(""), named(contrast)),
            None => {
                let sigma = &self.0["detail"]["over_sigma"][0];
                let (x, y) = (sigma["x"].as_str()?, sigma["y"].as_str()?);
                ("", format!("Spearman ρ over σ of {x} with {y}"))
            }
        };
        let raw = match decisive {
            Some(contrast) if contrast["matched"] == false => "raw, training not matched: ",
            _ => "",
        };
        let mut text = format!("{raw}{}, {of}", with_unit(value, metric));
        if let (Some(low), Some(high)) =
            (self.0["interval"]["low"].as_f64(), self.0["interval"]["high"].as_f64())
        {
            text += &format!("; 95 % interval {}", interval(low, high, metric));
        }
        if let Some(p) = self.0["p"].as_f64() {
            text += &said_p(p);
            text += &self.said_holm();
        }
        Some(text)
    }

    /// p adjusted for the claims of the experiment being several.
    fn said_holm(&self) -> String {
        let holm = &self.0["holm"];
        match (holm["p"].as_f64(), holm["claims"].as_u64()) {
            (Some(p), Some(claims)) if claims > 1 => {
                format!(" ({} by Holm over {claims} claims)", p_value(p))
            }
            _ => String::new(),
        }
    }

    /// Whether its p is over trainings on one and the same data.
    pub(super) fn is_of_one_data_set(&self) -> bool {
        self.0["p"].is_number() && self.0["detail"]["data_sets"] == 1
    }

    pub(super) fn contrasts(&self) -> impl Iterator<Item = &Value> {
        self.0["detail"]["contrasts"].as_array().into_iter().flatten()
    }

    pub(super) fn over_sigma(&self) -> impl Iterator<Item = &Value> {
        self.0["detail"]["over_sigma"].as_array().into_iter().flatten()
    }
}

fn said_p(p: f64) -> String {
    format!("; p {}", if p < 0.001 { p_value(p) } else { format!("= {}", p_value(p)) })
}

fn is_judged(verdict: &str) -> bool {
    !matches!(verdict, "" | "not judged at this scale" | "not judged")
}

/// What a contrast is of: metric, and treatment minus control.
pub(super) fn named(contrast: &Value) -> String {
    let word = |key: &str| contrast[key].as_str().unwrap_or("?");
    match contrast["control"].as_str() {
        Some(control) => format!("{}, {} minus {control}", word("metric"), word("treatment")),
        None => format!("{}, {} itself", word("metric"), word("treatment")),
    }
}

/// Differences of accuracy in percentage points, all else as it is.
pub(super) fn with_unit(value: f64, metric: &str) -> String {
    if metric.contains("accuracy") { format!("{} points", signed(100.0 * value, 1)) } else { fixed(value, 3) }
}

/// An interval, its unit once.
pub(super) fn interval(low: f64, high: f64, metric: &str) -> String {
    let low = with_unit(low, metric);
    format!("{} to {}", low.strip_suffix(" points").unwrap_or(&low), with_unit(high, metric))
}

/// The verdicts on a series as lines for a terminal.
pub(super) fn said(series: &Series, judged: &[Judgement], claims: &[Claim]) -> String {
    let is_known = claims.iter().any(|claim| claim.experiment.as_ref() == Some(&series.experiment));
    match is_known {
        true => lines(judged),
        false => {
            format!("no claim is about an experiment of the name `{}`: figures alone\n", series.experiment)
        }
    }
}

/// Verdicts as lines for a terminal.
pub(super) fn lines(judged: &[Judgement]) -> String {
    let widest = |column: &dyn Fn(&Judgement) -> usize| judged.iter().map(column).max().unwrap_or(0);
    let (id, verdict) = (widest(&|j| j.word("id").len()), widest(&|j| j.verdict().len()));
    let line = |j: &Judgement| {
        let why = j.0["reason"].as_str().map(|reason| format!("({reason})"));
        let rest: Vec<String> = j.measured().into_iter().chain(why).collect();
        let line = format!("{:<id$}  {:<verdict$}  {}", j.word("id"), j.verdict(), rest.join(" "));
        format!("{}\n", line.trim_end())
    };
    judged.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn judgement(verdict: &str, matched: Option<bool>) -> Judgement {
        Judgement(json!({
            "id": "a.b", "verdict": verdict, "n": 2, "value": 0.341, "p": null, "interval": null, "reason": "why",
            "detail": {"contrasts": [
                {"role": "primary", "metric": "generalization \
                    accuracy", "treatment": "x", "control": "z", "mean": 0.5},
                {"role": "primary", "metric": "generalization \
                    accuracy", "treatment": "x", "control": "y", "mean": 0.341,
                 "matched": matched}
            ]}
        }))
    }

    #[test]
    fn a_figure_names_its_unit_its_contrast_and_whether_it_is_raw() {
        let text = judgement("agrees so far", None).measured().unwrap();
        assert_eq!(text, "+34.1 points, generalization accuracy, x minus y");
        let raw = judgement("not judged at this scale", Some(false));
        assert!(raw.measured().unwrap().starts_with("raw, training not matched: +34.1 points"));
        assert_eq!(interval(0.1, 0.2, "test accuracy"), "+10.0 to +20.0 points");
        assert_eq!(with_unit(-0.0001, "bias-corrected dcor"), "0.000");
    }

    #[test]
    fn the_p_of_one_claim_of_several_stands_beside_the_one_adjusted_for_them() {
        let of = |claims: u64| {
            let mut judged = judgement("reproduced", None);
            judged.0["p"] = 0.03125.into();
            judged.0["holm"] = json!({"p": 0.03125 * claims as f64, "claims": claims});
            judged.measured().unwrap()
        };
        assert!(of(5).ends_with("x minus y; p = 0.031 (0.156 by Holm over 5 claims)"), "{}", of(5));
        assert!(of(1).ends_with("; p = 0.031"), "{}", of(1));
    }

    #[test]
    fn of_tables_the_difference_of_ratios_is_told() {
        let text = r#"{"verdict": "agrees so far", "n": 5, "value": -0.0189, "p": null, "rule_text": "a: b below c",
            "tables": []}"#;
        let judgement = Judgement(serde_json::from_str(text).unwrap());
        assert_eq!(judgement.measured().unwrap(), "−0.019, a: b below c");
        assert_eq!(judgement.verdict(), "agrees so far (5)");
    }

    #[test]
    fn a_verdict_says_on_how_many_seeds() {
        assert_eq!(judgement("agrees so far", None).verdict(), "agrees so far (2)");
        assert_eq!(judgement("reproduced", None).verdict(), "reproduced (2)");
        assert_eq!(judgement("not judged at this scale", None).verdict(), "not judged at this scale");
        assert!(
            lines(&[judgement("agrees so far", None)]).starts_with("a.b  agrees so far (2)  +34.1 points")
        );
    }

    /// Every claim has a statement, a source and an endpoint to be printed.
    #[test]
    fn the_projects_claims_are_read() {
        let file = ClaimsFile::read().unwrap();
        assert!(
            file.claim
                .iter()
                .any(|claim| claim.id == "lst.generalizes" && claim.experiment.as_deref() == Some("lst"))
        );
        let all = file.claim.into_iter().chain(ClaimsFile::of("tables.toml").unwrap().claim);
        for claim in all {
            assert!(claim.statement.ends_with('.') && !claim.source.is_empty(), "{}", claim.id);
            // Whoever has no experiment needs no scale, and nobody else does without.
            assert_eq!(claim.experiment.is_some(), claim.smallest_scale.is_some(), "{}", claim.id);
        }
    }
}
