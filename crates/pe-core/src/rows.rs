//! Which tokens of a block are computed.

use burn::tensor::{Bool, Int, Tensor, TensorData, backend::Backend};

/// The tokens at which a block computes queries, MLP and norms. Keys and values are always computed everywhere,
/// so that restricting the last block to the tokens that are read out changes nothing but the time.
#[derive(Debug, Clone)]
pub enum Rows<B: Backend> {
    /// Every token.
    All,
    /// The last token.
    Last,
    /// One token per item, as a row of the flattened `[batch * tokens]`.
    One(Tensor<B, 1, Int>),
}

impl<B: Backend> Rows<B> {
    /// Token `targets[i]` of item `i`.
    pub(crate) fn one(targets: &[usize], tokens: usize, device: &B::Device) -> Self {
        let flat: Vec<i64> = targets.iter().enumerate().map(|(i, t)| (i * tokens + t) as i64).collect();
        Self::One(Tensor::from_data(TensorData::new(flat, [targets.len()]), device))
    }

    /// # Shapes
    /// - input: `[batch, tokens, width]`
    /// - output: `[batch, rows, width]`
    pub(crate) fn select(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [batch, tokens, width] = x.dims();
        match self {
            Rows::All => x,
            Rows::Last => x.narrow(1, tokens - 1, 1),
            Rows::One(flat) => {
                x.reshape([batch * tokens, width]).select(0, flat.clone()).reshape([batch, 1, width])
            }
        }
    }

    /// What the chosen queries must not see, from what all queries must not see.
    ///
    /// # Shapes
    /// - input: `[tokens, tokens]` (query, key)
    /// - output: `[1 or batch, 1, rows, tokens]`
    pub(crate) fn select_mask(&self, hidden: Tensor<B, 2, Bool>) -> Tensor<B, 4, Bool> {
        let tokens = hidden.dims()[0];
        match self {
            Rows::All => hidden.unsqueeze::<4>(),
            Rows::Last => hidden.narrow(0, tokens - 1, 1).unsqueeze::<4>(),
            Rows::One(flat) => {
                let batch = flat.dims()[0];
                let query = flat.clone().remainder_scalar(tokens as i64);
                hidden.int().select(0, query).bool().reshape([batch, 1, 1, tokens])
            }
        }
    }
}
