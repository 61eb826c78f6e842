//! What the tables of the encodings look like: the table at the end, and its change since initialization.

use serde_json::Value;

use super::markdown::{number, table};

use super::read::{RunResult, arms, of_arm};

/// Columns: what is shown, and where it stands in a table of `probe.json`.
const COLUMNS: [(&str, &[&str]); 6] = [
    ("dcor² to Hamming, bias-corrected", &["hamming", "dcor_bias_corrected"]),
    ("dcor to Hamming, biased", &["hamming", "dcor_biased"]),
    ("RSA to Hamming, cosine", &["hamming", "rsa_cosine"]),
    ("RSA to grid beyond Hamming, cosine", &["grid", "beyond_hamming", "rsa_cosine"]),
    ("dcor² to 2D sinusoid, bias-corrected", &["sinusoid-2d", "dcor_bias_corrected"]),
    ("Procrustes disparity to 2D sinusoid", &["sinusoid-2d", "procrustes", "disparity"]),
];

const STATES: [&str; 3] = ["final", "change", "masked"];

/// The section.
pub(super) fn section(runs: &[RunResult]) -> String {
    let mut rows = Vec::new();
    for arm in arms(runs) {
        for state in STATES {
            let cells: Vec<Vec<f64>> = COLUMNS
                .iter()
                .map(|(_, path)| {
                    of_arm(runs, arm).filter_map(|run| figure(run, "all", state, path)).collect()
                })
                .collect();
            if cells.iter().any(|cell| !cell.is_empty()) {
                let mut row = vec![arm.to_owned(), state.to_owned()];
                row.extend(cells.iter().map(|cell| number(cell)));
                rows.push(row);
            }
        }
    }
    let attention = arms(runs).into_iter().map(|arm| {
        let values: Vec<f64> = of_arm(runs, arm).filter_map(mean_attention).collect();
        vec![arm.to_owned(), number(&values)]
    });
    let head: Vec<&str> = ["PE", "state"].into_iter().chain(COLUMNS.iter().map(|(name, _)| *name)).collect();
    format!(
        "## Geometry of the encodings\n\nAll blocks' tables together, mean ± standard deviation over seeds. *Change*: since initialization. \
         *Masked*: the change added to a fresh draw at σ = 2, which shows what a large initial norm hides. *Hamming*: on how many of row \
         and column two cells differ, the ground truth of the task. The biased distance correlation of a random table of this \
         shape is above 0.9 and says nothing; it is shown because it is often reported. p by permutation of cells, block by block, in `probe.json`.\n\n{}\n\
         Correlation of the mean attention map with sharing a row or a column:\n\n{}",
        table(&head, rows),
        table(&["PE", "all blocks"], attention.collect())
    )
}

/// Every figure of every table of every run.
pub(super) fn csv(runs: &[RunResult]) -> String {
    let mut text = "arm,seed,table,state,figure,value,p\n".to_owned();
    for run in runs {
        for entry in run.probe["tables"].as_array().into_iter().flatten() {
            let (Some(name), Some(state)) = (entry["table"].as_str(), entry["state"].as_str()) else {
                continue;
            };
            for (figure, path) in COLUMNS {
                let Some(found) = follow(entry, path) else { continue };
                let value = found.as_f64().or_else(|| found["value"].as_f64());
                let cell = |number: Option<f64>| number.map_or(String::new(), |number| number.to_string());
                let figure = figure.replace(',', ";");
                text += &format!(
                    "{},{},{name},{state},{figure},{},{}\n",
                    run.arm,
                    run.seed,
                    cell(value),
                    cell(found["p"].as_f64())
                );
            }
        }
    }
    text
}

fn figure(run: &RunResult, table: &str, state: &str, path: &[&str]) -> Option<f64> {
    let entries = run.probe["tables"].as_array()?;
    let entry = entries.iter().find(|entry| entry["table"] == table && entry["state"] == state)?;
    let found = follow(entry, path)?;
    found.as_f64().or_else(|| found["value"].as_f64())
}

/// The figure at a path below the reference that the path begins with.
fn follow<'a>(entry: &'a Value, path: &[&str]) -> Option<&'a Value> {
    let (reference, rest) = path.split_first()?;
    let references = entry["references"].as_array()?;
    let found = references.iter().find(|one| one["reference"] == **reference)?;
    rest.iter().try_fold(found, |value, key| value.get(key))
}

fn mean_attention(run: &RunResult) -> Option<f64> {
    let maps = run.probe["attention"].as_array()?;
    maps.iter().find(|map| map["map"] == "mean")?["sharing_any"]["value"].as_f64()
}
