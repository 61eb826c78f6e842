//! The stochastic network: what is predicted beside what linear predictors reach, the places that tables tell, how they
//! came, and tables beside coupling and correlations.

mod layout;
mod matrices;

use anyhow::Result;

use super::figure::Figure;
use super::masked::{Words, emergence, error, truth};
use super::section::{Kind, Section};
use super::series::Series;
use super::{html, norms};

/// How its runs are shown.
pub(super) const KIND: Kind =
    Kind { task: "network", title: "Stochastic network", section, data: Series::data };

const WORDS: Words = Words {
    tokens: "nodes",
    held_out: "a held-out subject",
    splits: [("generalization", "held-out subject"), ("test", "later frames")],
    drawn: &[
        ("gaussian", "the conditional expectation of a Gaussian under each mask, the best linear prediction"),
        ("nearest", "the nearest visible node"),
    ],
    truths: &[("positions", "the distance of nodes"), ("modules", "being of different modules")],
};

fn section(series: &Series) -> Result<Section> {
    let mut section = Section::default();
    section.heading("Prediction of masked nodes");
    section.text(preamble(series));
    section.figure(error::by_sigma(series, &WORDS)?);
    section.text(error::table(series, &WORDS)?);
    section.heading("The truth in the encodings");
    section.figure(truth::figure(series, &WORDS));
    section.figure(modules(series));
    section.text(truth::table(series, &WORDS));
    section.figure(layout::figure(series));
    section.figure(emergence::figure(series, &WORDS));
    section.figure(matrices::figure(series));
    section.figure(norms::figure(series));
    Ok(section)
}

fn modules(series: &Series) -> Option<Figure> {
    let title = "The true modules in the similarity of the encoding";
    truth::partition(series, "modules", title, "the true modules")
}

fn preamble(series: &Series) -> String {
    let Some(run) = series.runs.first() else { return String::new() };
    let count =
        |key: &str| run.manifest["dataset"][key].as_u64().map_or("?".to_owned(), super::numbers::grouped);
    let graph = run.config.get("task").and_then(|task| task.get("network")?.get("graph"));
    html::paragraph(&format!(
        "Nodes of a simulated rate network ({}), each a token: its activity, or a flag where it is masked. Trained on {} \
         frames with masks that are drawn anew each epoch, tested on later frames of the same subjects and, as \
         generalization, on a subject that was held out, under fixed masks. Values are standardised, so that the mean of \
         each node alone has an error of about 1. R² is about these means.",
        graph.map_or("unknown graph".to_owned(), |graph| graph.to_string().replace('\n', ", ")),
        count("train"),
    ))
}
