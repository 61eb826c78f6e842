//! `report.md`, its numbers as CSV, and its drawings.

use std::path::Path;

use anyhow::Result;
use serde_json::Value;

use super::figures::{self, array, map_name};
use super::markdown;
use super::{Published, Read};
use crate::report::write_atomic;

/// The readings in the order of the page: name, where they stand, and by what they are multiplied.
const READINGS: [(&str, &str, &str, f64); 5] = [
    ("absolute, least squares*", "absolute", "least-squares", 1.0),
    ("absolute, PCA-64", "absolute", "pca-64", 1.0),
    ("absolute, ridge", "absolute", "ridge", 1.0),
    ("order raw*, %", "order", "raw", 100.0),
    ("order standardised, %", "order", "standardised", 100.0),
];

/// Writes everything into `folder`.
pub(super) fn write(read: &[Read], published: &[Published], claims: &[Value], folder: &Path) -> Result<()> {
    for (name, svg) in figures::all(read) {
        write_atomic(&folder.join(name), svg.as_bytes())?;
    }
    write_atomic(&folder.join("readings.csv"), readings_csv(read).as_bytes())?;
    write_atomic(&folder.join("errors.csv"), errors_csv(read).as_bytes())?;
    write_atomic(&folder.join("spectra.csv"), spectra_csv(read).as_bytes())?;
    let page = [
        "# Position tables\n\nWhat the position tables of trained models know of their positions (Wang and Chen 2020, arXiv \
         2010.04903).\n"
            .to_owned(),
        claims_section(claims),
        readings_section(read),
        published_section(read, published),
        spectra_section(read),
        drawings_section(read),
    ];
    write_atomic(&folder.join("report.md"), page.join("\n").as_bytes())
}

fn claims_section(claims: &[Value]) -> String {
    let rows = claims.iter().map(|claim| {
        let text = |key: &str| claim[key].as_str().unwrap_or_default().to_owned();
        let number = |key: &str| claim[key].as_f64().map_or("-".to_owned(), |value| format!("{value:.3}"));
        let tables = array(&claim["tables"]).iter().map(|table| {
            let ratio = table["ratio"].as_f64().unwrap_or(f64::NAN);
            format!(
                "{} {ratio:.3} ({})",
                table["label"].as_str().unwrap_or("?"),
                table["family"].as_str().unwrap_or("?")
            )
        });
        let tables = tables.collect::<Vec<_>>().join("; ");
        vec![
            text("id"),
            text("verdict"),
            number("value"),
            claim["n"].to_string(),
            number("p"),
            text("rule_text"),
            tables,
            text("reason"),
        ]
    });
    let head = ["claim", "verdict", "value", "tables", "p", "rule", "ratio of each table", "note"];
    format!(
        "## Claims\n\n{}\nThe unit is the table. Fewer than 6, or too few of one family for any p below 0.05: *agrees* or \
         *disagrees so far*. Tables of other models than the paper's judge its statement, not its figures.\n",
        markdown::table(&head, rows.collect())
    )
}

fn readings_section(read: &[Read]) -> String {
    let head: Vec<&str> =
        ["table", "shape", "family"].into_iter().chain(READINGS.map(|reading| reading.0)).collect();
    let rows = read.iter().flat_map(|one| {
        let report = &one.report;
        let shape = format!("{} x {}", report["positions"], report["width"]);
        let family = report["family"].as_str().unwrap_or("?").to_owned();
        let row = |name: String, family: String, reading: &Value| {
            let figures = READINGS.map(|(_, kind, name, factor)| spread(reading, kind, name, factor));
            [name, shape.clone(), family].into_iter().chain(figures).collect::<Vec<_>>()
        };
        let controls = array(&report["controls"]).iter().map(|control| {
            let kind = control["kind"].as_str().unwrap_or("?");
            row(format!("- {kind} of this shape"), String::new(), control)
        });
        std::iter::once(row(format!("**{}**", one.found.label), family, report))
            .chain(controls)
            .collect::<Vec<_>>()
    });
    let repetitions = read.first().map_or(Value::Null, |one| one.report["settings"]["permutations"].clone());
    let seed = read.first().map_or(Value::Null, |one| one.report["settings"]["seed"].clone());
    format!(
        "## Readings\n\n{}\nMean and standard deviation over {repetitions} repetitions (controls: at most 5), each with its \
         own order of rows and its own 512 pairs, seed {seed}. Absolute: mean |round(prediction) - index| in positions, 5-fold \
         cross-validated. Order: error rate of logistic regression, C = 1, stratified 5-fold. *As published. With about 410 \
         training rows, least squares stands at its interpolation peak near a width of 400 whatever the table knows, and raw \
         features punish a small norm: compare tables of different shape by the other columns, and each with the random table \
         of its shape.\n",
        markdown::table(&head, rows.collect())
    )
}

/// Each figure of the paper, whether it is verified, and ours on the same table where it was read.
fn published_section(read: &[Read], published: &[Published]) -> String {
    let rows = published.iter().map(|figure| {
        let own = own_reading(read, &figure.model);
        let ours = |kind, name, factor| {
            own.map_or("not read".to_owned(), |report| spread(report, kind, name, factor))
        };
        let verified = if figure.verified {
            "verified"
        } else {
            "**not verified**: remembered, not checked against the paper"
        };
        vec![
            figure.model.clone(),
            format!("{:.2}", figure.absolute),
            ours("absolute", "least-squares", 1.0),
            format!("{:.2}", figure.order),
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
        "published figures are",
    ];
    format!("## Published figures\n\n{}", markdown::table(&head, rows.collect()))
}

/// The reading of the model itself; of the sinusoid, the control of 512 x 768 that the paper has.
fn own_reading<'a>(read: &'a [Read], model: &str) -> Option<&'a Value> {
    if model == "sinusoid" {
        let shaped = read.iter().find(|one| one.report["positions"] == 512 && one.report["width"] == 768)?;
        return array(&shaped.report["controls"]).iter().find(|control| control["kind"] == "sinusoid");
    }
    read.iter().find(|one| one.found.model.as_deref() == Some(model)).map(|one| &one.report)
}

fn spectra_section(read: &[Read]) -> String {
    let rows = read.iter().flat_map(|one| {
        let row = |name: String, reading: &Value| {
            let shares = array(&reading["spectrum"]["shares"]).iter().map(|share| share["count"].to_string());
            let rank = reading["spectrum"]["effective_rank"]
                .as_f64()
                .map_or("-".to_owned(), |rank| format!("{rank:.1}"));
            std::iter::once(name).chain(shares).chain([rank]).collect::<Vec<_>>()
        };
        let controls = array(&one.report["controls"]).iter().map(|control| {
            row(format!("- {} of this shape", control["kind"].as_str().unwrap_or("?")), control)
        });
        std::iter::once(row(format!("**{}**", one.found.label), &one.report))
            .chain(controls)
            .collect::<Vec<_>>()
    });
    let head = ["table", "60 %", "90 %", "99 %", "effective rank"];
    format!(
        "## Singular values\n\nHow many make up a share of the sum of squares; the table as it is, not centred.\n\n{}\n![spectra](spectra.svg)\n",
        markdown::table(&head, rows.collect())
    )
}

fn drawings_section(read: &[Read]) -> String {
    let maps: String = read
        .iter()
        .enumerate()
        .map(|(k, one)| format!("![{}]({})\n\n", one.found.label.replace(['[', ']'], " "), map_name(k, one)))
        .collect();
    format!(
        "## Error by position\n\n![error by position](errors.svg)\n\n## Similarity\n\nCosines between rows, means over blocks of \
         positions.\n\n{maps}![mean cosine by distance](distances.svg)\n\nNumbers: `readings.csv`, `errors.csv`, `spectra.csv`, \
         `claims.json`; everything of each table in `tables/`.\n"
    )
}

/// `12.34 ± 0.56`; a dash where the reading is undefined.
fn spread(reading: &Value, kind: &str, name: &str, factor: f64) -> String {
    let (mean, sd, _) = figures_of(reading, kind, name);
    match (mean, sd) {
        (None, _) => "-".to_owned(),
        (Some(mean), None) => format!("{:.2}", factor * mean),
        (Some(mean), Some(sd)) => format!("{:.2} ± {:.2}", factor * mean, factor * sd),
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

fn readings_csv(read: &[Read]) -> String {
    let mut text = "table,kind,positions,width,reading,estimator,mean,sd,repetitions\n".to_owned();
    for one in read {
        let report = &one.report;
        let itself = std::iter::once(("table", report));
        let controls = array(&report["controls"]).iter().map(|c| (c["kind"].as_str().unwrap_or("?"), c));
        for (kind, reading) in itself.chain(controls) {
            for (_, what, name, _) in READINGS {
                let (mean, sd, n) = figures_of(reading, what, name);
                let label = quoted(&one.found.label);
                let (positions, width) = (&report["positions"], &report["width"]);
                text += &format!(
                    "{label},{kind},{positions},{width},{what},{name},{},{},{n}\n",
                    number(mean),
                    number(sd)
                );
            }
        }
    }
    text
}

fn errors_csv(read: &[Read]) -> String {
    let mut text = "table,regression,position,error\n".to_owned();
    for one in read {
        for reading in array(&one.report["absolute"]) {
            for (position, error) in array(&reading["by_position"]).iter().enumerate() {
                let regression = reading["regression"].as_str().unwrap_or("?");
                text += &format!(
                    "{},{regression},{position},{}\n",
                    quoted(&one.found.label),
                    number(error.as_f64())
                );
            }
        }
    }
    text
}

fn spectra_csv(read: &[Read]) -> String {
    let mut text = "table,number,singular_value\n".to_owned();
    for one in read {
        for (k, value) in array(&one.report["spectrum"]["singular_values"]).iter().enumerate() {
            text += &format!("{},{},{}\n", quoted(&one.found.label), k + 1, number(value.as_f64()));
        }
    }
    text
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A CSV cell.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
