//! `cargo xtask report`: one page with all experiments found, figures and their numbers, from run
//! directories and readings of position tables alone.
//!
//! An experiment plugs in with one file: a [`section::Kind`] that turns a series of its runs into figures
//! and text.

mod any_task;
mod axis;
mod claims;
mod collect;
mod colour;
mod components;
mod csv;
mod curves;
pub(crate) mod discovered;
mod drawing;
mod figure;
mod geometry;
mod html;
mod judged;
mod latin_square;
mod legend;
mod maps;
mod masked;
mod matrix;
mod network;
mod norms;
pub(crate) mod numbers;
mod over_sigma;
mod page;
mod pictures;
mod plot;
mod predicts;
pub(crate) mod provenance;
mod published;
mod recordings;
mod run;
mod section;
mod series;
mod style;
pub(crate) mod tables;
mod verdicts;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::reproduce::judge;
use crate::{bad_input, build, paths, say};

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Folders of runs and of readings of tables, or single ones, to be shown together [default: out/runs in the project]
    dirs: Vec<PathBuf>,
    /// Where index.html and the figures go [default: out/reports in the project]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Compute the statistics of runs that lack them, or that were probed before maps were kept
    #[arg(long)]
    probe: bool,
    /// Use the binaries as they were built before
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn main(args: &ReportArgs, install_deps: bool) -> Result<()> {
    let own = paths::root().join("out");
    let folders = if args.dirs.is_empty() { vec![own.join("runs")] } else { args.dirs.clone() };
    if args.dirs.is_empty() && !folders[0].is_dir() {
        return Err(bad_input(format!(
            "{}: no runs yet: train some with `cargo xtask reproduce`, or name a folder of runs",
            folders[0].display()
        )));
    }
    // Refused before anything is built.
    let mut found = collect::collect(&folders)?;
    if !args.no_build {
        build::binaries(install_deps)?;
    }
    if args.probe {
        let stale = found.runs.iter().filter(|run| run.probe["pictures"].is_null()).map(|run| &run.dir);
        let dirs: Vec<PathBuf> = found.unprobed.iter().chain(stale).cloned().collect();
        if !dirs.is_empty() {
            judge::probe_all(&dirs)?;
            found = collect::collect(&folders)?;
        }
    }
    let out = args.out.clone().unwrap_or_else(|| own.join("reports"));
    let report = draw(found, &out)?;
    for series in &report.series {
        say(&format!("{}: {} runs, {}\n{}", series.name, series.runs, series.data, series.verdicts));
    }
    if let Some(verdicts) = &report.tables {
        say(&format!("{}:\n{verdicts}", tables::NAME));
    }
    say(&format!("report: {}", report.page.display()));
    Ok(())
}

/// What was drawn.
pub(crate) struct Report {
    pub series: Vec<Drawn>,
    /// Of tables that were read: the verdicts, as lines for a terminal.
    pub tables: Option<String>,
    pub page: PathBuf,
}

/// A series that was drawn.
pub(crate) struct Drawn {
    pub name: String,
    /// What it was trained on, in words.
    pub data: String,
    /// How many runs it has.
    pub runs: usize,
    /// Their directories.
    pub dirs: Vec<PathBuf>,
    /// Lines for a terminal.
    pub verdicts: String,
}

/// Draws all runs in or below `folders` into `out`.
pub(crate) fn write(folders: &[PathBuf], out: &Path) -> Result<Report> {
    draw(collect::collect(folders)?, out)
}

fn draw(found: collect::Collection, out: &Path) -> Result<Report> {
    let collect::Collection { runs, readings, mut notes, .. } = found;
    if runs.is_empty() && readings.is_empty() {
        return Err(bad_input(format!("no finished and probed run to report on: {}", notes.join("; "))));
    }
    let all = series::series(runs);
    let claims = claims::ClaimsFile::read()?.claim;
    let mut shown = Vec::new();
    for (series, judged) in all.iter().zip(judged::judge(&all, &claims)) {
        // What is wrong with the runs of one series must not hide the others.
        let judged = match judged {
            Err(error) if all.len() == 1 && readings.is_empty() => return Err(error),
            Err(error) => {
                notes.push(format!("{}: its claims are not judged: {error:#}", series.name));
                Vec::new()
            }
            Ok(judged) => judged,
        };
        shown.push(page::Shown { series, judged });
    }
    let tables = match readings.is_empty() {
        true => None,
        false => {
            let folder = out.join(tables::NAME);
            std::fs::create_dir_all(&folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
            Some(tables::Tables::judge(readings, &folder)?)
        }
    };
    for note in &notes {
        eprintln!("note: {note}");
    }
    page::write(&shown, tables.as_ref(), &claims, &notes, out)?;
    let drawn = |one: &page::Shown| Drawn {
        name: one.series.name.clone(),
        data: (section::kind_of(one.series).data)(one.series),
        runs: one.series.runs.len(),
        dirs: one.series.runs.iter().map(|run| run.dir.clone()).collect(),
        verdicts: claims::said(one.series, &one.judged, &claims),
    };
    Ok(Report {
        series: shown.iter().map(drawn).collect(),
        tables: tables.map(|tables| claims::lines(&tables.judged)),
        page: out.join("index.html"),
    })
}

/// Writes under a temporary name, then renames.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = atomic_write_file::AtomicWriteFile::open(path)?;
        // `commit` syncs too, but leaves the temporary file where that fails.
        file.write_all(bytes).and_then(|()| file.as_file().sync_all())?;
        file.commit()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
