//! `relative`: a learned vector for each difference of position ids. With the causal mask of the encoder it is
//! `c-relative`, the relative attention of the code published with Ito et al. 2025.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::encoding::{Placement, PositionalEncoding, Relative, Site, Terms};
use crate::init::{Distribution, TableInit};
use crate::tables::{self, Sharing};
use crate::{PeError, Positions};

/// Settings of relative attention.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelativeConfig {
    /// Standard deviation of the initial entries, >= 0; 1 in the published code.
    #[serde(default = "one")]
    pub sigma: f64,
    /// One table per block, or one for all.
    #[serde(default)]
    pub sharing: Sharing,
}

fn one() -> f64 {
    1.0
}

impl Default for RelativeConfig {
    fn default() -> Self {
        Self { sigma: one(), sharing: Sharing::default() }
    }
}

impl RelativeConfig {
    pub(crate) fn validate(&self) -> Result<(), PeError> {
        TableInit::new(self.sigma, Distribution::Normal).map(|_| ())
    }

    pub(crate) fn init<B: Backend>(
        &self,
        site: Site,
        streams: &Streams,
        device: &B::Device,
    ) -> Result<Shaw<B>, PeError> {
        let init = TableInit::new(self.sigma, Distribution::Normal)?;
        let shape = [2 * site.tokens - 1, site.head_width()];
        Ok(Shaw { differences: tables::draw(init, self.sharing, site, shape, streams, device) })
    }
}

/// `logits[i, j] = q_i · (k_j + E[id_i - id_j]) / sqrt(head width)` (Shaw et al. 2018, equation 4, keys only; Huang et
/// al. 2018, Music Transformer, equation 3). The tables `[2 tokens - 1, head width]` are trained and the same for all
/// heads; row `r` is the difference `r - (tokens - 1)` of query id minus key id.
#[derive(Module, Debug)]
pub struct Shaw<B: Backend> {
    differences: Vec<Param<Tensor<B, 2>>>,
}

impl<B: Backend> PositionalEncoding<B> for Shaw<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        tables::place_differences(self.differences[0].dims()[0], positions, device)
    }

    fn terms(&self, block: usize, placement: &Placement<B>) -> Terms<B> {
        let table = tables::of_block(&self.differences, block).unsqueeze::<3>();
        let relative = placement.relations.clone().map(|relations| Relative { table, relations });
        Terms { relative, ..Terms::none() }
    }
}
