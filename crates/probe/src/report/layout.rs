//! The places that a table tells, laid over the true ones.

use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::pictures::{digits, rows};
use super::truth::embedded;
use crate::procrustes::{Alignment, rotation};
use crate::run_dir::Tensors;
use crate::{StatError, pca, svd};

/// A table in as many principal components as there are coordinates, turned, mirrored, scaled and moved onto the true
/// places (least squares). The components are chosen blind to the places. No statistic: a picture of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// `all` blocks side by side, `block-<b>` or `shared`.
    pub table: String,
    /// `final`, or `change` since initialization.
    pub state: String,
    /// True places, `[tokens, axes]`; a closed axis is a circle, two columns.
    pub truth: Vec<Vec<f64>>,
    /// Found places, the same shape.
    pub found: Vec<Vec<f64>>,
}

/// Layouts of all blocks together and of each, where tokens have places.
pub(super) fn layouts(tensors: &Tensors) -> Result<Vec<Layout>, StatError> {
    let (known, truth) = (&tensors.tables, &tensors.truth);
    if truth.correlation.is_none() || !truth.has_places || known.is_empty() {
        return Ok(Vec::new());
    }
    let places = embedded(tensors.coords.view(), truth);
    let mut layouts = Vec::new();
    for state in ["final", "change"] {
        let of = |table: &crate::run_dir::Table| match state {
            "final" => table.last.clone(),
            _ => &table.last - &table.init,
        };
        let blocks: Vec<Array2<f64>> = known.iter().map(of).collect();
        let together = super::form::beside(&blocks);
        let names = std::iter::once("all").chain(known.iter().map(|table| table.name.as_str()));
        for (name, table) in names.zip(std::iter::once(&together).chain(&blocks)) {
            layouts.push(Layout {
                table: name.to_owned(),
                state: state.to_owned(),
                truth: rows(places.view(), digits),
                found: rows(laid_over(places.view(), table.view())?.view(), digits),
            });
        }
    }
    Ok(layouts)
}

/// The first components of the table, laid over the places.
pub(crate) fn laid_over(places: ArrayView2<f64>, table: ArrayView2<f64>) -> Result<Array2<f64>, StatError> {
    let scores = pca::pca(table)?.first(places.ncols());
    let centred = svd::centred(places);
    let turned = scores.dot(&rotation(scores.view(), centred.view(), Alignment::Orthogonal)?);
    let size: f64 = turned.iter().map(|v| v * v).sum();
    let overlap: f64 = turned.iter().zip(&centred).map(|(a, b)| a * b).sum();
    let scale = if size > 0.0 { overlap / size } else { 0.0 };
    let mean = places.mean_axis(Axis(0)).unwrap_or_default();
    Ok(turned * scale + &mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// A table that is the places, turned into three dimensions, scaled and moved, is laid over them exactly.
    #[test]
    fn what_is_the_same_up_to_a_turn_is_found() {
        let places = array![[0.0, 0.0], [0.0, 3.0], [1.0, 0.0], [1.0, 3.0], [2.0, 0.5]];
        let turn = array![[0.6, 0.0, 0.8], [-0.8, 0.0, 0.6]];
        let table = 5.0 * places.dot(&turn) + 7.0;
        let found = laid_over(places.view(), table.view()).unwrap();
        for (a, b) in found.iter().zip(&places) {
            approx::assert_abs_diff_eq!(*a, *b, epsilon = 1e-10);
        }
        // A constant table tells nothing: every token at the centre.
        let nothing = laid_over(places.view(), Array2::ones((5, 3)).view()).unwrap();
        approx::assert_abs_diff_eq!(nothing[[4, 1]], 1.3, epsilon = 1e-12);
    }
}
