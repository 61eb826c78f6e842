//! A small SVG drawing: shapes with classes, in CSS pixels. What a class looks like stands in `style`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::colour::Rgb;

/// A drawing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Drawing {
    pub width: f64,
    pub height: f64,
    body: String,
}

/// Where a text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Drawing {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (place(from), place(to));
        self.put(format_args!("<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>"));
    }

    /// A line through the points.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 1 {
            let points = joined(points);
            self.put(format_args!("<polyline class=\"{class}\" points=\"{points}\"/>"));
        }
    }

    /// An area within the points.
    pub(super) fn area(&mut self, class: &str, points: &[(f64, f64)]) {
        if points.len() > 2 {
            let points = joined(points);
            self.put(format_args!("<polygon class=\"{class}\" points=\"{points}\"/>"));
        }
    }

    pub(super) fn circle(&mut self, class: &str, centre: (f64, f64), radius: f64) {
        let (x, y) = place(centre);
        self.put(format_args!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>", short(radius)));
    }

    pub(super) fn rect(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        let ((x, y), (w, h)) = (place(corner), place(size));
        self.put(format_args!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>"));
    }

    /// A rectangle of a colour that is the same on every page.
    pub(super) fn cell(&mut self, colour: Rgb, corner: (f64, f64), size: (f64, f64)) {
        let ((x, y), (w, h)) = (place(corner), place(size));
        self.put(format_args!("<rect fill=\"{colour}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>"));
    }

    /// A disc of a colour that is the same on every page; its class says how its border looks.
    pub(super) fn disc(&mut self, colour: Rgb, class: &str, centre: (f64, f64), radius: f64) {
        let ((x, y), r) = (place(centre), short(radius));
        self.put(format_args!(
            "<circle fill=\"{colour}\" class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>"
        ));
    }

    /// Square cells in rows; what is `None` is left out. One path a colour: a map of 100 x 100 cells one by one would be
    /// most of the page.
    pub(super) fn cells(&mut self, corner: (f64, f64), side: f64, rows: &[Vec<Option<Rgb>>]) {
        let mut paths: BTreeMap<Rgb, String> = BTreeMap::new();
        for (y, row) in rows.iter().enumerate() {
            let mut start = 0;
            for run in row.chunk_by(|a, b| a == b) {
                if let Some(colour) = run[0] {
                    // Writing to a string cannot fail.
                    let _ = write!(paths.entry(colour).or_default(), "M{start} {y}h{}", run.len());
                }
                start += run.len();
            }
        }
        let ((x, y), side) = (place((corner.0, corner.1 + side / 2.0)), short4(side));
        // Without smoothing, so that no seam shows between.
        self.put(format_args!(
            "<g transform=\"translate({x} {y}) scale({side})\" fill=\"none\" shape-rendering=\"crispEdges\">"
        ));
        for (colour, path) in paths {
            self.put(format_args!("<path stroke=\"{colour}\" d=\"{path}\"/>"));
        }
        self.put(format_args!("</g>"));
    }

    pub(super) fn text(&mut self, class: &str, anchor: Anchor, at: (f64, f64), text: &str) {
        self.turned(class, anchor, at, 0.0, text);
    }

    /// A text turned by so many degrees, clockwise.
    pub(super) fn turned(&mut self, class: &str, anchor: Anchor, at: (f64, f64), degrees: f64, text: &str) {
        let ((x, y), text) = (place(at), escape(text));
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let turn = match degrees {
            0.0 => String::new(),
            _ => format!(" transform=\"rotate({} {x} {y})\"", short(degrees)),
        };
        self.put(format_args!(
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x}\" y=\"{y}\"{turn}>{text}</text>"
        ));
    }

    /// Another drawing at a place.
    pub(super) fn embed(&mut self, other: &Drawing, at: (f64, f64)) {
        let ((x, y), body) = (place(at), &other.body);
        self.put(format_args!("<g transform=\"translate({x} {y})\">{body}</g>"));
    }

    /// The element; `label` is read to those who do not see it. `inside` comes first, such as a style.
    pub(super) fn svg(&self, label: &str, inside: &str) -> String {
        let (w, h, label) = (short(self.width), short(self.height), escape(label));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" role=\"img\" aria-label=\"{label}\" \
             width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">{inside}{}</svg>",
            self.body
        )
    }

    /// Whether nothing was drawn.
    pub(super) fn is_blank(&self) -> bool {
        self.body.is_empty()
    }

    /// The element for a page, unseen by those who are read to.
    pub(super) fn ornament(&self) -> String {
        let (w, h, body) = (short(self.width), short(self.height), &self.body);
        format!(
            "<svg class=\"fig\" aria-hidden=\"true\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} \
             {h}\">{body}</svg>"
        )
    }

    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.body.write_fmt(element);
    }
}

/// Text for the inside of an element or of an attribute.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|&point| place(point)).map(|(x, y)| format!("{x},{y}")).collect::<Vec<_>>().join(" ")
}

fn place(point: (f64, f64)) -> (String, String) {
    (short(point.0), short(point.1))
}

/// At most four decimals: a factor.
fn short4(value: f64) -> String {
    format!("{value:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// At most two decimals, no zeros at the end: a hundredth of a pixel is not seen.
fn short(value: f64) -> String {
    let text = format!("{:.2}", value + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_an_element_and_texts_are_escaped() {
        let mut drawing = Drawing::new(10.0, 20.0);
        drawing.line("a", (0.0, -0.001), (1.5, 2.255));
        drawing.text("t", Anchor::Middle, (1.0, 2.0), "a < b & \"c\"");
        let svg = drawing.svg("two <things>", "");
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        let root = parsed.root_element();
        assert_eq!(root.attribute("aria-label"), Some("two <things>"));
        let children: Vec<_> = root.children().collect();
        assert_eq!((children[0].attribute("y1"), children[0].attribute("x2")), (Some("0"), Some("1.5")));
        assert_eq!(children[1].text(), Some("a < b & \"c\""));
    }

    #[test]
    fn neighbours_of_one_colour_are_one_stroke() {
        let (a, b) = (Some(Rgb(1, 2, 3)), Some(Rgb(255, 0, 0)));
        let mut drawing = Drawing::new(10.0, 10.0);
        drawing.cells((2.0, 4.0), 3.0, &[vec![a, a, b], vec![None, b, b]]);
        let svg = drawing.svg("", "");
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        let group = parsed.root_element().first_element_child().unwrap();
        assert_eq!(group.attribute("transform"), Some("translate(2 5.5) scale(3)"));
        let paths: Vec<_> = group
            .children()
            .map(|path| (path.attribute("stroke").unwrap(), path.attribute("d").unwrap()))
            .collect();
        assert_eq!(paths, [("#010203", "M0 0h2"), ("#ff0000", "M2 0h1M1 1h2")]);
    }
}
