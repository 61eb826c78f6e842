//! The Latin Square Task: accuracy by σ and by level beside what was published and what people do; then what
//! every
//! run has.

mod accuracy;

use anyhow::Result;
use serde_json::Value;

use super::drawing::escape;
use super::published::{self, Published};
use super::run::Run;
use super::section::{Kind, Section};
use super::series::Series;
use super::{any_task, curves, html};
use crate::paths;

/// How its runs are shown.
pub(super) const KIND: Kind =
    Kind { task: "latin-square", title: "Latin Square Task", section, data: Series::data };

/// The least training accuracy of a run that counts as fitted: `matched_fit` of the claims.
const FITTED: f64 = 0.98;

fn section(series: &Series) -> Result<Section> {
    // Published figures stand beside the paper's experiment only.
    let published: Vec<Published> = match series.experiment.as_str() {
        "lst" => published::read(&paths::root().join("datasets").join("lst").join("published_accuracy.csv"))?,
        _ => Vec::new(),
    };
    let mut section = Section::default();
    section.heading("Accuracy");
    section.text(preamble(series, &published));
    section.figure(accuracy::by_sigma(series, &published));
    section.figure(accuracy::by_level(series, &published));
    section.text(accuracy::table(series));
    section.heading("Learning");
    section.figure(curves::figure(series, &published));
    any_task::geometry(series, &mut section, is_fitted);
    Ok(section)
}

/// Whether the run fitted its training data.
fn is_fitted(run: &Run) -> bool {
    run.accuracy("train-full", "all").is_some_and(|accuracy| accuracy >= FITTED)
}

fn preamble(series: &Series, published: &[Published]) -> String {
    let sizes = series.runs.first().map(|run| &run.manifest["dataset"]);
    let size =
        |key: &str| sizes.and_then(|sizes| sizes[key].as_u64()).map_or("?".to_owned(), |n| n.to_string());
    let mut text = format!(
        "A 4 × 4 Latin square with blanks and one marked cell; which of 4 symbols stands in it? Chance is \
         25 %. Trained on {} puzzles, tested on {} like them, and on {} generalization puzzles that are \
         unlike all of them. A run with training accuracy below {} % has not fitted its training data: its \
         marks are hollow, and a difference in generalization from \
         it is one of learning speed.",
        size("train"),
        size("test"),
        size("generalization"),
        100.0 * FITTED
    );
    if !published.is_empty() {
        text += " Published figures: the authors' logs of 15 seeds on the published puzzles, epoch 4,000, \
            learning rate 1e-4 [D]. People: 40 of them, on the published generalization puzzles [C].";
    }
    let mut html = html::paragraph(&text);
    if let Some(note) = dropout_note(series) {
        html += &format!("<p class=\"note\">{}</p>", escape(&note));
    }
    html
}

/// The published code drops a part of token + sinusoid, in fixed sinusoids alone: a handicap that must be
/// known.
fn dropout_note(series: &Series) -> Option<String> {
    let is_sinusoid =
        |run: &&Run| run.probe["run"]["encoding"].as_str().is_some_and(|kind| kind.starts_with("sinusoid"));
    let run = series.runs.iter().find(is_sinusoid)?;
    let dropout = run.config.get("model")?.get("sinusoid_dropout")?.as_float()?;
    (dropout > 0.0).then(|| {
        format!(
            "The fixed sinusoids carry the authors' dropout: {} % of token + sinusoid is dropped, in \
             training and in evaluation, as in the published code, and in no other arm. That a learned \
             encoding does better may be due to it.",
            100.0 * dropout
        )
    })
}

/// The mean generalization accuracy over the evaluations after epoch 0.
fn mean_while_learning(run: &Run) -> Option<f64> {
    let learning: &Value = &run.probe["learning"];
    learning["generalization_aulc"].as_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound is that of every claim of this task that matches training fit.
    #[test]
    fn fitted_means_what_the_claims_mean() {
        let path = paths::root().join("xtask").join("claims.toml");
        let file: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
        let claims =
            file["claim"].as_array().unwrap().iter().filter(|c| c["experiment"].as_str() == Some("lst"));
        let bounds: Vec<f64> =
            claims.filter_map(|claim| claim["rule"].get("matched_fit")?.as_float()).collect();
        assert!(!bounds.is_empty() && bounds.iter().all(|bound| *bound == FITTED), "{bounds:?}");
    }
}
