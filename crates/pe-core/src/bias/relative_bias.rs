//! `relative-bias`: a learned number per head for each difference of position ids.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::encoding::{Placement, PositionalEncoding, Site, Terms};
use crate::init::{Distribution, TableInit};
use crate::tables::{self, Sharing};
use crate::{PeError, Positions};

/// Settings of a relative bias.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelativeBiasConfig {
    /// Standard deviation of the initial entries, >= 0; 0, so that attention starts without positions.
    #[serde(default)]
    pub sigma: f64,
    /// One table per block, or one for all.
    #[serde(default)]
    pub sharing: Sharing,
}

impl RelativeBiasConfig {
    pub(crate) fn validate(&self) -> Result<(), PeError> {
        TableInit::new(self.sigma, Distribution::Normal).map(|_| ())
    }

    pub(crate) fn init<B: Backend>(
        &self,
        site: Site,
        streams: &Streams,
        device: &B::Device,
    ) -> Result<RelativeBias<B>, PeError> {
        let init = TableInit::new(self.sigma, Distribution::Normal)?;
        let shape = [site.heads, 2 * site.tokens - 1];
        Ok(RelativeBias { biases: tables::draw(init, self.sharing, site, shape, streams, device) })
    }
}

/// `logits[h, i, j] = q_i · k_j / sqrt(head width) + b[h, id_i - id_j]` (Raffel et al. 2020, T5, section 2.1, without
/// buckets). The tables `[heads, 2 tokens - 1]` are trained; column `r` is the difference `r - (tokens - 1)` of query
/// id minus key id.
#[derive(Module, Debug)]
pub struct RelativeBias<B: Backend> {
    biases: Vec<Param<Tensor<B, 2>>>,
}

impl<B: Backend> PositionalEncoding<B> for RelativeBias<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        tables::place_differences(self.biases[0].dims()[1], positions, device)
    }

    fn terms(&self, block: usize, placement: &Placement<B>) -> Terms<B> {
        let table = tables::of_block(&self.biases, block);
        let bias = placement.relations.as_ref().map(|relations| {
            let tokens = relations.tokens;
            let index = relations.device_index.clone().reshape([tokens * tokens]);
            table.clone().select(1, index).reshape([table.dims()[0], tokens, tokens])
        });
        Terms { bias, ..Terms::none() }
    }
}
