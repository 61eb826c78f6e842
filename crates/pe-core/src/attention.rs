//! Multi-head self-attention that can compute some queries only, and never gives NaN.

use burn::module::Module;
use burn::tensor::{Bool, Tensor, activation, backend::Backend};
use streams::Streams;

use crate::encoding::Terms;
use crate::linear::{Linear, LinearInit, affine};
use crate::rows::Rows;

/// Scaled dot-product attention with a stacked input projection `[width, 3 width]` for queries, keys and values.
#[derive(Module, Debug)]
pub struct Attention<B: Backend> {
    pub(crate) in_proj: Linear<B>,
    pub(crate) out_proj: Linear<B>,
    heads: usize,
}

/// What attention needs besides its tokens.
pub(crate) struct AttentionCall<'a, B: Backend> {
    pub terms: Terms<B>,
    pub rows: &'a Rows<B>,
    /// What each query must not see, broadcastable to `[batch, heads, queries, keys]`.
    pub hidden: Option<Tensor<B, 4, Bool>>,
}

impl<B: Backend> Attention<B> {
    pub(crate) fn init(
        width: usize,
        heads: usize,
        name: &str,
        streams: &Streams,
        device: &B::Device,
    ) -> Self {
        let linear =
            |shape, init, part: &str| Linear::init(shape, init, &format!("{name}.{part}"), streams, device);
        Self {
            in_proj: linear([width, 3 * width], LinearInit::Xavier, "in_proj"),
            out_proj: linear([width, width], LinearInit::ZeroBias, "out_proj"),
            heads,
        }
    }

    /// Returns the output at the chosen rows, and the attention weights.
    ///
    /// # Shapes
    /// - input: `[batch, tokens, width]`
    /// - output: `[batch, rows, width]`, weights `[batch, heads, rows, tokens]`
    pub(crate) fn forward(
        &self,
        x: Tensor<B, 3>,
        call: AttentionCall<'_, B>,
    ) -> (Tensor<B, 3>, Tensor<B, 4>) {
        let [batch, tokens, width] = x.dims();
        let head_width = width / self.heads;
        let (q, k, v) = self.project(x, call.rows);
        let queries = q.dims()[2];

        let Terms { rotation, relative, bias } = call.terms;
        let (q, k) = match &rotation {
            Some(rotation) => (rotation.turn(q, call.rows), rotation.turn(k, &Rows::All)),
            None => (q, k),
        };
        let products = q.clone().matmul(k.transpose());
        let products = match &relative {
            Some(relative) => products + relative.products(&q, call.rows),
            None => products,
        };
        let logits = products * (1.0 / (head_width as f64).sqrt());
        let logits = match bias {
            Some(bias) => logits + call.rows.of_tokens(bias),
            None => logits,
        };
        let weights = match call.hidden {
            Some(hidden) => masked_softmax(logits, hidden.expand([batch, self.heads, queries, tokens])),
            None => activation::softmax(logits, 3),
        };

        let mixed = weights.clone().matmul(v).swap_dims(1, 2).reshape([batch, queries, width]);
        (self.out_proj.forward(mixed), weights)
    }

    /// Queries at the chosen rows, keys and values everywhere; each `[batch, heads, tokens, head width]`.
    fn project(&self, x: Tensor<B, 3>, rows: &Rows<B>) -> (Tensor<B, 4>, Tensor<B, 4>, Tensor<B, 4>) {
        let width = x.dims()[2];
        let split = |x: Tensor<B, 3>| {
            let [batch, tokens, width] = x.dims();
            x.reshape([batch, tokens, self.heads, width / self.heads]).swap_dims(1, 2)
        };
        let (weight, bias) = (self.in_proj.weight.val(), self.in_proj.bias.val());
        if let Rows::All = rows {
            let [q, k, v] = three(affine(x, weight, bias), width);
            return (split(q), split(k), split(v));
        }
        let q = affine(
            rows.select(x.clone()),
            weight.clone().narrow(1, 0, width),
            bias.clone().narrow(0, 0, width),
        );
        let kv = affine(x, weight.narrow(1, width, 2 * width), bias.narrow(0, width, 2 * width));
        let (k, v) = (kv.clone().narrow(2, 0, width), kv.narrow(2, width, width));
        (split(q), split(k), split(v))
    }
}

fn three<B: Backend>(x: Tensor<B, 3>, width: usize) -> [Tensor<B, 3>; 3] {
    [0, 1, 2].map(|part| x.clone().narrow(2, part * width, width))
}

/// Softmax over the keys that are not hidden. A query that sees nothing gets weights 0.
fn masked_softmax<B: Backend>(logits: Tensor<B, 4>, hidden: Tensor<B, 4, Bool>) -> Tensor<B, 4> {
    let logits = logits.mask_fill(hidden.clone(), f32::MIN / 2.0);
    let top = logits.clone().max_dim(3).detach();
    let exp = (logits - top).exp().mask_fill(hidden, 0.0);
    let sum = exp.clone().sum_dim(3);
    // The largest visible term is exp(0) = 1, so the bound touches only rows that see nothing.
    exp / sum.clamp_min(0.5)
}
