//! Representational dissimilarity matrices: who is how far from whom.
//!
//! An [`Rdm`] of n conditions holds n(n-1)/2 distances, 4 n² bytes: 0.4 GB for n = 10,000. To compute it from
//! [n, d] takes two copies of the rows and, on each thread, tiles of 1 MB beside it: 0.6 GB in all for
//! 10,000 x 768. From 128 rows on, inner products are matrix products; a Euclidean distance that would lose
//! digits that way, because the two rows are much closer to each other than to the mean row, is computed from
//! their difference instead, so that near-duplicates are as exact as in a small table. The number of threads
//! changes no bit; another kind of processor may change the last ones.

pub(crate) mod cholesky;
mod condensed;
mod crossnobis;
mod design;
mod distances;
mod mahalanobis;
mod measure;
mod missing;
mod noise;
mod product;
mod reference;
mod shrinkage;

pub(crate) use condensed::{over_pairs, pairs, position, square};
pub use design::{Means, condition_means};
pub use distances::centre_rows;
pub use measure::Measure;
pub use missing::Missing;
pub use noise::NoiseCovariance;
pub use reference::{hamming, one_hot, shares_any, shares_axis};
pub use shrinkage::Shrinkage;

use ndarray::{Array2, ArrayView2};

use crate::{StatError, checks};

/// The distances between n conditions: the upper triangle, row by row, as (0,1), (0,2), ..., (n-2, n-1).
///
/// It knows how it was measured and what its conditions are called. A distance can be undefined (the cosine
/// distance to a zero row, a row with a missing cell): it is then NaN, and each statistic states what it does
/// with such a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Rdm {
    conditions: usize,
    values: Vec<f64>,
    measure: Measure,
    labels: Vec<String>,
}

impl Rdm {
    /// The distances between the rows of `x` [conditions, channels], all of them finite: anything else is an
    /// error, as with [`Missing::Refuse`]. Labels are the row numbers.
    pub fn of_rows(x: ArrayView2<f64>, measure: Measure) -> Result<Self, StatError> {
        Self::of_rows_with(x, measure, Missing::Refuse)
    }

    /// The distances between rows of which some cells may be missing (NaN).
    pub fn of_rows_with(x: ArrayView2<f64>, measure: Measure, missing: Missing) -> Result<Self, StatError> {
        let instead = match measure {
            Measure::Mahalanobis => "it needs the covariance of the noise: call Rdm::mahalanobis",
            Measure::SquaredMahalanobis => {
                "it needs the covariance of the noise: call Rdm::squared_mahalanobis"
            }
            Measure::Crossnobis => "it needs repeated measurements: call Rdm::crossnobis",
            Measure::Given => "name one that is computed from rows",
            _ => {
                let values = missing::condensed(x, measure, missing)?;
                return Self::from_condensed(x.nrows(), values, measure);
            }
        };
        Err(StatError::Unsupported { what: "RDM of rows", got: format!("the measure {measure}"), instead })
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

    /// Wraps a full distance matrix [conditions, conditions]. It must be symmetric (to 1e-12 of its largest
    /// entry; the upper triangle is taken) with zeros on the diagonal. NaN marks an undefined pair.
    pub fn from_square(full: ArrayView2<f64>, measure: Measure) -> Result<Self, StatError> {
        let n = full.nrows();
        let wrong = |expected: &str, got: String| StatError::Matrix {
            what: "square RDM",
            expected: expected.to_owned(),
            got,
            remedy: "give distances between all items, in both triangles, or a table of their rows and a measure",
        };
        if full.ncols() != n {
            return Err(wrong("a square matrix, as many columns as rows", format!("{n} x {}", full.ncols())));
        }
        let largest = full.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let differ = |a: f64, b: f64| a.is_nan() != b.is_nan() || (a - b).abs() > 1e-12 * largest;
        for i in 0..n {
            if full[[i, i]] != 0.0 {
                return Err(wrong("zeros on the diagonal", format!("{} at ({i}, {i})", full[[i, i]])));
            }
            if let Some(j) = (i + 1..n).find(|&j| differ(full[[i, j]], full[[j, i]])) {
                let got = format!("{} at ({i}, {j}), {} at ({j}, {i})", full[[i, j]], full[[j, i]]);
                return Err(wrong("a symmetric matrix", got));
            }
        }
        Self::from_condensed(n, over_pairs(n, |i, j| full[[i, j]]), measure)
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
        Some(self.values[position(self.conditions, low, high)])
    }

    /// The full symmetric matrix [conditions, conditions], zeros on the diagonal.
    pub fn to_square(&self) -> Array2<f64> {
        let n = self.conditions;
        Array2::from_shape_fn((n, n), |(i, j)| match i.cmp(&j) {
            std::cmp::Ordering::Less => self.values[position(n, i, j)],
            std::cmp::Ordering::Equal => 0.0,
            std::cmp::Ordering::Greater => self.values[position(n, j, i)],
        })
    }

    /// Every distance times `factor`, such as 1/channels. The measure keeps its name.
    pub fn scaled(mut self, factor: f64) -> Result<Self, StatError> {
        self.values.iter_mut().for_each(|value| *value *= factor);
        Self::from_condensed(self.conditions, self.values, self.measure)?.with_labels(self.labels)
    }

    /// The RDM of these conditions in this order, some perhaps several times, as a bootstrap draws them. The
    /// distance of a condition to its own copy says nothing and is NaN, as in rsatoolbox.
    pub fn resampled(&self, conditions: &[usize]) -> Result<Self, StatError> {
        if let Some(&beyond) = conditions.iter().find(|&&i| i >= self.conditions) {
            return Err(StatError::Shape {
                what: "resampling an RDM",
                expected: format!("numbers of conditions below {}", self.conditions),
                got: beyond.to_string(),
            });
        }
        let values = resample(self.conditions, &self.values, conditions);
        let labels = conditions.iter().map(|&i| self.labels[i].clone()).collect();
        Ok(Self { conditions: conditions.len(), values, measure: self.measure, labels })
    }
}

/// The condensed distances of drawn conditions, NaN between copies.
pub(crate) fn resample(n: usize, values: &[f64], drawn: &[usize]) -> Vec<f64> {
    over_pairs(drawn.len(), |a, b| {
        let (i, j) = (drawn[a].min(drawn[b]), drawn[a].max(drawn[b]));
        if i == j { f64::NAN } else { values[position(n, i, j)] }
    })
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
        let given = |full: Array2<f64>| Rdm::from_square(full.view(), Measure::Given);
        assert!(given(array![[0.0, 1.0], [2.0, 0.0]]).unwrap_err().to_string().contains("symmetric"));
        assert!(given(array![[0.0, 1.0], [1.0, 3.0]]).unwrap_err().to_string().contains("diagonal"));
        assert!(given(array![[0.0, 1.0]]).is_err());
        for measure in [Measure::Mahalanobis, Measure::Crossnobis, Measure::Given] {
            let error = Rdm::of_rows(array![[0.0], [1.0]].view(), measure).unwrap_err().to_string();
            assert!(error.contains(&measure.to_string()), "{error}");
        }
    }

    #[test]
    fn square_and_back_and_resampled() {
        let rdm = Rdm::of_rows(array![[0.0], [1.0], [3.0], [7.0]].view(), Measure::Euclidean).unwrap();
        assert_eq!(Rdm::from_square(rdm.to_square().view(), Measure::Euclidean).unwrap(), rdm);
        let drawn = rdm.resampled(&[3, 0, 0]).unwrap();
        assert_eq!(drawn.values()[..2], [7.0, 7.0]);
        assert!(drawn.values()[2].is_nan() && drawn.labels() == ["3", "0", "0"]);
        assert!(rdm.resampled(&[4]).is_err());
    }
}
