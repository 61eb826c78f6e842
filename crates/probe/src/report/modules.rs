//! Do the rows of a table fall into the true modules?

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::Statistic;
use crate::network::{NegativeWeights, Partition, Signs, Weights, modularity_test, segregation_test};
use crate::permutation::Permutations;
use crate::{StatError, svd};

/// The true modules in the network of similarities between rows: cosines of centred rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ModuleReport {
    /// Modularity Q* of the true modules, negative similarities having less say (Rubinov and Sporns 2011), resolution 1.
    pub modularity: Statistic,
    /// System segregation (Chan et al. 2014), negative similarities as 0; similarities are not transformed.
    pub segregation: Statistic,
}

/// Both, with p from permuted tokens; null where a row is zero.
pub(super) fn report(
    table: &Array2<f64>,
    modules: &Partition,
    permutations: &Permutations,
) -> Result<ModuleReport, StatError> {
    let centred = svd::centred(table.view());
    let Some(weights) = similarities(&centred.dot(&centred.t()))? else {
        return Ok(ModuleReport { modularity: Statistic::UNDEFINED, segregation: Statistic::UNDEFINED });
    };
    Ok(ModuleReport {
        modularity: modularity_test(&weights, modules, 1.0, Signs::Asymmetric, permutations)?.into(),
        segregation: segregation_test(&weights, modules, NegativeWeights::AsZero, permutations)?.into(),
    })
}

/// Cosines from inner products of centred rows; none where a row is zero.
pub(super) fn similarities(gram: &Array2<f64>) -> Result<Option<Weights>, StatError> {
    let cosine = |(i, j): (usize, usize)| match i == j {
        true => 0.0,
        false => gram[[i, j]] / (gram[[i, i]] * gram[[j, j]]).sqrt(),
    };
    let similarity = Array2::from_shape_fn(gram.dim(), cosine);
    if similarity.iter().any(|value| !value.is_finite()) {
        return Ok(None);
    }
    Weights::new(similarity.view()).map(Some)
}
