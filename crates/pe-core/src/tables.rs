//! Tables of parameters, one per block or one for all, shared by the encodings that have any.

use burn::module::Param;
use burn::tensor::{Int, Tensor, TensorData, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use crate::encoding::{Placement, Relations, Site};
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

/// Draws the tables, each of this shape and with a stream of its own.
pub(crate) fn draw<B: Backend>(
    init: TableInit,
    sharing: Sharing,
    site: Site,
    [rows, columns]: [usize; 2],
    streams: &Streams,
    device: &B::Device,
) -> Vec<Param<Tensor<B, 2>>> {
    let labels: Vec<String> = match sharing {
        Sharing::PerBlock => (0..site.blocks).map(|block| format!("block-{block}")).collect(),
        Sharing::Shared => vec!["shared".to_owned()],
    };
    let table = |label: &String| {
        let values = init.sample(rows * columns, &mut streams.rng_for(Stream::PeInit, label));
        parameter(values, [rows, columns], device)
    };
    labels.iter().map(table).collect()
}

/// Checks that every id is below the number of ids that the encoder was made for.
fn check_ids(positions: &Positions, capacity: usize) -> Result<&[usize], PeError> {
    let ids = positions.ids();
    match ids.iter().find(|&&id| id >= capacity) {
        Some(&id) => Err(PeError::IdOutOfRange { id, capacity }),
        None => Ok(ids),
    }
}

/// Checks that every id has a row in tables of `capacity` rows.
pub(crate) fn place<B: Backend>(
    capacity: usize,
    positions: &Positions,
    device: &B::Device,
) -> Result<Placement<B>, PeError> {
    let ids = check_ids(positions, capacity)?;
    let in_order = ids.len() == capacity && ids.iter().enumerate().all(|(i, &id)| i == id);
    let tensor = || {
        let values: Vec<i64> = ids.iter().map(|&id| id as i64).collect();
        Tensor::<B, 1, Int>::from_data(TensorData::new(values, [ids.len()]), device)
    };
    Ok(Placement { ids: (!in_order).then(tensor), ..Placement::nothing() })
}

/// The difference of every pair of ids, for tables that hold `2 capacity - 1` of them.
pub(crate) fn place_differences<B: Backend>(
    differences: usize,
    positions: &Positions,
    device: &B::Device,
) -> Result<Placement<B>, PeError> {
    let capacity = differences.div_ceil(2);
    let ids = check_ids(positions, capacity)?;
    let relations = Relations::by_difference(ids, capacity, device);
    Ok(Placement { relations: Some(relations), ..Placement::nothing() })
}

/// The rows of the table of `block` in the order of the positions.
pub(crate) fn rows<B: Backend>(
    tables: &[Param<Tensor<B, 2>>],
    block: usize,
    placement: &Placement<B>,
) -> Tensor<B, 2> {
    let table = of_block(tables, block);
    match &placement.ids {
        Some(ids) => table.select(0, ids.clone()),
        None => table,
    }
}

/// The table of `block`.
pub(crate) fn of_block<B: Backend>(tables: &[Param<Tensor<B, 2>>], block: usize) -> Tensor<B, 2> {
    if tables.len() == 1 { tables[0].val() } else { tables[block].val() }
}
