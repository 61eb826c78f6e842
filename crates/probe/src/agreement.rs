//! Do tables that were learned from different data agree on who is near whom?
//!
//! Runs on two halves of a recording, or on different subjects, share no data. If their tables have the same geometry
//! over the same tokens, then that geometry is of the tokens, and not of the noise of one half. No coordinates are
//! needed: this is what a search for structure in unknown data can rest on.
//!
//! **Null**: tables of one group know nothing of which token is which in the tables of the others. Then the names of
//! the tokens within each group are arbitrary, and may be permuted: those of all its tables together, since tables of one
//! group do share their data. The p is exact, whatever the tables look like, **if groups share nothing else**. Runs of one
//! seed do: they start from the same table. [`agreement_report`] therefore gives each seed to one group only.

mod report;
mod runs;

pub use report::{AgreementReport, ArmAgreement, LeftOutArm, SeedAgreement, SeedMeasure, VariantAgreement};
pub use runs::agreement_report;

use ndarray::ArrayView2;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use streams::{Stream, Streams};

use crate::compare::{Comparison, dot, standardised};
use crate::permutation::{Tail, Tested};
use crate::rdm::{Measure, Rdm, over_pairs, square};
use crate::{StatError, checks, svd};

/// How well groups of tables agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Pairs of tables of different groups.
    pub pairs: usize,
    /// Permutations drawn.
    pub permutations: usize,
    /// The mean over these pairs of the Spearman correlation of the tables' Euclidean RDMs: about 0 for tables that have
    /// nothing to do with each other. The measure that counts: it ignores rotation, shift and scale of each table.
    pub euclidean: Tested,
    /// The same of cosine RDMs of the tables minus their mean row, which also ignore how far a token is from the mean.
    pub cosine: Tested,
}

/// One group: the sum of the standardised RDMs of its tables, as a full matrix.
struct Group {
    full: Vec<f64>,
    size: usize,
}

/// How well `groups` of tables [n, columns] agree; empty groups do not count. At least two of them have a table, and all
/// tables have the same n; columns may differ.
///
/// p is one-sided (large is extreme), exact Monte Carlo: (k + 1)/(N + 1), k the number of `permutations` N under which
/// the mean is as large. In each the tokens of every group but the first are permuted, independently by group and alike
/// for all tables of a group; from sub-streams of [`Stream::Permutation`]. NaN where a table is constant, or, for the
/// cosine, where a row is the mean row. O(G² N n²), G groups: the number of tables does not matter.
pub fn agreement(
    groups: &[Vec<ArrayView2<f64>>],
    permutations: usize,
    streams: &Streams,
) -> Result<Agreement, StatError> {
    let filled: Vec<&Vec<ArrayView2<f64>>> = groups.iter().filter(|group| !group.is_empty()).collect();
    let few = |what, least, got| Err(StatError::TooFew { what, least, got });
    match filled.len() {
        0 | 1 => return few("groups of tables that may agree", 2, filled.len()),
        _ if permutations == 0 => return few("permutations of the test of agreement", 1, 0),
        _ => {}
    }
    let n = filled[0][0].nrows();
    if n < 3 {
        return few("tokens of tables that may agree", 3, n);
    }
    for table in filled.iter().flat_map(|group| group.iter()) {
        checks::same_length("agreement: rows", n, table.nrows())?;
    }
    let test = |distances: fn(ArrayView2<f64>) -> Result<Rdm, StatError>| -> Result<Tested, StatError> {
        let groups =
            filled.iter().map(|group| Group::new(group, distances)).collect::<Result<Vec<_>, _>>()?;
        Ok(tested(&groups, n, permutations, streams))
    };
    Ok(Agreement {
        pairs: pairs(&filled.iter().map(|group| group.len()).collect::<Vec<_>>()),
        permutations,
        euclidean: test(|table| Rdm::of_rows(table, Measure::Euclidean))?,
        cosine: test(|table| Rdm::of_rows(svd::centred(table).view(), Measure::Cosine))?,
    })
}

impl Group {
    fn new(
        tables: &[ArrayView2<f64>],
        distances: fn(ArrayView2<f64>) -> Result<Rdm, StatError>,
    ) -> Result<Self, StatError> {
        let n = tables[0].nrows();
        let mut sum = vec![0.0; crate::rdm::pairs(n)];
        for table in tables {
            let rdm = distances(*table)?;
            let ranks = match rdm.is_complete() {
                true => standardised(rdm.values(), Comparison::Spearman),
                false => vec![f64::NAN; sum.len()],
            };
            sum.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
        }
        Ok(Self { full: square(n, &sum, 0.0), size: tables.len() })
    }

    /// The condensed sum with its tokens in this order.
    fn ordered(&self, order: &[u32]) -> Vec<f64> {
        let n = order.len();
        over_pairs(n, |i, j| self.full[order[i] as usize * n + order[j] as usize])
    }
}

fn tested(groups: &[Group], n: usize, permutations: usize, streams: &Streams) -> Tested {
    let sizes: Vec<usize> = groups.iter().map(|group| group.size).collect();
    let count = pairs(&sizes) as f64;
    // Correlations add up: the sum over pairs of tables is the inner product of the groups' sums.
    let mean = |orders: &[Vec<u32>]| {
        let sums: Vec<Vec<f64>> =
            groups.iter().zip(orders).map(|(group, order)| group.ordered(order)).collect();
        let each = |(k, a): (usize, &Vec<f64>)| sums[k + 1..].iter().map(|b| dot(a, b)).sum::<f64>();
        sums.iter().enumerate().map(each).sum::<f64>() / count
    };
    let identity: Vec<u32> = (0..n as u32).collect();
    let value = mean(&vec![identity.clone(); groups.len()]);
    if value.is_nan() {
        return Tested { value, p: f64::NAN };
    }
    let reached = |draw: &usize| {
        let mut rng = streams.rng_for(Stream::Permutation, &format!("probe/agreement/{draw}"));
        let mut orders = vec![identity.clone(); groups.len()];
        orders[1..].iter_mut().for_each(|order| order.shuffle(&mut rng));
        Tail::Greater.reached(value, mean(&orders))
    };
    let extreme = (0..permutations).into_par_iter().filter(reached).count();
    Tested { value, p: (extreme as f64 + 1.0) / (permutations as f64 + 1.0) }
}

/// Pairs of tables of different groups.
fn pairs(sizes: &[usize]) -> usize {
    let all: usize = sizes.iter().sum();
    (all * all - sizes.iter().map(|size| size * size).sum::<usize>()) / 2
}
