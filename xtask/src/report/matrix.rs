//! A square map of values between tokens.

use super::colour::Map;
use super::drawing::{Anchor, Drawing};

/// Pixels of the map itself.
const SIDE: f64 = 144.0;
const LEFT: f64 = 24.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 18.0;

/// A map of `values` [tokens, tokens] under a title. `groups` are the tokens at which the first coordinate
/// changes, which
/// get a line and a name.
pub(super) fn draw(title: &str, values: &[Vec<Option<f64>>], map: Map, groups: &[usize]) -> Drawing {
    let mut drawing = Drawing::new(LEFT + SIDE + 4.0, TOP + SIDE + BOTTOM);
    drawing.rect("bg", (0.0, 0.0), (drawing.width, drawing.height));
    drawing.text("u", Anchor::Start, (LEFT, 13.0), title);
    let tokens = values.len().max(1);
    let each = SIDE / tokens as f64;
    for (i, row) in values.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            if let Some(value) = value {
                let corner = (LEFT + j as f64 * each, TOP + i as f64 * each);
                // Wider than a cell, so that no seam shows between.
                drawing.cell(map.colour(*value), corner, (each + 0.3, each + 0.3));
            }
        }
    }
    for (index, &start) in groups.iter().enumerate() {
        let end = groups.get(index + 1).copied().unwrap_or(tokens);
        let (at, middle) = (start as f64 * each, (start + end) as f64 / 2.0 * each);
        if start > 0 {
            drawing.line("g", (LEFT + at, TOP), (LEFT + at, TOP + SIDE));
            drawing.line("g", (LEFT, TOP + at), (LEFT + SIDE, TOP + at));
        }
        let name = format!("r{}", index + 1);
        drawing.text("u", Anchor::End, (LEFT - 4.0, TOP + middle + 3.5), &name);
        drawing.text("u", Anchor::Middle, (LEFT + middle, TOP + SIDE + 12.0), &name);
    }
    drawing
}

/// Where the first coordinate changes; none when that gives no readable groups.
pub(super) fn groups(coordinates: &[Vec<f64>]) -> Vec<usize> {
    let mut starts = Vec::new();
    for (i, place) in coordinates.iter().enumerate() {
        if place.len() < 2 {
            return Vec::new();
        }
        if i == 0 || place.first() != coordinates[i - 1].first() {
            starts.push(i);
        }
    }
    if (2..=12).contains(&starts.len()) { starts } else { Vec::new() }
}

/// Which tokens share a row or a column with which (all with themselves); None where there are no rows and
/// columns.
pub(super) fn sharing(coordinates: &[Vec<f64>]) -> Option<Vec<Vec<bool>>> {
    if groups(coordinates).is_empty() || coordinates.iter().any(|place| place.len() != 2) {
        return None;
    }
    let shares = |a: &Vec<f64>, b: &Vec<f64>| a.iter().zip(b).any(|(a, b)| a == b);
    Some(coordinates.iter().map(|a| coordinates.iter().map(|b| shares(a, b)).collect()).collect())
}

/// A condensed upper triangle as a full matrix, with `diagonal` on the diagonal.
pub(super) fn full(tokens: usize, condensed: &[Option<f64>], diagonal: f64) -> Vec<Vec<Option<f64>>> {
    // Row i of the triangle begins after the i rows above it, of n - 1, n - 2, ... values.
    let value = |i: usize, j: usize| {
        let (low, high) = (i.min(j), i.max(j));
        condensed.get(low * (2 * tokens - low - 1) / 2 + high - low - 1).copied().flatten()
    };
    let cell = |i: usize, j: usize| if i == j { Some(diagonal) } else { value(i, j) };
    (0..tokens).map(|i| (0..tokens).map(|j| cell(i, j)).collect()).collect()
}

/// The mean of several matrices, where all are defined.
pub(super) fn mean(matrices: &[Vec<Vec<Option<f64>>>]) -> Vec<Vec<Option<f64>>> {
    let Some(first) = matrices.first() else { return Vec::new() };
    let cell = |i: usize, j: usize| -> Option<f64> {
        let all: Option<Vec<f64>> = matrices.iter().map(|m| *m.get(i)?.get(j)?).collect();
        all.map(|values| values.iter().sum::<f64>() / values.len() as f64)
    };
    (0..first.len()).map(|i| (0..first[i].len()).map(|j| cell(i, j)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_are_unfolded_and_averaged() {
        let a = full(3, &[Some(1.0), Some(2.0), None], 0.0);
        assert_eq!((a[0][2], a[2][0], a[1][2], a[1][1]), (Some(2.0), Some(2.0), None, Some(0.0)));
        let b = full(3, &[Some(3.0), Some(2.0), Some(1.0)], 0.0);
        let m = mean(&[a, b]);
        assert_eq!((m[0][1], m[2][1]), (Some(2.0), None));
    }

    #[test]
    fn a_grid_has_its_rows_as_groups_and_a_cloud_has_none() {
        let grid: Vec<Vec<f64>> = (0..16).map(|t| vec![f64::from(t / 4), f64::from(t % 4)]).collect();
        assert_eq!(groups(&grid), [0, 4, 8, 12]);
        let cloud: Vec<Vec<f64>> = (0..30).map(|t| vec![f64::from(t), 0.0]).collect();
        assert!(groups(&cloud).is_empty() && groups(&[vec![0.0], vec![1.0]]).is_empty());
        let shared = sharing(&grid).unwrap();
        assert!(shared.iter().all(|row| row.iter().filter(|shares| **shares).count() == 7));
        assert!(shared[0][3] && shared[0][12] && !shared[0][5] && sharing(&cloud).is_none());
    }
}
