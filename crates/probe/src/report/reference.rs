//! What a table is compared with.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Statistic;
use crate::permutation::Permuted;

/// A structure that a table may have learned. Written `hamming`, `grid`, `sinusoid-2d` (by the number of
/// axes), `positions`, `modules`, `correlations`. A task that records a truth (`truth.*`) has the last three in place of
/// the first two. Recordings of a brain also have `positions-folded`, `positions-left`, `positions-right` and
/// `positions-cortical`.
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
    /// Places with the sides of the brain laid upon each other, (|x|, y, z): regions and their homologues are at one
    /// place. The midplane is x = 0.
    PositionsFolded,
    /// Places of the tokens of the left side, and these rows of the table alone.
    PositionsLeft,
    /// The same of the right side.
    PositionsRight,
    /// The same of the cortex.
    PositionsCortical,
    /// Who belongs together: 0 within a module, 1 between.
    Modules,
    /// One minus the correlation of tokens over the training items: what can be seen without any model. A squared Euclidean
    /// distance (of standardised tokens), not of strong negative type: distance correlation with it sees linear dependence
    /// only (see [`crate::dcor`]).
    Correlations,
}

/// A table against one reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceReport {
    /// The reference.
    pub reference: Reference,
    /// How many tokens it is over; only of recordings, where some references are over a part of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
    /// Spearman correlation of the Euclidean RDMs. The table's RDM scales with the table, its ranks do not.
    pub rsa_euclidean: Statistic,
    /// Spearman correlation of the table's cosine RDM (not centred) with the same reference RDM.
    pub rsa_cosine: Statistic,
    /// The same two beyond the Hamming distance; null for `hamming` itself.
    pub beyond_hamming: Option<Beyond>,
    /// Square-root V-statistic distance correlation: biased, high for any table of many columns.
    pub dcor_biased: Statistic,
    /// Squared U-statistic distance correlation, about 0 for an unrelated table: the one for claims. With `correlations` 0
    /// does not mean independence.
    pub dcor_bias_corrected: Statistic,
    /// Procrustes distances to the reference table; only for sinusoids and `positions` of any kind. To positions (closed axes as
    /// circles): of the table's first principal components, as many as there are coordinates.
    pub procrustes: Option<ProcrustesReport>,
    /// The same two RSA beyond another reference: `positions` (of any kind) or `modules` beyond `correlations`, and the
    /// reverse. No evidence of anything beyond by itself: a table of correlations alone has much of it, see
    /// [`CorrelationTable`](super::CorrelationTable).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<BeyondOther>,
}

/// RSA beyond another reference (partial Spearman): the other one is taken off in ranks and linearly, errors and all.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BeyondOther {
    /// The other one.
    pub other: Reference,
    /// Of the Euclidean RDM.
    pub rsa_euclidean: Statistic,
    /// Of the cosine RDM.
    pub rsa_cosine: Statistic,
    /// What was permuted: `axis-levels` beyond the Hamming distance of a full grid, else `tokens`, whose p is approximate
    /// (see [`rsa_beyond`](crate::permutation::rsa_beyond)). Absent in files of earlier versions, which permuted tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permuted: Option<Permuted>,
    /// How many permutations there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permutations: Option<usize>,
}

/// RSA beyond the Hamming distance (partial Spearman).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Beyond {
    /// Of the Euclidean RDM.
    pub rsa_euclidean: Statistic,
    /// Of the cosine RDM.
    pub rsa_cosine: Statistic,
    /// What was permuted: `axis-levels` beyond the Hamming distance of a full grid, else `tokens`, whose p is approximate
    /// (see [`rsa_beyond`](crate::permutation::rsa_beyond)). Absent in files of earlier versions, which permuted tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permuted: Option<Permuted>,
    /// How many permutations there were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permutations: Option<usize>,
}

/// Procrustes distances, rotations and reflections allowed; see [`crate::procrustes::Procrustes`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ProcrustesReport {
    /// Norm-bound: centred, not scaled.
    pub frobenius: Option<f64>,
    /// Scale-free: centred and scaled to unit norm.
    pub disparity: Option<f64>,
}

impl Reference {
    /// Whether it is places, of all tokens or of some.
    pub fn is_of_places(self) -> bool {
        self == Reference::Positions || self.is_of_brain()
    }

    /// Whether it is places folded, or of a part of the tokens.
    pub fn is_of_brain(self) -> bool {
        use Reference::{PositionsCortical, PositionsFolded, PositionsLeft, PositionsRight};
        matches!(self, PositionsFolded | PositionsLeft | PositionsRight | PositionsCortical)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Hamming => f.write_str("hamming"),
            Reference::Grid => f.write_str("grid"),
            Reference::Sinusoid { axes } => write!(f, "sinusoid-{axes}d"),
            Reference::Positions => f.write_str("positions"),
            Reference::PositionsFolded => f.write_str("positions-folded"),
            Reference::PositionsLeft => f.write_str("positions-left"),
            Reference::PositionsRight => f.write_str("positions-right"),
            Reference::PositionsCortical => f.write_str("positions-cortical"),
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
            "positions-folded" => Ok(Reference::PositionsFolded),
            "positions-left" => Ok(Reference::PositionsLeft),
            "positions-right" => Ok(Reference::PositionsRight),
            "positions-cortical" => Ok(Reference::PositionsCortical),
            "modules" => Ok(Reference::Modules),
            "correlations" => Ok(Reference::Correlations),
            _ => match axes() {
                Some(axes) => Ok(Reference::Sinusoid { axes }),
                None => Err(format!(
                    "unknown reference `{name}`: expected hamming, grid, positions, positions-folded, positions-left, \
                     positions-right, positions-cortical, modules, correlations or sinusoid-<k>d"
                )),
            },
        }
    }
}
