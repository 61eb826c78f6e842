//! What the marks of a figure mean: as HTML in the page, as a drawing in the file beside it.

use super::colour::Map;
use super::drawing::{Anchor, Drawing, escape};
use super::numbers::fixed;
use super::plot::Mark;

/// One entry.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    sample: Sample,
    text: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Sample {
    Line(String),
    Point(String, Mark),
    Band(String),
    Bar(String),
    Ramp(Map),
}

impl Entry {
    pub(super) fn line(class: &str, text: &str) -> Self {
        Self { sample: Sample::Line(class.to_owned()), text: text.to_owned() }
    }

    pub(super) fn point(class: &str, mark: Mark, text: &str) -> Self {
        Self { sample: Sample::Point(class.to_owned(), mark), text: text.to_owned() }
    }

    pub(super) fn band(class: &str, text: &str) -> Self {
        Self { sample: Sample::Band(class.to_owned()), text: text.to_owned() }
    }

    pub(super) fn bar(class: &str, text: &str) -> Self {
        Self { sample: Sample::Bar(class.to_owned()), text: text.to_owned() }
    }

    /// The colours of a map, with the values at its ends.
    pub(super) fn ramp(map: Map, text: &str) -> Self {
        Self { sample: Sample::Ramp(map), text: text.to_owned() }
    }

    fn sample(&self) -> Drawing {
        let mut drawing = Drawing::new(28.0, 14.0);
        match &self.sample {
            Sample::Line(class) => drawing.path(&format!("l {class}"), &[(1.0, 7.0), (27.0, 7.0)]),
            Sample::Point(class, mark) => {
                let (kind, radius) = match mark {
                    Mark::Full => ("p", 4.0),
                    Mark::Open => ("o", 3.6),
                    Mark::Faint => ("f", 2.6),
                };
                drawing.circle(&format!("{kind} {class}"), (14.0, 7.0), radius);
            }
            Sample::Band(class) => {
                drawing.rect(&format!("z {class}"), (1.0, 1.0), (26.0, 12.0));
                drawing.path(&format!("l {class}"), &[(1.0, 7.0), (27.0, 7.0)]);
            }
            Sample::Bar(class) => {
                let class = format!("e {class}");
                drawing.line(&class, (14.0, 1.0), (14.0, 13.0));
                drawing.line(&class, (11.0, 1.0), (17.0, 1.0));
                drawing.line(&class, (11.0, 13.0), (17.0, 13.0));
            }
            Sample::Ramp(map) => return ramp(*map),
        }
        drawing
    }

    /// A guess of the width of the text in pixels.
    fn width(&self) -> f64 {
        self.sample().width + 6.0 + 6.6 * self.text.chars().count() as f64
    }
}

/// The colours of a map, and the values at its ends and in the middle.
fn ramp(map: Map) -> Drawing {
    let (left, steps, each) = (18.0, 50, 3.0);
    let wide = f64::from(steps) * each;
    let mut drawing = Drawing::new(2.0 * left + wide, 28.0);
    for i in 0..steps {
        let value = map.value_at((f64::from(i) + 0.5) / f64::from(steps));
        // Wider than a step, so that no seam shows between.
        drawing.cell(map.colour(value), (left + f64::from(i) * each, 1.0), (each + 0.4, 12.0));
    }
    for place in [0.0, 0.5, 1.0] {
        let value = map.value_at(place);
        let decimals = if value != 0.0 && value.abs() < 0.995 { 2 } else { 0 };
        drawing.text("u", Anchor::Middle, (left + place * wide, 25.0), &fixed(value, decimals));
    }
    drawing
}

/// The legend in the page.
pub(super) fn html(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let one = |entry: &Entry| format!("<span>{}{}</span>", entry.sample().ornament(), escape(&entry.text));
    format!("<div class=\"legend\">{}</div>", entries.iter().map(one).collect::<String>())
}

/// The legend as a drawing so wide, in as many rows as it takes.
pub(super) fn drawn(entries: &[Entry], width: f64) -> Drawing {
    let ramps = entries.iter().any(|entry| matches!(entry.sample, Sample::Ramp(_)));
    let row_height = if ramps { 34.0 } else { 20.0 };
    let mut places = Vec::new();
    let (mut x, mut row) = (8.0, 0);
    for entry in entries {
        if x > 8.0 && x + entry.width() > width {
            (x, row) = (8.0, row + 1);
        }
        places.push((x, f64::from(row) * row_height + 4.0));
        x += entry.width() + 16.0;
    }
    let height = if entries.is_empty() { 0.0 } else { f64::from(row + 1) * row_height + 6.0 };
    let mut drawing = Drawing::new(width, height);
    for (entry, (x, y)) in entries.iter().zip(places) {
        let sample = entry.sample();
        drawing.embed(&sample, (x, y));
        drawing.text("t", Anchor::Start, (x + sample.width + 6.0, y + 11.0), &entry.text);
    }
    drawing
}
