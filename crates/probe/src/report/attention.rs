//! Where the tokens of a run attend to.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::Statistic;
use crate::StatError;
use crate::attention::{attention_test, over_heads, over_maps};
use crate::permutation::{Permutations, Tail};
use crate::rdm::{Rdm, shares_any, shares_axis};
use crate::run_dir::Tensors;

/// Attention of one block (mean over heads), or the mean over blocks, against relations between tokens:
/// Pearson correlations over the ordered pairs query != key, not symmetrised; p from permuted tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionReport {
    /// `mean` over blocks, or `block-<b>`.
    pub map: String,
    /// Queries that attend anywhere; the others (rows of zeros) are left out.
    pub queries: usize,
    /// With sharing any coordinate: a row or a column (one-sided, large is extreme).
    pub sharing_any: Statistic,
    /// With sharing the coordinate of each axis; for (row, column) the first is sharing a row.
    pub sharing_by_axis: Vec<Statistic>,
    /// With the Euclidean grid distance (one-sided, **small** is extreme: attention to what is near); where axes are
    /// closed, the short way round. Null where tokens have no place.
    pub grid_distance: Statistic,
}

pub(super) fn reports(
    tensors: &Tensors,
    distance: Option<&Rdm>,
    permutations: &Permutations,
) -> Result<Vec<AttentionReport>, StatError> {
    let blocks = tensors
        .attention
        .iter()
        .map(|(name, weights)| Ok((name.clone(), over_heads(weights.view())?)))
        .collect::<Result<Vec<(String, Array2<f64>)>, StatError>>()?;
    if blocks.is_empty() {
        return Ok(Vec::new());
    }
    let maps: Vec<Array2<f64>> = blocks.iter().map(|(_, map)| map.clone()).collect();
    let mean = ("mean".to_owned(), over_maps(&maps)?);
    std::iter::once(mean)
        .chain(blocks)
        .map(|(name, map)| report(name, map.view(), tensors.coords.view(), distance, permutations))
        .collect()
}

fn report(
    map_name: String,
    map: ArrayView2<f64>,
    coords: ArrayView2<f64>,
    distance: Option<&Rdm>,
    permutations: &Permutations,
) -> Result<AttentionReport, StatError> {
    let test =
        |relation: &[f64], tail| attention_test(map, relation, tail, permutations).map(Statistic::from);
    Ok(AttentionReport {
        map: map_name,
        queries: map.rows().into_iter().filter(|row| row.sum() > 0.0).count(),
        sharing_any: test(&shares_any(coords), Tail::Greater)?,
        sharing_by_axis: (0..coords.ncols())
            .map(|axis| test(&shares_axis(coords, axis), Tail::Greater))
            .collect::<Result<_, _>>()?,
        grid_distance: match distance {
            Some(distance) => test(distance.values(), Tail::Less)?,
            None => Statistic::UNDEFINED,
        },
    })
}
