//! Several RDMs over the same pairs, and what to do with pairs that are undefined.

use super::{Comparison, Prepared};
use crate::rdm::{Rdm, pairs};
use crate::{StatError, checks};

/// What a comparison does with pairs whose distance is undefined (NaN). There is no default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NanPolicy {
    /// Any undefined pair is an error.
    Refuse,
    /// Pairs undefined in every RDM are left out; a pair undefined in only some is an error, as in rsatoolbox.
    Omit,
    /// Pairs undefined in any of the RDMs are left out of all.
    PairwiseComplete,
    /// Any undefined pair makes the result NaN.
    Propagate,
}

/// The defined distances of several RDMs.
#[derive(Debug)]
pub(crate) struct Aligned {
    pub(crate) conditions: usize,
    /// One vector an RDM: the pairs that are present, in condensed order.
    pub(crate) vectors: Vec<Vec<f64>>,
    /// Which of all pairs are present; `None` when all are.
    pub(crate) present: Option<Vec<bool>>,
}

/// Brings RDMs together. `None` when the policy says that the result is NaN.
pub(crate) fn align(rdms: &[&Rdm], nan: NanPolicy) -> Result<Option<Aligned>, StatError> {
    let conditions = rdms.first().map_or(0, |rdm| rdm.conditions());
    for rdm in rdms {
        checks::same_length("comparing RDMs: conditions", conditions, rdm.conditions())?;
    }
    let absent: Vec<bool> =
        (0..pairs(conditions)).map(|pair| rdms.iter().any(|rdm| rdm.values()[pair].is_nan())).collect();
    if !absent.contains(&true) {
        let vectors = rdms.iter().map(|rdm| rdm.values().to_vec()).collect();
        return Ok(Some(Aligned { conditions, vectors, present: None }));
    }
    match nan {
        NanPolicy::Propagate => return Ok(None),
        NanPolicy::Refuse => {
            for rdm in rdms {
                checks::finite_slice("comparing RDMs", rdm.values())?;
            }
        }
        NanPolicy::Omit => {
            for rdm in rdms {
                let differs = |(value, &is): (&f64, &bool)| value.is_nan() != is;
                if let Some(position) = rdm.values().iter().zip(&absent).position(differs) {
                    return Err(StatError::MismatchedNan { position });
                }
            }
        }
        NanPolicy::PairwiseComplete => {}
    }
    let kept =
        |rdm: &&Rdm| rdm.values().iter().zip(&absent).filter(|(_, is)| !**is).map(|(v, _)| *v).collect();
    let vectors = rdms.iter().map(kept).collect();
    Ok(Some(Aligned { conditions, vectors, present: Some(absent.into_iter().map(|is| !is).collect()) }))
}

impl Aligned {
    /// Every vector, ready to be compared.
    pub(crate) fn prepare_all(&self, how: Comparison) -> Result<Vec<Prepared>, StatError> {
        self.vectors.iter().map(|vector| self.prepare(vector, how)).collect()
    }

    /// A vector over the same pairs.
    pub(crate) fn prepare(&self, vector: &[f64], how: Comparison) -> Result<Prepared, StatError> {
        Prepared::new(self.conditions, vector, self.present.as_deref(), how)
    }
}
