//! The recovered map, and the places beside it where they are known.

use super::Material;
use crate::report::csv::Csv;
use crate::report::drawing::{Anchor, Drawing};
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::numbers::{exact, fixed};
use crate::report::plot::Mark;

const SIDE: f64 = 300.0;
const PAD: f64 = 24.0;
const TOP: f64 = 22.0;
const LEFT: f64 = 24.0;
const BOTTOM: f64 = 20.0;

/// Of more channels names would cover each other.
const MOST_NAMES: usize = 48;

/// Classes of labels; of more labels none has a colour.
const COLOURS: [&str; 6] = ["k1", "k4", "k3", "k6", "k2", "k5"];

const AXES: [&str; 3] = ["x", "y", "z"];

/// How channels are drawn.
struct Tokens<'a> {
    names: &'a [String],
    /// Of each channel.
    classes: Vec<&'static str>,
    /// The labels there are, where each has a colour of its own.
    labels: Vec<String>,
}

impl<'a> Tokens<'a> {
    fn of(material: &Material<'a>) -> Self {
        let of_each = material.networks.unwrap_or_default();
        let mut labels: Vec<String> = Vec::new();
        for label in of_each {
            if !labels.contains(label) {
                labels.push(label.clone());
            }
        }
        if labels.len() > COLOURS.len() {
            labels.clear();
        }
        let class = |token: usize| {
            let label = of_each.get(token).and_then(|own| labels.iter().position(|label| label == own));
            COLOURS[label.unwrap_or(0)]
        };
        Self { names: material.names, classes: (0..material.names.len()).map(class).collect(), labels }
    }

    fn legend(&self) -> Vec<Entry> {
        match self.labels.is_empty() {
            true => vec![Entry::point(COLOURS[0], Mark::Full, "channel")],
            false => self
                .labels
                .iter()
                .zip(COLOURS)
                .map(|(label, class)| Entry::point(class, Mark::Full, label))
                .collect(),
        }
    }
}

/// The map laid over the places, plane by plane, then in its own components.
pub(super) fn figure(material: &Material) -> Option<Figure> {
    let consensus = &material.consensus;
    let tokens = Tokens::of(material);
    let mut panels = Vec::new();
    if let (Some(found), Some(places)) = (&consensus.aligned, &material.places) {
        panels.extend(planes(found.first()?.len()).into_iter().map(|(i, j)| {
            let title = format!("over the places: {} and {}", AXES[i], AXES[j]);
            let at = |rows: &[Vec<f64>]| rows.iter().map(|row| (row[i], row[j])).collect::<Vec<_>>();
            draw(&title, [AXES[i], AXES[j]], &at(found), Some(&at(places)), &tokens)
        }));
        if found.first()?.len() == 1 {
            let pairs: Vec<(f64, f64)> =
                places.iter().zip(found).map(|(place, found)| (place[0], found[0])).collect();
            panels.push(draw("found against true", ["true x", "found x"], &pairs, None, &tokens));
        }
    }
    let count = consensus.components.first()?.len();
    for (i, j) in planes(count).into_iter().filter(|(i, _)| *i == 0) {
        let label = |k: usize| match consensus.explained.get(k).copied().flatten() {
            Some(share) => format!("component {} ({} %)", k + 1, fixed(100.0 * share, 0)),
            None => format!("component {}", k + 1),
        };
        let points: Vec<(f64, f64)> = consensus.components.iter().map(|row| (row[i], row[j])).collect();
        let title = format!("components {} and {}", i + 1, j + 1);
        panels.push(draw(&title, [&label(i), &label(j)], &points, None, &tokens));
    }
    let over = match material.places {
        Some(_) => {
            " Over the places: as many components as there are axes, chosen blind to the places, then turned, mirrored, \
             scaled and moved onto them by least squares; lines go from the true place (hollow) to the found one. A table that \
             tells nothing draws all channels to the middle."
        }
        None => "",
    };
    let mut legend = tokens.legend();
    if material.places.is_some() {
        legend.push(Entry::point("k0", Mark::Open, "true place"));
    }
    Some(Figure {
        id: "map".into(),
        title: "The recovered map".into(),
        caption: format!(
            "Principal components of the final tables of all blocks of {} runs that started at σ {}, of both halves, each run \
             centred and scaled to unit norm: the map that they have in common. In brackets the share of the variance.{over} \
             A map is drawn whatever the verdict.",
            consensus.tables,
            material.findings.small().sigma
        ),
        columns: panels.len().min(3),
        panels,
        aligned: false,
        legend,
        csv: csv(material),
    })
}

/// Pairs of so many axes.
fn planes(axes: usize) -> Vec<(usize, usize)> {
    (0..axes.min(3)).flat_map(|i| (i + 1..axes.min(3)).map(move |j| (i, j))).collect()
}

fn draw(
    title: &str,
    axes: [&str; 2],
    points: &[(f64, f64)],
    truth: Option<&[(f64, f64)]>,
    tokens: &Tokens,
) -> Drawing {
    let mut drawing = Drawing::new(LEFT + SIDE + 8.0, TOP + SIDE + BOTTOM);
    drawing.rect("bg", (0.0, 0.0), (drawing.width, drawing.height));
    drawing.text("u", Anchor::Start, (LEFT, 14.0), title);
    let (left, right, top, bottom) = (LEFT, LEFT + SIDE, TOP, TOP + SIDE);
    drawing.path("a", &[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]);
    drawing.text("u", Anchor::Middle, ((left + right) / 2.0, bottom + 14.0), axes[0]);
    drawing.turned("u", Anchor::Middle, (left - 8.0, (top + bottom) / 2.0), -90.0, axes[1]);
    let at = placing(points, truth.unwrap_or_default());
    for (true_place, found) in truth.unwrap_or_default().iter().zip(points) {
        drawing.line("j k2", at(*true_place), at(*found));
        drawing.circle("o k0", at(*true_place), 3.0);
    }
    for ((point, name), class) in points.iter().zip(tokens.names).zip(&tokens.classes) {
        let (x, y) = at(*point);
        drawing.circle(&format!("p {class}"), (x, y), 3.0);
        if tokens.names.len() <= MOST_NAMES {
            let short: String = name.chars().take(12).collect();
            drawing.text("v", Anchor::Middle, (x, y - 5.0), &short);
        }
    }
    drawing
}

/// Pixels of a value, at equal scales.
fn placing(points: &[(f64, f64)], truth: &[(f64, f64)]) -> impl Fn((f64, f64)) -> (f64, f64) {
    let range = |of: fn(&(f64, f64)) -> f64| {
        let values = points.iter().chain(truth).map(of).filter(|v| v.is_finite());
        let (low, high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low <= high { (low, high) } else { (0.0, 0.0) }
    };
    let (x, y) = (range(|point| point.0), range(|point| point.1));
    let scale = (SIDE - 2.0 * PAD) / (x.1 - x.0).max(y.1 - y.0).max(1e-12);
    let (cx, cy) = (LEFT + SIDE / 2.0, TOP + SIDE / 2.0);
    move |(px, py)| (cx + scale * (px - (x.0 + x.1) / 2.0), cy - scale * (py - (y.0 + y.1) / 2.0))
}

/// `map.csv`: the components of each channel, and its places, known and found, where they are known.
pub(super) fn csv(material: &Material) -> Csv {
    let consensus = &material.consensus;
    let cell = |row: Option<&Vec<f64>>, k: usize| {
        row.and_then(|row| row.get(k)).map_or(String::new(), |v| exact(*v))
    };
    let rows = material.names.iter().enumerate();
    let component = |token: usize, k: usize| cell(consensus.components.get(token), k);
    match (&consensus.aligned, &material.places) {
        (Some(found), Some(places)) => {
            let mut csv = Csv::new([
                "name",
                "component_1",
                "component_2",
                "component_3",
                "found_x",
                "found_y",
                "found_z",
                "true_x",
                "true_y",
                "true_z",
            ]);
            for (i, name) in rows {
                let (found, place) = (found.get(i), places.get(i));
                csv.row([
                    name.clone(),
                    component(i, 0),
                    component(i, 1),
                    component(i, 2),
                    cell(found, 0),
                    cell(found, 1),
                    cell(found, 2),
                    cell(place, 0),
                    cell(place, 1),
                    cell(place, 2),
                ]);
            }
            csv
        }
        _ => {
            let mut csv = Csv::new(["name", "component_1", "component_2", "component_3"]);
            for (i, name) in rows {
                csv.row([name.clone(), component(i, 0), component(i, 1), component(i, 2)]);
            }
            csv
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_axes_have_three_planes_and_one_has_none() {
        assert_eq!(planes(3), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!((planes(2), planes(1)), (vec![(0, 1)], vec![]));
    }

    /// Equal scales: a square stays a square, and everything lies within the frame.
    #[test]
    fn places_keep_their_proportions() {
        let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0)];
        let at = placing(&corners, &[]);
        let [a, b, c] = corners.map(&at);
        assert!(((b.0 - a.0) / (b.1 - c.1) - 4.0).abs() < 1e-9);
        let same = placing(&[(2.0, 2.0), (2.0, 2.0)], &[]);
        assert_eq!(same((2.0, 2.0)), (LEFT + SIDE / 2.0, TOP + SIDE / 2.0));
    }
}
