//! Modularity: more weight within modules than a random network with these strengths has?

use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{Partition, Weights};
use crate::StatError;
use crate::permutation::{Permutations, Tail, Tested};

/// What becomes of negative weights.
///
/// With w⁺ and w⁻ the magnitudes of positive and negative weights, v± their sums over all ordered pairs, and
/// `q± = Σ_ij (w±_ij - γ s±_i s±_j / v±) δ(m_i, m_j)`:
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signs {
    /// They are an error. `Q = q⁺ / v⁺` (Newman 2004).
    Refuse,
    /// They count as 0: `Q = q⁺ / v⁺`.
    Ignore,
    /// `Q* = q⁺ / v⁺ - q⁻ / (v⁺ + v⁻)` (Rubinov and Sporns 2011): positive weights are what modules are made
    /// of, negative ones have less say. bctpy's `negative_asym`, and `sta`.
    Asymmetric,
    /// `Q = (q⁺ - q⁻) / (v⁺ + v⁻)` (Gómez, Jensen and Arenas 2009): both have the same say. bctpy's
    /// `negative_sym`, and `gja`.
    Symmetric,
}

/// Modularity Q of a partition, γ (`resolution`) 1 for the classical one; larger finds smaller modules.
///
/// `Q = 1/v Σ_ij (w_ij - γ s_i s_j / v) δ(m_i, m_j)`, s the row sums and v the sum of all weights (each pair
/// counts twice), and see [`Signs`]. At γ = 1 and without negative weights Q lies in [-1/2, 1), is 0 with one
/// module, and over random relabellings has mean `-(1-p) Σ s_i² / v²`, just below 0, p the share of pairs that
/// are within modules. But the **best** partition of a random network has Q well above 0 (Guimerà et al. 2004),
/// so a maximum needs a null network; the [`modularity_test`] is for partitions that come from elsewhere. NaN
/// when there is no weight.
pub fn modularity(
    weights: &Weights,
    partition: &Partition,
    resolution: f64,
    signs: Signs,
) -> Result<f64, StatError> {
    weights.same_items(partition)?;
    Ok(within(&modularity_matrix(weights, resolution, signs)?, partition.modules()))
}

/// Modularity with its permutation p (one-sided, large is extreme): which item is in which module is permuted,
/// module sizes stay. For a partition that was not chosen by the weights themselves.
pub fn modularity_test(
    weights: &Weights,
    partition: &Partition,
    resolution: f64,
    signs: Signs,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    weights.same_items(partition)?;
    crate::checks::same_length("modularity: permuted items", permutations.conditions(), weights.items())?;
    let matrix = modularity_matrix(weights, resolution, signs)?;
    let observed = within(&matrix, partition.modules());
    Ok(permutations.test(observed, Tail::Greater, |row| within(&matrix, &partition.permuted(row))))
}

/// B with `Q = Σ_ij B_ij δ(m_i, m_j)`. All NaN when there is no weight.
pub(super) fn modularity_matrix(
    weights: &Weights,
    resolution: f64,
    signs: Signs,
) -> Result<Array2<f64>, StatError> {
    if !(resolution.is_finite() && resolution >= 0.0) {
        return Err(StatError::Parameter {
            what: "modularity: resolution",
            expected: "a finite number, 0 or more".into(),
            got: resolution.to_string(),
        });
    }
    let weights = weights.view();
    if let Some(((i, j), value)) = weights.indexed_iter().find(|(_, value)| **value < 0.0)
        && signs == Signs::Refuse
    {
        return Err(StatError::Parameter {
            what: "modularity: weights",
            expected: "no negative ones (else say how they count: Ignore, Asymmetric or Symmetric)".into(),
            got: format!("{value} at row {i}, column {j}"),
        });
    }
    let (plus, plus_total) = beyond_chance(weights.mapv(|w| w.max(0.0)).view(), resolution);
    let (minus, minus_total) = beyond_chance(weights.mapv(|w| (-w).max(0.0)).view(), resolution);
    let both = plus_total + minus_total;
    // 0/0 is NaN where there is no weight; a sign that does not occur adds 0.
    Ok(match signs {
        Signs::Refuse | Signs::Ignore => plus / plus_total,
        Signs::Asymmetric if plus_total > 0.0 => plus / plus_total - minus / both,
        Signs::Asymmetric | Signs::Symmetric => (plus - minus) / both,
    })
}

/// `w_ij - γ s_i s_j / v`, and v.
fn beyond_chance(weights: ArrayView2<f64>, resolution: f64) -> (Array2<f64>, f64) {
    let strengths: Array1<f64> = weights.sum_axis(Axis(1));
    let total = strengths.sum();
    if total <= 0.0 {
        return (weights.to_owned(), total);
    }
    let expected = |i: usize, j: usize| resolution * strengths[i] * strengths[j] / total;
    (Array2::from_shape_fn(weights.raw_dim(), |(i, j)| weights[[i, j]] - expected(i, j)), total)
}

fn within(matrix: &Array2<f64>, modules: &[usize]) -> f64 {
    if modules.is_empty() {
        return f64::NAN;
    }
    matrix
        .rows()
        .into_iter()
        .zip(modules)
        .map(|(row, own)| {
            row.iter().zip(modules).filter(|(_, module)| *module == own).map(|(value, _)| value).sum::<f64>()
        })
        .sum()
}
