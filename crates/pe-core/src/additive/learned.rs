//! `learn-σ`: a trained table whose initial norm is the question of Ito et al. 2025.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::encoding::{Placement, PositionalEncoding, Site};
use crate::init::{Distribution, TableInit};
use crate::tables::{self, Sharing};
use crate::{PeError, Positions};

/// Settings of a learned table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnedConfig {
    /// Standard deviation of the initial entries, >= 0.
    pub sigma: f64,
    /// Shape of the initial distribution.
    #[serde(default)]
    pub distribution: Distribution,
    /// One table per block, or one for all.
    #[serde(default)]
    pub sharing: Sharing,
}

impl LearnedConfig {
    /// A normal table per block, as in the paper.
    pub fn new(sigma: f64) -> Self {
        Self { sigma, distribution: Distribution::default(), sharing: Sharing::default() }
    }

    pub(crate) fn validate(&self) -> Result<(), PeError> {
        TableInit::new(self.sigma, self.distribution).map(|_| ())
    }

    pub(crate) fn init<B: Backend>(
        &self,
        site: Site,
        streams: &Streams,
        device: &B::Device,
    ) -> Result<Learned<B>, PeError> {
        let init = TableInit::new(self.sigma, self.distribution)?;
        Ok(Learned {
            tables: tables::draw(init, self.sharing, site, [site.tokens, site.width], streams, device),
        })
    }
}

/// A trained table: row `i` is added to the token with position id `i`.
#[derive(Module, Debug)]
pub struct Learned<B: Backend> {
    tables: Vec<Param<Tensor<B, 2>>>,
}

impl<B: Backend> Learned<B> {
    pub(crate) fn count(&self) -> usize {
        self.tables.len()
    }
}

impl<B: Backend> PositionalEncoding<B> for Learned<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        tables::place(self.tables[0].dims()[0], positions, device)
    }

    fn table(&self, block: usize, placement: &Placement<B>) -> Option<Tensor<B, 2>> {
        Some(tables::rows(&self.tables, block, placement))
    }
}
