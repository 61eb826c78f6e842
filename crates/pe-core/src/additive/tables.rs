//! Tables keyed by position id, shared by the learned and the random encoding.

use burn::module::Param;
use burn::tensor::{Int, Tensor, TensorData, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use crate::encoding::{Placement, Site};
use crate::init::{TableInit, parameter};
use crate::{PeError, Positions};

/// Whether every block has a table of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// One table per block, as in the published code of Ito et al. 2025.
    #[default]
    PerBlock,
    /// One table, added at the input of every block.
    Shared,
}

/// Draws the tables `[tokens, width]`; each has a stream of its own.
pub(super) fn draw<B: Backend>(
    init: TableInit,
    sharing: Sharing,
    site: Site,
    streams: &Streams,
    device: &B::Device,
) -> Vec<Param<Tensor<B, 2>>> {
    let labels: Vec<String> = match sharing {
        Sharing::PerBlock => (0..site.blocks).map(|block| format!("block-{block}")).collect(),
        Sharing::Shared => vec!["shared".to_owned()],
    };
    let table = |label: &String| {
        let values = init.sample(site.tokens * site.width, &mut streams.rng_for(Stream::PeInit, label));
        parameter(values, [site.tokens, site.width], device)
    };
    labels.iter().map(table).collect()
}

/// Checks that every id has a row in tables of `capacity` rows.
pub(super) fn place<B: Backend>(
    capacity: usize,
    positions: &Positions,
    device: &B::Device,
) -> Result<Placement<B>, PeError> {
    let ids = positions.ids();
    if let Some(&id) = ids.iter().find(|&&id| id >= capacity) {
        return Err(PeError::IdOutOfRange { id, capacity });
    }
    let in_order = ids.len() == capacity && ids.iter().enumerate().all(|(i, &id)| i == id);
    let tensor = || {
        let values: Vec<i64> = ids.iter().map(|&id| id as i64).collect();
        Tensor::<B, 1, Int>::from_data(TensorData::new(values, [ids.len()]), device)
    };
    Ok(Placement { ids: (!in_order).then(tensor), table: None })
}

/// The rows of the table of `block` in the order of the positions.
pub(super) fn rows<B: Backend>(
    tables: &[Param<Tensor<B, 2>>],
    block: usize,
    placement: &Placement<B>,
) -> Tensor<B, 2> {
    let table = if tables.len() == 1 { tables[0].val() } else { tables[block].val() };
    match &placement.ids {
        Some(ids) => table.select(0, ids.clone()),
        None => table,
    }
}
