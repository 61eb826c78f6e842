//! A plot in a frame: axes, ticks, grid, and marks at values.

use super::axis::Axis;
use super::drawing::{Anchor, Drawing};

/// Distances from the frame to the edge of the drawing.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 60.0;

/// A plot that is being drawn.
pub(super) struct Plot {
    pub drawing: Drawing,
    x: Axis,
    y: Axis,
    /// Right end of the x axis: what lies beyond it is not of the axis.
    right: f64,
    bottom: f64,
}

/// A level to compare with, and where on it its name stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    pub y: f64,
    pub name: String,
    /// From 0, the left end of the axis, to 1.
    pub at: f64,
}

/// How a point is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// Filled.
    Full,
    /// Hollow: of a run that has not fitted its training data.
    Open,
    /// Pale and small: one seed of several.
    Faint,
}

impl Plot {
    /// A frame; `strip` pixels at its right are left for categories.
    pub(super) fn new(title: &str, size: (f64, f64), x: Axis, y: Axis, strip: f64) -> Self {
        let mut drawing = Drawing::new(size.0, size.1);
        drawing.rect("bg", (0.0, 0.0), size);
        let (right, bottom) = (size.0 - RIGHT - strip, size.1 - BOTTOM);
        let mut plot = Self { drawing, x, y, right, bottom };
        plot.frame(title, strip);
        plot
    }

    fn frame(&mut self, title: &str, strip: f64) {
        let (end, middle) = (self.right + strip, (TOP + self.bottom) / 2.0);
        self.drawing.text("h", Anchor::Start, (LEFT, 17.0), title);
        for (tick, label) in self.y.ticks() {
            let y = self.y_at(tick);
            self.drawing.line("g", (LEFT, y), (end, y));
            self.drawing.text("t", Anchor::End, (LEFT - 6.0, y + 4.0), &label);
        }
        for (tick, label) in self.x.ticks() {
            let x = self.x_at(tick);
            self.drawing.line("a", (x, self.bottom), (x, self.bottom + 4.0));
            self.drawing.text("t", Anchor::Middle, (x, self.bottom + 17.0), &label);
        }
        self.drawing.line("a", (LEFT, TOP), (LEFT, self.bottom));
        self.drawing.line("a", (LEFT, self.bottom), (end, self.bottom));
        let (x_label, y_label) = (self.x.label.clone(), self.y.label.clone());
        self.drawing.text("t", Anchor::Middle, ((LEFT + self.right) / 2.0, self.bottom + 36.0), &x_label);
        self.drawing.turned("t", Anchor::Middle, (14.0, middle), -90.0, &y_label);
    }

    pub(super) fn x_at(&self, value: f64) -> f64 {
        LEFT + self.x.place(value) * (self.right - LEFT)
    }

    pub(super) fn y_at(&self, value: f64) -> f64 {
        self.bottom - self.y.place(value) * (self.bottom - TOP)
    }

    /// Names a category so far beyond the axis; the pixel of its middle.
    pub(super) fn category(&mut self, beyond: f64, label: &str) -> f64 {
        let x = self.right + beyond;
        self.drawing.line("a", (x, self.bottom), (x, self.bottom + 4.0));
        self.drawing.turned("t", Anchor::End, (x + 4.0, self.bottom + 13.0), -55.0, label);
        x
    }

    /// A line between the axis and the categories.
    pub(super) fn divide(&mut self) {
        self.drawing.line("g", (self.right + 8.0, TOP), (self.right + 8.0, self.bottom));
    }

    /// A line through values.
    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<_> = points.iter().map(|&(x, y)| (self.x_at(x), self.y_at(y))).collect();
        self.drawing.path(class, &points);
    }

    /// An area between low and high values, cut off at the frame.
    pub(super) fn band(&mut self, class: &str, points: &[(f64, f64, f64)]) {
        let high = points.iter().map(|&(x, _, high)| (x, high));
        let low = points.iter().rev().map(|&(x, low, _)| (x, low));
        let within = |y: f64| y.clamp(self.y.low, self.y.high);
        let around: Vec<_> = high.chain(low).map(|(x, y)| (self.x_at(x), self.y_at(within(y)))).collect();
        self.drawing.area(class, &around);
    }

    /// A point at a pixel of x and a value of y.
    pub(super) fn point(&mut self, class: &str, mark: Mark, x: f64, y: f64) {
        let y = self.y_at(y);
        let (kind, radius) = match mark {
            Mark::Full => ("p", 4.0),
            Mark::Open => ("o", 3.6),
            Mark::Faint => ("f", 2.6),
        };
        self.drawing.circle(&format!("{kind} {class}"), (x, y), radius);
    }

    /// A bar from value to value at a pixel of x, with caps; cut off at the frame.
    pub(super) fn bar(&mut self, class: &str, x: f64, low: f64, high: f64) {
        let within = |y: f64| y.clamp(self.y.low, self.y.high);
        let (low, high) = (self.y_at(within(low)), self.y_at(within(high)));
        let class = format!("e {class}");
        self.drawing.line(&class, (x, low), (x, high));
        for y in [low, high] {
            self.drawing.line(&class, (x - 3.0, y), (x + 3.0, y));
        }
    }

    /// A short level at a pixel of x: the mean of points.
    pub(super) fn dash(&mut self, class: &str, x: f64, y: f64, half: f64) {
        let y = self.y_at(y);
        self.drawing.line(&format!("l {class}"), (x - half, y), (x + half, y));
    }

    /// A level across the whole frame, with its name beside it where least is drawn.
    pub(super) fn level(&mut self, level: &Level) {
        let (at, end) = (self.y_at(level.y), self.drawing.width - RIGHT);
        self.drawing.line("q", (LEFT, at), (end, at));
        let (side, x) = match level.at {
            0.0 => (Anchor::Start, LEFT + 4.0),
            1.0 => (Anchor::End, self.right - 2.0),
            between => (Anchor::Middle, LEFT + between * (self.right - LEFT)),
        };
        // Near the top of the frame there is room below only.
        let y = if at - TOP < 14.0 { at + 11.0 } else { at - 4.0 };
        self.drawing.text("u", side, (x, y), &level.name);
    }
}
