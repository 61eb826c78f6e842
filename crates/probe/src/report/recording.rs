//! What only recordings are asked: can places be read off a table, does it fall into the communities of the data?

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::drawing::Drawing;
use super::spatial::Spatial;
use super::statistic::{Statistic, finite};
use super::{ModuleReport, TableReport, brain, modules};
use crate::StatError;
use crate::decode::{Alpha, Decoder, Folds};
use crate::network::{Partition, Signs, Weights, louvain};
use crate::permutation::{Permutations, Tested};
use crate::rdm::Rdm;
use crate::run_dir::Truth;

/// Searches for communities; the best one counts.
const RESTARTS: usize = 64;

/// Folds of the decoding.
const FOLDS: usize = 5;

/// Fewer tokens are not decoded: there would be less than two in a fold.
const FEWEST: usize = 2 * FOLDS;

/// Coordinates read off a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecodingReport {
    /// By axis.
    pub axes: Vec<DecodedAxis>,
    /// The folds of the cross-validation.
    pub folds: usize,
    /// The permutations of the test, at most 499.
    pub permutations: usize,
    /// How, in words.
    pub method: String,
}

/// One coordinate read off a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DecodedAxis {
    /// Which axis.
    pub axis: usize,
    /// Out-of-fold R²: about 0 or below for an unrelated table; null for a constant axis.
    pub r2: Option<f64>,
    /// The probability of such a value when the tokens are relabelled at random.
    pub p: Option<f64>,
}

/// The communities of the training data, found by the Louvain method without any table, in a table's similarities.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CommunityReport {
    /// How many there are.
    pub count: usize,
    /// See [`ModuleReport::modularity`].
    pub modularity: Statistic,
    /// See [`ModuleReport::segregation`].
    pub segregation: Statistic,
}

/// What is needed for both, computed once a run.
pub(super) struct Recording {
    decoding: Option<Decoding>,
    communities: Option<Partition>,
    spatial: Option<Spatial>,
    few: Permutations,
}

struct Decoding {
    coords: Array2<f64>,
    folds: Folds,
    permutations: Permutations,
}

impl Recording {
    pub(super) fn new(
        coords: ArrayView2<f64>,
        truth: &Truth,
        places: Option<&Rdm>,
        seen: &Rdm,
        drawing: &Drawing,
    ) -> Result<Self, StatError> {
        let tokens = coords.nrows();
        let decoding = match places.is_some() && tokens >= FEWEST {
            true => Some(Decoding {
                coords: coords.to_owned(),
                folds: folds(&brain::pairs(coords, truth), drawing)?,
                permutations: drawing.few(tokens),
            }),
            false => None,
        };
        let communities = communities(seen, drawing)?;
        let modules = [truth.modules.as_ref().map(|labels| Partition::new(labels)), communities.clone()];
        let spatial = match places {
            Some(places) => Spatial::new(places, seen, modules, *drawing)?,
            None => None,
        };
        Ok(Self { decoding, communities, spatial, few: drawing.few(tokens) })
    }

    /// The community of each token; none where no two tokens correlate above 0.
    pub(super) fn communities(&self) -> Option<&Partition> {
        self.communities.as_ref()
    }

    /// Permutations for states that are there for comparison only: regions are many, and each permutation costs all pairs.
    pub(super) fn few(&self) -> &Permutations {
        &self.few
    }

    /// Adds the p against surrogates, where tokens have places of their own.
    pub(super) fn add_spatial(&self, report: &mut TableReport, table: &Array2<f64>) -> Result<(), StatError> {
        self.spatial.as_ref().map_or(Ok(()), |spatial| spatial.add_to(report, table))
    }

    /// Each coordinate read off the table.
    pub(super) fn decode(&self, table: ArrayView2<f64>) -> Result<Option<DecodingReport>, StatError> {
        let Some(Decoding { coords, folds, permutations }) = &self.decoding else { return Ok(None) };
        let decoder = Decoder::new(table, folds, Alpha::nested())?;
        let tested = decoder.test_axes(coords.view(), permutations)?;
        let axis = |(axis, tested): (usize, &Tested)| DecodedAxis {
            axis,
            r2: finite(tested.value),
            p: finite(tested.p),
        };
        Ok(Some(DecodingReport {
            axes: tested.iter().enumerate().map(axis).collect(),
            folds: folds.count(),
            permutations: permutations.count(),
            method: "out-of-fold R² of ridge regression on the rows of the table; random folds, a token and its homologue \
                     (the nearest to its mirror image) in one, neighbours in any; one penalty a fold by leave-one-out error \
                     over the other rows; p one-sided, tokens permuted"
                .to_owned(),
        }))
    }

    /// The communities in the similarities of a table's rows.
    pub(super) fn segregate(
        &self,
        table: &Array2<f64>,
        permutations: &Permutations,
    ) -> Result<Option<CommunityReport>, StatError> {
        let Some(partition) = &self.communities else { return Ok(None) };
        let ModuleReport { modularity, segregation } = modules::report(table, partition, permutations)?;
        Ok(Some(CommunityReport { count: partition.count(), modularity, segregation }))
    }
}

/// Random folds that keep tokens of one group together; else the other side would tell where a token is.
fn folds(groups: &[usize], drawing: &Drawing) -> Result<Folds, StatError> {
    let groups = Partition::new(groups);
    let of_group = Folds::shuffled(groups.count(), FOLDS, &drawing.streams())?;
    let of_token: Vec<usize> = groups.modules().iter().map(|&group| of_group.of_items()[group]).collect();
    Folds::by_group(&of_token)
}

/// The partition of highest modularity in the positive correlations.
fn communities(seen: &Rdm, drawing: &Drawing) -> Result<Option<Partition>, StatError> {
    let weights = Weights::new(seen.to_square().mapv(|apart| (1.0 - apart).max(0.0)).view())?;
    if weights.view().iter().all(|weight| *weight == 0.0) {
        return Ok(None);
    }
    let found = louvain(&weights, 1.0, Signs::Ignore, RESTARTS, &drawing.streams())?;
    Ok(Some(found.partition))
}
