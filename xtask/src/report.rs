//! Pages and tables from run directories: `report.md`, and the numbers of its tables as CSV beside it.

mod geometry;
mod learning;
pub(crate) mod markdown;
mod published;
mod read;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::paths;
use crate::reproduce::plan::Frozen;
use read::RunResult;

/// Writes the report of an experiment into `folder`.
pub(crate) fn write(frozen: &Frozen, dirs: &[PathBuf], claims: &[Value], folder: &Path) -> Result<()> {
    let runs = dirs.iter().map(|dir| RunResult::read(dir)).collect::<Result<Vec<_>>>()?;
    // Published figures stand beside the paper's experiment only.
    let published = match frozen.plan.experiment.as_str() {
        "lst" => published::read(&paths::root().join("datasets").join("lst").join("published_accuracy.csv"))?,
        _ => Vec::new(),
    };
    let page = [
        head(frozen, &runs),
        claims_table(claims),
        learning::accuracy(&runs, &published),
        learning::curves(&runs, &published),
        geometry::section(&runs),
        "The scores of every run stand in `accuracy.csv` and `curves.csv` beside this page, its geometry in \
         `geometry.csv`, the claims with their sources, intervals and pairs of runs in `claims.json`; each \
         run's own statistics, with the p of every table, in the `probe.json` of its directory.\n"
            .to_owned(),
    ];
    write_atomic(&folder.join("accuracy.csv"), learning::accuracy_csv(&runs).as_bytes())?;
    write_atomic(&folder.join("curves.csv"), learning::curves_csv(&runs).as_bytes())?;
    write_atomic(&folder.join("geometry.csv"), geometry::csv(&runs).as_bytes())?;
    write_atomic(&folder.join("report.md"), page.join("\n").as_bytes())
}

/// Writes under a temporary name, then renames.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = atomic_write_file::AtomicWriteFile::open(path)?;
        file.write_all(bytes)?;
        file.commit()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

fn head(frozen: &Frozen, runs: &[RunResult]) -> String {
    let plan = &frozen.plan;
    let data = &plan.dataset;
    let versions = markdown::distinct(runs.iter().map(|run| run.code_version.as_str()));
    let devices = markdown::distinct(runs.iter().map(|run| run.device.as_str()));
    let features = markdown::distinct(runs.iter().map(|run| run.cpu_features.as_str()));
    let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
    let finished = runs.iter().map(|run| run.finished.as_str()).max().unwrap_or("?");
    format!(
        "# {}, scale {}, {} puzzles\n\n\
         | | |\n|---|---|\n\
         | runs | {} |\n\
         | data | {} training, {} test, {} generalization puzzles, SHA-256 {} |\n\
         | code | {versions} |\n\
         | device | {devices}, one thread a run ({features}) |\n\
         | finished | {finished}, {:.0} minutes of training in all |\n",
        plan.experiment,
        plan.scale,
        data.source,
        runs.len(),
        data.train,
        data.test,
        data.generalization,
        data.sha256,
        seconds / 60.0,
    )
}

fn claims_table(claims: &[Value]) -> String {
    let text = |claim: &Value, key: &str| claim.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let rows = claims.iter().map(|claim| {
        let number = |value: &Value| value.as_f64().map_or(String::new(), |v| format!("{v:.3}"));
        let n = claim.get("n").and_then(Value::as_u64).map_or(String::new(), |n| n.to_string());
        let interval = &claim["interval"];
        let interval = match (interval["low"].as_f64(), interval["high"].as_f64()) {
            (Some(low), Some(high)) => format!("[{low:.3}, {high:.3}]"),
            _ => String::new(),
        };
        let published = claim["published"]["text"].as_str().unwrap_or("").to_owned();
        vec![
            text(claim, "id"),
            text(claim, "verdict"),
            number(&claim["value"]),
            n,
            interval,
            number(&claim["p"]),
            text(claim, "rule_text"),
            text(claim, "reason"),
            published,
            text(claim, "source"),
        ]
    });
    let head = ["claim", "verdict", "value", "n", "95 % interval", "p", "rule", "why", "published", "source"];
    format!("## Claims\n\n{}", markdown::table(&head, rows.collect()))
}
