//! The page of `cargo xtask discover`: what was found in words, the map, similarities, agreement, prediction.

mod agreement;
mod map;
mod matrices;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

use super::drawing::escape;
use super::figure::Figure;
use super::numbers::{fixed, grouped};
use super::run::{Run, json};
use super::{html, style, write_atomic};
use crate::discover::{Channels, Findings, Found};

/// Where figures lie, seen from the page.
const FIGURES: &str = "figures";

/// What `probe map` wrote.
#[derive(Debug, Clone, Deserialize)]
struct Consensus {
    tables: usize,
    /// `[channels, up to 3]`
    components: Vec<Vec<f64>>,
    explained: Vec<Option<f64>>,
    /// Laid over the places, `[channels, axes]`, where these are known.
    aligned: Option<Vec<Vec<f64>>>,
}

/// What figures are drawn of.
struct Material<'a> {
    findings: &'a Findings,
    names: &'a [String],
    /// What each belongs to, where this is known.
    networks: Option<&'a [String]>,
    runs: Vec<Run>,
    consensus: Consensus,
    /// Known places, `[channels, axes]`.
    places: Option<Vec<Vec<f64>>>,
}

/// Writes `index.html`, its figures and `map.csv` into `out`; the path of the page.
pub(crate) fn write(
    findings: &Findings,
    channels: &Channels,
    dirs: &[PathBuf],
    map: &Path,
    out: &Path,
) -> Result<PathBuf> {
    let runs = dirs.iter().map(|dir| Run::read(dir)).collect::<Result<Vec<_>>>()?;
    let consensus: Consensus =
        serde_json::from_value(json(map)?).with_context(|| map.display().to_string())?;
    let places = runs.first().filter(|_| channels.axes.is_some()).map(super::pictures::coordinates);
    let material = Material {
        findings,
        names: &channels.names,
        networks: channels.networks.as_deref(),
        runs,
        consensus,
        places,
    };
    write_atomic(&out.join("map.csv"), map::csv(&material).text().as_bytes())?;
    let figures: Vec<Figure> =
        [map::figure(&material), matrices::figure(&material), agreement::figure(&material)]
            .into_iter()
            .flatten()
            .collect();
    let folder = out.join(FIGURES);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    for figure in &figures {
        write_atomic(&folder.join(format!("{}.svg", figure.id)), figure.file().as_bytes())?;
        write_atomic(&folder.join(format!("{}.csv", figure.id)), figure.csv.text().as_bytes())?;
    }
    let style = format!("{}{}", style::PAGE, style::drawing());
    let title = format!("{}: is there a geometry?", findings.name);
    let page = html::page(&title, &style, &body(&title, &material, &figures));
    let path = out.join("index.html");
    write_atomic(&path, page.as_bytes())?;
    Ok(path)
}

fn body(title: &str, material: &Material, figures: &[Figure]) -> String {
    let findings = material.findings;
    let words: String = findings.words.iter().map(|line| html::paragraph(line.trim())).collect();
    let figures: String = figures.iter().map(|figure| figure.html(FIGURES)).collect();
    format!(
        "<header><h1>{}</h1><p>{}</p></header>\n<section>{words}</section>\n{figures}<h2>Prediction</h2>{}\
         <h2>What was done</h2>{}<p><a href=\"discover.json\">discover.json</a>, <a href=\"map.csv\">map.csv</a>, \
         <a href=\"experiment.toml\">experiment.toml</a></p>",
        escape(title),
        badges(findings),
        predictions(findings),
        facts(findings)
    )
}

/// The answers at a glance.
fn badges(findings: &Findings) -> String {
    let verdict = findings.verdict;
    let badge = |what: &str, is_found: bool| {
        let (class, word) = if is_found { ("yes", "found") } else { ("no", "none found") };
        format!("<span class=\"verdict {class}\">{what}: {word}</span> ")
    };
    let predictable = match verdict.is_predictable {
        true => String::new(),
        false => "<span class=\"verdict no\">nothing is predictable here</span> ".to_owned(),
    };
    let places = verdict.coordinates.map(|found| badge("the known places", found == Found::Found));
    predictable + &badge("geometry", verdict.geometry == Found::Found) + &places.unwrap_or_default()
}

fn predictions(findings: &Findings) -> String {
    let number = |value: Option<f64>| value.map_or("–".to_owned(), |value| fixed(value, 3));
    let mut scores: Vec<_> = findings.predictions.scores.iter().collect();
    let share = |level: &str| level.parse::<f64>().unwrap_or(f64::INFINITY);
    scores.sort_by(|a, b| share(&a.level).total_cmp(&share(&b.level)));
    let rows = scores.into_iter().map(|score| {
        let who = if score.is_baseline { format!("baseline: {}", score.who) } else { score.who.clone() };
        [score.level.clone(), who, number(score.r2), number(score.mse), score.n.to_string()]
    });
    let head = ["masked", "who", "R²", "mean squared error", "runs"];
    html::table(&head, &[2, 3, 4], rows)
        + &html::paragraph(
            "On the last frames of each recording, which no run was trained on; means over runs. R² is about the training \
             mean of each channel. Baselines are fitted on the frames of one half alone, as models are; ridge-all-others also \
             sees the other masked channels.",
        )
}

fn facts(findings: &Findings) -> String {
    let recording = |one: &crate::discover::Recording| {
        format!(
            "{}: {} frames, autocorrelation time {}, halves of {} and {}, {} to test on",
            escape(&one.name),
            grouped(one.frames),
            fixed(one.autocorrelation_time, 1),
            one.halves[0],
            one.halves[1],
            one.test
        )
    };
    let recordings: Vec<String> = findings.recordings.iter().map(recording).collect();
    let settings = &findings.settings;
    html::facts(&[
        ("recordings", recordings.join("<br/>")),
        (
            "training",
            format!(
                "seeds of each half: {}; {} steps, σ {:?} and {:?}; gaps of {} autocorrelation times between the halves and before \
                 the tested frames",
                settings.seeds, settings.steps, settings.sigma[0], settings.sigma[1], settings.gap
            ),
        ),
        ("channels", format!("{}", findings.channels)),
        ("level", format!("{} for each verdict", findings.level)),
    ])
}
