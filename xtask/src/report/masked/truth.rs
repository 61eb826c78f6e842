//! What tables have to do with the truth, over σ and as a table.

use serde_json::Value;

use super::Words;
use super::correlations::{self, Baseline};
use crate::report::axis::Axis;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::geometry::statistic;
use crate::report::html;
use crate::report::numbers::{exact, spread};
use crate::report::over_sigma::{ArmValues, OverSigma};
use crate::report::plot::Level;
use crate::report::run::Run;
use crate::report::series::Series;

/// The states of a table, and what they are called.
const STATES: [(&str, &str); 3] =
    [("final", "Table after training"), ("change", "Its change"), ("masked", "Its change in noise of σ = 2")];

/// What is told of a table and a truth: the heading, and where it stands below the reference.
const STATISTICS: [(&str, &[&str]); 4] = [
    ("bias-corrected dcor²", &["dcor_bias_corrected"]),
    ("cosine RSA", &["rsa_cosine"]),
    ("cosine RSA beyond correlations", BEYOND),
    ("Procrustes disparity", &["procrustes", "disparity"]),
];

/// Where RSA beyond correlations stands.
const BEYOND: &[&str] = &["beyond", "rsa_cosine"];

/// The statistic of the claims over σ, in each state.
pub(in crate::report) fn figure(series: &Series, words: &Words) -> Option<Figure> {
    let (truth, truth_name) = words.truths_of(series).into_iter().next()?;
    let of = |run: &Run, state: &str| statistic(run, "all", state, &[truth, "dcor_bias_corrected"]);
    let mut figure = over_states(series, "bias-corrected dcor² (no unit)", &of)?;
    figure.id = "truth".into();
    figure.title = "Distance correlation of the encoding with the ground truth".into();
    figure.caption = format!(
        "Bias-corrected squared distance correlation of all blocks' tables side by side with {}: 0 for an unrelated table, \
         1 for one that is nothing else. Left: the table; middle: its change since initialization; right: the change added \
         to a fresh draw at σ = 2, which shows what a large initial norm hides. {} seeds an arm. The CSV has every \
         statistic of every table, with p from permuted {}, and those of tables made of the correlations alone.",
        truth_name,
        series.seeds(),
        words.tokens
    );
    figure.csv = csv(series, words);
    Some(figure)
}

/// Modularity and segregation over σ of a partition of the tokens: `modules`, which are known, or `communities`, which were
/// found in the training data.
pub(in crate::report) fn partition(series: &Series, key: &str, title: &str, what: &str) -> Option<Figure> {
    let q =
        over_states(series, "modularity Q*", &|run, state| module(run, key, state, "modularity", "value"))?;
    let s = over_states(series, "system segregation", &|run, state| {
        module(run, key, state, "segregation", "value")
    });
    let mut csv = Csv::new(["arm", "seed", "state", "statistic", "value", "p", "p_spatial"]);
    for run in &series.runs {
        for (state, name) in
            STATES.iter().flat_map(|(state, _)| [(*state, "modularity"), (*state, "segregation")])
        {
            let number = |what| module(run, key, state, name, what).map_or(String::new(), exact);
            let [value, p, p_spatial] = ["value", "p", "p_spatial"].map(number);
            csv.row([run.arm.clone(), run.seed.to_string(), state.into(), name.into(), value, p, p_spatial]);
        }
    }
    let panels = q.panels.into_iter().chain(s.into_iter().flat_map(|figure| figure.panels)).collect();
    Some(Figure {
        id: key.into(),
        title: title.into(),
        caption: format!(
            "Above: modularity Q* of {what} in the cosines between centred rows of all blocks' tables, negative ones having \
             less say (Rubinov and Sporns 2011). Below: system segregation (Chan et al. 2014), negative cosines as 0. Both are \
             about 0 for rows that ignore them. {} seeds an arm.",
            series.seeds()
        ),
        panels,
        columns: 3,
        aligned: false,
        legend: q.legend,
        csv,
    })
}

fn module(run: &Run, key: &str, state: &str, name: &str, what: &str) -> Option<f64> {
    let tables = run.probe["tables"].as_array()?;
    let table = tables.iter().find(|table| table["table"] == "all" && table["state"] == state)?;
    table[key][name][what].as_f64()
}

/// A number over σ in each state, side by side.
fn over_states(series: &Series, label: &str, number: &dyn Fn(&Run, &str) -> Option<f64>) -> Option<Figure> {
    let all = series.runs.iter().flat_map(|run| STATES.map(|(state, _)| number(run, state)));
    let values: Vec<f64> = all.flatten().collect();
    if values.is_empty() {
        return None;
    }
    let y = Axis::around(label, values.into_iter().chain([0.0]));
    let panels = STATES.map(|(state, title)| {
        let arms = series.arms.iter().map(|arm| ArmValues {
            arm,
            values: series.values(&arm.name, |run| number(run, state)),
            is_fitted: true,
        });
        let arms: Vec<ArmValues> = arms.filter(|arm| !arm.values.is_empty()).collect();
        let levels = vec![Level { y: 0.0, name: String::new(), at: 0.0 }];
        OverSigma { title, y: y.clone(), arms, published: Vec::new(), levels }
    });
    let legend = panels[0].legend();
    Some(Figure {
        id: String::new(),
        title: String::new(),
        caption: String::new(),
        panels: panels.into_iter().map(|panel| panel.draw((376.0, 300.0))).collect(),
        columns: 3,
        aligned: false,
        legend,
        csv: Csv::new([""]),
    })
}

/// All statistics of all blocks together and of the first block, by arm and state; first those of tables that were made of the
/// correlations alone.
pub(in crate::report) fn table(series: &Series, words: &Words) -> String {
    let truths = || words.truths_of(series).into_iter().map(|(truth, _)| truth);
    let mut rows: Vec<[String; 9]> = truths().flat_map(|truth| untrained(series, truth)).collect();
    for (truth, table) in truths().flat_map(|truth| [(truth, "all"), (truth, "block-0")]) {
        for (arm, state) in series.arms.iter().flat_map(|arm| STATES.map(|(state, _)| (arm, state))) {
            let of = STATISTICS.map(|(_, path)| {
                series.values(&arm.name, |run| statistic(run, table, state, &below(truth, path)))
            });
            if of.iter().all(Vec::is_empty) {
                continue;
            }
            let over = series.values(&arm.name, |run| {
                let path = below(truth, BEYOND);
                Some(statistic(run, table, state, &path)? - correlations::of_rows(run, &path)?)
            });
            let [a, b, c, d] = of.map(|values| spread(&values, 1.0, 2));
            let [name, table, state, truth] = [&arm.name, table, state, truth].map(str::to_owned);
            rows.push([name, table, state, truth, a, b, c, spread(&over, 1.0, 2), d]);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let [a, b, c, d] = STATISTICS.map(|(name, _)| name);
    let head = ["arm", "table", "state", "truth", a, b, c, "that minus rows of the correlations", d];
    format!(
        "<details><summary>All statistics by arm</summary>{}<p class=\"soft\">Mean ± sample standard deviation over seeds; \
         with fewer than 6 seeds, their mean and in brackets the single ones. Beyond correlations: partial Spearman \
         correlation, given one minus the correlation of {} over the training frames (of correlations: beyond positions). It is \
         no evidence of anything beyond them: tables made of these correlations alone, their rows or their leading principal \
         components (eigenvectors times the roots of the eigenvalues), have it too, since a covariate is taken off in ranks, \
         linearly and with its errors. Only a trained table that lies above those may tell more than correlations do. The \
         disparity is of as many principal components as there are coordinates, from 0 (the same up to a turn and a scale) to \
         1.</p></details>",
        html::table(&head, &[4, 5, 6, 7, 8], rows.into_iter()),
        words.tokens
    )
}

/// Where a statistic of a truth stands.
fn below<'a>(truth: &'a str, path: &[&'a str]) -> Vec<&'a str> {
    std::iter::once(truth).chain(path.iter().copied()).collect()
}

/// A row for each table that was made of the correlations alone.
fn untrained(series: &Series, truth: &str) -> Vec<[String; 9]> {
    let [dcor, rsa, beyond, _] =
        STATISTICS.map(|(_, path)| correlations::baselines(series, &below(truth, path)));
    let row = |one: Baseline| {
        let of = |all: &[Baseline]| {
            let found = all.iter().find(|other| other.name == one.name);
            found.map_or("–".to_owned(), |found| spread(&found.values, 1.0, 2))
        };
        let (dcor, rsa) = (of(&dcor), of(&rsa));
        let [none, no_state, truth] = ["–", "no training", truth].map(str::to_owned);
        let beyond = spread(&one.values, 1.0, 2);
        [one.name.clone(), none.clone(), no_state, truth, dcor, rsa, beyond, none.clone(), none]
    };
    beyond.into_iter().map(row).collect()
}

fn csv(series: &Series, words: &Words) -> Csv {
    let mut csv =
        Csv::new(["arm", "seed", "table", "state", "reference", "statistic", "value", "p", "p_spatial"]);
    for run in &series.runs {
        for entry in run.probe["tables"].as_array().into_iter().flatten() {
            let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
            for found in entry["references"].as_array().into_iter().flatten() {
                for (name, path) in STATISTICS {
                    let Some(value) = path.iter().try_fold(found, |value, key| value.get(key)) else {
                        continue;
                    };
                    let number = value.as_f64().or_else(|| value["value"].as_f64());
                    csv.row([
                        run.arm.clone(),
                        run.seed.to_string(),
                        word(&entry["table"]),
                        word(&entry["state"]),
                        word(&found["reference"]),
                        name.replace("correlations", "the other"),
                        number.map_or(String::new(), exact),
                        value["p"].as_f64().map_or(String::new(), exact),
                        value["p_spatial"].as_f64().map_or(String::new(), exact),
                    ]);
                }
            }
        }
    }
    for (truth, _) in words.truths_of(series) {
        for (name, path) in STATISTICS {
            for one in correlations::baselines(series, &below(truth, path)) {
                for value in one.values {
                    let none = String::new;
                    csv.row([
                        none(),
                        none(),
                        one.name.clone(),
                        "no training".to_owned(),
                        truth.to_owned(),
                        name.replace("correlations", "the other"),
                        exact(value),
                        none(),
                        none(),
                    ]);
                }
            }
        }
    }
    csv
}
