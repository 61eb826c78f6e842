//! Permutation tests of multiple-regression RSA.

use super::rsa::{check_sizes, testable};
use super::{Permutations, Tail, Tested, permuted_dot};
use crate::StatError;
use crate::compare::{Comparison, dot, only_pearson_or_spearman, standardised};
use crate::rdm::{Rdm, square};
use crate::regression::Basis;

/// What several models explain of one RDM, with permutation p values.
#[derive(Debug, Clone, PartialEq)]
pub struct RegressionTest {
    /// R² of all models together (ordinary least squares with a constant); large is extreme.
    pub r_squared: Tested,
    /// For each model its semi-partial correlation: that of the target with the part of the model that the
    /// other models leave. Its square is the model's unique share of the variance. Judged by `tail`.
    pub unique: Vec<Tested>,
}

/// Tests what `models` explain of `target`, together and each beyond the others; the conditions of the target
/// are permuted.
///
/// Pearson, or Spearman for the same on ranks. The null of `unique` is that the target is unrelated to all
/// models, not only to that one: conservative or liberal when the others do explain it, as for any Mantel-type
/// regression (Legendre 2000). NaN where undefined: a constant or incomplete RDM, a model that the others span.
pub fn rsa_regression(
    target: &Rdm,
    models: &[&Rdm],
    how: Comparison,
    tail: Tail,
    permutations: &Permutations,
) -> Result<RegressionTest, StatError> {
    only_pearson_or_spearman("regression RSA", how)?;
    let all: Vec<&Rdm> = std::iter::once(target).chain(models.iter().copied()).collect();
    check_sizes(&all, permutations)?;
    let undefined = Tested { value: f64::NAN, p: f64::NAN };
    if models.is_empty() || !testable(&all) {
        return Ok(RegressionTest { r_squared: undefined, unique: vec![undefined; models.len()] });
    }
    let y = standardised(target.values(), how);
    let full = square(target.conditions(), &y, 0.0);
    let columns: Vec<Vec<f64>> = models.iter().map(|model| standardised(model.values(), how)).collect();
    let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();

    let directions = Basis::new(&slices).into_directions();
    let share = |inner: &dyn Fn(&[f64]) -> f64| directions.iter().map(|d| inner(d).powi(2)).sum::<f64>();
    let observed = if directions.is_empty() { f64::NAN } else { share(&|d| dot(&y, d)) };
    let r_squared = permutations.test(observed, Tail::Greater, |row| share(&|d| permuted_dot(&full, row, d)));

    let unique = (0..slices.len())
        .map(|k| {
            let others: Vec<&[f64]> =
                slices.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, c)| *c).collect();
            match Basis::new(&others).unit_residual(slices[k]) {
                Some(own) => permutations.test(dot(&y, &own), tail, |row| permuted_dot(&full, row, &own)),
                None => undefined,
            }
        })
        .collect();
    Ok(RegressionTest { r_squared, unique })
}
