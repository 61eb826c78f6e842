//! The basis whose smoothness is that of a table, and whether there is such a one.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};
use streams::Streams;

use super::variogram::Variogram;
use super::{Kernel, MoranBasis, check_draws, p_each};
use crate::permutation::Tail;
use crate::rdm::{Measure, Rdm, over_pairs};
use crate::{StatError, checks, distances};

/// A table whose variogram is as far off the fitted curve as fewer than this share of its surrogates is of another kind.
const POOR: f64 = 0.05;

/// Given places, and the lengths λ among which that of a table is sought: from half the median distance to the nearest other
/// place to twice the largest distance.
#[derive(Debug, Clone)]
pub struct SpatialNull {
    distances: Rdm,
    lengths: [f64; 2],
}

/// Surrogates that are as smooth as one table.
#[derive(Debug, Clone)]
pub struct SpatialFit {
    basis: MoranBasis,
    variogram: Variogram,
}

/// Why there is no p: the surrogates would not be what the table is under the null.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Withheld {
    /// The fitted λ is the longest one tried, twice the largest distance: a trend over all places, or no telling how far
    /// smoothness reaches.
    LengthAtEdge,
    /// The table's variogram is farther off the fitted curve than those of 95 % of its own surrogates: not stationary (its
    /// variance differs from place to place), not the same in every direction, or of no kernel of the family.
    PoorFit,
}

/// A statistic against smooth surrogates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialTest {
    /// The statistic.
    pub value: f64,
    /// The share of surrogates that are as extreme, (k + 1)/(draws + 1). NaN where the statistic is, and where it is withheld.
    pub p: f64,
    /// The share of surrogates whose variogram is as far off the fitted curve. NaN where λ is at the edge.
    pub fit_p: f64,
    /// Why p is NaN though the statistic is a number.
    pub withheld: Option<Withheld>,
}

/// What [`SpatialFit::test_inner_products`] finds.
pub(crate) struct SpatialTests {
    pub(crate) p: Vec<f64>,
    pub(crate) fit_p: f64,
    pub(crate) withheld: Option<Withheld>,
}

impl SpatialNull {
    /// From coordinates [items, axes], by Euclidean distance.
    pub fn new(coords: ArrayView2<f64>) -> Result<Self, StatError> {
        Self::of_distances(&Rdm::of_rows(coords, Measure::Euclidean)?)
    }

    /// From distances between at least 3 places, not all of them the same.
    pub fn of_distances(distances: &Rdm) -> Result<Self, StatError> {
        let n = distances.conditions();
        if n < 3 {
            return Err(StatError::TooFew { what: "places of surrogate maps", least: 3, got: n });
        }
        checks::finite_slice("surrogate maps: distances", distances.values())?;
        let largest = distances.values().iter().fold(0.0f64, |most, value| most.max(*value));
        if largest <= 0.0 {
            return Err(StatError::Parameter {
                what: "surrogate maps: distances",
                expected: "some above 0".into(),
                got: "every item at one place".into(),
            });
        }
        let lengths = [distances::typical_step(distances) / 2.0, 2.0 * largest];
        Ok(Self { distances: distances.clone(), lengths })
    }

    /// The surrogates whose kernel has the variogram `a + b (1 - k(d))`, a and b not negative, that comes closest to the
    /// squared distances between rows of the table [items, columns]: over [`Smoothness::ALL`](super::Smoothness::ALL) and 40
    /// lengths each, by least squares over pairs, weighted by the inverse square of a first, unweighted fit (Cressie 1985).
    /// One decomposition, O(n³).
    pub fn fit(&self, table: ArrayView2<f64>) -> Result<SpatialFit, StatError> {
        checks::same_length("surrogate maps: items", self.distances.conditions(), table.nrows())?;
        checks::finite("surrogate maps: table", table)?;
        let squared: Vec<f64> = distances::euclidean(table).into_iter().map(|d| d * d).collect();
        let variogram = Variogram::fit(&self.distances, &squared, self.lengths)?;
        Ok(SpatialFit { basis: MoranBasis::of_distances(&self.distances, variogram.kernel)?, variogram })
    }
}

impl SpatialFit {
    /// The maps, and surrogates of them.
    pub fn basis(&self) -> &MoranBasis {
        &self.basis
    }

    /// The fitted kernel.
    pub fn kernel(&self) -> Kernel {
        self.variogram.kernel
    }

    /// `statistic` of the table that was fitted, and how often it is as extreme in `draws` (at least 1) surrogates. An undefined
    /// surrogate statistic counts as extreme. The same surrogates tell whether the table is of the fitted kind at all.
    pub fn test(
        &self,
        table: ArrayView2<f64>,
        draws: usize,
        tail: Tail,
        streams: &Streams,
        statistic: impl Fn(ArrayView2<f64>) -> f64 + Sync,
    ) -> Result<SpatialTest, StatError> {
        self.basis.check(table)?;
        let value = statistic(table);
        let misfit =
            |table: ArrayView2<f64>| self.variogram.misfit(distances::euclidean(table).iter().map(|d| d * d));
        let observed = [(value, tail), (misfit(table), Tail::Greater)];
        if self.variogram.at_edge {
            check_draws(draws)?;
            return Ok(SpatialTest {
                value,
                p: f64::NAN,
                fit_p: f64::NAN,
                withheld: self.withheld(f64::NAN),
            });
        }
        let p = p_each(&observed, draws, |number| {
            let surrogate = self.basis.surrogate(table, number, streams)?;
            Ok(vec![statistic(surrogate.view()), misfit(surrogate.view())])
        })?;
        let withheld = self.withheld(p[1]);
        Ok(SpatialTest { value, p: if withheld.is_some() { f64::NAN } else { p[0] }, fit_p: p[1], withheld })
    }

    /// The same of several statistics (large is extreme) that hang on a table's inner products of rows alone, such as all that
    /// distances or cosines tell. They are computed of the table's own inner products, and of those of `draws` surrogates.
    pub(crate) fn test_inner_products(
        &self,
        table: ArrayView2<f64>,
        draws: usize,
        streams: &Streams,
        statistics: impl Fn(ArrayView2<f64>) -> Result<Vec<f64>, StatError> + Sync,
    ) -> Result<SpatialTests, StatError> {
        self.basis.check(table)?;
        let basis = self.basis.with_constant();
        let coefficients = basis.t().dot(&table);
        let inner = coefficients.dot(&coefficients.t());
        let under = |signs: &[f64]| {
            // The constant has the last place: the mean stays.
            let sign = |i: usize| signs.get(i).copied().unwrap_or(1.0);
            let flipped = Array2::from_shape_fn(inner.dim(), |(i, j)| sign(i) * sign(j) * inner[[i, j]]);
            let products = basis.dot(&flipped).dot(&basis.t());
            let mut all = statistics(products.view())?;
            all.push(self.variogram.misfit(squared_distances(&products).into_iter()));
            Ok::<_, StatError>(all)
        };
        let observed: Vec<(f64, Tail)> =
            under(&[])?.into_iter().map(|value| (value, Tail::Greater)).collect();
        let count = observed.len() - 1;
        if self.variogram.at_edge {
            let withheld = self.withheld(f64::NAN);
            return Ok(SpatialTests { p: vec![f64::NAN; count], fit_p: f64::NAN, withheld });
        }
        let mut p = p_each(&observed, draws, |number| under(&self.basis.signs(number, streams)))?;
        let fit_p = p.pop().unwrap_or(f64::NAN);
        let withheld = self.withheld(fit_p);
        if withheld.is_some() {
            p.fill(f64::NAN);
        }
        Ok(SpatialTests { p, fit_p, withheld })
    }

    fn withheld(&self, fit_p: f64) -> Option<Withheld> {
        match self.variogram.at_edge {
            true => Some(Withheld::LengthAtEdge),
            false => (fit_p <= POOR).then_some(Withheld::PoorFit),
        }
    }
}

fn squared_distances(inner: &Array2<f64>) -> Vec<f64> {
    over_pairs(inner.nrows(), |i, j| (inner[[i, i]] + inner[[j, j]] - 2.0 * inner[[i, j]]).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdm::cholesky::cholesky;
    use crate::spatial::Smoothness;
    use ndarray::array;

    /// A table whose distances are exactly of the model: columns are a root of the covariance.
    #[test]
    fn the_kernel_of_a_table_is_found() {
        let coords = Array2::from_shape_fn((20, 1), |(i, _)| i as f64);
        let null = SpatialNull::new(coords.view()).unwrap();
        let [shortest, longest] = null.lengths;
        assert_eq!(null.lengths, [0.5, 38.0]);
        for (smoothness, step) in [(Smoothness::Exponential, 12.0), (Smoothness::MaternThreeHalves, 17.0)] {
            let length = shortest * ((longest / shortest).ln() / 39.0 * step).exp();
            let kernel = Kernel::new(smoothness, length).unwrap();
            let covariance =
                Array2::from_shape_fn((20, 20), |(i, j): (usize, usize)| kernel.at(i.abs_diff(j) as f64));
            let table = cholesky("covariance", covariance.view()).unwrap();
            let fit = null.fit(table.view()).unwrap();
            assert_eq!(fit.kernel().smoothness(), smoothness);
            approx::assert_relative_eq!(fit.kernel().length(), length, max_relative = 1e-9);
            assert!(fit.variogram.misfit(distances::euclidean(table.view()).iter().map(|d| d * d)) < 1e-9);
        }
        assert!(null.fit(array![[1.0], [2.0]].view()).is_err());
    }

    #[test]
    fn places_must_differ() {
        let error = SpatialNull::new(Array2::ones((4, 2)).view()).unwrap_err().to_string();
        assert!(error.contains("every item at one place"), "{error}");
        assert!(SpatialNull::new(array![[0.0], [1.0]].view()).is_err());
        // Two items may share a place.
        assert!(SpatialNull::new(array![[0.0], [0.0], [1.0], [3.0]].view()).is_ok());
    }
}
