//! The drawings: similarity maps, spectra, error by position.

use serde_json::Value;

use super::svg::{Chart, Line, heatmap, lines};
use super::{Read, slug};

/// File names and SVG of all drawings; the maps first.
pub(super) fn all(read: &[Read]) -> Vec<(String, String)> {
    let maps = read.iter().enumerate().map(|(k, one)| {
        let map = &one.report["similarity"];
        let cells: Vec<Vec<Option<f64>>> =
            array(&map["cells"]).iter().map(|row| array(row).iter().map(Value::as_f64).collect()).collect();
        let edges: Vec<usize> =
            array(&map["edges"]).iter().filter_map(Value::as_u64).map(|edge| edge as usize).collect();
        let title = format!("{}: cosine between positions", one.found.label);
        (map_name(k, one), heatmap(&title, &cells, &edges, -1.0, 1.0))
    });
    let spectra = Chart {
        title: "Singular values, not centred, over the largest",
        x: "number",
        y: "share of the largest (log)",
        logarithmic: true,
    };
    let error = Chart {
        title: "Error of the index through 64 principal components, over the number of positions",
        x: "position, of all",
        y: "mean |round(prediction) - index|, of all",
        logarithmic: false,
    };
    let near = Chart {
        title: "Mean cosine by distance",
        x: "distance in positions",
        y: "mean cosine",
        logarithmic: false,
    };
    let charts = [
        ("spectra.svg", lines(&spectra, &each(read, spectrum))),
        ("errors.svg", lines(&error, &each(read, errors))),
        ("distances.svg", lines(&near, &each(read, distances))),
    ];
    maps.chain(charts.map(|(name, svg)| (name.to_owned(), svg))).collect()
}

/// The file of a table's map.
pub(super) fn map_name(k: usize, read: &Read) -> String {
    format!("map-{k:02}-{}.svg", slug(&read.found.label))
}

fn each(read: &[Read], points: impl Fn(&Value) -> Vec<(f64, f64)>) -> Vec<Line> {
    read.iter().map(|one| Line { name: one.found.label.clone(), points: points(&one.report) }).collect()
}

fn spectrum(report: &Value) -> Vec<(f64, f64)> {
    let values: Vec<f64> =
        array(&report["spectrum"]["singular_values"]).iter().filter_map(Value::as_f64).collect();
    let largest = values.first().copied().unwrap_or(1.0);
    // Far below the largest there is only rounding.
    let kept = values.iter().map(|value| value / largest).enumerate().filter(|(_, share)| *share > 1e-9);
    kept.map(|(k, share)| ((k + 1) as f64, share)).collect()
}

fn errors(report: &Value) -> Vec<(f64, f64)> {
    let n = report["positions"].as_f64().unwrap_or(f64::NAN);
    let through = array(&report["absolute"]).iter().find(|one| one["regression"] == "pca-64");
    let ranges = through.map_or(&[][..], |one| array(&one["by_range"]));
    let point = |range: &Value| {
        let middle = (range["from"].as_f64()? + range["to"].as_f64()? - 1.0) / 2.0;
        Some((middle / n, range["error"].as_f64()? / n))
    };
    ranges.iter().filter_map(point).collect()
}

fn distances(report: &Value) -> Vec<(f64, f64)> {
    let means = array(&report["similarity"]["by_distance"]).iter().enumerate();
    // The farthest distances rest on a handful of pairs.
    let kept = means.clone().count() * 9 / 10;
    means.take(kept).filter_map(|(k, mean)| Some(((k + 1) as f64, mean.as_f64()?))).collect()
}

pub(super) fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
