//! Surrogates of maps that are as smooth in space as the maps themselves: Moran spectral randomization.
//!
//! Regions of a brain, or weather stations, that lie near each other are alike. Two smooth maps that have nothing to do
//! with each other therefore correlate far more often than a permutation of the items says, since a permutation destroys
//! the smoothness too. Surrogates keep it (Wagner and Dray 2015, Methods in Ecology and Evolution 6:1169; the
//! `singleton` procedure of BrainSpace's `MoranRandomization`).
//!
//! With W the weights k(distance) between items (0 on the diagonal) and H = I - 1/n, the eigenvectors V of HWH are
//! maps from smooth to rough (Moran's eigenvector maps); the eigenvalue of each is its Moran's I, up to a factor. A map x
//! is `x̄ + Σ r_i v_i`; its surrogate is `x̄ + Σ ±r_i v_i` with random signs, the same ones for all columns of a table. It
//! has exactly the mean, the variance, Moran's I, and with the other columns the covariances of the original.
//!
//! **Which kernel k?** That of the table's own variogram ([`SpatialNull`]): a Matérn covariance of smoothness 1/2, 3/2, 5/2
//! or infinite (Gaussian) and a length λ. Both matter, most for wide tables. Their distances follow the covariance closely,
//! so that surrogates with other eigenvectors than the covariance has are never as alike to smooth data as the table is:
//! with a λ much too short, or an exponential kernel for a map that is smooth at 0, most unrelated wide tables come out as
//! related (tests show both).
//!
//! The p is exact where the rows of coefficients r_i have, under the null, signs that are independent and as likely + as
//! -: for Gaussian maps whose covariance over space has the eigenvectors V. With a fitted kernel of the family it is close to
//! that (`docs/choosing-a-measure.md` has the rates). Of other maps it would be far too small, as where the variance
//! differs from place to place; so the table's variogram is held against those of its surrogates, and p is [`Withheld`] where
//! it fits worse than theirs, or where λ is at the end of what was tried. A map may still differ from its surrogates in what a
//! variogram does not tell. Where places are mirrored, as the two sides of a brain are, the eigenvectors are symmetric or
//! antisymmetric, so that likeness of homologues is kept too.
//!
//! Not for the question whether a table knows its **places**: surrogates keep the very thing that is asked for. There,
//! permute the items.

mod basis;
mod kernel;
mod null;
mod variogram;

pub use basis::MoranBasis;
pub use kernel::{Kernel, Smoothness};
pub use null::{SpatialFit, SpatialNull, SpatialTest, Withheld};

use ndarray::{Array2, ArrayView2, Axis};
use rand::RngExt;
use rayon::prelude::*;
use streams::{Stream, Streams};

use crate::permutation::{Tail, Tested};
use crate::{StatError, checks, svd};

impl MoranBasis {
    /// Surrogate number `number` of a table [items, columns]: the same random signs for all columns. Signs are drawn from
    /// sub-stream `probe/moran/NUMBER` of [`Stream::Permutation`].
    pub fn surrogate(
        &self,
        table: ArrayView2<f64>,
        number: usize,
        streams: &Streams,
    ) -> Result<Array2<f64>, StatError> {
        self.check(table)?;
        let mean = table.mean_axis(Axis(0)).unwrap_or_default();
        let mut coefficients = self.maps().t().dot(&svd::centred(table));
        for (mut row, sign) in coefficients.rows_mut().into_iter().zip(self.signs(number, streams)) {
            row *= sign;
        }
        Ok(self.maps().dot(&coefficients) + &mean)
    }

    /// `statistic` of the table, and how often it is as extreme in `draws` (at least 1) surrogates: p = (k + 1)/(draws + 1).
    /// An undefined surrogate statistic counts as extreme; p is NaN where that of the table is.
    pub fn test(
        &self,
        table: ArrayView2<f64>,
        draws: usize,
        tail: Tail,
        streams: &Streams,
        statistic: impl Fn(ArrayView2<f64>) -> f64 + Sync,
    ) -> Result<Tested, StatError> {
        self.check(table)?;
        let of = |number: usize| Ok(vec![statistic(self.surrogate(table, number, streams)?.view())]);
        let value = statistic(table);
        Ok(Tested { value, p: p_each(&[(value, tail)], draws, of)?[0] })
    }

    fn signs(&self, number: usize, streams: &Streams) -> Vec<f64> {
        let mut rng = streams.rng_for(Stream::Permutation, &format!("probe/moran/{number}"));
        self.eigenvalues().iter().map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect()
    }

    fn check(&self, table: ArrayView2<f64>) -> Result<(), StatError> {
        checks::same_length("surrogate maps: items", self.items(), table.nrows())?;
        checks::finite("surrogate maps: table", table)
    }
}

fn p_each(
    observed: &[(f64, Tail)],
    draws: usize,
    statistics: impl Fn(usize) -> Result<Vec<f64>, StatError> + Sync,
) -> Result<Vec<f64>, StatError> {
    check_draws(draws)?;
    let reached = |number: usize| -> Result<Vec<usize>, StatError> {
        let values = statistics(number)?;
        let extreme = |((seen, tail), new): (&(f64, Tail), &f64)| {
            usize::from(new.is_nan() || tail.reached(*seen, *new))
        };
        Ok(observed.iter().zip(&values).map(extreme).collect())
    };
    let add = |sums: Vec<usize>, more: Vec<usize>| sums.iter().zip(&more).map(|(a, b)| a + b).collect();
    // Whole numbers: the sum does not depend on how the work is split.
    let counts = (0..draws)
        .into_par_iter()
        .map(reached)
        .try_reduce(|| vec![0; observed.len()], |sums, more| Ok(add(sums, more)))?;
    let p = |((seen, _), count): (&(f64, Tail), usize)| {
        if seen.is_nan() { f64::NAN } else { (count as f64 + 1.0) / (draws as f64 + 1.0) }
    };
    Ok(observed.iter().zip(counts).map(p).collect())
}

fn check_draws(draws: usize) -> Result<(), StatError> {
    match draws {
        0 => Err(StatError::TooFew { what: "draws of surrogate maps", least: 1, got: 0 }),
        _ => Ok(()),
    }
}
