//! What the tables have to do with the ground truth: statistics of `probe`, over σ and as a table.

use serde_json::Value;

use super::axis::Axis;
use super::csv::Csv;
use super::figure::Figure;
use super::html;
use super::numbers::{exact, spread};
use super::over_sigma::{ArmValues, OverSigma};
use super::plot::Level;
use super::run::Run;
use super::series::Series;

/// What is shown, and where it stands in a table of `probe.json`.
const FIGURES: [(&str, &[&str]); 8] = [
    ("bias-corrected dcor² to Hamming", &["hamming", "dcor_bias_corrected"]),
    ("biased dcor to Hamming", &["hamming", "dcor_biased"]),
    ("cosine RSA to Hamming", &["hamming", "rsa_cosine"]),
    ("cosine RSA to grid beyond Hamming", &["grid", "beyond_hamming", "rsa_cosine"]),
    ("cosine similarity to sharing a row or column", &[SHARING, "cosine"]),
    ("bias-corrected dcor² to 2-D sinusoid", &["sinusoid-2d", "dcor_bias_corrected"]),
    ("Procrustes distance to 2-D sinusoid", &["sinusoid-2d", "procrustes", "frobenius"]),
    ("Procrustes disparity to 2-D sinusoid", &["sinusoid-2d", "procrustes", "disparity"]),
];

/// Where the correlations with who shares a row or a column stand, beside the references.
const SHARING: &str = "similarity_vs_sharing";

/// The states of a table, and what they are called.
const STATES: [(&str, &str); 3] =
    [("final", "Table after training"), ("change", "Its change"), ("masked", "Its change in noise of σ = 2")];

/// The statistic of the claims over σ, in each state.
pub(super) fn figure(series: &Series) -> Option<Figure> {
    let path = FIGURES[0].1;
    let all = series.runs.iter().flat_map(|run| STATES.map(|(state, _)| statistic(run, "all", state, path)));
    let values: Vec<f64> = all.flatten().collect();
    if values.is_empty() {
        return None;
    }
    let y = Axis::around("bias-corrected dcor² (no unit)", values.into_iter().chain([0.0]));
    let panels = STATES.map(|(state, title)| {
        let arms = series.arms.iter().map(|arm| ArmValues {
            arm,
            values: series.values(&arm.name, |run| statistic(run, "all", state, path)),
            is_fitted: true,
        });
        let arms: Vec<ArmValues> = arms.filter(|arm| !arm.values.is_empty()).collect();
        OverSigma {
            title,
            y: y.clone(),
            arms,
            published: Vec::new(),
            levels: vec![Level { y: 0.0, name: String::new(), at: 0.0 }],
        }
    });
    let legend = panels[0].legend();
    Some(Figure {
        id: "geometry".into(),
        title: "Distance correlation of the encoding with the ground truth".into(),
        caption: format!(
            "Bias-corrected squared distance correlation of all blocks' tables side by side with Hamming \
             distance (on how many of row and column two positions differ): 0 for an unrelated table, 1 for \
             one that is nothing else. Left: the table; middle: its \
             change since initialization; right: the change added to a fresh draw at σ = 2, which shows \
             what a large initial norm hides. {} seeds an arm. The CSV has every statistic of every table, \
             with p from permuted positions.",
            series.seeds()
        ),
        panels: panels.into_iter().map(|panel| panel.draw((376.0, 300.0))).collect(),
        columns: 3,
        aligned: false,
        legend,
        csv: csv(series),
    })
}

/// All statistics of all blocks together, by arm and state.
pub(super) fn table(series: &Series) -> String {
    let mut rows = Vec::new();
    for arm in &series.arms {
        for (state, _) in STATES {
            let of =
                FIGURES.map(|(_, path)| series.values(&arm.name, |run| statistic(run, "all", state, path)));
            if of.iter().all(Vec::is_empty) {
                continue;
            }
            let [a, b, c, d, e, f, g, h] = of.map(|values| spread(&values, 1.0, 2));
            rows.push([arm.name.clone(), state.to_owned(), a, b, c, d, e, f, g, h]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let names = FIGURES.map(|(name, _)| name);
    let [a, b, c, d, e, f, g, h] = names;
    let head = ["arm", "state", a, b, c, d, e, f, g, h];
    format!(
        "<details><summary>All statistics by arm</summary>{}<p class=\"soft\">Mean ± sample standard \
         deviation over seeds; with fewer than 6 seeds, their mean and in brackets the single ones. No \
         units (but the Procrustes distance is in units of the table). The biased distance correlation of a \
         random table of this shape is above 0.9 and says nothing; it stands here because it is often \
         reported. The Procrustes distance grows with σ whatever \
         was learned; the disparity is free of scale.</p></details>",
        html::table(&head, &[2, 3, 4, 5, 6, 7, 8, 9], rows.into_iter())
    )
}

/// A statistic of a table in a state.
pub(super) fn statistic(run: &Run, table: &str, state: &str, path: &[&str]) -> Option<f64> {
    let entries = run.probe["tables"].as_array()?;
    let entry = entries.iter().find(|entry| entry["table"] == table && entry["state"] == state)?;
    value(follow(entry, path)?)
}

/// What lies at a path below the reference, or the block of figures, that the path begins with.
fn follow<'a>(entry: &'a Value, path: &[&str]) -> Option<&'a Value> {
    let (reference, rest) = path.split_first()?;
    if *reference == SHARING {
        return rest.iter().try_fold(&entry[SHARING], |value, key| value.get(key));
    }
    let references = entry["references"].as_array()?;
    let found = references.iter().find(|one| one["reference"] == **reference)?;
    rest.iter().try_fold(found, |value, key| value.get(key))
}

/// A number, or a statistic with its p.
pub(super) fn value(found: &Value) -> Option<f64> {
    found.as_f64().or_else(|| found["value"].as_f64())
}

fn csv(series: &Series) -> Csv {
    let mut csv = Csv::new(["arm", "seed", "table", "state", "statistic", "value", "p"]);
    for run in &series.runs {
        for entry in run.probe["tables"].as_array().into_iter().flatten() {
            let (Some(name), Some(state)) = (entry["table"].as_str(), entry["state"].as_str()) else {
                continue;
            };
            for (statistic, path) in FIGURES {
                let Some(found) = follow(entry, path) else { continue };
                csv.row([
                    run.arm.clone(),
                    run.seed.to_string(),
                    name.to_owned(),
                    state.to_owned(),
                    statistic.to_owned(),
                    value(found).map_or(String::new(), exact),
                    found["p"].as_f64().map_or(String::new(), exact),
                ]);
            }
        }
    }
    csv
}
