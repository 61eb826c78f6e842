//! `alibi`: a fixed penalty on attention that grows with the distance of position ids.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::{Tensor, TensorData, backend::Backend};
use serde::{Deserialize, Serialize};

use crate::encoding::{Placement, PositionalEncoding, Site, Terms};
use crate::{PeError, Positions};

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlibiConfig {}

impl AlibiConfig {
    pub(crate) fn init<B: Backend>(&self, site: Site) -> Alibi<B> {
        Alibi { heads: site.heads, backend: PhantomData }
    }
}

/// `logits[h, i, j] = q_i · k_j / sqrt(head width) - m_h |id_i - id_j|` with `m_h = 2^(-8 (h + 1) / heads)` (Press et
/// al. 2022, section 3; on both sides of the query, since the encoder need not be causal). Nothing is learned. Without
/// a causal mask it cannot tell before from behind.
#[derive(Module, Debug)]
pub struct Alibi<B: Backend> {
    heads: usize,
    backend: PhantomData<B>,
}

impl<B: Backend> PositionalEncoding<B> for Alibi<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        let ids = positions.ids();
        let mut bias = Vec::with_capacity(self.heads * ids.len() * ids.len());
        for head in 0..self.heads {
            let slope = 2f64.powf(-8.0 * (head + 1) as f64 / self.heads as f64);
            for query in ids {
                bias.extend(ids.iter().map(|key| (-slope * query.abs_diff(*key) as f64) as f32));
            }
        }
        let shape = [self.heads, ids.len(), ids.len()];
        let bias = Tensor::from_data(TensorData::new(bias, shape), device);
        Ok(Placement { bias: Some(bias), ..Placement::nothing() })
    }

    fn terms(&self, _block: usize, placement: &Placement<B>) -> Terms<B> {
        Terms { bias: placement.bias.clone(), ..Terms::none() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;

    /// With 8 heads the slopes are 1/2, 1/4, ... 1/256 (Press et al. 2022, section 3).
    #[test]
    fn slopes_halve_from_head_to_head() {
        let site = Site { blocks: 1, tokens: 4, axes: 1, width: 8, heads: 8 };
        let alibi = AlibiConfig {}.init::<Cpu>(site);
        let placement = alibi.place(&Positions::grid(&[4]).unwrap(), &Default::default()).unwrap();
        let bias: Vec<f32> = alibi.terms(0, &placement).bias.unwrap().to_data().to_vec().unwrap();
        for (head, bias) in bias.chunks(16).enumerate() {
            let slope = 0.5f32.powi(head as i32 + 1);
            assert_eq!(bias[..4], [0.0, -slope, -2.0 * slope, -3.0 * slope]);
            assert_eq!((bias[4], bias[13]), (-slope, -2.0 * slope));
        }
    }
}
