//! The page: one table of all claims, then a section for each series of runs and one of position tables, and the files
//! beside them.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::claims::{Claim, Judgement};
use super::csv::Csv;
use super::drawing::escape;
use super::numbers::{duration, exact, grouped};
use super::section::{Kind, Part, Section, kind_of};
use super::series::Series;
use super::tables::{self, Tables};
use super::{html, style, verdicts, write_atomic};

/// A series with what is said of it.
pub(super) struct Shown<'a> {
    pub series: &'a Series,
    pub judged: Vec<Judgement>,
}

/// Writes `index.html` and, in a folder for each section, its figures and their numbers.
pub(super) fn write(
    shown: &[Shown],
    tables: Option<&Tables>,
    claims: &[Claim],
    notes: &[String],
    out: &Path,
) -> Result<()> {
    let mut sections = String::new();
    for one in shown {
        let kind = kind_of(one.series);
        let section = (kind.section)(one.series)?;
        let folder = out.join(&one.series.name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        write_figures(&section, &folder)?;
        write_claims(&folder, one.judged.iter().map(|judgement| judgement.0.clone()))?;
        write_atomic(&folder.join("contrasts.csv"), verdicts::csv(&one.judged).text().as_bytes())?;
        write_atomic(&folder.join("runs.csv"), runs_csv(one.series).text().as_bytes())?;
        sections += &section_html(one, &kind, &section, claims);
    }
    if let Some(tables) = tables {
        let section = tables.section()?;
        let folder = out.join(tables::NAME);
        write_figures(&section, &folder)?;
        for (name, text) in tables.files() {
            write_atomic(&folder.join(name), text.as_bytes())?;
        }
        sections += &tables_html(tables, &section);
    }
    let style = format!("{}{}", style::PAGE, style::drawing());
    let of_tables = tables::claims()?;
    let judged = judged(claims, shown, &of_tables, tables);
    let page = html::page(
        "Positional encodings from a small norm: report",
        &style,
        &body(shown, tables, notes, &judged, &sections),
    );
    write_atomic(&out.join("index.html"), page.as_bytes())?;
    let named = |(section, judgement): (&str, &Judgement)| {
        let mut claim = judgement.0.clone();
        claim["series"] = section.into();
        claim
    };
    let all = sections_of(shown, tables)
        .flat_map(|(name, judged)| judged.iter().map(move |judgement| named((name, judgement))));
    write_claims(out, all)
}

/// `claims.json` in a folder.
fn write_claims(folder: &Path, claims: impl Iterator<Item = Value>) -> Result<()> {
    let claims: Vec<Value> = claims.collect();
    write_atomic(&folder.join("claims.json"), &serde_json::to_vec_pretty(&claims).context("claims.json")?)
}

fn write_figures(section: &Section, folder: &Path) -> Result<()> {
    for figure in section.figures() {
        write_atomic(&folder.join(format!("{}.svg", figure.id)), figure.file().as_bytes())?;
        write_atomic(&folder.join(format!("{}.csv", figure.id)), figure.csv.text().as_bytes())?;
    }
    Ok(())
}

/// All sections by name, with what was judged in them.
fn sections_of<'a>(
    shown: &'a [Shown],
    tables: Option<&'a Tables>,
) -> impl Iterator<Item = (&'a str, &'a [Judgement])> {
    let series = shown.iter().map(|one| (one.series.name.as_str(), one.judged.as_slice()));
    series.chain(tables.map(|tables| (tables::NAME, tables.judged.as_slice())))
}

/// Each claim with what was judged of it, those about tables last.
fn judged<'a>(
    claims: &'a [Claim],
    shown: &'a [Shown],
    of_tables: &'a [Claim],
    tables: Option<&'a Tables>,
) -> Vec<verdicts::Judged<'a>> {
    let find = |claim: &Claim, all: &'a [Judgement]| all.iter().find(|j| j.word("id") == claim.id);
    let of_runs = claims.iter().map(|claim| {
        let about = shown.iter().filter(|one| claim.is_about(one.series));
        let judged = about.filter_map(|one| Some((one.series.name.as_str(), find(claim, &one.judged)?)));
        (claim, judged.collect())
    });
    let of_tables = of_tables.iter().map(|claim| {
        let judged = tables.and_then(|tables| Some((tables::NAME, find(claim, &tables.judged)?)));
        (claim, judged.into_iter().collect())
    });
    of_runs.chain(of_tables).collect()
}

fn body(
    shown: &[Shown],
    tables: Option<&Tables>,
    notes: &[String],
    judged: &[verdicts::Judged],
    sections: &str,
) -> String {
    let links: String = sections_of(shown, tables)
        .map(|(name, _)| format!("<a href=\"#{0}\">{0}</a> ", escape(name)))
        .collect();
    let runs: usize = shown.iter().map(|one| one.series.runs.len()).sum();
    let runs = match tables {
        None => format!("{runs} runs"),
        Some(tables) if runs == 0 => format!("{} tables of trained models", tables.readings.len()),
        Some(tables) => format!("{runs} runs and {} tables of trained models", tables.readings.len()),
    };
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
         (Ito et al. 2025)? What {runs} here say.</p>\
         <nav><a href=\"#claims\">claims</a>{links}</nav>{left_out}</header>\n\
         <h2 id=\"claims\">Claims</h2>{}{}<p><a href=\"claims.json\">claims.json</a>: verdicts with their \
         rules, intervals and pairs of runs.</p>\n{sections}",
        verdicts::table(judged),
        verdicts::MARKS,
    )
}

fn section_html(one: &Shown, kind: &Kind, section: &Section, claims: &[Claim]) -> String {
    let (series, folder) = (one.series, &one.series.name);
    let mut text = format!(
        "<section id=\"{folder}\"><h2>{}: scale {}, {}</h2>\n",
        escape(kind.title),
        escape(&series.scale),
        escape(&(kind.data)(series))
    );
    text += &summary(series, folder);
    text += &parts_html(section, folder);
    text + &verdicts::details(claims, series, &one.judged, folder) + "</section>\n"
}

fn tables_html(tables: &Tables, section: &Section) -> String {
    format!(
        "<section id=\"{0}\"><h2>Position tables of {1} trained models</h2>\n{2}</section>\n",
        tables::NAME,
        tables.readings.len(),
        parts_html(section, tables::NAME)
    )
}

fn parts_html(section: &Section, folder: &str) -> String {
    let part = |part: &Part| match part {
        Part::Heading(heading) => format!("<h3>{}</h3>", escape(heading)),
        Part::Text(html) => html.clone(),
        Part::Figure(figure) => figure.html(folder),
    };
    section.parts.iter().map(part).collect()
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
