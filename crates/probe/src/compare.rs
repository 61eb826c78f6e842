//! How alike two RDMs are, also beyond a third.

mod align;
mod correlation;
mod kendall;
mod prepared;
mod whitening;

pub use align::NanPolicy;
pub(crate) use align::{Aligned, align};
pub use correlation::{average_ranks, correlation, partial, pearson, spearman};
pub(crate) use correlation::{dot, only_pearson_or_spearman, partial_of, standardised};
pub(crate) use kendall::Ordered;
pub use kendall::{tau_a, tau_b};
pub(crate) use prepared::Prepared;
pub use whitening::{PatternCovariance, compare_whitened};

use serde::{Deserialize, Serialize};

use crate::StatError;
use crate::rdm::Rdm;

/// How two RDMs are compared. In brackets rsatoolbox's name of it.
///
/// Undefined is NaN: a constant RDM for every correlation but τ-a and ρ-a, which give 0 there by their
/// definition; a zero RDM for cosines. rsatoolbox says 0 in all these cases but τ-b.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Comparison {
    /// Product-moment correlation of the distances (`corr`).
    Pearson,
    /// Product-moment correlation of their average ranks (`spearman`).
    Spearman,
    /// Kendall's τ-a (`tau-a`): concordant minus discordant pairs of distances, over all pairs. A model that
    /// predicts ties cannot reach 1, so it is not favoured for them (Nili et al. 2014).
    KendallTauA,
    /// Kendall's τ-b (`kendall`, SciPy's `kendalltau`): corrected for ties.
    KendallTauB,
    /// ρ-a (`rho-a`): the mean of Spearman's ρ over random ways to break ties, 12 Σ r_i s_i / (m³ - m) with
    /// centred average ranks of m distances (Schütt et al. 2023).
    RhoA,
    /// The cosine of the angle between the distances, not centred (`cosine`).
    Cosine,
    /// Pearson after whitening by the covariance of distance estimates (`corr_cov`), for independent and
    /// equally noisy patterns; see [`compare_whitened`].
    WhitenedPearson,
    /// Cosine after the same whitening (`cosine_cov`, Diedrichsen et al. 2021). For squared distances it is
    /// the linear CKA (centred kernel alignment) of the patterns.
    WhitenedCosine,
}

impl Comparison {
    /// All of them.
    pub const ALL: [Comparison; 8] = [
        Comparison::Pearson,
        Comparison::Spearman,
        Comparison::KendallTauA,
        Comparison::KendallTauB,
        Comparison::RhoA,
        Comparison::Cosine,
        Comparison::WhitenedPearson,
        Comparison::WhitenedCosine,
    ];

    /// Whether only the order of distances matters.
    pub(crate) fn is_of_ranks(self) -> bool {
        use Comparison::{KendallTauA, KendallTauB, RhoA, Spearman};
        matches!(self, Spearman | KendallTauA | KendallTauB | RhoA)
    }

    pub(crate) fn is_kendall(self) -> bool {
        matches!(self, Comparison::KendallTauA | Comparison::KendallTauB)
    }

    pub(crate) fn is_whitened(self) -> bool {
        matches!(self, Comparison::WhitenedPearson | Comparison::WhitenedCosine)
    }

    /// Whether the mean distance is taken out first.
    pub(crate) fn is_centred(self) -> bool {
        !matches!(self, Comparison::Cosine | Comparison::WhitenedCosine)
    }
}

/// Compares two RDMs over the same conditions.
pub fn compare(a: &Rdm, b: &Rdm, how: Comparison, nan: NanPolicy) -> Result<f64, StatError> {
    let Some(aligned) = align(&[a, b], nan)? else { return Ok(f64::NAN) };
    let prepared = aligned.prepare_all(how)?;
    Ok(prepared[0].with(&prepared[1]))
}

/// Compares two RDMs beyond what both share with a third: the partial correlation, for [`Comparison::Pearson`]
/// and [`Comparison::Spearman`]. For more than one further RDM see [`crate::regression`].
pub fn compare_beyond(
    a: &Rdm,
    b: &Rdm,
    beyond: &Rdm,
    how: Comparison,
    nan: NanPolicy,
) -> Result<f64, StatError> {
    match align(&[a, b, beyond], nan)? {
        Some(Aligned { vectors, .. }) => partial(&vectors[0], &vectors[1], &vectors[2], how),
        None => Ok(f64::NAN),
    }
}
