//! How much of the attention goes to related tokens.

use ndarray::ArrayView2;

use crate::permutation::{Permutations, Tail, Tested};
use crate::rdm::{pairs, square};
use crate::{StatError, checks};

/// The share of attention that goes to related tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionShare {
    /// The mean over queries of `Σ_k w_qk r_qk / Σ_k w_qk`, k != q. NaN when no query attends to another token.
    pub share: f64,
    /// What uniform attention to all other tokens gives for the same queries.
    pub chance: f64,
    /// share / chance: about 1 for attention unrelated to the relation. NaN when no token is related.
    pub ratio: f64,
}

/// The share of the attention `map` [query, key] that goes to keys with the `relation` (condensed, 1 for
/// related tokens and 0 else; or any weights in [0, 1]), attention of a token to itself left out.
///
/// Queries that attend to no other token are left out. In a causal map a query has fewer keys than `chance`
/// supposes: compare with another causal map, not with 1.
pub fn attention_share(map: ArrayView2<f64>, relation: &[f64]) -> Result<AttentionShare, StatError> {
    let attention = Attention::new(map, relation)?;
    let n = map.nrows();
    let own = |token: usize| token;
    let share = attention.share(own);
    let to_all: f64 = attention
        .queries
        .iter()
        .map(|&query| attention.relation[query * n..(query + 1) * n].iter().sum::<f64>())
        .sum();
    let chance = to_all / (attention.queries.len() as f64 * (n as f64 - 1.0));
    let ratio = if chance > 0.0 { share / chance } else { f64::NAN };
    Ok(AttentionShare { share, chance, ratio })
}

/// [`AttentionShare::share`] with its permutation p; the tokens of the relation are permuted.
pub fn attention_share_test(
    map: ArrayView2<f64>,
    relation: &[f64],
    tail: Tail,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    checks::same_length("attention map: permuted tokens", permutations.conditions(), map.nrows())?;
    let attention = Attention::new(map, relation)?;
    let observed = attention.share(|token| token);
    Ok(permutations.test(observed, tail, |row| attention.share(|token| row[token] as usize)))
}

struct Attention {
    /// Row by row over 1, the diagonal 0; rows of queries that attend to no other token are 0.
    weights: Vec<f64>,
    relation: Vec<f64>,
    queries: Vec<usize>,
}

impl Attention {
    fn new(map: ArrayView2<f64>, relation: &[f64]) -> Result<Self, StatError> {
        let n = map.nrows();
        checks::finite("attention map", map)?;
        checks::same_length("attention map: keys", n, map.ncols())?;
        checks::same_length("attention relation", pairs(n), relation.len())?;
        checks::finite_slice("attention relation", relation)?;
        if let Some(((query, key), value)) = map.indexed_iter().find(|(_, value)| **value < 0.0) {
            return Err(StatError::Parameter {
                what: "attention map",
                expected: "weights of 0 or more".into(),
                got: format!("{value} at query {query}, key {key}"),
            });
        }
        let (mut weights, mut queries) = (vec![0.0; n * n], Vec::new());
        for query in 0..n {
            let others = (0..n).filter(|&key| key != query);
            let total: f64 = others.clone().map(|key| map[[query, key]]).sum();
            if total > 0.0 {
                others.for_each(|key| weights[query * n + key] = map[[query, key]] / total);
                queries.push(query);
            }
        }
        Ok(Self { weights, relation: square(n, relation, 0.0), queries })
    }

    fn share(&self, place: impl Fn(usize) -> usize) -> f64 {
        let n = self.relation.len().isqrt();
        let mut sum = 0.0;
        for &query in &self.queries {
            let relation = &self.relation[place(query) * n..(place(query) + 1) * n];
            let weights = &self.weights[query * n..(query + 1) * n];
            sum += weights.iter().enumerate().map(|(key, weight)| weight * relation[place(key)]).sum::<f64>();
        }
        sum / self.queries.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Partition;
    use ndarray::Array2;
    use streams::Streams;

    #[test]
    fn uniform_attention_is_at_chance_and_attention_within_modules_above() {
        let modules = Partition::new(&[0, 0, 0, 1, 1, 1, 2, 2, 2]);
        let relation = modules.same_module();
        let uniform = attention_share(Array2::from_elem((9, 9), 1.0 / 9.0).view(), &relation).unwrap();
        approx::assert_abs_diff_eq!(uniform.share, 0.25, epsilon = 1e-15);
        approx::assert_abs_diff_eq!(uniform.ratio, 1.0, epsilon = 1e-15);
        let same = square(9, &relation, 1.0);
        let inside = Array2::from_shape_fn((9, 9), |(q, k)| 0.1 + 10.0 * same[q * 9 + k]);
        let found = attention_share(inside.view(), &relation).unwrap();
        approx::assert_abs_diff_eq!(found.share, 20.2 / 20.8, epsilon = 1e-12);
        let set = Permutations::new(9, 999, &Streams::new(0));
        let tested = attention_share_test(inside.view(), &relation, Tail::Greater, &set).unwrap();
        // Of 280 ways to divide 9 tokens into three modules of 3 one is the true one.
        assert!(tested.value == found.share && tested.p < 0.02, "{tested:?}");
    }

    #[test]
    fn maps_without_attention_to_others_are_undefined_and_negative_ones_refused() {
        let relation = vec![1.0; 3];
        let own = attention_share(Array2::eye(3).view(), &relation).unwrap();
        assert!(own.share.is_nan() && own.chance.is_nan() && own.ratio.is_nan());
        let unrelated = attention_share(Array2::ones((3, 3)).view(), &[0.0; 3]).unwrap();
        assert!(unrelated.share == 0.0 && unrelated.ratio.is_nan());
        assert!(attention_share((-Array2::<f64>::eye(3)).view(), &relation).is_err());
        assert!(attention_share(Array2::ones((3, 2)).view(), &relation).is_err());
    }
}
