//! What a table is compared with.

use std::fmt;
use std::str::FromStr;

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use serde::{Deserialize, Serialize};

use super::Statistic;
use super::statistic::finite;
use crate::compare::{Comparison, NanPolicy, compare};
use crate::dcor::Centred;
use crate::network::Partition;
use crate::permutation::{Permutations, Tail, rsa, rsa_beyond};
use crate::procrustes::{Alignment, Reduction, procrustes, procrustes_reduced};
use crate::rdm::{Measure, Rdm, hamming, one_hot};
use crate::run_dir::Tensors;
use crate::{StatError, sinusoid};

/// A structure that a table may have learned. Written `hamming`, `grid`, `sinusoid-2d` (by the number of
/// axes), `positions`, `modules`, `correlations`. A task that records a truth (`truth.*`) has the last three in place of
/// the first two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Reference {
    /// Number of differing axes: who shares a row or a column. Comes first, since a Latin square defines no
    /// more.
    Hamming,
    /// Euclidean distance on the grid: also the order of rows and of columns.
    Grid,
    /// The k-D sinusoid, which the paper takes as the truth.
    Sinusoid {
        /// k.
        axes: usize,
    },
    /// Where tokens are: Euclidean distance, the short way round where axes are closed.
    Positions,
    /// Who belongs together: 0 within a module, 1 between.
    Modules,
    /// One minus the correlation of tokens over the training items: what can be seen without any model.
    Correlations,
}

/// A table against one reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceReport {
    /// The reference.
    pub reference: Reference,
    /// Spearman correlation of the Euclidean RDMs. The table's RDM scales with the table, its ranks do not.
    pub rsa_euclidean: Statistic,
    /// Spearman correlation of the table's cosine RDM (not centred) with the same reference RDM.
    pub rsa_cosine: Statistic,
    /// The same two beyond the Hamming distance; null for `hamming` itself.
    pub beyond_hamming: Option<Beyond>,
    /// Square-root V-statistic distance correlation: biased, high for any table of many columns.
    pub dcor_biased: Statistic,
    /// Squared U-statistic distance correlation, about 0 for an unrelated table: the one for claims.
    pub dcor_bias_corrected: Statistic,
    /// Procrustes distances to the reference table; only for sinusoids and `positions`. To positions (closed axes as
    /// circles): of the table's first principal components, as many as there are coordinates.
    pub procrustes: Option<ProcrustesReport>,
    /// The same two RSA beyond another reference: `positions` or `modules` beyond `correlations`, and the reverse.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<BeyondOther>,
}

/// RSA beyond another reference (partial Spearman).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BeyondOther {
    /// The other one.
    pub other: Reference,
    /// Of the Euclidean RDM.
    pub rsa_euclidean: Statistic,
    /// Of the cosine RDM.
    pub rsa_cosine: Statistic,
}

/// RSA beyond the Hamming distance (partial Spearman).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beyond {
    /// Of the Euclidean RDM.
    pub rsa_euclidean: Statistic,
    /// Of the cosine RDM.
    pub rsa_cosine: Statistic,
}

/// Procrustes distances, rotations and reflections allowed; see [`crate::procrustes::Procrustes`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProcrustesReport {
    /// Norm-bound: centred, not scaled.
    pub frobenius: Option<f64>,
    /// Scale-free: centred and scaled to unit norm.
    pub disparity: Option<f64>,
}

/// One reference in the forms that the statistics need.
pub(super) struct Form {
    pub(super) reference: Reference,
    pub(super) rdm: Rdm,
    pub(super) centred: Centred,
    /// What Procrustes holds the table against.
    pub(super) table: Option<Array2<f64>>,
    /// What RSA is also given beyond.
    pub(super) beyond: Option<(Reference, Rdm)>,
}

/// The references of a run that do not hang on the table, computed once.
pub(super) struct Prepared {
    coords: Array2<f64>,
    forms: Vec<Form>,
    /// Distances between places; none where tokens have no place.
    places: Option<Rdm>,
    modules: Option<Partition>,
    /// The sinusoid beyond this one, where there is a sinusoid at all.
    sinusoid: Option<Option<Rdm>>,
}

/// A table of a run, with what every comparison needs of it.
pub(super) struct Prober<'a> {
    pub(super) table: ArrayView2<'a, f64>,
    euclidean: Rdm,
    cosine: Rdm,
    centred: Centred,
}

impl Prepared {
    pub(super) fn new(tensors: &Tensors) -> Result<Self, StatError> {
        let (coords, truth) = (tensors.coords.view(), &tensors.truth);
        if let Some(correlation) = &truth.correlation {
            let places = if truth.has_places { Some(super::truth::places(coords, truth)?) } else { None };
            return Ok(Self {
                coords: coords.to_owned(),
                forms: super::truth::forms(coords, truth, places.as_ref(), correlation)?,
                modules: truth.modules.as_ref().map(|modules| Partition::new(modules)),
                sinusoid: places.as_ref().map(|_| None),
                places,
            });
        }
        let (rook, order) = (hamming(coords)?, Rdm::of_rows(coords, Measure::Euclidean)?);
        let form = |reference, rdm, table: ArrayView2<f64>, beyond| {
            Ok(Form { reference, rdm, centred: Centred::new(table)?, table: None, beyond })
        };
        Ok(Self {
            forms: vec![
                form(Reference::Hamming, rook.clone(), one_hot(coords).view(), None)?,
                form(Reference::Grid, order.clone(), coords, Some((Reference::Hamming, rook.clone())))?,
            ],
            coords: coords.to_owned(),
            places: Some(order),
            modules: None,
            sinusoid: Some(Some(rook)),
        })
    }

    pub(super) fn coords(&self) -> ArrayView2<'_, f64> {
        self.coords.view()
    }

    /// Distances between places; none where tokens have no place.
    pub(super) fn places(&self) -> Option<&Rdm> {
        self.places.as_ref()
    }

    /// The true modules, where there are such.
    pub(super) fn modules(&self) -> Option<&Partition> {
        self.modules.as_ref()
    }

    /// The references that are recorded truths: not a table of the run's own making, nor what follows from the data.
    pub(super) fn truths(&self) -> impl Iterator<Item = &Form> {
        let is_truth = |form: &&Form| matches!(form.reference, Reference::Positions | Reference::Modules);
        self.forms.iter().filter(is_truth)
    }

    /// All comparisons of a table whose columns are blocks of these widths.
    pub(super) fn compare(
        &self,
        prober: &Prober,
        widths: &[usize],
        permutations: &Permutations,
    ) -> Result<Vec<ReferenceReport>, StatError> {
        let sinusoid = self.sinusoid(widths)?;
        self.forms.iter().chain(&sinusoid).map(|form| form.report(prober, permutations)).collect()
    }

    /// The sinusoid of each block side by side, so that an encoding that adds it to every block is at
    /// distance 0. None when a block is too narrow for one sine and cosine an axis.
    fn sinusoid(&self, widths: &[usize]) -> Result<Option<Form>, StatError> {
        let Some(beyond) = &self.sinusoid else { return Ok(None) };
        let axes = self.coords.ncols();
        if axes == 0 || widths.is_empty() || widths.iter().any(|&width| width < 2 * axes) {
            return Ok(None);
        }
        let blocks = widths
            .iter()
            .map(|&width| sinusoid::sinusoid_kd(self.coords.view(), width))
            .collect::<Result<Vec<_>, _>>()?;
        let table = beside(&blocks);
        let rdm = Rdm::of_rows(table.view(), Measure::Euclidean)?;
        let centred = Centred::of_distances(&rdm);
        let beyond = beyond.clone().map(|rook| (Reference::Hamming, rook));
        Ok(Some(Form { reference: Reference::Sinusoid { axes }, rdm, centred, table: Some(table), beyond }))
    }
}

impl<'a> Prober<'a> {
    pub(super) fn new(table: ArrayView2<'a, f64>) -> Result<Self, StatError> {
        let euclidean = Rdm::of_rows(table, Measure::Euclidean)?;
        let cosine = Rdm::of_rows(table, Measure::Cosine)?;
        Ok(Self { centred: Centred::of_distances(&euclidean), table, euclidean, cosine })
    }

    /// Bias-corrected distance correlation and Spearman RSA of the cosine RDM, without a test.
    pub(super) fn against(&self, form: &Form) -> Result<(Option<f64>, Option<f64>), StatError> {
        let dcor = self.centred.dcor(&form.centred)?.bias_corrected;
        let rsa = compare(&self.cosine, &form.rdm, Comparison::Spearman, NanPolicy::Propagate)?;
        Ok((finite(dcor), finite(rsa)))
    }
}

impl Form {
    fn report(&self, prober: &Prober, permutations: &Permutations) -> Result<ReferenceReport, StatError> {
        let plain = |rdm: &Rdm| {
            rsa(rdm, &self.rdm, Comparison::Spearman, Tail::Greater, permutations).map(Statistic::from)
        };
        let beyond = |rdm: &Rdm, other: &Rdm| {
            rsa_beyond(rdm, &self.rdm, other, Comparison::Spearman, Tail::Greater, permutations)
                .map(Statistic::from)
        };
        let other = match &self.beyond {
            None => None,
            Some((other, rdm)) => Some(BeyondOther {
                other: *other,
                rsa_euclidean: beyond(&prober.euclidean, rdm)?,
                rsa_cosine: beyond(&prober.cosine, rdm)?,
            }),
        };
        let (hamming, other) = match other {
            Some(BeyondOther { other: Reference::Hamming, rsa_euclidean, rsa_cosine }) => {
                (Some(Beyond { rsa_euclidean, rsa_cosine }), None)
            }
            other => (None, other),
        };
        let dcor = prober.centred.test(&self.centred, permutations)?;
        let fit = self
            .table
            .as_ref()
            .map(|table| match self.reference {
                Reference::Positions => {
                    procrustes_reduced(table.view(), prober.table, Reduction::Pca, Alignment::Orthogonal)
                }
                _ => procrustes(table.view(), prober.table, Alignment::Orthogonal),
            })
            .transpose()?;
        Ok(ReferenceReport {
            reference: self.reference,
            rsa_euclidean: plain(&prober.euclidean)?,
            rsa_cosine: plain(&prober.cosine)?,
            beyond_hamming: hamming,
            dcor_biased: dcor.biased.into(),
            dcor_bias_corrected: dcor.bias_corrected.into(),
            procrustes: fit.map(|fit| ProcrustesReport {
                frobenius: finite(fit.frobenius),
                disparity: finite(fit.disparity),
            }),
            beyond: other,
        })
    }
}

/// Tables side by side, [tokens, sum of widths].
pub(super) fn beside(tables: &[Array2<f64>]) -> Array2<f64> {
    let views: Vec<_> = tables.iter().map(|table| table.view()).collect();
    // Only tables of different length cannot be joined; the reader of the run has checked that.
    concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((0, 0)))
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Hamming => f.write_str("hamming"),
            Reference::Grid => f.write_str("grid"),
            Reference::Sinusoid { axes } => write!(f, "sinusoid-{axes}d"),
            Reference::Positions => f.write_str("positions"),
            Reference::Modules => f.write_str("modules"),
            Reference::Correlations => f.write_str("correlations"),
        }
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> Self {
        reference.to_string()
    }
}

impl TryFrom<String> for Reference {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let axes = || name.strip_prefix("sinusoid-")?.strip_suffix('d')?.parse().ok();
        match name {
            "hamming" => Ok(Reference::Hamming),
            "grid" => Ok(Reference::Grid),
            "positions" => Ok(Reference::Positions),
            "modules" => Ok(Reference::Modules),
            "correlations" => Ok(Reference::Correlations),
            _ => match axes() {
                Some(axes) => Ok(Reference::Sinusoid { axes }),
                None => Err(format!(
                    "unknown reference `{name}`: expected hamming, grid, positions, modules, correlations or sinusoid-<k>d"
                )),
            },
        }
    }
}
