//! The cross-validated Mahalanobis distance: unbiased, because its two factors share no noise.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::condensed::par_over_pairs;
use super::design::{condition_means, numbered};
use super::distances::{BLOCKED_FROM, over_products, row};
use super::{Measure, NoiseCovariance, Rdm};
use crate::{StatError, checks};

impl Rdm {
    /// Crossnobis distances between conditions that were measured repeatedly, in several folds (runs) whose
    /// noise is independent.
    ///
    /// `measurements` [observations, channels]; `conditions` and `folds` name those of each observation. For
    /// each fold f the difference of two conditions in f, times Σ⁻¹, times their difference in the mean of all
    /// other observations; the mean of that over folds (leave-one-out, as rsatoolbox, which divides it by the
    /// number of channels). Its expectation is the squared Mahalanobis distance of the true patterns, so equal
    /// conditions give 0 on average and negative values half of the time: do not cut them off. Conditions are
    /// in ascending order of their names, which become the labels.
    ///
    /// Without `noise` Σ is the identity. Every condition must have been measured in every fold, and there
    /// must be two folds. Noise that folds share (a slow drift, say) makes it biased.
    pub fn crossnobis<C: Ord + Clone + ToString, F: Ord + Clone + ToString>(
        measurements: ArrayView2<f64>,
        conditions: &[C],
        folds: &[F],
        noise: Option<&NoiseCovariance>,
    ) -> Result<Self, StatError> {
        checks::same_length("folds of measurements", measurements.nrows(), folds.len())?;
        let (names, _) = numbered(conditions);
        let (fold_names, fold_of) = numbered(folds);
        if fold_names.len() < 2 {
            return Err(StatError::TooFew {
                what: "folds of a crossnobis distance",
                least: 2,
                got: fold_names.len(),
            });
        }
        let whitened = match noise {
            Some(noise) => {
                checks::finite("repeated measurements", measurements)?;
                noise.whitened(measurements)?
            }
            None => measurements.to_owned(),
        };
        let means = |fold: usize, inside: bool| {
            let chosen: Vec<usize> = (0..fold_of.len()).filter(|&k| (fold_of[k] == fold) == inside).collect();
            let labels: Vec<C> = chosen.iter().map(|&k| conditions[k].clone()).collect();
            let found = condition_means(whitened.select(Axis(0), &chosen).view(), &labels)?;
            match names.iter().find(|name| !found.conditions.contains(name)) {
                Some(missing) => Err(StatError::MissingInFold {
                    condition: missing.to_string(),
                    fold: fold_names[fold].to_string(),
                }),
                None => Ok(found.means),
            }
        };
        // Every fold by itself first: that is where a missing condition is found.
        let of_folds = |inside| -> Result<Vec<Array2<f64>>, StatError> {
            (0..fold_names.len()).map(|fold| means(fold, inside)).collect()
        };
        let (own, rest) = (of_folds(true)?, of_folds(false)?);
        let values = cross_distances(&beside(&rest), &beside(&own));
        let values = values.into_iter().map(|value| value / fold_names.len() as f64).collect();
        Self::from_condensed(names.len(), values, Measure::Crossnobis)?
            .with_labels(names.iter().map(ToString::to_string).collect())
    }
}

/// (a_i - a_j)·(b_i - b_j) of all pairs.
fn cross_distances(a: &Array2<f64>, b: &Array2<f64>) -> Vec<f64> {
    let n = a.nrows();
    if n < BLOCKED_FROM {
        return par_over_pairs(n, |i, j| {
            let (ai, aj, bi, bj) = (row(a, i), row(a, j), row(b, i), row(b, j));
            ai.iter().zip(aj).zip(bi.iter().zip(bj)).map(|((ai, aj), (bi, bj))| (ai - aj) * (bi - bj)).sum()
        });
    }
    // Moving all rows changes no difference, but keeps large means out of the products.
    let (a, b) = (crate::svd::centred(a.view()), crate::svd::centred(b.view()));
    let own: Vec<f64> = a.rows().into_iter().zip(b.rows()).map(|(a, b)| a.dot(&b)).collect();
    over_products(&a, &b, |i, j, there, back| own[i] + own[j] - there - back)
}

/// The folds side by side: the sum of their inner products is one inner product.
fn beside(folds: &[Array2<f64>]) -> Array2<f64> {
    let views: Vec<_> = folds.iter().map(|fold| fold.view()).collect();
    // All folds have the same conditions and channels.
    let joined = concatenate(Axis(1), &views).unwrap_or_default();
    joined.as_standard_layout().into_owned()
}
