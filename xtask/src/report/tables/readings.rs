//! The readings as tables of the page, and as CSV.

use serde_json::Value;

use super::{Published, Reading, array};
use crate::report::csv::Csv;
use crate::report::html;
use crate::report::numbers::{exact, fixed};

/// The readings in the order of the page: name, where they stand, and by what they are multiplied.
const READINGS: [(&str, &str, &str, f64); 5] = [
    ("absolute, least squares*", "absolute", "least-squares", 1.0),
    ("absolute, PCA-64", "absolute", "pca-64", 1.0),
    ("absolute, ridge", "absolute", "ridge", 1.0),
    ("order raw*, %", "order", "raw", 100.0),
    ("order standardised, %", "order", "standardised", 100.0),
];

/// What was read off each table and off its controls.
pub(super) fn table(readings: &[Reading]) -> String {
    let rows = readings.iter().flat_map(|one| {
        let report = &one.report;
        let shape = format!("{}\u{a0}×\u{a0}{}", report["positions"], report["width"]);
        let row = |name: String, family: &str, reading: &Value| {
            let [a, b, c, d, e] = READINGS.map(|(_, kind, name, factor)| spread(reading, kind, name, factor));
            [name, shape.clone(), family.to_owned(), a, b, c, d, e]
        };
        let itself = row(one.label.clone(), report["family"].as_str().unwrap_or("?"), report);
        let controls = array(&report["controls"]).iter();
        std::iter::once(itself)
            .chain(controls.map(|control| row(control_name(control), "", control)))
            .collect::<Vec<_>>()
    });
    let [a, b, c, d, e] = READINGS.map(|(name, ..)| name);
    let settings = readings.first().map_or(&Value::Null, |one| &one.report["settings"]);
    format!(
        "{}<p class=\"soft\">Mean ± standard deviation over {} repetitions (controls: at most 5), each with its own order of \
         rows and its own 512 pairs, seed {}. Absolute: mean |round(prediction) − index| in positions, 5-fold \
         cross-validated. Order: error rate of logistic regression, C = 1, stratified 5-fold. *As published. With about 410 \
         training rows, least squares stands at its interpolation peak near a width of 400 whatever the table knows, and raw \
         features punish a small norm: compare tables of different shape by the other columns, and each with the random table \
         of its shape. Numbers: <a href=\"tables/readings.csv\">readings.csv</a>.</p>",
        html::table(&["table", "shape", "family", a, b, c, d, e], &[3, 4, 5, 6, 7], rows),
        settings["permutations"],
        settings["seed"],
    )
}

/// Each figure of the paper, whether it is verified, and ours on the same table where it was read.
pub(super) fn published(readings: &[Reading], published: &[Published]) -> String {
    let rows = published.iter().map(|figure| {
        let own = own_reading(readings, &figure.model);
        let ours = |kind, name, factor| {
            own.map_or("not read".to_owned(), |report| spread(report, kind, name, factor))
        };
        let verified = if figure.verified { "verified" } else { "not verified" };
        [
            figure.model.clone(),
            fixed(figure.absolute, 2),
            ours("absolute", "least-squares", 1.0),
            fixed(figure.order, 2),
            ours("order", "raw", 100.0),
            verified.to_owned(),
        ]
    });
    let head = [
        "model",
        "absolute, published",
        "absolute, here",
        "order %, published",
        "order %, here",
        "published figures",
    ];
    format!(
        "{}<p class=\"soft\">Not verified: remembered, and not checked against the paper by anybody. Absolute: least squares, \
         in positions. Order: logistic regression on raw features. Here: only where the same model was read, the sinusoid at \
         512 × 768.</p>",
        html::table(&head, &[1, 2, 3, 4], rows)
    )
}

/// The reading of the model itself; of the sinusoid, the control of 512 x 768 that the paper has.
fn own_reading<'a>(readings: &'a [Reading], model: &str) -> Option<&'a Value> {
    if model == "sinusoid" {
        let shaped =
            readings.iter().find(|one| one.report["positions"] == 512 && one.report["width"] == 768)?;
        return array(&shaped.report["controls"]).iter().find(|control| control["kind"] == "sinusoid");
    }
    readings.iter().find(|one| one.model.as_deref() == Some(model)).map(|one| &one.report)
}

/// How many singular values make up how much.
pub(super) fn spectra(readings: &[Reading]) -> String {
    let rows = readings.iter().flat_map(|one| {
        let row = |name: String, reading: &Value| {
            let spectrum = &reading["spectrum"];
            let count = |i: usize| {
                array(&spectrum["shares"]).get(i).map_or("–".to_owned(), |share| share["count"].to_string())
            };
            let rank = spectrum["effective_rank"].as_f64().map_or("–".to_owned(), |rank| fixed(rank, 1));
            [name, count(0), count(1), count(2), rank]
        };
        let controls =
            array(&one.report["controls"]).iter().map(|control| row(control_name(control), control));
        std::iter::once(row(one.label.clone(), &one.report)).chain(controls).collect::<Vec<_>>()
    });
    format!(
        "<details><summary>How many singular values make up the tables</summary>{}<p class=\"soft\">How many make up a share \
         of the sum of squares; the table as it is, not centred. Effective rank: exp of the entropy of the singular values \
         over their sum.</p></details>",
        html::table(&["table", "60 %", "90 %", "99 %", "effective rank"], &[1, 2, 3, 4], rows)
    )
}

fn control_name(control: &Value) -> String {
    format!("– {} of this shape", control["kind"].as_str().unwrap_or("?"))
}

/// `12.34 ± 0.56`; a dash where the reading is undefined.
fn spread(reading: &Value, kind: &str, name: &str, factor: f64) -> String {
    let (mean, sd, _) = figures_of(reading, kind, name);
    match (mean, sd) {
        (None, _) => "–".to_owned(),
        (Some(mean), None) => fixed(factor * mean, 2),
        (Some(mean), Some(sd)) => format!("{} ± {}", fixed(factor * mean, 2), fixed(factor * sd, 2)),
    }
}

/// Mean, standard deviation and repetitions.
fn figures_of(reading: &Value, kind: &str, name: &str) -> (Option<f64>, Option<f64>, u64) {
    let (key, figure) = if kind == "absolute" { ("regression", "error") } else { ("features", "error_rate") };
    let one = array(&reading[kind]).iter().find(|one| one[key] == name);
    one.map_or((None, None, 0), |one| {
        let spread = &one[figure];
        (spread["mean"].as_f64(), spread["sd"].as_f64(), spread["n"].as_u64().unwrap_or(0))
    })
}

/// Every reading of every table and control.
pub(super) fn csv(readings: &[Reading]) -> Csv {
    let mut csv = Csv::new([
        "table",
        "kind",
        "positions",
        "width",
        "reading",
        "estimator",
        "mean",
        "sd",
        "repetitions",
    ]);
    for one in readings {
        let report = &one.report;
        let itself = std::iter::once(("table", report));
        let controls = array(&report["controls"]).iter().map(|c| (c["kind"].as_str().unwrap_or("?"), c));
        for (kind, reading) in itself.chain(controls) {
            for (_, what, name, _) in READINGS {
                let (mean, sd, n) = figures_of(reading, what, name);
                csv.row([
                    one.label.clone(),
                    kind.to_owned(),
                    report["positions"].to_string(),
                    report["width"].to_string(),
                    what.to_owned(),
                    name.to_owned(),
                    mean.map_or(String::new(), exact),
                    sd.map_or(String::new(), exact),
                    n.to_string(),
                ]);
            }
        }
    }
    csv
}
