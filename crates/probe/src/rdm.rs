//! Representational dissimilarity matrices: who is how far from whom.

mod measure;
mod reference;

pub use measure::Measure;
pub use reference::{hamming, one_hot, shares_any, shares_axis};

use ndarray::ArrayView2;

use crate::{StatError, checks};

/// The distances between n conditions: the upper triangle, row by row, as (0,1), (0,2), ..., (n-2, n-1).
///
/// The input of every constructor is checked to be finite. A distance can still be undefined (the cosine
/// distance to a zero row): it is then NaN, and each statistic states what it does with such a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Rdm {
    conditions: usize,
    values: Vec<f64>,
    measure: Measure,
    labels: Vec<String>,
}

impl Rdm {
    /// The distances between the rows of `x` [conditions, channels]. Labels are the row numbers.
    pub fn of_rows(x: ArrayView2<f64>, measure: Measure) -> Result<Self, StatError> {
        checks::finite("rows of an RDM", x)?;
        let values = measure.condensed(x);
        Ok(Self { conditions: x.nrows(), values, measure, labels: numbers(x.nrows()) })
    }

    /// Wraps distances that are computed already. NaN marks an undefined pair; infinities are refused.
    pub fn from_condensed(conditions: usize, values: Vec<f64>, measure: Measure) -> Result<Self, StatError> {
        checks::same_length("condensed RDM", pairs(conditions), values.len())?;
        match values.iter().position(|value| value.is_infinite()) {
            Some(at) => Err(StatError::NotFinite {
                what: "condensed RDM",
                place: format!("position {at}"),
                value: values[at],
            }),
            None => Ok(Self { conditions, values, measure, labels: numbers(conditions) }),
        }
    }

    /// Names the conditions.
    pub fn with_labels(mut self, labels: Vec<String>) -> Result<Self, StatError> {
        checks::same_length("labels of an RDM", self.conditions, labels.len())?;
        self.labels = labels;
        Ok(self)
    }

    /// The number of conditions n.
    pub fn conditions(&self) -> usize {
        self.conditions
    }

    /// The n(n-1)/2 distances: upper triangle, row-major.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How the distances were measured.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The names of the conditions.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Whether every pair has a distance.
    pub fn is_complete(&self) -> bool {
        self.values.iter().all(|value| !value.is_nan())
    }

    /// The distance between conditions `i` and `j`; 0 on the diagonal, `None` outside.
    pub fn get(&self, i: usize, j: usize) -> Option<f64> {
        let (low, high) = (i.min(j), i.max(j));
        if high >= self.conditions {
            return None;
        }
        if low == high {
            return Some(0.0);
        }
        Some(self.values[low * (2 * self.conditions - low - 1) / 2 + high - low - 1])
    }
}

/// The number of pairs of n conditions.
pub(crate) fn pairs(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// A condensed upper triangle as a full symmetric matrix, row-major, with `diagonal` on the diagonal.
pub(crate) fn square(n: usize, condensed: &[f64], diagonal: f64) -> Vec<f64> {
    let mut full = vec![diagonal; n * n];
    let mut next = condensed.iter();
    for i in 0..n {
        for (j, &value) in (i + 1..n).zip(next.by_ref()) {
            full[i * n + j] = value;
            full[j * n + i] = value;
        }
    }
    full
}

/// Evaluates `f` on every pair of `n` conditions, in condensed order.
pub(crate) fn over_pairs(n: usize, mut f: impl FnMut(usize, usize) -> f64) -> Vec<f64> {
    let mut values = Vec::with_capacity(pairs(n));
    for i in 0..n {
        for j in i + 1..n {
            values.push(f(i, j));
        }
    }
    values
}

fn numbers(n: usize) -> Vec<String> {
    (0..n).map(|i| i.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn pairs_are_row_major() {
        let rdm = Rdm::of_rows(array![[0.0], [1.0], [3.0], [7.0]].view(), Measure::Euclidean).unwrap();
        assert_eq!(rdm.values(), [1.0, 3.0, 7.0, 2.0, 6.0, 4.0]);
        assert_eq!((rdm.get(3, 1), rdm.get(2, 2), rdm.get(0, 4)), (Some(6.0), Some(0.0), None));
        let full = square(4, rdm.values(), 0.0);
        for i in 0..4 {
            for j in 0..4 {
                assert_eq!(Some(full[i * 4 + j]), rdm.get(i, j));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(Rdm::of_rows(array![[0.0], [f64::NAN]].view(), Measure::Cosine).is_err());
        assert!(Rdm::from_condensed(3, vec![1.0; 2], Measure::Euclidean).is_err());
        assert!(Rdm::from_condensed(2, vec![f64::INFINITY], Measure::Euclidean).is_err());
        let undefined = Rdm::from_condensed(2, vec![f64::NAN], Measure::Euclidean).unwrap();
        assert!(!undefined.is_complete());
        assert!(undefined.with_labels(vec![]).is_err());
    }
}
