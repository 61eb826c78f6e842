//! The drawings: similarity maps, spectra, error by position, cosine by distance.

use serde_json::Value;

use super::{Reading, array};
use crate::report::axis::Axis;
use crate::report::colour::Map;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::matrix::{self, Marks, SIDE};
use crate::report::numbers::exact;
use crate::report::plot::Plot;

const SIZE: (f64, f64) = (564.0, 330.0);

/// The kinds of colour in the order in which tables take them; an odd number, so that the second round is dashed where
/// the first is not.
const KINDS: [usize; 7] = [1, 4, 3, 6, 2, 5, 0];

/// Cosines between positions.
pub(super) fn similarity(readings: &[Reading]) -> Option<Figure> {
    let map = Map::Signed { bound: 1.0 };
    let mut csv = Csv::new(["table", "from", "other_from", "cosine"]);
    let mut panels = Vec::new();
    for one in readings {
        let found = &one.report["similarity"];
        let cells: Vec<Vec<Option<f64>>> =
            array(&found["cells"]).iter().map(|row| array(row).iter().map(Value::as_f64).collect()).collect();
        let edges: Vec<u64> = array(&found["edges"]).iter().filter_map(Value::as_u64).collect();
        let positions = edges.last().copied().unwrap_or(0);
        for (row, from) in cells.iter().zip(&edges) {
            for (value, other) in row.iter().zip(&edges) {
                let cosine = value.map_or(String::new(), exact);
                csv.row([one.label.clone(), from.to_string(), other.to_string(), cosine]);
            }
        }
        let ticks = [0, 1, 2].map(|half| (f64::from(half) / 2.0, (positions * half as u64 / 2).to_string()));
        panels.push(matrix::sized(&one.label, &cells, map, Marks::Ticks(&ticks), 1.5 * SIDE));
    }
    (!panels.is_empty()).then(|| Figure {
        id: "similarity".into(),
        title: "Similarity of positions".into(),
        caption: "Cosines between the rows of a table (not centred), means over blocks of neighbouring positions. In the \
                  CSV: where each block begins."
            .into(),
        panels,
        columns: 4,
        aligned: false,
        legend: vec![Entry::ramp(map, "cosine")],
        csv,
    })
}

/// The error of the index over the number of positions.
pub(super) fn errors(readings: &[Reading]) -> Option<Figure> {
    let mut csv = Csv::new(["table", "regression", "position", "error"]);
    for one in readings {
        for reading in array(&one.report["absolute"]) {
            for (position, error) in array(&reading["by_position"]).iter().enumerate() {
                let regression = reading["regression"].as_str().unwrap_or("?").to_owned();
                let error = error.as_f64().map_or(String::new(), exact);
                csv.row([one.label.clone(), regression, position.to_string(), error]);
            }
        }
    }
    let lines: Vec<Line> = readings.iter().map(|one| line(one, error_by_position(&one.report))).collect();
    Some(Figure {
        id: "errors".into(),
        title: "Error by position".into(),
        caption: "Mean |round(prediction) − index| of the regression through 64 principal components, over the number of \
                  positions of the table, by ranges of positions; means over the repetitions of its cross-validation. In the \
                  CSV: every position and regression, in positions."
            .into(),
        csv,
        ..chart(
            "Where the index is read badly",
            Axis::new("position, share of all", 0.0, 1.0),
            Axis::around("mean error, share of all positions", values(&lines).chain([0.0])),
            lines,
        )?
    })
}

/// The mean cosine over the distance of positions.
pub(super) fn by_distance(readings: &[Reading]) -> Option<Figure> {
    let lines: Vec<Line> = readings.iter().map(|one| line(one, distances(&one.report))).collect();
    let csv = numbers(["table", "distance", "mean_cosine"], &lines);
    Some(Figure {
        id: "distances".into(),
        title: "Similarity by distance".into(),
        caption: "Mean cosine of all rows that are so many positions apart. The farthest tenth of the distances, which \
                  rests on a handful of pairs, is left out."
            .into(),
        csv,
        ..chart(
            "Mean cosine by distance",
            Axis::around("distance (positions)", lines.iter().flat_map(|l| &l.points).map(|p| p.0).chain([0.0])),
            Axis::around("mean cosine", values(&lines).chain([0.0])),
            lines,
        )?
    })
}

/// Singular values over the largest.
pub(super) fn spectra(readings: &[Reading]) -> Option<Figure> {
    let lines: Vec<Line> = readings.iter().map(|one| line(one, spectrum(&one.report))).collect();
    let csv = numbers(["table", "number", "share_of_the_largest"], &lines);
    Some(Figure {
        id: "spectra".into(),
        title: "Singular values".into(),
        caption: "Singular values of each table as it is, not centred, over its largest; what is below 1e−9 of that is \
                  rounding and left out."
            .into(),
        csv,
        ..chart(
            "Singular values",
            Axis::around("number", lines.iter().flat_map(|l| &l.points).map(|p| p.0).chain([0.0])),
            Axis::powers("share of the largest", values(&lines)),
            lines,
        )?
    })
}

struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

fn line(one: &Reading, points: Vec<(f64, f64)>) -> Line {
    Line { name: one.label.clone(), points }
}

fn values(lines: &[Line]) -> impl Iterator<Item = f64> {
    lines.iter().flat_map(|line| &line.points).map(|point| point.1)
}

/// A figure of one panel; what its caller says is still empty.
fn chart(title: &str, x: Axis, y: Axis, lines: Vec<Line>) -> Option<Figure> {
    if lines.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let mut plot = Plot::new(title, SIZE, x, y, 0.0);
    let mut legend = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let kind = KINDS[index % KINDS.len()];
        // Every second one dashed, since lines may lie upon each other.
        let dash = if index % 2 == 1 { "d " } else { "" };
        let class = format!("{dash}k{kind}");
        plot.line(&format!("l {class}"), &line.points);
        let none = if line.points.len() < 2 { " (undefined)" } else { "" };
        legend.push(Entry::line(&class, &format!("{}{none}", line.name)));
    }
    Some(Figure {
        id: String::new(),
        title: String::new(),
        caption: String::new(),
        panels: vec![plot.drawing],
        columns: 1,
        aligned: false,
        legend,
        csv: Csv::new([""]),
    })
}

fn numbers(head: [&str; 3], lines: &[Line]) -> Csv {
    let mut csv = Csv::new(head);
    for line in lines {
        for (x, y) in &line.points {
            csv.row([line.name.clone(), exact(*x), exact(*y)]);
        }
    }
    csv
}

fn spectrum(report: &Value) -> Vec<(f64, f64)> {
    let values: Vec<f64> =
        array(&report["spectrum"]["singular_values"]).iter().filter_map(Value::as_f64).collect();
    let largest = values.first().copied().unwrap_or(1.0);
    // Far below the largest there is only rounding.
    let kept = values.iter().map(|value| value / largest).enumerate().filter(|(_, share)| *share > 1e-9);
    kept.map(|(k, share)| ((k + 1) as f64, share)).collect()
}

fn error_by_position(report: &Value) -> Vec<(f64, f64)> {
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
    let means = array(&report["similarity"]["by_distance"]);
    // The farthest distances rest on a handful of pairs.
    let kept = means.iter().enumerate().take(means.len() * 9 / 10);
    kept.filter_map(|(k, mean)| Some(((k + 1) as f64, mean.as_f64()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reading(report: Value) -> Reading {
        Reading { label: "t".into(), model: None, file: "t.json".into(), report }
    }

    #[test]
    fn what_is_drawn_is_what_was_read() {
        let report = json!({
            "positions": 40,
            "absolute": [{"regression": "pca-64", "by_position": [4.0], "by_range": [
                {"from": 0, "to": 21, "error": 2.0}, {"from": 21, "to": 40, "error": null}]}],
            "spectrum": {"singular_values": [8.0, 2.0, 1e-12]},
            "similarity": {"by_distance": [0.9, null, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0]}
        });
        assert_eq!(error_by_position(&report), [(0.25, 0.05)]);
        assert_eq!(spectrum(&report), [(1.0, 1.0), (2.0, 0.25)]);
        let distances = distances(&report);
        assert_eq!(
            (distances.len(), distances[1]),
            (8, (3.0, 0.7)),
            "one is undefined, the last is left out"
        );
        let figure = spectra(&[reading(report)]).unwrap();
        assert_eq!(figure.csv.text().lines().nth(2), Some("t,2,0.25"));
        assert!(spectra(&[reading(json!({}))]).is_none() && similarity(&[]).is_none());
    }
}
