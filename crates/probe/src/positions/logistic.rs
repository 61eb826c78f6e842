//! Logistic regression with an L2 penalty, solved to the optimum through the inner products of its rows.
//!
//! The loss is scikit-learn's: |w|²/2 + C Σ log(1 + exp(-y (w·x + b))), the intercept b not penalised. It is strictly
//! convex in w, so that every solver that converges finds the same. With fewer rows than columns, as here, Newton's
//! method in the coefficients α of w = Σ α x costs least: some Cholesky factors of a matrix as large as the rows are many.
//! A factor serves several steps while they converge fast (Shamanskii): near the optimum it hardly changes.

use ndarray::{Array1, ArrayView1, ArrayView2};
use ndarray_linalg::{Lapack, MatrixLayout, UPLO};

use crate::StatError;

/// Newton steps after which something must be wrong: about ten are enough.
const MOST_STEPS: usize = 200;

/// How far from zero the gradient may be at the optimum, in units of C.
const TOLERANCE: f64 = 1e-9;

/// A step that leaves at most this share of the gradient was fast: the next one may use the same factor.
const FAST: f64 = 0.1;

/// A fitted classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct Logistic {
    /// α, one a training row.
    pub coefficients: Array1<f64>,
    /// b.
    pub intercept: f64,
}

impl Logistic {
    /// Fits `labels` on rows whose inner products are `kernel` [rows, rows] (symmetric, positive semi-definite), with
    /// C = `c` > 0. Both labels must occur: with one of them only, the intercept has no optimum.
    pub fn fit(kernel: ArrayView2<f64>, labels: &[bool], c: f64) -> Result<Self, StatError> {
        crate::checks::same_length("labels of a logistic regression", kernel.nrows(), labels.len())?;
        let kernel = kernel.as_standard_layout();
        let kernel = kernel.view();
        if labels.iter().all(|&label| label) || labels.iter().all(|&label| !label) {
            return Err(StatError::TooFew { what: "classes of a logistic regression", least: 2, got: 1 });
        }
        let mut state = State::start(labels, c);
        let mut factor = None;
        for _ in 0..MOST_STEPS {
            let before = state.misfit();
            if before <= TOLERANCE {
                return Ok(Self { coefficients: state.alpha, intercept: state.intercept });
            }
            let known = match factor.take() {
                Some(known) => known,
                None => Factor::at(&state, kernel)?,
            };
            state = state.step(kernel, &known)?;
            factor = Some(known).filter(|_| state.misfit() <= FAST * before);
        }
        Err(unsolved(format!("not at the optimum after {MOST_STEPS} Newton steps")))
    }

    /// w·x + b of a row whose inner products with the training rows are given; above 0 it is taken as true.
    pub fn decision(&self, products: ArrayView1<f64>) -> f64 {
        self.coefficients.dot(&products) + self.intercept
    }
}

/// A point on the way, with everything that is known of it.
struct State {
    c: f64,
    /// 1 or 0.
    labels: Array1<f64>,
    alpha: Array1<f64>,
    /// `K α`.
    image: Array1<f64>,
    intercept: f64,
    /// The probability of true.
    p: Array1<f64>,
    loss: f64,
}

impl State {
    fn start(labels: &[bool], c: f64) -> Self {
        let n = labels.len();
        let labels = labels.iter().map(|&label| f64::from(u8::from(label))).collect();
        Self::at(c, labels, Array1::zeros(n), Array1::zeros(n), 0.0)
    }

    fn at(c: f64, labels: Array1<f64>, alpha: Array1<f64>, image: Array1<f64>, intercept: f64) -> Self {
        let decision = &image + intercept;
        let p = decision.mapv(|f| 1.0 / (1.0 + (-f).exp()));
        let misfit: f64 = decision.iter().zip(&labels).map(|(&f, &y)| softplus(f) - y * f).sum();
        let loss = 0.5 * alpha.dot(&image) + c * misfit;
        Self { c, labels, alpha, image, intercept, p, loss }
    }

    /// How far from the optimum: there α = C (y - p), and the residuals y - p sum to 0.
    fn misfit(&self) -> f64 {
        let residual = &self.labels - &self.p;
        let off = self.alpha.iter().zip(&residual).map(|(a, r)| (a / self.c - r).abs());
        off.fold(0.0, f64::max).max(residual.sum().abs() / residual.len() as f64)
    }

    /// One Newton step, halved until the loss does not rise.
    fn step(self, kernel: ArrayView2<f64>, factor: &Factor) -> Result<Self, StatError> {
        let (alpha, intercept) = factor.newton(&self)?;
        let image = kernel.dot(&alpha);
        let mut share = 1.0;
        loop {
            let between = |from: &Array1<f64>, to: &Array1<f64>| from + &((to - from) * share);
            let next = Self::at(
                self.c,
                self.labels.clone(),
                between(&self.alpha, &alpha),
                between(&self.image, &image),
                self.intercept + (intercept - self.intercept) * share,
            );
            // Rounding may let the loss rise by a hair at the optimum itself.
            if next.loss <= self.loss + 1e-12 * self.loss.abs() || share < 1e-12 {
                return Ok(next);
            }
            share *= 0.5;
        }
    }
}

/// The Cholesky factor of the second-order expansion at some point.
///
/// With S = sqrt(C p (1-p)) the matrix I + S K S has no eigenvalue below 1, so that it can always be factored.
struct Factor {
    /// S.
    root: Array1<f64>,
    /// Its lower triangle, by columns; what lies above is no part of it.
    columns: Vec<f64>,
}

impl Factor {
    fn at(state: &State, kernel: ArrayView2<f64>) -> Result<Self, StatError> {
        let n = state.p.len();
        let root = state.p.mapv(|p| (state.c * (p * (1.0 - p)).max(1e-12)).sqrt());
        let scales = root.as_slice().unwrap_or_default();
        let mut columns = vec![0.0; n * n];
        // Symmetric: row j is column j.
        for (j, (column, row)) in columns.chunks_exact_mut(n).zip(kernel.rows()).enumerate() {
            let row = row.to_slice().unwrap_or_default();
            for ((entry, product), s) in column[j..].iter_mut().zip(&row[j..]).zip(&scales[j..]) {
                *entry = s * product * scales[j];
            }
            column[j] += 1.0;
        }
        f64::cholesky(layout(n), UPLO::Lower, &mut columns).map_err(|error| unsolved(error.to_string()))?;
        Ok(Self { root, columns })
    }

    /// Where the expansion has its optimum: iteratively reweighted least squares in its dual form. With W = S² solve
    /// (I + W K) δ + W 1 δb = C (y - p) - α, so that the new α sum to 0.
    fn newton(&self, state: &State) -> Result<(Array1<f64>, f64), StatError> {
        let solve = |target: Array1<f64>| {
            let mut solved = (target / &self.root).to_vec();
            f64::solve_cholesky(layout(solved.len()), UPLO::Lower, &self.columns, &mut solved)
                .map_err(|error| unsolved(error.to_string()))?;
            Ok(Array1::from(solved) * &self.root)
        };
        let off = solve((&state.labels - &state.p) * state.c - &state.alpha)?;
        let ones = solve(&self.root * &self.root)?;
        let shift = (state.alpha.sum() + off.sum()) / ones.sum();
        Ok((&state.alpha + &off - ones * shift, state.intercept + shift))
    }
}

/// A square matrix of n rows by columns.
fn layout(n: usize) -> MatrixLayout {
    // A kernel of more rows than fit an i32 fits no memory.
    let n = n as i32;
    MatrixLayout::F { col: n, lda: n }
}

/// log(1 + exp(f)) without overflow.
fn softplus(f: f64) -> f64 {
    f.max(0.0) + (-f.abs()).exp().ln_1p()
}

fn unsolved(problem: String) -> StatError {
    StatError::Unsolved { what: "logistic regression", problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    /// At the optimum the gradient in w and b vanishes, whatever the route there.
    #[test]
    fn the_gradient_vanishes_at_the_solution() {
        let x = array![[0.3, -2.0], [1.5, 0.1], [-0.7, 0.4], [2.0, 2.0], [-1.0, -0.2], [0.9, 0.8]];
        let labels = [false, true, true, true, false, false];
        for c in [0.01, 1.0, 100.0] {
            let fitted = Logistic::fit(x.dot(&x.t()).view(), &labels, c).unwrap();
            let w = x.t().dot(&fitted.coefficients);
            let residual: Array1<f64> = x
                .rows()
                .into_iter()
                .zip(labels)
                .map(|(row, y)| {
                    f64::from(u8::from(y)) - 1.0 / (1.0 + (-(row.dot(&w) + fitted.intercept)).exp())
                })
                .collect();
            let gradient = &w - &(x.t().dot(&residual) * c);
            assert!(gradient.iter().all(|g| g.abs() < 1e-7 * c.max(1.0)), "{gradient}");
            assert!(residual.sum().abs() < 1e-8);
        }
    }

    /// Separable data of a large norm: probabilities near 0 and 1 must not break the factors.
    #[test]
    fn far_apart_classes_are_told_apart() {
        let x =
            Array2::from_shape_fn((20, 3), |(i, j)| (if i < 10 { -1e4 } else { 1e4 }) + (i * 7 + j) as f64);
        let labels: Vec<bool> = (0..20).map(|i| i >= 10).collect();
        let kernel = x.dot(&x.t());
        let fitted = Logistic::fit(kernel.view(), &labels, 1.0).unwrap();
        for (row, label) in kernel.rows().into_iter().zip(labels) {
            assert_eq!(fitted.decision(row) > 0.0, label);
        }
    }

    #[test]
    fn one_class_is_refused() {
        assert!(Logistic::fit(Array2::eye(3).view(), &[true; 3], 1.0).is_err());
        assert!(Logistic::fit(Array2::eye(3).view(), &[true, false], 1.0).is_err());
    }
}
