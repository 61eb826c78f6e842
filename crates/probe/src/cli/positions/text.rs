//! A report of a position table to read.

use probe::positions::claims::TableFile;
use probe::positions::{COMPONENTS, ControlKind, FOLDS, PAIRS, Reading, Spread};

use crate::cli::outcome::{aligned, listed};

/// The report.
pub(super) fn page(file: &TableFile) -> String {
    let report = &file.report;
    let settings = report.settings;
    let mut head = vec![
        cells(["command", "positions"]),
        cells(["table", &file.label]),
        cells([
            "stored",
            &format!("{}, rows {}..{}", file.source.stored, file.source.rows.start, file.source.rows.end),
        ]),
    ];
    if let Some(found) = &file.source.recognised {
        head.push(cells(["recognised", &format!("{}, by {}", found.architecture, found.because)]));
    }
    head.extend([
        cells(["n", &format!("{} positions, {} columns", report.positions, report.width)]),
        cells(["repetitions", &format!("{} (controls: at most 5), seed {}", settings.permutations, settings.seed)]),
        cells(["absolute", &format!("mean |round(prediction) - index|, {FOLDS}-fold, rows in random order")]),
        cells(["order", &format!(
            "error rate in % on {} ordered pairs, logistic regression with C = 1, stratified {FOLDS}-fold",
            PAIRS.min(report.positions * report.positions)
        )]),
    ]);
    format!(
        "{}\n{}\n{}\n{}",
        listed(&head),
        aligned(&readings(file)),
        aligned(&ranges(file)),
        aligned(&spectrum(file))
    )
}

fn readings(file: &TableFile) -> Vec<Vec<String>> {
    let all = all(file);
    let mut rows = vec![header("reading", file)];
    for (k, one) in file.report.reading.absolute.iter().enumerate() {
        let note = if one.regression == "least-squares" { " (as published; not across widths)" } else { "" };
        let figures = all.iter().map(|reading| spread(&reading.absolute[k].error, 1.0));
        rows.push(std::iter::once(format!("absolute, {}{note}", one.regression)).chain(figures).collect());
    }
    for (k, one) in file.report.reading.order.iter().enumerate() {
        let note = if one.features == "raw" { " (as published; not across norms)" } else { "" };
        let figures = all.iter().map(|reading| spread(&reading.order[k].error_rate, 100.0));
        rows.push(std::iter::once(format!("order, {} table{note}", one.features)).chain(figures).collect());
    }
    rows
}

fn ranges(file: &TableFile) -> Vec<Vec<String>> {
    let absolute = &file.report.reading.absolute;
    let mut rows = vec![
        std::iter::once("error by position".to_owned())
            .chain(absolute.iter().map(|one| one.regression.clone()))
            .collect::<Vec<_>>(),
    ];
    for k in 0..absolute.first().map_or(0, |one| one.by_range.len()) {
        let range = absolute[0].by_range[k];
        let figures = absolute.iter().map(|one| number(one.by_range[k].error));
        rows.push(std::iter::once(format!("{} to {}", range.from, range.to - 1)).chain(figures).collect());
    }
    rows
}

fn spectrum(file: &TableFile) -> Vec<Vec<String>> {
    let all = all(file);
    let mut rows = vec![header("singular values", file)];
    for (k, share) in file.report.reading.spectrum.shares.iter().enumerate() {
        let counts = all.iter().map(|reading| reading.spectrum.shares[k].count.to_string());
        let name = format!("for {:.0} % of the sum of squares", 100.0 * share.share);
        rows.push(std::iter::once(name).chain(counts).collect());
    }
    let ranks = all.iter().map(|reading| number(reading.spectrum.effective_rank));
    rows.push(std::iter::once("effective rank".to_owned()).chain(ranks).collect());
    rows
}

fn all(file: &TableFile) -> Vec<&Reading> {
    std::iter::once(&file.report.reading)
        .chain(file.report.controls.iter().map(|control| &control.reading))
        .collect()
}

fn header(first: &str, file: &TableFile) -> Vec<String> {
    let controls = file.report.controls.iter().map(|control| match control.kind {
        ControlKind::Random => "random".to_owned(),
        ControlKind::Sinusoid => "sinusoid".to_owned(),
    });
    [first.to_owned(), "table".to_owned()].into_iter().chain(controls).collect()
}

fn spread(spread: &Spread, factor: f64) -> String {
    match (spread.mean, spread.sd) {
        (None, _) => format!("too few rows for {COMPONENTS}"),
        (Some(mean), None) => format!("{:.2}", factor * mean),
        (Some(mean), Some(sd)) => format!("{:.2} ± {:.2}", factor * mean, factor * sd),
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.2}"))
}

fn cells<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}
