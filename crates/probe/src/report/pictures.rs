//! What figures draw of a run: similarity maps, principal components, attention maps. No statistic is in here.

use ndarray::{Array1, Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};

use super::form::beside;
use super::recording::Recording;
use super::{Layout, layout};
use crate::attention::{over_heads, over_maps};
use crate::rdm::over_pairs;
use crate::run_dir::Tensors;
use crate::{StatError, pca, svd};

/// The principal components that are kept.
const COMPONENTS: usize = 2;

/// The same of recordings: places in a brain have three axes.
const COMPONENTS_OF_RECORDINGS: usize = 3;

/// What figures draw. Rounded: cosines and shares to 4 decimals, attention to 6, scores to 5 digits.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Pictures {
    /// Ground-truth coordinates, `[tokens, axes]`.
    pub coordinates: Vec<Vec<f64>>,
    /// Encoding tables, `all` blocks together first, each at `init`, at its snapshots `epoch-<n>`, and `final`, and
    /// as `change` from first to last. Empty where nothing is added.
    pub tables: Vec<TablePicture>,
    /// Attention maps, the mean over blocks first, then by block; means over heads.
    pub attention: Vec<AttentionPicture>,
    /// The coupling and the correlations of tokens, where the task records such.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<MatrixPicture>,
    /// Tables laid over the true places, where the task records a truth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layouts: Vec<Layout>,
    /// The community of each token, of recordings: the partition that [`CommunityReport`](super::CommunityReport) is of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub communities: Vec<usize>,
    /// The side of each token, -1 left, 1 right, 0 neither; where it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hemisphere: Vec<i8>,
}

/// A matrix over pairs of tokens that belongs to the truth or the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatrixPicture {
    /// `coupling` or `correlation`.
    pub name: String,
    /// `[tokens, tokens]`
    pub values: Vec<Vec<f64>>,
}

/// One table at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TablePicture {
    /// `all`, `block-<b>` or `shared`.
    pub table: String,
    /// `init`, `epoch-<n>`, `final` or `change`.
    pub state: String,
    /// Cosine of the centred rows (the mean row is taken off) of each pair of tokens: upper triangle, row by row;
    /// null where a row is zero.
    pub cosine: Vec<Option<f64>>,
    /// The centred rows in the first two principal components, `[tokens, 2]`; in three, of recordings.
    pub scores: Vec<Vec<f64>>,
    /// The share of the variance that each of them explains; null for a constant table.
    pub explained: Vec<Option<f64>>,
}

/// One attention map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttentionPicture {
    /// `mean` over blocks, or `block-<b>`.
    pub map: String,
    /// Weights, `[queries, keys]`.
    pub weights: Vec<Vec<f64>>,
}

pub(super) fn pictures(tensors: &Tensors, recording: Option<&Recording>) -> Result<Pictures, StatError> {
    let components = if recording.is_some() { COMPONENTS_OF_RECORDINGS } else { COMPONENTS };
    let communities = recording.and_then(Recording::communities);
    Ok(Pictures {
        coordinates: rows(tensors.coords.view(), |v| v),
        tables: tables(tensors, components)?,
        attention: attention(tensors)?,
        matrices: matrices(tensors),
        layouts: layout::layouts(tensors)?,
        communities: communities.map(|partition| partition.modules().to_vec()).unwrap_or_default(),
        hemisphere: tensors.truth.hemisphere.clone().unwrap_or_default(),
    })
}

fn tables(tensors: &Tensors, components: usize) -> Result<Vec<TablePicture>, StatError> {
    let known = &tensors.tables;
    // Each state of every block's table, in the order of `known`.
    let mut states = vec![("init".to_owned(), known.iter().map(|table| table.init.clone()).collect())];
    for (state, blocks) in &tensors.snapshots {
        let of_each = known.iter().filter_map(|table| blocks.get(&table.name).cloned());
        let blocks: Vec<Array2<f64>> = of_each.collect();
        if blocks.len() == known.len() {
            states.push((state.clone(), blocks));
        }
    }
    states.push(("final".to_owned(), known.iter().map(|table| table.last.clone()).collect()));
    states.push(("change".to_owned(), known.iter().map(|table| &table.last - &table.init).collect()));

    let mut pictures = Vec::new();
    if known.is_empty() {
        return Ok(pictures);
    }
    for (state, blocks) in &states {
        pictures.push(picture("all", state, beside(blocks).view(), components)?);
    }
    for (index, table) in known.iter().enumerate() {
        for (state, blocks) in &states {
            pictures.push(picture(&table.name, state, blocks[index].view(), components)?);
        }
    }
    Ok(pictures)
}

fn picture(
    name: &str,
    state: &str,
    table: ArrayView2<f64>,
    components: usize,
) -> Result<TablePicture, StatError> {
    let centred = svd::centred(table);
    let gram = centred.dot(&centred.t());
    let cosine = |i: usize, j: usize| gram[[i, j]] / (gram[[i, i]] * gram[[j, j]]).sqrt();
    let (scores, explained) = if table.nrows() < 2 {
        (Array2::zeros((table.nrows(), 0)), Array1::zeros(0))
    } else {
        let found = pca::pca(table)?;
        let kept = found.ratios.len().min(components);
        (
            found.scores.slice(ndarray::s![.., ..kept]).to_owned(),
            found.ratios.slice(ndarray::s![..kept]).to_owned(),
        )
    };
    Ok(TablePicture {
        table: name.to_owned(),
        state: state.to_owned(),
        cosine: over_pairs(table.nrows(), cosine).into_iter().map(|v| decimals(v, 4)).collect(),
        scores: rows(scores.view(), digits),
        explained: explained.iter().map(|&v| decimals(v, 4)).collect(),
    })
}

fn matrices(tensors: &Tensors) -> Vec<MatrixPicture> {
    let known = [("coupling", &tensors.truth.coupling), ("correlation", &tensors.truth.correlation)];
    let picture = |(name, matrix): (&str, &Option<Array2<f64>>)| {
        let values = rows(matrix.as_ref()?.view(), |v| decimals(v, 4).unwrap_or(0.0));
        Some(MatrixPicture { name: name.to_owned(), values })
    };
    known.into_iter().filter_map(picture).collect()
}

fn attention(tensors: &Tensors) -> Result<Vec<AttentionPicture>, StatError> {
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
    let picture = |(map, weights): (String, Array2<f64>)| AttentionPicture {
        map,
        weights: rows(weights.view(), |v| decimals(v, 6).unwrap_or(0.0)),
    };
    Ok(std::iter::once(mean).chain(blocks).map(picture).collect())
}

pub(super) fn rows(x: ArrayView2<f64>, round: impl Fn(f64) -> f64) -> Vec<Vec<f64>> {
    x.axis_iter(Axis(0)).map(|row| row.iter().map(|&v| round(v)).collect()).collect()
}

/// Rounded to so many decimals, never to -0; `None` where undefined.
fn decimals(value: f64, count: i32) -> Option<f64> {
    let scale = 10f64.powi(count);
    value.is_finite().then(|| (value * scale).round() / scale + 0.0)
}

/// Rounded to 5 significant digits.
pub(super) fn digits(value: f64) -> f64 {
    // The text form rounds decimally, which no power of ten in binary does exactly.
    format!("{value:.4e}").parse::<f64>().unwrap_or(value) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run_dir::{Table, Truth};
    use ndarray::array;
    use std::collections::BTreeMap;

    /// Four corners of a rectangle: cosines by hand, components along its sides.
    #[test]
    fn a_rectangle_is_drawn_as_it_is() {
        let corners = array![[4.0, 2.0], [4.0, 0.0], [0.0, 2.0], [0.0, 0.0]];
        let drawn = picture("shared", "final", corners.view(), 2).unwrap();
        // Centred: (±2, ±1). Neighbours along the short side: (4 - 1) / 5, along the long side: (-4 + 1) / 5.
        assert_eq!(drawn.cosine, [Some(0.6), Some(-0.6), Some(-1.0), Some(-1.0), Some(-0.6), Some(0.6)]);
        assert_eq!(drawn.scores, [[2.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-2.0, -1.0]]);
        assert_eq!(drawn.explained, [Some(0.8), Some(0.2)]);
    }

    /// Two blocks, one snapshot: `all` first, each state in the order of time; what is missing in a block is left out.
    #[test]
    fn every_state_of_every_table_is_drawn() {
        let table = |name: &str, sign: f64| Table {
            name: name.to_owned(),
            init: array![[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]],
            last: array![[1.0 + sign, 0.0], [-sign, 1.0], [0.0, 0.0]],
        };
        let tables = vec![table("block-0", 1.0), table("block-1", 2.0)];
        let whole =
            BTreeMap::from(["block-0", "block-1"].map(|name| (name.to_owned(), tables[0].init.clone())));
        let half = BTreeMap::from([("block-0".to_owned(), tables[0].init.clone())]);
        let snapshots = vec![("epoch-3".to_owned(), whole), ("epoch-9".to_owned(), half)];
        let coords = array![[0.0], [1.0], [2.0]];
        let (truth, attention) = (Truth::default(), vec![]);
        let tensors = Tensors { tables, snapshots, attention, coords, truth, answers: None };
        let drawn = pictures(&tensors, None).unwrap();
        let names: Vec<String> = drawn.tables.iter().map(|t| format!("{} {}", t.table, t.state)).collect();
        let states = ["init", "epoch-3", "final", "change"];
        let expected =
            ["all", "block-0", "block-1"].iter().flat_map(|table| states.map(|s| format!("{table} {s}")));
        assert_eq!(names, expected.collect::<Vec<_>>());
        assert_eq!(drawn.tables[0].cosine, drawn.tables[1].cosine, "the snapshot is the table at init");
        // The change lies on one line: its first component has it all.
        assert_eq!(drawn.tables[3].explained[0], Some(1.0));
        assert!(drawn.attention.is_empty() && drawn.coordinates.len() == 3);
    }

    #[test]
    fn a_table_that_never_changed_has_no_cosine() {
        let drawn = picture("all", "change", Array2::zeros((3, 4)).view(), 2).unwrap();
        assert_eq!((drawn.cosine, drawn.explained), (vec![None; 3], vec![None; 2]));
    }

    #[test]
    fn numbers_are_rounded_and_zero_has_no_sign() {
        assert_eq!((digits(-1.234_567e-3), digits(0.0)), (-1.2346e-3, 0.0));
        assert_eq!(decimals(-1e-9, 4).map(f64::is_sign_positive), Some(true));
        assert_eq!(decimals(f64::NAN, 4), None);
    }
}
