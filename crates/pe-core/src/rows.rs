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
    /// As many tokens of every item.
    Some(Chosen<B>),
}

/// Tokens chosen of each item, item after item.
#[derive(Debug, Clone)]
pub struct Chosen<B: Backend> {
    /// How many of each item.
    pub(crate) per_item: usize,
    /// As rows of the flattened `[batch * tokens]`: what the host and the device need of them.
    pub(crate) flat: Vec<usize>,
    flat_tensor: Tensor<B, 1, Int>,
}

impl<B: Backend> Rows<B> {
    /// Tokens `targets[i * per_item..][..per_item]` of item `i`.
    pub(crate) fn some(targets: &[usize], per_item: usize, tokens: usize, device: &B::Device) -> Self {
        let flat: Vec<usize> = targets.iter().enumerate().map(|(i, t)| i / per_item * tokens + t).collect();
        let data: Vec<i64> = flat.iter().map(|&row| row as i64).collect();
        let flat_tensor = Tensor::from_data(TensorData::new(data, [flat.len()]), device);
        Self::Some(Chosen { per_item, flat, flat_tensor })
    }

    /// # Shapes
    /// - input: `[batch, tokens, width]`
    /// - output: `[batch, rows, width]`
    pub(crate) fn select(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [batch, tokens, width] = x.dims();
        match self {
            Rows::All => x,
            Rows::Last => x.narrow(1, tokens - 1, 1),
            Rows::Some(chosen) => x
                .reshape([batch * tokens, width])
                .select(0, chosen.flat_tensor.clone())
                .reshape([batch, chosen.per_item, width]),
        }
    }

    /// What belongs to the chosen queries, from what belongs to each token.
    ///
    /// # Shapes
    /// - input: `[heads, tokens, values]`
    /// - output: `[1 or batch, heads, rows, values]`
    pub(crate) fn of_tokens(&self, x: Tensor<B, 3>) -> Tensor<B, 4> {
        let [heads, tokens, values] = x.dims();
        match self {
            Rows::All => x.unsqueeze::<4>(),
            Rows::Last => x.narrow(1, tokens - 1, 1).unsqueeze::<4>(),
            Rows::Some(chosen) => {
                let batch = chosen.flat.len() / chosen.per_item;
                x.select(1, chosen.tokens(tokens))
                    .reshape([heads, batch, chosen.per_item, values])
                    .swap_dims(0, 1)
            }
        }
    }

    /// As [`Self::of_tokens`], for integers without heads.
    ///
    /// # Shapes
    /// - input: `[tokens, values]`
    /// - output: `[1 or batch, 1, rows, values]`
    pub(crate) fn of_tokens_int(&self, x: Tensor<B, 2, Int>) -> Tensor<B, 4, Int> {
        let [tokens, values] = x.dims();
        match self {
            Rows::All => x.unsqueeze::<4>(),
            Rows::Last => x.narrow(0, tokens - 1, 1).unsqueeze::<4>(),
            Rows::Some(chosen) => {
                let batch = chosen.flat.len() / chosen.per_item;
                x.select(0, chosen.tokens(tokens)).reshape([batch, 1, chosen.per_item, values])
            }
        }
    }

    /// What the chosen queries must not see, from what all queries must not see.
    ///
    /// # Shapes
    /// - input: `[tokens, tokens]` (query, key)
    /// - output: `[1 or batch, 1, rows, tokens]`
    pub(crate) fn select_mask(&self, hidden: Tensor<B, 2, Bool>) -> Tensor<B, 4, Bool> {
        match self {
            Rows::All => hidden.unsqueeze::<4>(),
            _ => self.of_tokens_int(hidden.int()).bool(),
        }
    }
}

impl<B: Backend> Chosen<B> {
    /// The token of each chosen row.
    fn tokens(&self, tokens: usize) -> Tensor<B, 1, Int> {
        self.flat_tensor.clone().remainder_scalar(tokens as i64)
    }
}
