//! What was found, in plain words; the first thing is whether there was anything to predict.

use super::findings::{ArmFindings, Coordinates, Findings, Found, LEVEL, Labels};
use crate::report::numbers::{fixed, grouped, p_value};

/// The share of the variance from which a drift is told. Of 24 independent channels of white noise whose lines explained 8 %,
/// correlations of the halves agreed at 0.01 in a third (1,500 frames) to nearly all recordings (6,000).
const DRIFT: f64 = 0.05;

/// Lines for a terminal and for the page.
pub(super) fn words(findings: &Findings) -> Vec<String> {
    let mut lines = vec![prediction(findings), geometry(findings)];
    lines.extend(drift(findings));
    if findings.verdict.geometry == Found::Found && !findings.verdict.is_predictable {
        lines.push(format!(
            "  These two do not go together: at a level of {LEVEL} one of a hundred recordings of nothing looks like this."
        ));
    }
    lines.extend(seeds(findings.small()));
    lines.push(large(&findings.arms[1]));
    lines.extend(findings.small().coordinates.as_ref().map(|found| places(findings, found)));
    lines.extend(findings.small().labels.as_ref().map(|found| groups(found, findings.axes.is_some())));
    lines.push(caution().to_owned());
    lines
}

fn prediction(findings: &Findings) -> String {
    let found = &findings.predictions;
    let score = |score: &super::predictions::Prediction| {
        let r2 = score.r2.map_or("–".to_owned(), |r2| fixed(r2, 3));
        format!("{} {r2}", score.who)
    };
    let scores: Vec<String> = found.at_verdict().map(score).collect();
    let where_ = format!(
        "R² of masked channels in the last {} % of the frames, which no run was trained on, {} % of the channels masked: {}",
        fixed(100.0 * findings.settings.test_fraction, 0),
        fixed(100.0 * found.masked, 0),
        scores.join(", ")
    );
    match found.is_predictable {
        true => format!("Prediction: yes. {where_}."),
        false => format!(
            "Prediction: NOTHING IS PREDICTABLE HERE. No model and no linear prediction explains more than {} % of the \
             variance, so there is little that a table could have learned from. {where_}.",
            fixed(100.0 * found.threshold, 0)
        ),
    }
}

fn geometry(findings: &Findings) -> String {
    let small = findings.small();
    let figures = format!(
        "tables of σ {:?} trained on one half of the time against those trained on the other: {}",
        small.sigma,
        halves(small)
    );
    match findings.verdict.geometry {
        Found::Found => format!("Geometry: found, at the level of {LEVEL}. {}.", capital(&figures)),
        Found::None => format!(
            "Geometry: NONE FOUND at the level of {LEVEL}. {}. The map that is drawn is then that of noise.",
            capital(&figures)
        ),
    }
}

/// A drift goes on through both halves and the tested frames: it is what they share.
fn drift(findings: &Findings) -> Option<String> {
    let largest = findings.recordings.iter().max_by(|a, b| a.trend.total_cmp(&b.trend))?;
    (largest.trend > DRIFT).then(|| {
        format!(
            "DRIFT: a straight line in time explains {} % of the variance of a channel of {} (mean over channels). What \
             drifts through both halves counts as geometry and as prediction, also where channels have nothing to do \
             with each other: take a line out of each channel, and ask again.",
            fixed(100.0 * largest.trend, 0),
            largest.name
        )
    })
}

fn halves(arm: &ArmFindings) -> String {
    let number = |key: &str| arm.halves[key].as_f64();
    match (number("value"), number("p")) {
        (Some(value), Some(p)) => format!(
            "Spearman correlation of their distances {}, p {} ({}, {} permutations of the channels)",
            fixed(value, 3),
            said(p),
            pairs(&arm.halves),
            arm.halves["permutations"].as_u64().map_or("?".to_owned(), grouped)
        ),
        _ => "not defined".to_owned(),
    }
}

fn pairs(compared: &serde_json::Value) -> String {
    match compared["pairs"].as_u64() {
        Some(1) => "1 pair of runs".to_owned(),
        Some(n) => format!("{n} pairs of runs"),
        None => "no pair of runs".to_owned(),
    }
}

fn said(p: f64) -> String {
    if p < 0.001 { p_value(p) } else { format!("= {}", p_value(p)) }
}

/// How stable the map is from seed to seed on the same frames.
fn seeds(arm: &ArmFindings) -> Option<String> {
    let rsa = &arm.seeds["rsa"];
    let (trained, untrained) = (rsa["trained"].as_f64()?, rsa["untrained"].as_f64()?);
    Some(format!(
        "Stability: seeds on the same half, by the same correlation: {}, untrained tables {} ({}). What seeds share \
         beyond this can be noise of the frames that they share; the halves decide.",
        fixed(trained, 3),
        fixed(untrained, 3),
        pairs(&arm.seeds)
    ))
}

fn large(arm: &ArmFindings) -> String {
    format!("Started large (σ {:?}): halves against each other, {}.", arm.sigma, halves(arm))
}

fn places(findings: &Findings, found: &Coordinates) -> String {
    let axes: Vec<String> = found
        .decoding_r2
        .iter()
        .zip(["x", "y", "z"])
        .map(|(r2, axis)| format!("{axis} {}", r2.map_or("–".to_owned(), |r2| fixed(r2, 3))))
        .collect();
    let decoding = if axes.is_empty() {
        String::new()
    } else {
        format!("; cross-validated R² of decoding {}", axes.join(", "))
    };
    let verdict = match findings.verdict.coordinates {
        Some(Found::Found) => format!("the tables know them, at the level of {LEVEL}"),
        _ => format!("NOT FOUND in the tables at the level of {LEVEL}"),
    };
    let large = findings.arms[1].coordinates.as_ref().map_or(String::new(), |large| {
        format!(" Started large: {}, p {}.", fixed(large.dcor, 3), said(large.p))
    });
    format!(
        "Coordinates: {verdict}. Bias-corrected squared distance correlation {} (mean over {}), p {} (twice the mean of \
         the runs' p, each from permuted channels){decoding}.{large}",
        fixed(found.dcor, 3),
        runs(&found.values),
        said(found.p)
    )
}

fn groups(found: &Labels, has_places: bool) -> String {
    let verdict = match found.deciding_p(has_places) {
        None => "NOT JUDGED".to_owned(),
        Some(p) if p < LEVEL => format!("the tables know them, at the level of {LEVEL}"),
        Some(_) => format!("NOT FOUND in the tables at the level of {LEVEL}"),
    };
    let null = match (found.p_spatial, has_places) {
        (Some(p), _) => format!(
            "p {} among surrogates as smooth over the places as the tables (from permuted channels: {})",
            said(p),
            said(found.p)
        ),
        (None, true) => format!(
            "p {}, from permuted channels: no surrogates as smooth over the places as the tables could be had, and labels \
             that follow the places are known by any table that does",
            said(found.p)
        ),
        (None, false) => format!(
            "p {}, from permuted channels: labels of neighbours are known by any table that knows places; only with \
             coordinates can these be told apart",
            said(found.p)
        ),
    };
    format!(
        "Labels: {verdict}. Modularity {} (mean over {}), {null}; p is twice the mean of the runs' p.",
        fixed(found.modularity, 3),
        runs(&found.values)
    )
}

fn runs(values: &[f64]) -> String {
    if values.len() == 1 { "1 run".to_owned() } else { format!("{} runs", values.len()) }
}

fn caution() -> &'static str {
    "A map says which channels tell of each other. It does not say why: a common reference, volume conduction or shared \
     noise make a map, too."
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
