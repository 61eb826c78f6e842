//! A square map of values between tokens.

use super::colour::{Map, Rgb};
use super::drawing::{Anchor, Drawing};
use super::pictures::Matrix;

/// Pixels of a map beside others.
pub(super) const SIDE: f64 = 144.0;
const LEFT: f64 = 24.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 18.0;

/// Names longer than this do not stand below a map.
const SHORT: usize = 3;

/// Pixels of a letter, about.
const LETTER: f64 = 5.6;

/// Tokens that belong together, from `start` up to the next group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    pub start: usize,
    pub name: String,
}

/// What stands beside a map.
#[derive(Debug, Clone, Copy)]
pub(super) enum Marks<'a> {
    /// A line between groups, and their names.
    Groups(&'a [Group]),
    /// Names at places from 0 to 1.
    Ticks(&'a [(f64, String)]),
}

/// A map of `values` [tokens, tokens] under a title. Groups get a line and a name.
pub(super) fn draw(title: &str, values: &[Vec<Option<f64>>], map: Map, groups: &[Group]) -> Drawing {
    sized(title, values, map, Marks::Groups(groups), SIDE)
}

/// The same, with a side of so many pixels.
pub(super) fn sized(title: &str, values: &[Vec<Option<f64>>], map: Map, marks: Marks, side: f64) -> Drawing {
    let (left, right) = match marks {
        Marks::Groups(groups) => {
            let longest = groups.iter().map(|group| group.name.chars().count()).max().unwrap_or(0);
            (LEFT.max(8.0 + LETTER * longest as f64), 4.0)
        }
        // Half of the last name stands beyond the map.
        Marks::Ticks(_) => (LEFT + 8.0, 14.0),
    };
    let mut drawing = Drawing::new(left + side + right, TOP + side + BOTTOM);
    drawing.rect("bg", (0.0, 0.0), (drawing.width, drawing.height));
    drawing.text("u", Anchor::Start, (left, 13.0), title);
    let colours: Vec<Vec<Option<Rgb>>> = values
        .iter()
        .map(|row| row.iter().map(|value| value.map(|value| map.shade(value))).collect())
        .collect();
    drawing.cells((left, TOP), side / values.len().max(1) as f64, &colours);
    match marks {
        Marks::Groups(groups) => name_groups(&mut drawing, (left, side), groups, values.len().max(1)),
        Marks::Ticks(ticks) => {
            for (place, name) in ticks {
                drawing.text("u", Anchor::End, (left - 4.0, TOP + place * side + 3.5), name);
                drawing.text("u", Anchor::Middle, (left + place * side, TOP + side + 12.0), name);
            }
        }
    }
    drawing
}

fn name_groups(drawing: &mut Drawing, (left, side): (f64, f64), groups: &[Group], tokens: usize) {
    let each = side / tokens as f64;
    let are_short = groups.iter().all(|group| group.name.chars().count() <= SHORT);
    let mut free = f64::NEG_INFINITY;
    for (index, group) in groups.iter().enumerate() {
        let end = groups.get(index + 1).map_or(tokens, |next| next.start);
        let (at, middle) = (group.start as f64 * each, (group.start + end) as f64 / 2.0 * each);
        if group.start > 0 {
            drawing.line("a", (left + at, TOP), (left + at, TOP + side));
            drawing.line("a", (left, TOP + at), (left + side, TOP + at));
        }
        // Names of thin groups would lie upon each other.
        if middle < free {
            continue;
        }
        free = middle + 9.0;
        drawing.text("u", Anchor::End, (left - 4.0, TOP + middle + 3.5), &group.name);
        if are_short {
            drawing.text("u", Anchor::Middle, (left + middle, TOP + side + 12.0), &group.name);
        }
    }
}

/// Where the first coordinate changes; none when that gives no readable groups.
pub(super) fn groups(coordinates: &[Vec<f64>]) -> Vec<Group> {
    let mut starts = Vec::new();
    for (i, place) in coordinates.iter().enumerate() {
        if place.len() < 2 {
            return Vec::new();
        }
        if i == 0 || place.first() != coordinates[i - 1].first() {
            starts.push(i);
        }
    }
    if !(2..=12).contains(&starts.len()) {
        return Vec::new();
    }
    let named = starts.into_iter().enumerate();
    named.map(|(index, start)| Group { start, name: format!("r{}", index + 1) }).collect()
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

/// Empties the diagonal: everything is like itself, and would outshine the rest.
pub(super) fn without_diagonal(mut map: Matrix) -> Matrix {
    for (i, row) in map.iter_mut().enumerate() {
        row.iter_mut().skip(i).take(1).for_each(|cell| *cell = None);
    }
    map
}

/// The defined cells of a map.
pub(super) fn cells(map: &Matrix) -> impl Iterator<Item = (usize, usize, f64)> {
    map.iter().enumerate().flat_map(|(i, row)| {
        row.iter().enumerate().filter_map(move |(j, value)| value.map(|value| (i, j, value)))
    })
}

/// Colours of correlations and cosines, the same for all these maps: to the next tenth, so that the ends of the scale can
/// be read.
pub(super) fn signed<'a>(maps: impl Iterator<Item = &'a Matrix>) -> Map {
    let bound = maps.map(most).fold(0.0, f64::max);
    Map::Signed { bound: ((10.0 * bound).ceil() / 10.0).clamp(0.1, 1.0) }
}

/// The largest size of a cell.
pub(super) fn most(map: &Matrix) -> f64 {
    cells(map).map(|(.., value)| value.abs()).fold(0.0, f64::max)
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
        let starts: Vec<usize> = groups(&grid).iter().map(|group| group.start).collect();
        assert_eq!((starts, groups(&grid)[3].name.as_str()), (vec![0, 4, 8, 12], "r4"));
        let cloud: Vec<Vec<f64>> = (0..30).map(|t| vec![f64::from(t), 0.0]).collect();
        assert!(groups(&cloud).is_empty() && groups(&[vec![0.0], vec![1.0]]).is_empty());
        let shared = sharing(&grid).unwrap();
        assert!(shared.iter().all(|row| row.iter().filter(|shares| **shares).count() == 7));
        assert!(shared[0][3] && shared[0][12] && !shared[0][5] && sharing(&cloud).is_none());
    }
}
