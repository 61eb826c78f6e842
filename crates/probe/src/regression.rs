//! Multiple-regression RSA: one RDM as a weighted sum of model RDMs, and what each model adds to the others.

mod basis;
mod nonnegative;

pub(crate) use basis::Basis;

use serde::{Deserialize, Serialize};

use crate::StatError;
use crate::compare::{Comparison, NanPolicy, align, average_ranks, dot, only_pearson_or_spearman};
use crate::rdm::Rdm;

/// Which weights are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weights {
    /// Any: ordinary least squares.
    Any,
    /// None below 0, as distances of independent features add up: non-negative least squares (Lawson and
    /// Hanson 1974, as SciPy's `nnls`).
    NonNegative,
}

/// Whether a constant may be added to the predicted distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Offset {
    /// A free constant of any sign. Fits are those of `corr` in rsatoolbox.
    Free,
    /// None. Fits are those of `cosine`; shares of variance are then shares of the sum of squares.
    Zero,
}

/// A fit of one RDM by several.
#[derive(Debug, Clone, PartialEq)]
pub struct Regression {
    /// One weight a model. All NaN when a model is a combination of the others (or constant), since then they
    /// are not determined; the shares below still are.
    pub weights: Vec<f64>,
    /// The constant; 0 with [`Offset::Zero`].
    pub offset: f64,
    /// The share of the variance that all models explain together, R². NaN for a constant target.
    pub r_squared: f64,
    /// For each model R² minus the R² of the fit without it: its unique share, never below 0.
    pub unique: Vec<f64>,
}

/// Fits the distances of `target` by those of `models`.
pub fn regress(
    target: &Rdm,
    models: &[&Rdm],
    weights: Weights,
    offset: Offset,
    nan: NanPolicy,
) -> Result<Regression, StatError> {
    let all: Vec<&Rdm> = std::iter::once(target).chain(models.iter().copied()).collect();
    let undefined = Regression {
        weights: vec![f64::NAN; models.len()],
        offset: f64::NAN,
        r_squared: f64::NAN,
        unique: vec![f64::NAN; models.len()],
    };
    let Some(aligned) = align(&all, nan)? else { return Ok(undefined) };
    let (means, columns): (Vec<f64>, Vec<Vec<f64>>) =
        aligned.vectors.into_iter().map(|vector| centred(vector, offset)).unzip();
    let Some((y, models)) = columns.split_first() else { return Ok(undefined) };
    let total = dot(y, y);
    if is_rounding(total, aligned_scale(y, means[0]), y.len()) {
        return Ok(undefined);
    }
    let columns: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
    let fit = |columns: &[&[f64]]| match weights {
        Weights::Any => Basis::new(columns).fit(y),
        Weights::NonNegative => nonnegative::fit(columns, y),
    };
    let best = fit(&columns);
    let unique = (0..columns.len())
        .map(|left_out| {
            let others: Vec<&[f64]> =
                columns.iter().enumerate().filter(|(k, _)| *k != left_out).map(|(_, c)| *c).collect();
            ((best.explained - fit(&others).explained) / total).max(0.0)
        })
        .collect();
    let offset = match offset {
        Offset::Free => means[0] - dot(&means[1..], &best.weights),
        Offset::Zero => 0.0,
    };
    Ok(Regression { weights: best.weights, offset, r_squared: best.explained / total, unique })
}

/// The partial correlation of two RDMs given any number of others: the correlation of what is left of both
/// (of their ranks, for Spearman) after least squares on the others and a constant. NaN when nothing is left.
pub fn compare_beyond_all(
    a: &Rdm,
    b: &Rdm,
    beyond: &[&Rdm],
    how: Comparison,
    nan: NanPolicy,
) -> Result<f64, StatError> {
    only_pearson_or_spearman("partial correlation", how)?;
    let all: Vec<&Rdm> = [a, b].into_iter().chain(beyond.iter().copied()).collect();
    let Some(aligned) = align(&all, nan)? else { return Ok(f64::NAN) };
    let columns: Vec<Vec<f64>> = aligned
        .vectors
        .into_iter()
        .map(|vector| if how == Comparison::Spearman { average_ranks(&vector) } else { vector })
        .map(|vector| centred(vector, Offset::Free).1)
        .collect();
    let others: Vec<&[f64]> = columns[2..].iter().map(Vec::as_slice).collect();
    let basis = Basis::new(&others);
    let left = |column: &[f64]| match basis.unit_residual(column) {
        Some(residual) => residual,
        None => vec![f64::NAN; column.len().max(1)],
    };
    Ok(dot(&left(&columns[0]), &left(&columns[1])))
}

/// Weights, and the sum of squares that they explain.
#[derive(Debug, Clone)]
struct Fit {
    weights: Vec<f64>,
    explained: f64,
}

/// The mean that is taken out (0 with no free offset), and what is left.
pub(crate) fn centred(mut vector: Vec<f64>, offset: Offset) -> (f64, Vec<f64>) {
    if offset == Offset::Zero || vector.is_empty() {
        return (0.0, vector);
    }
    let mean = vector.iter().sum::<f64>() / vector.len() as f64;
    vector.iter_mut().for_each(|value| *value -= mean);
    (mean, vector)
}

fn aligned_scale(centred: &[f64], mean: f64) -> f64 {
    centred.iter().fold(mean.abs(), |most, value| most.max(value.abs()))
}

/// Whether a sum of squares is no more than the rounding of values of this size.
fn is_rounding(square: f64, scale: f64, length: usize) -> bool {
    square <= (1e-13 * scale).powi(2) * length as f64
}
