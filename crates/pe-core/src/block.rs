//! One encoder block: attention and MLP, each with a residual and a norm.

use burn::module::Module;
use burn::nn::{LayerNorm, LayerNormConfig};
use burn::tensor::{Bool, Tensor, activation::gelu, backend::Backend};
use streams::Streams;

use crate::attention::{Attention, AttentionCall};
use crate::config::{EncoderConfig, Mlp, Norm};
use crate::context::Context;
use crate::encoding::{Encoding, Placement};
use crate::linear::{Linear, LinearInit};
use crate::rows::Rows;

/// The parameters of one block.
#[derive(Module, Debug)]
pub struct Block<B: Backend> {
    pub(crate) attention: Attention<B>,
    pub(crate) norm_1: LayerNorm<B>,
    pub(crate) up: Linear<B>,
    pub(crate) down: Linear<B>,
    pub(crate) norm_2: LayerNorm<B>,
}

/// What a block needs besides its tokens.
pub struct BlockCall<'a, B: Backend> {
    pub(crate) config: &'a EncoderConfig,
    pub(crate) index: usize,
    pub(crate) encoding: &'a Encoding<B>,
    pub(crate) placement: &'a Placement<B>,
    pub(crate) rows: &'a Rows<B>,
    /// What each of the chosen queries must not see, broadcastable to `[batch, heads, rows, tokens]`.
    pub(crate) hidden: Option<Tensor<B, 4, Bool>>,
}

impl<B: Backend> Block<B> {
    pub(crate) fn init(config: &EncoderConfig, index: usize, streams: &Streams, device: &B::Device) -> Self {
        let (width, hidden) = (config.width, config.hidden);
        let name = |part: &str| format!("blocks.{index}.{part}");
        let linear =
            |shape, part: &str| Linear::init(shape, LinearInit::Default, &name(part), streams, device);
        let norm = || LayerNormConfig::new(width).with_epsilon(config.norm_epsilon).init(device);
        Self {
            attention: Attention::init(width, config.heads, &name("attention"), streams, device),
            norm_1: norm(),
            up: linear([width, hidden], "up"),
            down: linear([hidden, width], "down"),
            norm_2: norm(),
        }
    }

    /// The block in plain tensor operations: the reference for every backend.
    ///
    /// With `u = x + PE`, post-norm is `h = LN(u + A(u))`, `y = LN(h + M(h))`; pre-norm is `h = u + A(LN(u))`,
    /// `y = h + M(LN(h))`.
    ///
    /// # Shapes
    /// - input: `[batch, tokens, width]`
    /// - output: `[batch, rows, width]`
    pub fn forward_plain(
        &self,
        x: Tensor<B, 3>,
        call: BlockCall<'_, B>,
        context: &mut Context,
    ) -> Tensor<B, 3> {
        let config = call.config;
        let name = |part: &str| format!("blocks.{}.{part}", call.index);

        let u = self.encode(x, &call, context);
        context.trace.record(&name("input"), &u);
        let seen = match config.norm {
            Norm::Post => u.clone(),
            Norm::Pre => self.norm_1.forward(u.clone()),
        };
        let attention = AttentionCall {
            terms: call.encoding.terms(call.index, call.placement),
            rows: call.rows,
            hidden: call.hidden,
        };
        let (mixed, weights) = self.attention.forward(seen, attention);
        context.trace.record(&name("attention.weights"), &weights);
        let mixed = context.dropout(config.dropout, mixed);
        context.trace.record(&name("attention.output"), &mixed);

        let residual = call.rows.select(u) + mixed;
        let y = match config.norm {
            Norm::Post => {
                let h = self.norm_1.forward(residual);
                let update = self.mlp(h.clone(), config, &name("mlp.hidden"), context);
                self.norm_2.forward(h + update)
            }
            Norm::Pre => {
                let h = self.norm_2.forward(residual.clone());
                residual + self.mlp(h, config, &name("mlp.hidden"), context)
            }
        };
        context.trace.record(&name("output"), &y);
        y
    }

    /// `u`: the tokens with the encoding of this block added.
    pub(crate) fn encode(
        &self,
        x: Tensor<B, 3>,
        call: &BlockCall<'_, B>,
        context: &mut Context,
    ) -> Tensor<B, 3> {
        let u = call.encoding.add(call.index, x, call.placement);
        match call.encoding.is_sinusoid() {
            true => context.dropout_always(call.config.sinusoid_dropout, u),
            false => u,
        }
    }

    fn mlp(
        &self,
        h: Tensor<B, 3>,
        config: &EncoderConfig,
        name: &str,
        context: &mut Context,
    ) -> Tensor<B, 3> {
        let hidden = gelu(self.up.forward(h));
        context.trace.record(name, &hidden);
        let out = self.down.forward(hidden);
        let out = match config.mlp {
            Mlp::GeluHidden => out,
            Mlp::GeluBoth => gelu(out),
        };
        context.dropout(config.dropout, out)
    }
}
