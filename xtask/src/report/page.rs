//! The page: one table of all claims, then a section for each series of runs, and the files beside them.

use std::path::Path;

use anyhow::{Context, Result};

use super::claims::{Claim, ClaimsFile, Judgement};
use super::csv::Csv;
use super::drawing::escape;
use super::numbers::{duration, exact, grouped};
use super::section::{Kind, Part, Section, kind_of};
use super::series::Series;
use super::{html, style, verdicts, write_atomic};

/// A series with what is said of it.
pub(super) struct Shown<'a> {
    pub series: &'a Series,
    pub judged: Vec<Judgement>,
}

/// Writes `index.html` and, in a folder for each series, its figures and their numbers.
pub(super) fn write(shown: &[Shown], notes: &[String], out: &Path) -> Result<()> {
    let claims = ClaimsFile::read()?.claim;
    let mut sections = String::new();
    for one in shown {
        let kind = kind_of(one.series);
        let section = (kind.section)(one.series)?;
        let folder = out.join(&one.series.name);
        for figure in section.figures() {
            write_atomic(&folder.join(format!("{}.svg", figure.id)), figure.file().as_bytes())?;
            write_atomic(&folder.join(format!("{}.csv", figure.id)), figure.csv.text().as_bytes())?;
        }
        write_atomic(&folder.join("contrasts.csv"), verdicts::csv(&one.judged).text().as_bytes())?;
        write_atomic(&folder.join("runs.csv"), runs_csv(one.series).text().as_bytes())?;
        sections += &section_html(one, &kind, &section, &claims);
    }
    let style = format!("{}{}", style::PAGE, style::drawing());
    let page = html::page(
        "Positional encodings from a small norm: report",
        &style,
        &body(shown, notes, &claims, &sections),
    );
    write_atomic(&out.join("index.html"), page.as_bytes())?;
    let all = shown.iter().flat_map(|one| {
        one.judged.iter().map(|judgement| {
            let mut claim = judgement.0.clone();
            claim["series"] = one.series.name.clone().into();
            claim
        })
    });
    let all = serde_json::to_vec_pretty(&all.collect::<Vec<_>>()).context("claims.json")?;
    write_atomic(&out.join("claims.json"), &all)
}

fn body(shown: &[Shown], notes: &[String], claims: &[Claim], sections: &str) -> String {
    let links: String =
        shown.iter().map(|one| format!("<a href=\"#{0}\">{0}</a> ", escape(&one.series.name))).collect();
    let runs: usize = shown.iter().map(|one| one.series.runs.len()).sum();
    let judged: Vec<(&Series, Vec<Judgement>)> =
        shown.iter().map(|one| (one.series, one.judged.clone())).collect();
    let left_out = match notes {
        [] => String::new(),
        notes => {
            let items: String = notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
            format!(
                "<details><summary>{} notes on runs left out or taken \
                 once</summary><ul>{items}</ul></details>",
                notes.len()
            )
        }
    };
    format!(
        "<header><h1>Positional encodings from a small norm</h1><p>Does a learned positional encoding \
         become interpretable, and the model generalize better, when the encoding starts from a small norm \
         (Ito et al. 2025)? What {runs} runs here say.</p>\
         <nav><a href=\"#claims\">claims</a>{links}</nav>{left_out}</header>\n\
         <h2 id=\"claims\">Claims</h2>{}{}<p><a href=\"claims.json\">claims.json</a>: verdicts with their \
         rules, intervals and pairs of runs.</p>\n{sections}",
        verdicts::table(claims, &judged),
        verdicts::MARKS,
    )
}

fn section_html(one: &Shown, kind: &Kind, section: &Section, claims: &[Claim]) -> String {
    let (series, folder) = (one.series, &one.series.name);
    let mut text = format!(
        "<section id=\"{folder}\"><h2>{}: scale {}, {}</h2>\n",
        escape(kind.title),
        escape(&series.scale),
        escape(series.data())
    );
    text += &summary(series, folder);
    for part in &section.parts {
        match part {
            Part::Heading(heading) => text += &format!("<h3>{}</h3>", escape(heading)),
            Part::Text(html) => text += html,
            Part::Figure(figure) => text += &figure.html(folder),
        }
    }
    text + &verdicts::details(claims, series, &one.judged, folder) + "</section>\n"
}

/// What was run, at which scale, when, how long, on which machine, from which code.
fn summary(series: &Series, folder: &str) -> String {
    let distinct = |of: &dyn Fn(&super::run::Run) -> String| {
        let all: std::collections::BTreeSet<String> = series.runs.iter().map(of).collect();
        escape(&all.into_iter().collect::<Vec<_>>().join("; "))
    };
    let seconds: f64 = series.runs.iter().map(|run| run.seconds()).filter(|s| s.is_finite()).sum();
    let started = series.runs.iter().map(|run| run.said("started")).min().unwrap_or("?");
    let steps = distinct(&|run| {
        let number = |key: &str| run.manifest[key].as_u64().map_or("?".to_owned(), grouped);
        format!("{} epochs, {} steps ({})", number("epochs"), number("steps"), run.said("stopped_by"))
    });
    let optimizer = distinct(&|run| {
        let of =
            |key: &str| run.config.get("optimizer").and_then(|table| table.get(key)).map(ToString::to_string);
        let batch = run.config.get("batch").map_or("?".to_owned(), ToString::to_string);
        let kind = of("kind").unwrap_or_default();
        format!(
            "{}, learning rate {}, batch {batch}",
            kind.trim_matches('"'),
            of("lr").unwrap_or("?".to_owned())
        )
    });
    let arms: Vec<&str> = series.arms.iter().map(|arm| arm.name.as_str()).collect();
    let facts = html::facts(&[
        ("series", format!("<code>{}</code>", escape(&series.name))),
        (
            "runs",
            format!(
                "{}: {} seeds of each of {}",
                series.runs.len(),
                series.seeds(),
                escape(&arms.join(", "))
            ),
        ),
        ("trained for", shortened(&steps)),
        ("optimizer", optimizer),
        (
            "data",
            distinct(&|run| {
                let set = &run.manifest["dataset"];
                let sha = set["sha256"].as_str().unwrap_or("?");
                format!(
                    "{} ({}), SHA-256 {}…",
                    set["name"].as_str().unwrap_or("?"),
                    series.source,
                    &sha[..sha.len().min(16)]
                )
            }),
        ),
        ("when", escape(&format!("{started} to {}", series.finished()))),
        ("training time", format!("{} in all, one after the other", duration(seconds))),
        ("machine", distinct(&|run| run.machine())),
        ("code", distinct(&|run| format!("{} (program {})", run.said("code_version"), run.said("program")))),
    ]);
    let rows = series.runs.iter().map(|run| {
        let number = |key: &str| run.manifest[key].as_u64().map_or("?".to_owned(), grouped);
        [
            run.said("run_id").to_owned(),
            run.seed.to_string(),
            number("epochs"),
            number("steps"),
            run.said("stopped_by").to_owned(),
            run.said("started").to_owned(),
            duration(run.seconds()),
            run.said("code_version").to_owned(),
        ]
    });
    let head = ["run", "seed", "epochs", "steps", "stopped by", "started", "training time", "code"];
    format!(
        "{facts}<details><summary>Run by run</summary>{}<p><a \
         href=\"{folder}/runs.csv\">runs.csv</a></p></details>",
        html::table(&head, &[1, 2, 3, 6], rows)
    )
}

/// Runs that stop at an accuracy differ in length: three lengths are enough.
fn shortened(lengths: &str) -> String {
    let all: Vec<&str> = lengths.split("; ").collect();
    match all.len() {
        0..=3 => lengths.to_owned(),
        n => format!("{}; {}; and {} other lengths", all[0], all[1], n - 2),
    }
}

fn runs_csv(series: &Series) -> Csv {
    let mut csv = Csv::new([
        "run_id",
        "arm",
        "sigma",
        "seed",
        "scale",
        "config_hash",
        "epochs",
        "steps",
        "stopped_by",
        "started",
        "finished",
        "seconds",
        "machine",
        "code_version",
        "program",
        "data_sha256",
    ]);
    for run in &series.runs {
        let number = |key: &str| run.manifest[key].as_u64().map_or(String::new(), |n| n.to_string());
        csv.row([
            run.said("run_id").to_owned(),
            run.arm.clone(),
            run.sigma.map_or(String::new(), exact),
            run.seed.to_string(),
            run.scale.clone(),
            run.config_hash.clone(),
            number("epochs"),
            number("steps"),
            run.said("stopped_by").to_owned(),
            run.said("started").to_owned(),
            run.said("finished").to_owned(),
            exact(run.seconds()),
            run.machine(),
            run.said("code_version").to_owned(),
            run.said("program").to_owned(),
            run.manifest["dataset"]["sha256"].as_str().unwrap_or("").to_owned(),
        ]);
    }
    csv
}
