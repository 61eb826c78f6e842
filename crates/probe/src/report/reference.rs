//! What a table is compared with.

use std::fmt;
use std::str::FromStr;

use ndarray::{Array2, ArrayView2, Axis, concatenate};
use serde::{Deserialize, Serialize};

use super::Statistic;
use super::statistic::finite;
use crate::compare::Comparison;
use crate::dcor::Centred;
use crate::permutation::{Permutations, Tail, rsa, rsa_beyond};
use crate::procrustes::{Alignment, procrustes};
use crate::rdm::{Measure, Rdm, hamming, one_hot};
use crate::{StatError, sinusoid};

/// A structure that a table may have learned. Written `hamming`, `grid`, `sinusoid-2d` (by the number of
/// axes).
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
    /// Procrustes distances to the reference table; only for sinusoids.
    pub procrustes: Option<ProcrustesReport>,
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

/// One reference in the three forms that the statistics need.
struct Form {
    reference: Reference,
    rdm: Rdm,
    centred: Centred,
    table: Option<Array2<f64>>,
}

/// The references of a run that need coordinates only, computed once.
pub(super) struct Prepared {
    coords: Array2<f64>,
    hamming: Form,
    grid: Form,
}

/// A table of a run, with what every comparison needs of it.
pub(super) struct Prober<'a> {
    pub(super) table: ArrayView2<'a, f64>,
    euclidean: Rdm,
    cosine: Rdm,
    centred: Centred,
}

impl Prepared {
    pub(super) fn new(coords: ArrayView2<f64>) -> Result<Self, StatError> {
        let (rook, order) = (hamming(coords)?, Rdm::of_rows(coords, Measure::Euclidean)?);
        let form = |reference, rdm, table: ArrayView2<f64>| {
            Ok(Form { reference, rdm, centred: Centred::new(table)?, table: None })
        };
        Ok(Self {
            hamming: form(Reference::Hamming, rook, one_hot(coords).view())?,
            grid: form(Reference::Grid, order, coords)?,
            coords: coords.to_owned(),
        })
    }

    pub(super) fn coords(&self) -> ArrayView2<'_, f64> {
        self.coords.view()
    }

    /// All comparisons of a table whose columns are blocks of these widths.
    pub(super) fn compare(
        &self,
        prober: &Prober,
        widths: &[usize],
        permutations: &Permutations,
    ) -> Result<Vec<ReferenceReport>, StatError> {
        let sinusoid = self.sinusoid(widths)?;
        [Some(&self.hamming), Some(&self.grid), sinusoid.as_ref()]
            .into_iter()
            .flatten()
            .map(|form| form.report(prober, &self.hamming.rdm, permutations))
            .collect()
    }

    /// The sinusoid of each block side by side, so that an encoding that adds it to every block is at
    /// distance 0. None when a block is too narrow for one sine and cosine an axis.
    fn sinusoid(&self, widths: &[usize]) -> Result<Option<Form>, StatError> {
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
        Ok(Some(Form { reference: Reference::Sinusoid { axes }, rdm, centred, table: Some(table) }))
    }
}

impl<'a> Prober<'a> {
    pub(super) fn new(table: ArrayView2<'a, f64>) -> Result<Self, StatError> {
        let euclidean = Rdm::of_rows(table, Measure::Euclidean)?;
        let cosine = Rdm::of_rows(table, Measure::Cosine)?;
        Ok(Self { centred: Centred::of_distances(&euclidean), table, euclidean, cosine })
    }
}

impl Form {
    fn report(
        &self,
        prober: &Prober,
        hamming: &Rdm,
        permutations: &Permutations,
    ) -> Result<ReferenceReport, StatError> {
        let plain = |rdm: &Rdm| {
            rsa(rdm, &self.rdm, Comparison::Spearman, Tail::Greater, permutations).map(Statistic::from)
        };
        let beyond = |rdm: &Rdm| {
            rsa_beyond(rdm, &self.rdm, hamming, Comparison::Spearman, Tail::Greater, permutations)
                .map(Statistic::from)
        };
        let beyond_hamming = match self.reference {
            Reference::Hamming => None,
            _ => Some(Beyond {
                rsa_euclidean: beyond(&prober.euclidean)?,
                rsa_cosine: beyond(&prober.cosine)?,
            }),
        };
        let dcor = prober.centred.test(&self.centred, permutations)?;
        let fit = self
            .table
            .as_ref()
            .map(|table| procrustes(table.view(), prober.table, Alignment::Orthogonal))
            .transpose()?;
        Ok(ReferenceReport {
            reference: self.reference,
            rsa_euclidean: plain(&prober.euclidean)?,
            rsa_cosine: plain(&prober.cosine)?,
            beyond_hamming,
            dcor_biased: dcor.biased.into(),
            dcor_bias_corrected: dcor.bias_corrected.into(),
            procrustes: fit.map(|fit| ProcrustesReport {
                frobenius: finite(fit.frobenius),
                disparity: finite(fit.disparity),
            }),
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
            _ => match axes() {
                Some(axes) => Ok(Reference::Sinusoid { axes }),
                None => Err(format!("unknown reference `{name}`: expected hamming, grid or sinusoid-<k>d")),
            },
        }
    }
}
