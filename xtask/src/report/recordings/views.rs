//! Places in three dimensions, seen from above, from behind and from the side, at one scale.

use crate::report::drawing::{Anchor, Drawing};

/// Pixels of a panel.
const WIDTH: f64 = 376.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 18.0;
const GAP: f64 = 12.0;

/// Pixels that a mark needs beyond its place.
const PAD: f64 = 8.0;

/// One view: axes from left to right, from below up, and towards whom it is seen by.
struct View {
    name: &'static str,
    across: usize,
    up: usize,
    near: Option<(usize, f64)>,
    /// What stands at the left and at the right.
    ends: [&'static str; 2],
}

/// Views of a brain in the coordinates of an atlas: x to the right, y to the front, z up. Left is left.
const BRAIN: [View; 3] = [
    View { name: "axial, from above", across: 0, up: 1, near: Some((2, 1.0)), ends: ["L", "R"] },
    View { name: "coronal, from behind", across: 0, up: 2, near: Some((1, -1.0)), ends: ["L", "R"] },
    View { name: "sagittal, from the right", across: 1, up: 2, near: Some((0, 1.0)), ends: ["P", "A"] },
];

/// Of two axes there is one view.
const PLANE: [View; 1] = [View { name: "", across: 0, up: 1, near: None, ends: ["", ""] }];

/// How places become pixels.
pub(super) struct Views {
    views: &'static [View],
    /// Middle of the places on each axis.
    middle: Vec<f64>,
    scale: f64,
    /// The middle of each view, in pixels.
    centres: Vec<f64>,
    widths: Vec<f64>,
    height: f64,
}

impl Views {
    /// Around all these places; `None` of fewer than two axes.
    pub(super) fn around<'a>(places: impl Iterator<Item = &'a Vec<f64>>) -> Option<Self> {
        let mut ranges: Vec<(f64, f64)> = Vec::new();
        for place in places {
            ranges.resize(place.len(), (f64::INFINITY, f64::NEG_INFINITY));
            for (range, value) in ranges.iter_mut().zip(place) {
                *range = (range.0.min(*value), range.1.max(*value));
            }
        }
        let views: &'static [View] = match ranges.len() {
            0 | 1 => return None,
            2 => &PLANE,
            _ => &BRAIN,
        };
        let span = |axis: usize| (ranges[axis].1 - ranges[axis].0).max(1e-9);
        let wide: f64 = views.iter().map(|view| span(view.across)).sum();
        let high = views.iter().map(|view| span(view.up)).fold(0.0, f64::max);
        let room = WIDTH - GAP * (views.len() + 1) as f64 - 2.0 * PAD * views.len() as f64;
        // A tall plane must not be taller than wide.
        let scale = (room / wide).min(room / high);
        let widths: Vec<f64> = views.iter().map(|view| scale * span(view.across) + 2.0 * PAD).collect();
        let mut centres = Vec::new();
        let mut left = (WIDTH - widths.iter().sum::<f64>() - GAP * (views.len() - 1) as f64) / 2.0;
        for width in &widths {
            centres.push(left + width / 2.0);
            left += width + GAP;
        }
        let middle = ranges.iter().map(|(low, high)| (low + high) / 2.0).collect();
        Some(Self { views, middle, scale, centres, widths, height: scale * high + 2.0 * PAD })
    }

    /// An empty panel: title, names of the views and of their sides.
    pub(super) fn panel(&self, title: &str) -> Drawing {
        let mut drawing = Drawing::new(WIDTH, TOP + self.height + BOTTOM);
        drawing.rect("bg", (0.0, 0.0), (drawing.width, drawing.height));
        drawing.text("h", Anchor::Start, (GAP, 15.0), title);
        let below = TOP + self.height + 11.0;
        for ((view, centre), width) in self.views.iter().zip(&self.centres).zip(&self.widths) {
            drawing.text("u", Anchor::Middle, (*centre, 30.0), view.name);
            drawing.text("u", Anchor::Start, (centre - width / 2.0 + 2.0, below), view.ends[0]);
            drawing.text("u", Anchor::End, (centre + width / 2.0 - 2.0, below), view.ends[1]);
        }
        drawing
    }

    /// How many views there are.
    pub(super) fn count(&self) -> usize {
        self.views.len()
    }

    /// The pixel of a place in a view.
    pub(super) fn at(&self, view: usize, place: &[f64]) -> (f64, f64) {
        let (of, centre) = (&self.views[view], self.centres[view]);
        let from_middle =
            |axis: usize| self.scale * (place.get(axis).copied().unwrap_or(0.0) - self.middle[axis]);
        (centre + from_middle(of.across), TOP + self.height / 2.0 - from_middle(of.up))
    }

    /// The places from the farthest to the nearest.
    pub(super) fn order(&self, view: usize, places: &[Vec<f64>]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..places.len()).collect();
        if let Some((axis, sign)) = self.views[view].near {
            let depth = |place: &usize| sign * places[*place].get(axis).copied().unwrap_or(0.0);
            order.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_have_one_scale_and_left_is_left() {
        let places: Vec<Vec<f64>> =
            [[-60.0, -90.0, 0.0], [60.0, 70.0, 0.0], [0.0, 0.0, 70.0], [0.0, 0.0, -40.0]]
                .map(Vec::from)
                .into();
        let views = Views::around(places.iter()).unwrap();
        assert_eq!(views.count(), 3);
        let apart = |view: usize, a: usize, b: usize| {
            let (a, b) = (views.at(view, &places[a]), views.at(view, &places[b]));
            (b.0 - a.0, a.1 - b.1)
        };
        // Axial: right is right, the front is above. Sagittal: the front is right.
        let (right, up) = apart(0, 0, 1);
        assert!((up / right - 160.0 / 120.0).abs() < 1e-9 && right > 0.0);
        let (across, up) = apart(2, 3, 2);
        assert!(across.abs() < 1e-9 && up > 0.0);
        assert!((apart(2, 0, 1).0 / right - 160.0 / 120.0).abs() < 1e-9);
        // The nearest is drawn last: the top from above, the back from behind.
        assert_eq!((views.order(0, &places).pop(), views.order(1, &places).pop()), (Some(2), Some(0)));
        for view in 0..3 {
            for place in &places {
                let (x, y) = views.at(view, place);
                assert!((0.0..=WIDTH).contains(&x) && (TOP..=TOP + views.height).contains(&y), "{view}");
            }
        }
        assert!(Views::around([vec![1.0]].iter()).is_none());
        assert_eq!(Views::around([vec![1.0, 2.0], vec![3.0, 9.0]].iter()).unwrap().count(), 1);
    }
}
