//! Ridge regression, prepared once for many targets and penalties.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use crate::{StatError, checks, svd};

/// A table [n, d], decomposed for ridge regression with an intercept.
#[derive(Debug, Clone)]
pub struct Ridge {
    mean: Array1<f64>,
    u: Array2<f64>,
    s: Array1<f64>,
    vt: Array2<f64>,
}

/// A fitted linear map.
#[derive(Debug, Clone)]
pub struct LinearMap {
    /// [d, k].
    pub coefficients: Array2<f64>,
    /// `[k]`.
    pub intercept: Array1<f64>,
}

impl LinearMap {
    /// The predictions for `x` [m, d], [m, k].
    pub fn predict(&self, x: ArrayView2<f64>) -> Result<Array2<f64>, StatError> {
        checks::same_length("linear map: columns of the table", self.coefficients.nrows(), x.ncols())?;
        Ok(x.dot(&self.coefficients) + &self.intercept)
    }
}

impl Ridge {
    /// Decomposes `x` [n, d], n >= 2, by the singular values of its centred columns; they are **not** scaled to
    /// unit variance, so a column counts by its size. Directions whose singular value is rounding (below
    /// max(n, d) ε of the largest) are left out: with alpha 0 the fit is the least squares one of least norm.
    pub fn new(x: ArrayView2<f64>) -> Result<Self, StatError> {
        if x.nrows() < 2 {
            return Err(StatError::TooFew {
                what: "ridge regression: rows to fit",
                least: 2,
                got: x.nrows(),
            });
        }
        checks::finite("ridge regression: table", x)?;
        let mean = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(x.ncols()));
        let svd::ThinSvd { u, s, vt } = svd::thin("ridge regression: table", svd::centred(x).view())?;
        let least = s.first().copied().unwrap_or(0.0) * f64::EPSILON * x.nrows().max(x.ncols()) as f64;
        let kept = s.iter().take_while(|value| **value > least).count();
        let first = ndarray::Slice::from(..kept);
        Ok(Self {
            mean,
            u: u.slice_axis(Axis(1), first).to_owned(),
            s: s.slice_axis(Axis(0), first).to_owned(),
            vt: vt.slice_axis(Axis(0), first).to_owned(),
        })
    }

    /// Minimises `|Y - X W - b|² + alpha |W|²` over W and b, for `y` [n, k]: Hoerl and Kennard (1970), the fit
    /// of scikit-learn's `Ridge`. The penalty is in units of the squared columns, and the intercept is free.
    pub fn fit(&self, y: ArrayView2<f64>, alpha: f64) -> Result<LinearMap, StatError> {
        self.check(y)?;
        check_alpha(alpha)?;
        let (mean, centred) = self.centre(y);
        let coefficients = self.vt.t().dot(&self.rotated(&centred, alpha));
        let intercept = mean - self.mean.dot(&coefficients);
        Ok(LinearMap { coefficients, intercept })
    }

    /// The alpha of `grid` with the least mean squared leave-one-out error over rows and columns of `y`, the
    /// first of equals; what scikit-learn's `RidgeCV` picks. Axes count by their size.
    ///
    /// The error of row i is `(y_i - ŷ_i) / (1 - 1/n - h_i)`, h the diagonal of the hat matrix: exact, no
    /// refit. An alpha whose fit goes through a row has no such error there, and is not picked unless all are
    /// so; then the largest is.
    pub fn best_alpha(&self, y: ArrayView2<f64>, grid: &[f64]) -> Result<f64, StatError> {
        self.check(y)?;
        check_grid(grid)?;
        let (_, centred) = self.centre(y);
        Ok(self.best_of(&centred, grid))
    }

    pub(crate) fn best_of(&self, centred: &Array2<f64>, grid: &[f64]) -> f64 {
        let onto = self.u.t().dot(centred);
        let mut best = (f64::INFINITY, grid.iter().copied().fold(0.0, f64::max));
        for &alpha in grid {
            let error = self.leave_one_out(centred, &onto, alpha);
            if error < best.0 {
                best = (error, alpha);
            }
        }
        best.1
    }

    /// The sum of squares of the centred table.
    pub(crate) fn sum_of_squares(&self) -> f64 {
        self.s.dot(&self.s)
    }

    /// The mean of `y` and y without it.
    pub(crate) fn centre(&self, y: ArrayView2<f64>) -> (Array1<f64>, Array2<f64>) {
        (y.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(y.ncols())), svd::centred(y))
    }

    /// The coefficients in the table's own axes [r, k], for centred targets.
    pub(crate) fn rotated(&self, centred: &Array2<f64>, alpha: f64) -> Array2<f64> {
        let shrink = self.s.mapv(|s| s / (s * s + alpha)).insert_axis(Axis(1));
        self.u.t().dot(centred) * shrink
    }

    /// Rows [m, d] in the table's own axes [m, r].
    pub(crate) fn project(&self, x: ArrayView2<f64>) -> Array2<f64> {
        (&x - &self.mean).dot(&self.vt.t())
    }

    fn leave_one_out(&self, centred: &Array2<f64>, onto: &Array2<f64>, alpha: f64) -> f64 {
        let keep = self.s.mapv(|s| s * s / (s * s + alpha));
        let fitted = self.u.dot(&(onto * &keep.view().insert_axis(Axis(1))));
        let free = 1.0 - 1.0 / self.u.nrows() as f64;
        let mut sum = 0.0;
        for ((row, fitted), u) in centred.rows().into_iter().zip(fitted.rows()).zip(self.u.rows()) {
            let left = free - leverage(u, &keep);
            if left <= 1e-10 {
                return f64::INFINITY;
            }
            sum += row.iter().zip(fitted).map(|(y, f)| ((y - f) / left).powi(2)).sum::<f64>();
        }
        sum / centred.len() as f64
    }

    fn check(&self, y: ArrayView2<f64>) -> Result<(), StatError> {
        checks::same_length("ridge regression: rows of the targets", self.u.nrows(), y.nrows())?;
        checks::finite("ridge regression: targets", y)
    }
}

/// Refuses a penalty that is negative or not finite.
pub(crate) fn check_alpha(alpha: f64) -> Result<(), StatError> {
    if alpha.is_finite() && alpha >= 0.0 {
        return Ok(());
    }
    let expected = "a finite number, 0 or more".into();
    Err(StatError::Parameter { what: "ridge regression: alpha", expected, got: alpha.to_string() })
}

pub(crate) fn check_grid(grid: &[f64]) -> Result<(), StatError> {
    if grid.is_empty() {
        return Err(StatError::TooFew { what: "ridge regression: alphas to choose from", least: 1, got: 0 });
    }
    grid.iter().try_for_each(|&alpha| check_alpha(alpha))
}

fn leverage(u: ArrayView1<f64>, keep: &Array1<f64>) -> f64 {
    u.iter().zip(keep).map(|(u, keep)| u * u * keep).sum()
}
