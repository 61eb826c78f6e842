//! Absolute positions: can the index of a row be read off it by a linear map?
//!
//! The published reading: rows in random order, ordinary least squares from row to index (with intercept, of minimum
//! norm), 5-fold cross-validation, mean of |round(prediction) - index|. With 512 rows a training fold has about 410,
//! so that a width near 410 stands at the interpolation peak, where least squares is at its worst whatever the table
//! knows: the same reading through principal components, or with a ridge, is what can be compared across widths.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::folds::k_fold;
use super::{FEWEST_POSITIONS, FOLDS};
use crate::svd::{self, ThinSvd};
use crate::{StatError, checks};

/// How the index is regressed on the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regression {
    /// Ordinary least squares of minimum norm, as published (scikit-learn's `LinearRegression`).
    LeastSquares,
    /// Least squares on this many principal components of the training rows. Undefined (NaN) where the training rows
    /// have no more than that many, less one.
    Components(usize),
    /// Ridge; its strength by leave-one-out error within the training fold, among 10^-6 to 10^2 times the mean squared
    /// singular value in steps of half a decade. Scaling a table changes nothing.
    Ridge,
}

/// A table made ready for many repetitions.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// [positions, min(positions, width)]: the rows, rotated into the space that they span.
    rows: Array2<f64>,
    width: usize,
}

impl Prepared {
    /// Prepares a table [positions, width] of at least 10 positions.
    pub fn new(table: ArrayView2<f64>) -> Result<Self, StatError> {
        checks::finite("table of positions", table)?;
        let (positions, width) = table.dim();
        if positions < FEWEST_POSITIONS {
            return Err(StatError::TooFew {
                what: "rows of a table of positions",
                least: FEWEST_POSITIONS,
                got: positions,
            });
        }
        if width == 0 {
            return Err(StatError::TooFew { what: "columns of a table of positions", least: 1, got: 0 });
        }
        // All three regressions are invariant under a rotation of the columns, which makes a wide table square.
        let rows = if width > positions {
            let ThinSvd { u, s, .. } = svd::thin("table of positions", table)?;
            u * &s
        } else {
            table.to_owned()
        };
        Ok(Self { rows, width })
    }

    /// The predicted index of every position, not rounded, one vector a regression.
    ///
    /// `order` is a permutation of the positions; the folds are consecutive blocks of it.
    pub fn predictions(&self, order: &[usize], how: &[Regression]) -> Result<Vec<Vec<f64>>, StatError> {
        let n = self.rows.nrows();
        checks::same_length("order of the positions", n, order.len())?;
        let mut sorted = order.to_vec();
        sorted.sort_unstable();
        if let Some(place) = sorted.iter().enumerate().position(|(i, &position)| i != position) {
            return Err(StatError::Shape {
                what: "order of the positions",
                expected: format!("each of 0 to {} once", n - 1),
                got: format!("{place} missing"),
            });
        }
        let mut predicted = vec![vec![f64::NAN; n]; how.len()];
        for fold in k_fold(n, FOLDS) {
            let test = &order[fold.clone()];
            let train: Vec<usize> = [&order[..fold.start], &order[fold.end..]].concat();
            let fitted = Fitted::new(self.rows.select(Axis(0), &train), &train, self.width)?;
            for (predicted, &how) in predicted.iter_mut().zip(how) {
                let weights = fitted.weights(how);
                for &position in test {
                    predicted[position] = fitted.predict(self.rows.row(position), &weights);
                }
            }
        }
        Ok(predicted)
    }
}

/// |round(prediction) - index| of every position, halves to the even neighbour as NumPy rounds.
pub fn errors(predicted: &[f64]) -> Vec<f64> {
    predicted.iter().enumerate().map(|(index, p)| (p.round_ties_even() - index as f64).abs()).collect()
}

/// A training fold in its singular vectors: there each of the regressions is a weight for each of them.
struct Fitted {
    mean: Array1<f64>,
    intercept: f64,
    decomposed: ThinSvd,
    /// `uᵀ y` of the centred indices.
    projected: Array1<f64>,
    centred: Array1<f64>,
    /// Singular values up to here are noise.
    cutoff: f64,
}

impl Fitted {
    fn new(rows: Array2<f64>, positions: &[usize], width: usize) -> Result<Self, StatError> {
        let mean = rows.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(rows.ncols()));
        let targets: Array1<f64> = positions.iter().map(|&position| position as f64).collect();
        let intercept = targets.mean().unwrap_or(0.0);
        let centred = targets - intercept;
        let larger = rows.nrows().max(width) as f64;
        let decomposed = svd::thin("training rows of positions", (&rows - &mean).view())?;
        let cutoff = larger * f64::EPSILON * decomposed.s.first().copied().unwrap_or(0.0);
        let projected = decomposed.u.t().dot(&centred);
        Ok(Self { mean, intercept, decomposed, projected, centred, cutoff })
    }

    /// What each singular vector's coordinate is multiplied by.
    fn weights(&self, how: Regression) -> Array1<f64> {
        let s = &self.decomposed.s;
        let inverse = |k: usize| if s[k] > self.cutoff { self.projected[k] / s[k] } else { 0.0 };
        match how {
            Regression::LeastSquares => (0..s.len()).map(inverse).collect(),
            Regression::Components(most) if most > s.len().min(self.centred.len() - 1) => {
                Array1::from_elem(s.len(), f64::NAN)
            }
            Regression::Components(most) => {
                (0..s.len()).map(|k| if k < most { inverse(k) } else { 0.0 }).collect()
            }
            Regression::Ridge => {
                let strength = self.best_strength();
                (0..s.len()).map(|k| shrink(s[k], strength) * inverse(k)).collect()
            }
        }
    }

    /// The strength with the least leave-one-out error on the training rows.
    fn best_strength(&self) -> f64 {
        let s = &self.decomposed.s;
        let typical = s.iter().map(|s| s * s).sum::<f64>() / s.len().max(1) as f64;
        let strengths = (-12..=4).map(|half_decades| typical * 10f64.powf(f64::from(half_decades) / 2.0));
        let with_error = strengths.map(|strength| (strength, self.left_out_error(strength)));
        with_error.fold((f64::NAN, f64::INFINITY), |best, now| if now.1 < best.1 { now } else { best }).0
    }

    /// Sum of squared leave-one-out residuals: each residual over one minus its row's leverage.
    fn left_out_error(&self, strength: f64) -> f64 {
        let shrinks = self.decomposed.s.mapv(|s| shrink(s, strength));
        let fitted = self.decomposed.u.dot(&(&shrinks * &self.projected));
        let n = self.centred.len() as f64;
        let leverage =
            |u: ArrayView1<f64>| 1.0 / n + u.iter().zip(&shrinks).map(|(u, h)| u * u * h).sum::<f64>();
        let rows = self.decomposed.u.rows().into_iter().zip(self.centred.iter().zip(&fitted));
        rows.map(|(u, (y, fit))| ((y - fit) / (1.0 - leverage(u))).powi(2)).sum()
    }

    fn predict(&self, row: ArrayView1<f64>, weights: &Array1<f64>) -> f64 {
        self.intercept + self.decomposed.vt.dot(&(&row - &self.mean)).dot(weights)
    }
}

fn shrink(s: f64, strength: f64) -> f64 {
    if s > 0.0 { s * s / (s * s + strength) } else { 0.0 }
}
