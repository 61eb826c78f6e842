//! A reference in the forms that statistics need, and a table that is held against it.

use ndarray::{Array2, ArrayView2, Axis, concatenate};

use super::reference::{Beyond, BeyondOther, ProcrustesReport, Reference, ReferenceReport};
use super::statistic::{Statistic, finite};
use crate::StatError;
use crate::compare::{Comparison, NanPolicy, compare, compare_beyond};
use crate::dcor::Centred;
use crate::permutation::{Permutations, Tail, rsa, rsa_beyond};
use crate::procrustes::{Alignment, Reduction, procrustes, procrustes_reduced};
use crate::rdm::{Measure, Rdm};

/// One reference in the forms that the statistics need.
#[derive(Clone)]
pub(super) struct Form {
    pub(super) reference: Reference,
    pub(super) rdm: Rdm,
    pub(super) centred: Centred,
    /// What Procrustes holds the table against.
    pub(super) table: Option<Array2<f64>>,
    /// What RSA is also given beyond.
    pub(super) beyond: Option<(Reference, Rdm)>,
    /// Of a reference over some of the tokens only.
    pub(super) subset: Option<Subset>,
}

/// Some of the tokens, and their permutations.
#[derive(Clone)]
pub(super) struct Subset {
    pub(super) members: Vec<usize>,
    pub(super) permutations: Permutations,
}

/// A table against a reference, without tests.
pub(super) struct Plain {
    pub(super) reference: Reference,
    pub(super) dcor_bias_corrected: Option<f64>,
    pub(super) rsa_cosine: Option<f64>,
    /// What the next two are beyond.
    pub(super) other: Reference,
    /// RSA of the Euclidean and of the cosine RDM.
    pub(super) beyond: [Option<f64>; 2],
}

/// A table of a run, with what every comparison needs of it.
pub(super) struct Prober {
    pub(super) table: Array2<f64>,
    pub(super) euclidean: Rdm,
    pub(super) cosine: Rdm,
    centred: Centred,
}

impl Prober {
    pub(super) fn new(table: ArrayView2<f64>) -> Result<Self, StatError> {
        let euclidean = Rdm::of_rows(table, Measure::Euclidean)?;
        let cosine = Rdm::of_rows(table, Measure::Cosine)?;
        Ok(Self { centred: Centred::of_distances(&euclidean), table: table.to_owned(), euclidean, cosine })
    }

    /// The same table of some tokens alone: its distances are those of the whole one.
    fn restricted(&self, members: &[usize]) -> Result<Self, StatError> {
        let euclidean = self.euclidean.resampled(members)?;
        let cosine = self.cosine.resampled(members)?;
        let table = self.table.select(Axis(0), members);
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
    /// Over all tokens.
    pub(super) fn new(reference: Reference, rdm: Rdm, table: Option<Array2<f64>>) -> Self {
        Self { centred: Centred::of_distances(&rdm), reference, rdm, table, beyond: None, subset: None }
    }

    /// All comparisons. `count_tokens`: whether the report says over how many.
    pub(super) fn report(
        &self,
        prober: &Prober,
        permutations: &Permutations,
        count_tokens: bool,
    ) -> Result<ReferenceReport, StatError> {
        let report = match &self.subset {
            None => self.compare(prober, permutations)?,
            Some(subset) => self.compare(&prober.restricted(&subset.members)?, &subset.permutations)?,
        };
        Ok(ReferenceReport { tokens: count_tokens.then(|| self.rdm.conditions()), ..report })
    }

    /// Of a reference that RSA is also given beyond another of: the figures alone.
    pub(super) fn plain(&self, prober: &Prober) -> Result<Option<Plain>, StatError> {
        let Some((other, covariate)) = &self.beyond else { return Ok(None) };
        let part = self.subset.as_ref().map(|subset| prober.restricted(&subset.members)).transpose()?;
        let prober = part.as_ref().unwrap_or(prober);
        let (dcor_bias_corrected, rsa_cosine) = prober.against(self)?;
        let beyond = |rdm: &Rdm| {
            compare_beyond(rdm, &self.rdm, covariate, Comparison::Spearman, NanPolicy::Propagate).map(finite)
        };
        let beyond = [beyond(&prober.euclidean)?, beyond(&prober.cosine)?];
        Ok(Some(Plain { reference: self.reference, dcor_bias_corrected, rsa_cosine, other: *other, beyond }))
    }

    fn compare(&self, prober: &Prober, permutations: &Permutations) -> Result<ReferenceReport, StatError> {
        let plain = |rdm: &Rdm| {
            rsa(rdm, &self.rdm, Comparison::Spearman, Tail::Greater, permutations).map(Statistic::from)
        };
        let beyond = |rdm: &Rdm, other: &Rdm, permutations: &Permutations| {
            rsa_beyond(rdm, &self.rdm, other, Comparison::Spearman, Tail::Greater, permutations)
                .map(Statistic::from)
        };
        let other = match &self.beyond {
            None => None,
            Some((other, rdm)) => {
                let kept = permutations.keeping(rdm);
                Some(BeyondOther {
                    other: *other,
                    rsa_euclidean: beyond(&prober.euclidean, rdm, &kept)?,
                    rsa_cosine: beyond(&prober.cosine, rdm, &kept)?,
                    permuted: Some(kept.permuted()),
                    permutations: Some(kept.count()),
                })
            }
        };
        let (hamming, other) = match other {
            Some(BeyondOther {
                other: Reference::Hamming,
                rsa_euclidean,
                rsa_cosine,
                permuted,
                permutations,
            }) => (Some(Beyond { rsa_euclidean, rsa_cosine, permuted, permutations }), None),
            other => (None, other),
        };
        let dcor = prober.centred.test(&self.centred, permutations)?;
        Ok(ReferenceReport {
            reference: self.reference,
            tokens: None,
            rsa_euclidean: plain(&prober.euclidean)?,
            rsa_cosine: plain(&prober.cosine)?,
            beyond_hamming: hamming,
            dcor_biased: dcor.biased.into(),
            dcor_bias_corrected: dcor.bias_corrected.into(),
            procrustes: self.procrustes(prober)?,
            beyond: other,
        })
    }

    fn procrustes(&self, prober: &Prober) -> Result<Option<ProcrustesReport>, StatError> {
        let Some(table) = &self.table else { return Ok(None) };
        let fit = if self.reference.is_of_places() {
            procrustes_reduced(table.view(), prober.table.view(), Reduction::Pca, Alignment::Orthogonal)?
        } else {
            procrustes(table.view(), prober.table.view(), Alignment::Orthogonal)?
        };
        Ok(Some(ProcrustesReport { frobenius: finite(fit.frobenius), disparity: finite(fit.disparity) }))
    }
}

/// Tables side by side, [tokens, sum of widths].
pub(crate) fn beside(tables: &[Array2<f64>]) -> Array2<f64> {
    let views: Vec<_> = tables.iter().map(|table| table.view()).collect();
    // Only tables of different length cannot be joined; the reader of the run has checked that.
    concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((0, 0)))
}
