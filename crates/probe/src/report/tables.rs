//! The geometry of encoding tables.

use std::fmt;

use ndarray::Array2;
use rand_distr::{Distribution, Normal};
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use super::form::{Prober, beside};
use super::prepared::Prepared;
use super::statistic::finite;
use super::{
    CommunityReport, DecodingReport, ModuleReport, ReferenceReport, SpatialReport, Statistic, modules,
};
use crate::compare::{Comparison, dot, standardised};
use crate::permutation::{Permutations, Tail, Tested, permuted_dot};
use crate::rdm::{over_pairs, shares_any, square};
use crate::run_dir::RunDir;
use crate::{StatError, pca, spectrum, svd};

/// The kind of encoding whose tables are trained, as in `config.toml`.
const LEARNED: &str = "learned";

/// Standard deviation of the noise that `masked` adds.
pub const MASK_SIGMA: f64 = 2.0;

/// Which state of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// After training.
    Final,
    /// Before training.
    Init,
    /// After minus before.
    Change,
    /// The change added to a fresh N(0, 2²) draw: what a large initial σ hides of what was learned. Only for
    /// learned encodings. The draw belongs to the run's own seed.
    Masked,
}

/// The geometry of one table in one state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableReport {
    /// `all` (every block's table side by side: the primary one), or `block-<b>`, or `shared`.
    pub table: String,
    /// Which state of it.
    pub state: State,
    /// Columns.
    pub width: usize,
    /// Its size.
    pub norms: Norms,
    /// Against each reference: hamming, grid, sinusoid; of tasks that record a truth, positions, modules, correlations. Of
    /// recordings, `init` and `masked` have no parts of the brain, and at most 499 permutations.
    pub references: Vec<ReferenceReport>,
    /// Whether tokens that share a row or a column are alike.
    pub similarity_vs_sharing: Similarity,
    /// Whether it falls into the true modules, where there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modules: Option<ModuleReport>,
    /// Coordinates read off it; of recordings whose tokens have places. Not of the state `masked`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoding: Option<DecodingReport>,
    /// Whether it falls into the communities of the training data; of recordings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub communities: Option<CommunityReport>,
    /// What `p_spatial` is of, or why there is none; of recordings whose tokens have places, states `final` and `change`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spatial: Option<SpatialReport>,
}

/// How large a table is, and how many dimensions it fills.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// Root mean square of the elements.
    pub rms: Option<f64>,
    /// Frobenius norm.
    pub frobenius: Option<f64>,
    /// exp of the entropy of the singular values over their sum; not centred.
    pub effective_rank: Option<f64>,
    /// (Σλ)²/Σλ² of the PCA variances; centred.
    pub participation_ratio: Option<f64>,
}

/// Pearson correlation over pairs of tokens of the similarity of their rows with sharing any coordinate (1 or
/// 0). Rows are centred first (the mean row is taken off); p from permuted tokens, one-sided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// Similarity is the inner product of the rows.
    pub inner_product: Statistic,
    /// Similarity is the cosine of the rows.
    pub cosine: Statistic,
}

/// A table in one state, by block.
struct Blocks {
    name: String,
    state: State,
    parts: Vec<Array2<f64>>,
}

pub(super) fn reports(
    run: &RunDir,
    references: &Prepared,
    permutations: &Permutations,
) -> Result<Vec<TableReport>, StatError> {
    every_state(run).iter().map(|blocks| report(blocks, references, permutations)).collect()
}

fn every_state(run: &RunDir) -> Vec<Blocks> {
    let tables = &run.tensors.tables;
    if tables.is_empty() {
        return Vec::new();
    }
    let mut states = vec![State::Final, State::Init, State::Change];
    if run.config.model.encoding.kind == LEARNED {
        states.push(State::Masked);
    }
    let all = std::iter::once(("all".to_owned(), &tables[..]));
    let single = tables.iter().map(|table| (table.name.clone(), std::slice::from_ref(table)));
    let mut every = Vec::new();
    for (name, parts) in all.chain(single) {
        for &state in &states {
            let parts = parts.iter().map(|table| match state {
                State::Final => table.last.clone(),
                State::Init => table.init.clone(),
                State::Change => &table.last - &table.init,
                State::Masked => &table.last - &table.init + mask(run.config.seeds.seed, table),
            });
            every.push(Blocks { name: name.clone(), state, parts: parts.collect() });
        }
    }
    every
}

/// A fresh draw that belongs to the run, so that draws are independent across seeds.
fn mask(seed: u64, table: &crate::run_dir::Table) -> Array2<f64> {
    let mut rng = Streams::new(seed).rng_for(Stream::PeInit, &format!("probe/masked/{}", table.name));
    match Normal::new(0.0, MASK_SIGMA) {
        Ok(normal) => Array2::from_shape_simple_fn(table.last.raw_dim(), || normal.sample(&mut rng)),
        Err(_) => unreachable!("a positive constant is a valid standard deviation"),
    }
}

fn report(
    blocks: &Blocks,
    references: &Prepared,
    permutations: &Permutations,
) -> Result<TableReport, StatError> {
    let table = beside(&blocks.parts);
    let widths: Vec<usize> = blocks.parts.iter().map(|part| part.ncols()).collect();
    let prober = Prober::new(table.view())?;
    let recording = references.recording();
    let is_learned = matches!(blocks.state, State::Final | State::Change);
    let permutations = match recording {
        Some(recording) if !is_learned => recording.few(),
        _ => permutations,
    };
    let mut report = TableReport {
        table: blocks.name.clone(),
        state: blocks.state,
        width: table.ncols(),
        norms: norms(&table)?,
        references: references.compare(&prober, &widths, is_learned, permutations)?,
        similarity_vs_sharing: similarity(&table, &shares_any(references.coords()), permutations),
        modules: match references.modules() {
            Some(modules) => Some(modules::report(&table, modules, permutations)?),
            None => None,
        },
        decoding: match recording.filter(|_| blocks.state != State::Masked) {
            Some(recording) => recording.decode(table.view())?,
            None => None,
        },
        communities: match recording {
            Some(recording) => recording.segregate(&table, permutations)?,
            None => None,
        },
        spatial: None,
    };
    if let Some(recording) = recording.filter(|_| is_learned) {
        recording.add_spatial(&mut report, &table)?;
    }
    Ok(report)
}

fn norms(table: &Array2<f64>) -> Result<Norms, StatError> {
    let squares: f64 = table.iter().map(|v| v * v).sum();
    let singular = spectrum::singular_values(table.view())?;
    let variances = if table.nrows() < 2 { vec![] } else { pca::pca(table.view())?.variances.to_vec() };
    Ok(Norms {
        rms: finite((squares / table.len() as f64).sqrt()),
        frobenius: finite(squares.sqrt()),
        effective_rank: finite(spectrum::effective_rank(&singular.to_vec())),
        participation_ratio: finite(spectrum::participation_ratio(&variances)),
    })
}

fn similarity(table: &Array2<f64>, sharing: &[f64], permutations: &Permutations) -> Similarity {
    let n = table.nrows();
    let centred = svd::centred(table.view());
    let gram = centred.dot(&centred.t());
    let cosine = |i: usize, j: usize| gram[[i, j]] / (gram[[i, i]] * gram[[j, j]]).sqrt();
    let test = |values: Vec<f64>| -> Statistic {
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return Tested { value: f64::NAN, p: f64::NAN }.into();
        }
        let x = standardised(&values, Comparison::Pearson);
        let y = standardised(sharing, Comparison::Pearson);
        let full = square(n, &x, 0.0);
        permutations.test(dot(&x, &y), Tail::Greater, |row| permuted_dot(&full, row, &y)).into()
    };
    Similarity {
        inner_product: test(over_pairs(n, |i, j| gram[[i, j]])),
        cosine: test(over_pairs(n, cosine)),
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Final => "final",
            State::Init => "init",
            State::Change => "change",
            State::Masked => "masked",
        })
    }
}
