//! Do tokens attend to those with which they share a row, a column or a module, or to those nearby?
//!
//! A relation between tokens is condensed: [`shares_axis`](crate::rdm::shares_axis) (axis 0 the row, 1 the
//! column), [`shares_any`](crate::rdm::shares_any), the module of a
//! [`Partition`](crate::network::Partition::same_module), or the distances of an [`Rdm`](crate::rdm::Rdm).

mod share;

pub use share::{AttentionShare, attention_share, attention_share_test};

use ndarray::{Array2, ArrayView2, ArrayView3, Axis};

use crate::permutation::{Permutations, Tail, Tested};
use crate::rdm::square;
use crate::{StatError, checks};

/// The mean over heads of attention weights [heads, tokens, tokens] as [query, key].
pub fn over_heads(weights: ArrayView3<f64>) -> Result<Array2<f64>, StatError> {
    let heads = weights.len_of(Axis(0));
    weights.mean_axis(Axis(0)).ok_or(StatError::TooFew { what: "attention heads", least: 1, got: heads })
}

/// The mean of several maps [query, key], query by query, over the maps in which that query attends to
/// anything. A query that attends nowhere in any map stays a row of zeros.
pub fn over_maps(maps: &[Array2<f64>]) -> Result<Array2<f64>, StatError> {
    let first = maps.first().ok_or(StatError::TooFew { what: "attention maps", least: 1, got: 0 })?;
    let mut mean = Array2::zeros(first.raw_dim());
    for map in maps {
        checks::same_length("attention map: tokens", first.nrows(), map.nrows())?;
    }
    for (query, mut row) in mean.rows_mut().into_iter().enumerate() {
        let present: Vec<_> = maps.iter().map(|map| map.row(query)).filter(|row| row.sum() > 0.0).collect();
        present.iter().for_each(|part| row += part);
        row /= present.len().max(1) as f64;
    }
    Ok(mean)
}

/// Pearson correlation of attention with a relation between tokens, over the ordered pairs query != key.
///
/// `map` [query, key] is used as it is, **not symmetrised**; `relation` is condensed (upper triangle,
/// row-major), such as [`shares_any`](crate::rdm::shares_any) or a distance. Queries that attend nowhere
/// (rows of zeros) are left out. The tokens of the relation are permuted. Unrelated attention gives about 0.
/// NaN when attention or the relation is constant over those pairs. The size is not one of attention: a
/// relation that few pairs have cannot correlate much with weights that vary; [`attention_share`] says how
/// much weight goes there.
pub fn attention_test(
    map: ArrayView2<f64>,
    relation: &[f64],
    tail: Tail,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    let n = permutations.conditions();
    checks::finite("attention map", map)?;
    checks::same_length("attention map: queries", n, map.nrows())?;
    checks::same_length("attention map: keys", n, map.ncols())?;
    checks::same_length("attention relation", crate::rdm::pairs(n), relation.len())?;
    let queries: Vec<usize> = (0..n).filter(|&query| map.row(query).sum() > 0.0).collect();
    let pairs: Vec<(usize, usize)> = queries
        .iter()
        .flat_map(|&query| (0..n).filter(move |&key| key != query).map(move |key| (query, key)))
        .collect();
    let weights: Vec<f64> = pairs.iter().map(|&(query, key)| map[[query, key]]).collect();
    let unit = crate::compare::standardised(&weights, crate::compare::Comparison::Pearson);
    let full = square(n, relation, 0.0);
    let correlation = |place: &dyn Fn(usize) -> usize| {
        let values = pairs.iter().map(|&(query, key)| full[place(query) * n + place(key)]);
        against_unit(&unit, values)
    };
    let observed = correlation(&|token| token);
    Ok(permutations.test(observed, tail, |row| correlation(&|token| row[token] as usize)))
}

/// Pearson correlation with a vector that is centred and of unit norm already.
fn against_unit(unit: &[f64], values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut squares, mut inner) = (0.0, 0.0, 0.0);
    for (u, v) in unit.iter().zip(values) {
        sum += v;
        squares += v * v;
        inner += u * v;
    }
    let spread = squares - sum * sum / unit.len() as f64;
    if unit.is_empty() || spread <= 1e-13 * squares { f64::NAN } else { inner / spread.sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdm::{shares_any, shares_axis};
    use streams::Streams;

    fn grid() -> Array2<f64> {
        Array2::from_shape_fn((16, 2), |(t, axis)| [t / 4, t % 4][axis] as f64)
    }

    #[test]
    fn attention_along_rows_is_found_there_and_not_along_columns() {
        let coords = grid();
        let rows = square(16, &shares_axis(coords.view(), 0), 1.0);
        let map = Array2::from_shape_fn((16, 16), |(q, k)| 0.01 + 0.2 * rows[q * 16 + k]);
        let set = Permutations::new(16, 999, &Streams::new(0));
        let test = |relation: &[f64]| attention_test(map.view(), relation, Tail::Greater, &set).unwrap();
        let row = test(&shares_axis(coords.view(), 0));
        approx::assert_abs_diff_eq!(row.value, 1.0, epsilon = 1e-12);
        assert_eq!(row.p, 0.001);
        // Of 15 other cells 3 share the row, 3 the column, none both: phi = -p/(1-p) with p = 1/5.
        let column = test(&shares_axis(coords.view(), 1));
        approx::assert_abs_diff_eq!(column.value, -0.25, epsilon = 1e-12);
        assert!(column.p > 0.5 && test(&shares_any(coords.view())).value > 0.5);
    }

    #[test]
    fn queries_that_attend_nowhere_are_left_out() {
        let coords = grid();
        let any = shares_any(coords.view());
        let full = square(16, &any, 0.0);
        let mut map = Array2::zeros((16, 16));
        (0..16).for_each(|key| map[[15, key]] = full[15 * 16 + key]);
        let set = Permutations::new(16, 99, &Streams::new(0));
        let tested = attention_test(map.view(), &any, Tail::Greater, &set).unwrap();
        approx::assert_abs_diff_eq!(tested.value, 1.0, epsilon = 1e-12);
        let mean = over_maps(&[map.clone(), Array2::from_elem((16, 16), 0.5)]).unwrap();
        assert_eq!(mean.row(3).to_vec(), vec![0.5; 16]);
        assert_eq!(mean[[15, 14]], 0.75);
        assert!(
            attention_test(Array2::zeros((16, 16)).view(), &any, Tail::Less, &set).unwrap().value.is_nan()
        );
    }
}
