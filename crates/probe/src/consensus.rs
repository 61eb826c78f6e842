//! One map of the tokens from the tables of several runs.

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use serde::Serialize;

use crate::report::laid_over;
use crate::{StatError, checks, pca, svd};

/// The components that a map has at most.
pub const COMPONENTS: usize = 3;

/// Where the tokens lie by the tables of several runs together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Consensus {
    /// The number of tables.
    pub tables: usize,
    /// `[tokens, components]`, at most [`COMPONENTS`] by falling variance.
    pub components: Vec<Vec<f64>>,
    /// The share of the variance that each component explains; null for constant tables.
    pub explained: Vec<Option<f64>>,
    /// As many components as there are axes of places, turned, mirrored, scaled and moved onto the places by least
    /// squares, `[tokens, axes]`; null without places. The components are chosen blind to the places.
    pub aligned: Option<Vec<Vec<f64>>>,
}

/// The consensus of tables `[n, d]` of one n >= 2, and of places `[n, axes]`, where these are known.
///
/// Tables of different runs have different axes, but their inner products do not hang on the axes: each table is
/// centred and scaled to unit norm, and the components are those of the mean of their `[n, n]` inner products, which
/// are the principal components of all tables side by side. A constant table counts for nothing.
///
/// # Errors
/// If there is no table, numbers of rows differ, or an entry is not finite.
pub fn consensus(
    tables: &[ArrayView2<f64>],
    places: Option<ArrayView2<f64>>,
) -> Result<Consensus, StatError> {
    let Some(first) = tables.first() else {
        return Err(StatError::TooFew { what: "tables of a consensus", least: 1, got: 0 });
    };
    let mut scaled = Vec::new();
    for table in tables {
        checks::same_length("consensus: rows", first.nrows(), table.nrows())?;
        checks::finite("consensus: table", *table)?;
        let centred = svd::centred(*table);
        let norm = centred.iter().map(|v| v * v).sum::<f64>().sqrt();
        scaled.push(if norm > 0.0 { centred / norm } else { centred });
    }
    let views: Vec<_> = scaled.iter().map(|table| table.view()).collect();
    // Only tables of different length cannot be joined.
    let beside = concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((first.nrows(), 0)));
    let found = pca::pca(beside.view())?;
    let kept = found.ratios.len().min(COMPONENTS);
    let aligned = places.map(|places| laid_over(places, beside.view())).transpose()?;
    let rows = |x: &Array2<f64>| x.rows().into_iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    Ok(Consensus {
        tables: tables.len(),
        components: rows(&found.first(kept)),
        explained: found
            .ratios
            .iter()
            .take(kept)
            .map(|ratio| Some(*ratio).filter(|r| r.is_finite()))
            .collect(),
        aligned: aligned.as_ref().map(rows),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Two tables that are the same places turned, mirrored, scaled and moved: their consensus is the places.
    #[test]
    fn tables_that_agree_up_to_a_turn_have_one_map() {
        let places = array![[0.0, 0.0], [0.0, 3.0], [1.0, 0.0], [1.0, 3.0], [2.0, 0.5]];
        let turned: Array2<f64> = 5.0 * places.dot(&array![[0.6, 0.0, 0.8], [-0.8, 0.0, 0.6]]) + 7.0;
        let mirrored: Array2<f64> = 0.1 * places.dot(&array![[-1.0, 0.0], [0.0, 1.0]]) - 2.0;
        let found = consensus(&[turned.view(), mirrored.view()], Some(places.view())).unwrap();
        for (row, place) in found.aligned.unwrap().iter().zip(places.rows()) {
            row.iter().zip(place).for_each(|(a, b)| approx::assert_abs_diff_eq!(*a, *b, epsilon = 1e-10));
        }
        let whole: f64 = found.explained[..2].iter().flatten().sum();
        approx::assert_abs_diff_eq!(whole, 1.0, epsilon = 1e-10);
    }

    /// The size of a table is no weight: ten times as large, the same map.
    #[test]
    fn the_size_of_a_table_is_no_weight() {
        let (a, b) = (array![[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]], array![[0.0, 1.0], [2.0, 0.0], [1.0, 1.0]]);
        let large = &b * 10.0;
        let (one, other) =
            (consensus(&[a.view(), b.view()], None), consensus(&[a.view(), large.view()], None));
        let (one, other) = (one.unwrap(), other.unwrap());
        for (x, y) in one.components.iter().flatten().zip(other.components.iter().flatten()) {
            approx::assert_abs_diff_eq!(*x, *y, epsilon = 1e-12);
        }
        assert_eq!(one.aligned, None);
    }

    #[test]
    fn constant_tables_tell_nothing_and_others_are_refused() {
        let none = consensus(&[Array2::ones((4, 2)).view()], None).unwrap();
        assert!(none.explained.iter().all(Option::is_none));
        let (a, b) = (Array2::<f64>::eye(3), Array2::<f64>::eye(4));
        assert!(consensus(&[a.view(), b.view()], None).is_err() && consensus(&[], None).is_err());
    }
}
