//! The rows of a table in two principal components, with lines between tokens that belong together.

use super::drawing::{Anchor, Drawing};
use super::numbers::fixed;

const SIDE: f64 = 176.0;
const LEFT: f64 = 24.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 22.0;

/// A line between two tokens, and the axis that they share.
pub(super) type Edge = (usize, usize, usize);

/// The classes of the edges by axis shared.
pub(super) const EDGES: [&str; 2] = ["k1", "k4"];

/// Tokens that share a coordinate: on a grid of rows and columns, where a rook goes.
pub(super) fn rook(coordinates: &[Vec<f64>]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (i, one) in coordinates.iter().enumerate() {
        for (j, other) in coordinates.iter().enumerate().skip(i + 1) {
            let shared = one.iter().zip(other).position(|(a, b)| a == b);
            edges.extend(shared.map(|axis| (i, j, axis)));
        }
    }
    edges
}

/// The scores [tokens, 2] in a square of equal scales, tokens by their names.
pub(super) fn draw(
    title: &str,
    scores: &[Vec<f64>],
    explained: &[Option<f64>],
    edges: &[Edge],
    names: &[String],
) -> Drawing {
    let mut drawing = Drawing::new(LEFT + SIDE + 4.0, TOP + SIDE + BOTTOM);
    drawing.rect("bg", (0.0, 0.0), (drawing.width, drawing.height));
    drawing.text("u", Anchor::Start, (LEFT, 14.0), title);
    let (left, right, top, bottom) = (LEFT, LEFT + SIDE, TOP, TOP + SIDE);
    drawing.path("a", &[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]);
    let share = |i: usize| match explained.get(i).copied().flatten() {
        Some(share) => format!("PC {} ({} %)", i + 1, fixed(100.0 * share, 0)),
        None => format!("PC {}", i + 1),
    };
    let (centre_x, centre_y) = ((left + right) / 2.0, (top + bottom) / 2.0);
    drawing.text("u", Anchor::Middle, (centre_x, bottom + 15.0), &share(0));
    drawing.turned("u", Anchor::Middle, (left - 8.0, centre_y), -90.0, &share(1));

    let widest = scores.iter().flatten().fold(0.0f64, |most, v| most.max(v.abs()));
    if widest <= 0.0 || scores.iter().any(|score| score.len() < 2) {
        drawing.text("u", Anchor::Middle, (centre_x, centre_y), "constant");
        return drawing;
    }
    let scale = (SIDE / 2.0 - 12.0) / widest;
    let at = |token: usize| (centre_x + scale * scores[token][0], centre_y - scale * scores[token][1]);
    for &(i, j, axis) in edges {
        drawing.line(&format!("j {}", EDGES[axis.min(1)]), at(i), at(j));
    }
    for (token, name) in names.iter().enumerate().take(scores.len()) {
        if names.len() <= 40 {
            let (x, y) = at(token);
            drawing.circle("i", (x, y), 6.5);
            drawing.text("v", Anchor::Middle, (x, y + 2.8), name);
        } else {
            drawing.circle("p k0", at(token), 2.0);
        }
    }
    drawing
}

/// Tokens by their coordinates counted from 1, such as `23` for row 2, column 3; by number where that is not
/// short.
pub(super) fn names(coordinates: &[Vec<f64>]) -> Vec<String> {
    let is_digit = |v: f64| v.fract() == 0.0 && (0.0..9.0).contains(&v);
    let short =
        coordinates.iter().all(|place| (2..=3).contains(&place.len()) && place.iter().all(|&v| is_digit(v)));
    let name = |(i, place): (usize, &Vec<f64>)| match short {
        true => place.iter().map(|v| format!("{}", v + 1.0)).collect(),
        false => (i + 1).to_string(),
    };
    coordinates.iter().enumerate().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rook_on_a_grid_of_four_by_four_has_48_ways() {
        let grid: Vec<Vec<f64>> = (0..16).map(|t| vec![f64::from(t / 4), f64::from(t % 4)]).collect();
        let edges = rook(&grid);
        assert_eq!((edges.len(), edges.iter().filter(|edge| edge.2 == 0).count()), (48, 24));
        assert!(edges.contains(&(0, 1, 0)) && edges.contains(&(0, 4, 1)) && !edges.contains(&(0, 5, 0)));
        assert_eq!((names(&grid)[0].as_str(), names(&grid)[7].as_str()), ("11", "24"));
        assert_eq!(names(&[vec![0.5, 1.0, 2.0]]), ["1"]);
    }
}
