//! `random`: a drawn table that is never trained.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::encoding::{Placement, PositionalEncoding, Site};
use crate::init::{Distribution, TableInit};
use crate::tables::{self, Sharing};
use crate::{PeError, Positions};

/// Settings of a random table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomConfig {
    /// Standard deviation of the entries, >= 0; 1 in the paper.
    #[serde(default = "one")]
    pub sigma: f64,
    /// One table per block, or one for all.
    #[serde(default)]
    pub sharing: Sharing,
}

fn one() -> f64 {
    1.0
}

impl Default for RandomConfig {
    fn default() -> Self {
        Self { sigma: 1.0, sharing: Sharing::default() }
    }
}

impl RandomConfig {
    pub(crate) fn validate(&self) -> Result<(), PeError> {
        TableInit::new(self.sigma, Distribution::Normal).map(|_| ())
    }

    pub(crate) fn init<B: Backend>(
        &self,
        site: Site,
        streams: &Streams,
        device: &B::Device,
    ) -> Result<Random<B>, PeError> {
        let init = TableInit::new(self.sigma, Distribution::Normal)?;
        let frozen = tables::draw(init, self.sharing, site, [site.tokens, site.width], streams, device)
            .into_iter()
            .map(|table| table.set_require_grad(false))
            .collect();
        Ok(Random { frozen })
    }
}

/// A frozen table: row `i` is added to the token with position id `i`. It is saved with the weights.
#[derive(Module, Debug)]
pub struct Random<B: Backend> {
    frozen: Vec<Param<Tensor<B, 2>>>,
}

impl<B: Backend> Random<B> {
    pub(crate) fn count(&self) -> usize {
        self.frozen.len()
    }
}

impl<B: Backend> PositionalEncoding<B> for Random<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        tables::place(self.frozen[0].dims()[0], positions, device)
    }

    fn table(&self, block: usize, placement: &Placement<B>) -> Option<Tensor<B, 2>> {
        Some(tables::rows(&self.frozen, block, placement))
    }
}
