//! `1d-fixed`: the sinusoid of Vaswani et al. 2017 over the position id.

use std::marker::PhantomData;

use burn::module::Module;
use burn::tensor::{Tensor, TensorData, backend::Backend};
use serde::{Deserialize, Serialize};

use super::sinusoid_kd::fill_sinusoid;
use crate::encoding::{Placement, PositionalEncoding, Site};
use crate::{PeError, Positions};

/// No settings.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sinusoid1dConfig {}

impl Sinusoid1dConfig {
    pub(crate) fn validate(&self, site: Site) -> Result<(), PeError> {
        if site.width % 2 == 1 {
            return Err(PeError::OddWidth { encoding: "1d-fixed".to_owned(), width: site.width });
        }
        Ok(())
    }

    pub(crate) fn init<B: Backend>(&self, site: Site) -> Sinusoid1d<B> {
        Sinusoid1d { width: site.width, backend: PhantomData }
    }
}

/// `PE[p, 2i] = sin(p / 10000^(2i/d))`, `PE[p, 2i+1] = cos(p / 10000^(2i/d))` for position id `p` and width `d`.
#[derive(Module, Debug)]
pub struct Sinusoid1d<B: Backend> {
    width: usize,
    backend: PhantomData<B>,
}

impl<B: Backend> PositionalEncoding<B> for Sinusoid1d<B> {
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        let mut values = vec![0.0; positions.tokens() * self.width];
        for (row, &id) in values.chunks_mut(self.width).zip(positions.ids()) {
            fill_sinusoid(row, id as f64);
        }
        let table = Tensor::from_data(TensorData::new(values, [positions.tokens(), self.width]), device);
        Ok(Placement { table: Some(table), ..Placement::nothing() })
    }

    fn table(&self, _block: usize, placement: &Placement<B>) -> Option<Tensor<B, 2>> {
        placement.table.clone()
    }
}
