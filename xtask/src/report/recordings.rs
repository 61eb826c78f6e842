//! Recordings of regions, such as those of a brain: what is predicted beside what is reached without a network, the places
//! that tables tell, how they came, and tables beside functional connectivity.

mod layout;
mod matrices;
mod references;
mod regions;
mod tokens;
mod views;

use anyhow::Result;

use super::drawing::escape;
use super::figure::Figure;
use super::masked::{Words, emergence, error, truth};
use super::section::{Kind, Section};
use super::series::Series;
use super::{html, norms, provenance};
use tokens::Tokens;

/// How its runs are shown.
pub(super) const KIND: Kind =
    Kind { task: "recordings", title: "Recordings of regions", section, data: provenance::title };

const WORDS: Words = Words {
    tokens: "regions",
    held_out: "held-out subjects",
    splits: [("generalization", "held-out subjects"), ("test", "later frames")],
    drawn: &[
        ("gaussian", "the conditional expectation of a Gaussian under each mask, the best linear prediction"),
        ("nearest", "the nearest visible region"),
        ("paired", "the same region of the other hemisphere"),
    ],
    truths: &[
        ("positions", "the distance of regions"),
        ("positions-folded", "the distance of regions, the hemispheres laid upon each other"),
        ("positions-left", "the distance of regions, left hemisphere"),
        ("positions-right", "the distance of regions, right hemisphere"),
        ("positions-cortical", "the distance of regions, cortex alone"),
        ("modules", "being of different networks"),
        ("correlations", "functional connectivity (1 − correlation)"),
    ],
};

fn section(series: &Series) -> Result<Section> {
    let tokens = Tokens::of(series)?;
    let mut section = Section::default();
    section.heading("Prediction of masked regions");
    section.text(preamble(series, &tokens));
    section.figure(error::by_sigma(series, &WORDS)?);
    section.text(error::table(series, &WORDS)?);
    section.heading("Places in the encodings");
    section.figure(truth::figure(series, &WORDS));
    section.figure(references::figure(series, &WORDS));
    section.text(truth::table(series, &WORDS));
    section.figure(regions::figure(series, &tokens));
    section.figure(layout::figure(series, &tokens));
    section.figure(references::decoding(series, &tokens));
    section.figure(emergence::figure(series, &WORDS));
    section.heading("Functional connectivity in the encodings");
    section.figure(matrices::figure(series, &tokens));
    section.figure(matrices::by_community(series, &tokens));
    section.figure(communities(series));
    section.figure(networks(series));
    section.figure(norms::figure(series));
    Ok(section)
}

fn communities(series: &Series) -> Option<Figure> {
    let what =
        "the communities that the Louvain method finds in the positive correlations of the training frames";
    truth::partition(series, "communities", "Communities of the data in the similarity of the encoding", what)
}

fn networks(series: &Series) -> Option<Figure> {
    truth::partition(
        series,
        "modules",
        "The given networks in the similarity of the encoding",
        "the networks that the table of regions names",
    )
}

fn preamble(series: &Series, tokens: &Tokens) -> String {
    let Some(run) = series.runs.first() else { return String::new() };
    let count =
        |key: &str| run.manifest["dataset"][key].as_u64().map_or("?".to_owned(), super::numbers::grouped);
    let setting = |key: &str| run.config.get("task").and_then(|task| task.get(key)?.as_str());
    let signal = match setting("global_signal") {
        Some("regressed") => " The global signal was regressed out.",
        _ => "",
    };
    let text = html::paragraph(&format!(
        "{} regions, each a token: its standardised activity, or a flag where it is masked. Trained on {} frames with masks \
         that are drawn anew each epoch, tested on later frames of the same subjects ({} items) and, as generalization, on \
         subjects that were held out ({} items), under fixed masks.{signal} Values are standardised, so that the mean of each \
         region alone has an error of about 1.",
        tokens.names.len(),
        count("train"),
        count("test"),
        count("generalization"),
    ));
    let note =
        format!("<p class=\"note\"><strong>Data shown: {}.</strong>", escape(&provenance::title(series)));
    format!("{note}{}</p>{text}", provenance::note(series))
}
