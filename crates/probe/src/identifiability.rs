//! Do two seeds learn the same table, up to rotation, and more so than untrained tables do?
//!
//! Tables of different seeds have different axes, so they are compared by what a rotation leaves: Procrustes
//! R², CKA, RSA. None is 0 for unrelated tables of many columns but the unbiased CKA and RSA, and even these
//! have a spread; so each is set against tables that no one trained. The seeds must be independent: runs that
//! share an initialization are alike before any training.

use ndarray::{Array2, ArrayView2};
use rand_distr::{Distribution, Normal};
use rayon::prelude::*;
use streams::{Stream, Streams};

use crate::cka::{Estimator, Gram, Kernel};
use crate::compare::{Comparison, NanPolicy, compare};
use crate::procrustes::{Alignment, procrustes, reduced};
use crate::rdm::{Measure, Rdm};
use crate::{StatError, checks, distances, svd};

/// How alike two tables are, whatever the rotation, shift and scale of either.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// `1 - disparity`: the variance of one table that the other, rotated or reflected and scaled, explains.
    /// Far above 0 for unrelated tables: two random 16 x 160 ones read about 0.95.
    pub procrustes_r2: f64,
    /// Linear CKA, unbiased: about 0 for unrelated tables.
    pub cka: f64,
    /// Spearman correlation of the Euclidean RDMs: about 0 for unrelated tables. Distances that are equal but
    /// for rounding, as of a noiseless grid, rank by their rounding.
    pub rsa: f64,
}

/// Tables before any training: independent normal entries, mean 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Untrained {
    std: f64,
}

/// One measure of likeness, trained against untrained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    /// The mean over all pairs of the given tables.
    pub trained: f64,
    /// The mean of that mean over all draws of untrained tables.
    pub untrained: f64,
    /// trained - untrained.
    pub excess: f64,
    /// How often untrained tables are as alike: (k + 1)/(draws + 1), one-sided. The smallest is
    /// 1/(draws + 1).
    pub p: f64,
}

/// How alike the tables of several seeds are, beyond untrained ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Identifiability {
    /// The number of pairs of tables.
    pub pairs: usize,
    /// The number of draws of untrained tables.
    pub draws: usize,
    /// See [`Likeness::procrustes_r2`].
    pub procrustes_r2: Excess,
    /// See [`Likeness::cka`].
    pub cka: Excess,
    /// See [`Likeness::rsa`].
    pub rsa: Excess,
}

impl Untrained {
    /// Entries of standard deviation `std`, such as a learned table's σ at initialization: above 0.
    pub fn new(std: f64) -> Result<Self, StatError> {
        if std.is_finite() && std > 0.0 {
            return Ok(Self { std });
        }
        Err(StatError::Parameter {
            what: "untrained tables: standard deviation",
            expected: "a finite number above 0".into(),
            got: std.to_string(),
        })
    }

    /// As large as the tables `initial` were before training: the root of their mean squared entry.
    pub fn like(initial: &[ArrayView2<f64>]) -> Result<Self, StatError> {
        let entries: usize = initial.iter().map(|table| table.len()).sum();
        let squares: f64 = initial.iter().flat_map(|table| table.iter()).map(|v| v * v).sum();
        Self::new((squares / entries as f64).sqrt())
    }

    /// Table number `index` of draw number `draw`, from sub-stream `probe/untrained/DRAW/INDEX` of
    /// [`Stream::PeInit`].
    pub fn table(&self, shape: (usize, usize), draw: usize, index: usize, streams: &Streams) -> Array2<f64> {
        let mut rng = streams.rng_for(Stream::PeInit, &format!("probe/untrained/{draw}/{index}"));
        // `new` has checked what the distribution would refuse.
        let normal = Normal::new(0.0, self.std).expect("a finite standard deviation above 0");
        Array2::from_shape_simple_fn(shape, || normal.sample(&mut rng))
    }
}

/// How alike `a` and `b` are, tables [n, d] of one shape. NaN when either is constant (and CKA for n < 4).
pub fn likeness(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Result<Likeness, StatError> {
    same_shape(&[a, b])?;
    Prepared::new(a)?.likeness(&Prepared::new(b)?)
}

/// How alike `tables` [n, d] of two or more seeds are on average over all pairs, against `draws` (at least 1)
/// sets of as many `untrained` tables of the same shape.
///
/// The null is that the tables are no more alike than fresh draws: the p says nothing on whether **training**
/// made them so, if the seeds share anything else. The three measures are scale-free, so the size of the
/// untrained tables only matters beside a fixed part. Pairs of S tables are not independent, which the draws
/// of whole sets respect. O(draws S² n³).
pub fn identifiability(
    tables: &[ArrayView2<f64>],
    untrained: Untrained,
    draws: usize,
    streams: &Streams,
) -> Result<Identifiability, StatError> {
    identifiability_within(&[tables], untrained, draws, streams)
}

/// [`identifiability`] of several groups of tables, all of one shape: the mean is over all pairs within a group. Groups
/// are such as runs on the same data; at least one of them has two tables.
pub fn identifiability_within(
    groups: &[&[ArrayView2<f64>]],
    untrained: Untrained,
    draws: usize,
    streams: &Streams,
) -> Result<Identifiability, StatError> {
    let few = |what, least, got| Err(StatError::TooFew { what, least, got });
    let largest = groups.iter().map(|group| group.len()).max().unwrap_or(0);
    let tables = groups.concat();
    match largest {
        0 | 1 => return few("tables of different seeds", 2, largest),
        _ if draws == 0 => return few("draws of untrained tables", 1, 0),
        _ => same_shape(&tables)?,
    }
    let sizes: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let prepared = tables.iter().map(|table| Prepared::new(*table)).collect::<Result<Vec<_>, _>>()?;
    let trained = mean_over_pairs(&prepared, &sizes)?;
    let draw = |draw: usize| -> Result<Likeness, StatError> {
        let fresh = (0..tables.len()).map(|index| untrained.table(tables[0].dim(), draw, index, streams));
        let prepared = fresh.map(|table| Prepared::new(table.view())).collect::<Result<Vec<_>, _>>()?;
        mean_over_pairs(&prepared, &sizes)
    };
    // Collected in order: sums do not depend on how the work is split.
    let null = (0..draws).into_par_iter().map(draw).collect::<Result<Vec<_>, _>>()?;
    let excess = |measure: fn(&Likeness) -> f64| Excess::new(measure(&trained), null.iter().map(measure));
    Ok(Identifiability {
        pairs: sizes.iter().copied().map(crate::rdm::pairs).sum(),
        draws,
        procrustes_r2: excess(|likeness| likeness.procrustes_r2),
        cka: excess(|likeness| likeness.cka),
        rsa: excess(|likeness| likeness.rsa),
    })
}

impl Excess {
    fn new(trained: f64, null: impl Iterator<Item = f64>) -> Self {
        let null: Vec<f64> = null.collect();
        let untrained = null.iter().sum::<f64>() / null.len() as f64;
        // The same slack for ties as permutation tests have.
        let reached = null.iter().filter(|value| **value >= trained - 1e-12).count();
        let p = (reached as f64 + 1.0) / (null.len() as f64 + 1.0);
        let defined = !(trained.is_nan() || untrained.is_nan());
        Self { trained, untrained, excess: trained - untrained, p: if defined { p } else { f64::NAN } }
    }
}

/// A table, ready to be compared with several.
struct Prepared {
    reduced: Array2<f64>,
    gram: Gram,
    rdm: Rdm,
}

impl Prepared {
    fn new(table: ArrayView2<f64>) -> Result<Self, StatError> {
        checks::finite("identifiability: table", table)?;
        let distances = distances::euclidean(table);
        Ok(Self {
            reduced: reduced(svd::centred(table))?,
            gram: Gram::new(table, Kernel::Linear)?,
            rdm: Rdm::from_condensed(table.nrows(), distances, Measure::Euclidean)?,
        })
    }

    fn likeness(&self, other: &Self) -> Result<Likeness, StatError> {
        let fit = procrustes(self.reduced.view(), other.reduced.view(), Alignment::Orthogonal)?;
        Ok(Likeness {
            procrustes_r2: 1.0 - fit.disparity,
            cka: self.gram.cka(&other.gram, Estimator::Unbiased)?,
            rsa: compare(&self.rdm, &other.rdm, Comparison::Spearman, NanPolicy::Refuse)?,
        })
    }
}

/// Over all pairs within groups of these sizes, which stand one after the other.
fn mean_over_pairs(tables: &[Prepared], sizes: &[usize]) -> Result<Likeness, StatError> {
    let mut sum = Likeness { procrustes_r2: 0.0, cka: 0.0, rsa: 0.0 };
    let mut rest = tables;
    for &size in sizes {
        let (group, later) = rest.split_at(size);
        for (i, a) in group.iter().enumerate() {
            for b in &group[i + 1..] {
                let pair = a.likeness(b)?;
                sum.procrustes_r2 += pair.procrustes_r2;
                sum.cka += pair.cka;
                sum.rsa += pair.rsa;
            }
        }
        rest = later;
    }
    let pairs = sizes.iter().copied().map(crate::rdm::pairs).sum::<usize>() as f64;
    Ok(Likeness { procrustes_r2: sum.procrustes_r2 / pairs, cka: sum.cka / pairs, rsa: sum.rsa / pairs })
}

fn same_shape(tables: &[ArrayView2<f64>]) -> Result<(), StatError> {
    for table in tables {
        checks::same_length("identifiability: rows", tables[0].nrows(), table.nrows())?;
        checks::same_length("identifiability: columns", tables[0].ncols(), table.ncols())?;
    }
    Ok(())
}
