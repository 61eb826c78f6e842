//! The encoder: embedding, blocks with a positional encoding at the input of each, readout.

use burn::module::Module;
use burn::nn::{LayerNorm, LayerNormConfig};
use burn::tensor::{Bool, Tensor, TensorData, backend::Backend};
use streams::Streams;

use crate::backend::PeBackend;
use crate::block::{Block, BlockCall};
use crate::config::{EncoderConfig, Readout};
use crate::context::Context;
use crate::encoding::Encoding;
use crate::linear::{Linear, LinearInit};
use crate::rows::Rows;
use crate::{PeError, Positions};

/// A transformer encoder that carries a positional encoding.
#[derive(Module, Debug)]
pub struct Encoder<B: Backend> {
    pub(crate) embedding: Linear<B>,
    pub(crate) encoding: Encoding<B>,
    pub(crate) blocks: Vec<Block<B>>,
    pub(crate) norm: Option<LayerNorm<B>>,
    pub(crate) readout: Linear<B>,
    #[module(skip)]
    config: EncoderConfig,
}

/// One batch for an encoder.
#[derive(Debug, Clone)]
pub struct Input<'a, B: Backend> {
    tokens: Tensor<B, 3>,
    positions: &'a Positions,
    targets: Option<&'a [usize]>,
    hidden_keys: Option<Tensor<B, 2, Bool>>,
}

impl<'a, B: Backend> Input<'a, B> {
    /// Tokens with their positions, the same for every item.
    ///
    /// # Shapes
    /// - tokens: `[batch, tokens, inputs]`
    pub fn new(tokens: Tensor<B, 3>, positions: &'a Positions) -> Self {
        Self { tokens, positions, targets: None, hidden_keys: None }
    }

    /// The tokens to read out of each item, item after item: as many of each, at least one. Needed by
    /// [`Readout::Target`], ignored by the others.
    pub fn read_at(mut self, targets: &'a [usize]) -> Self {
        self.targets = Some(targets);
        self
    }

    /// Tokens that nobody may attend to (padding), `[batch, tokens]`, true = hidden. An item whose tokens are all
    /// hidden gets attention weights 0.
    pub fn hide_keys(mut self, hidden: Tensor<B, 2, Bool>) -> Self {
        self.hidden_keys = Some(hidden);
        self
    }
}

impl EncoderConfig {
    /// Builds an encoder. Weights are drawn from the stream `weight-init` (a sub-stream per parameter), tables of
    /// the encoding from `pe-init`.
    ///
    /// # Errors
    /// As [`EncoderConfig::validate`].
    pub fn init<B: PeBackend>(&self, streams: &Streams, device: &B::Device) -> Result<Encoder<B>, PeError> {
        self.validate()?;
        let linear = |shape, name: &str| Linear::init(shape, LinearInit::Default, name, streams, device);
        let norm = || LayerNormConfig::new(self.width).with_epsilon(self.norm_epsilon).init(device);
        Ok(Encoder {
            embedding: linear([self.inputs, self.width], "embedding"),
            encoding: self.encoding.init(self.site(), streams, device)?,
            blocks: (0..self.blocks).map(|b| Block::init(self, b, streams, device)).collect(),
            norm: self.final_norm.then(norm),
            readout: linear([self.width, self.outputs], "readout"),
            config: self.clone(),
        })
    }
}

impl<B: PeBackend> Encoder<B> {
    /// The config that the encoder was built from.
    pub fn config(&self) -> &EncoderConfig {
        &self.config
    }

    /// The positional encoding.
    pub fn encoding(&self) -> &Encoding<B> {
        &self.encoding
    }

    /// One forward pass.
    ///
    /// # Shapes
    /// - output: `[batch, rows, outputs]`; one row for [`Readout::Last`], the targets for [`Readout::Target`] in the
    ///   order in which they were given, all tokens for [`Readout::All`]
    ///
    /// # Errors
    /// When the input does not fit the config, an id has no row in a table, targets are missing or too large, or
    /// the trace asks for an activation that does not exist.
    pub fn forward(&self, input: Input<'_, B>, context: &mut Context) -> Result<Tensor<B, 3>, PeError> {
        self.check(&input, context)?;
        let device = input.tokens.device();
        let placement = self.encoding.place(input.positions, &device)?;
        let read = self.rows(&input, &device)?;
        let hidden = self.hidden(&input, &device);

        let mut x = self.embedding.forward(input.tokens);
        context.trace.record("embedding", &x);
        let last = self.blocks.len() - 1;
        // Only the rows that are read need to leave the last block, unless the trace wants to see all of it.
        let prune = !context.trace.wants_any(&format!("blocks.{last}."));
        for (index, block) in self.blocks.iter().enumerate() {
            let rows = if index == last && prune { &read } else { &Rows::All };
            let call = BlockCall {
                config: &self.config,
                index,
                encoding: &self.encoding,
                placement: &placement,
                rows,
                hidden: hidden.for_rows(rows),
            };
            x = B::block(block, x, call, context);
        }
        let x = if prune { x } else { read.select(x) };
        let x = match &self.norm {
            Some(norm) => norm.forward(x),
            None => x,
        };
        Ok(self.readout.forward(x))
    }

    /// The tokens as the first block gets them, before any positional encoding.
    ///
    /// # Shapes
    /// - input: `[batch, tokens, inputs]`
    /// - output: `[batch, tokens, width]`
    pub fn embed(&self, tokens: Tensor<B, 3>) -> Tensor<B, 3> {
        self.embedding.forward(tokens)
    }

    fn check(&self, input: &Input<'_, B>, context: &Context) -> Result<(), PeError> {
        let [_, tokens, features] = input.tokens.dims();
        if features != self.config.inputs {
            return Err(PeError::FeaturesMismatch { expected: self.config.inputs, got: features });
        }
        if tokens != input.positions.tokens() {
            return Err(PeError::TokensMismatch { tokens, positions: input.positions.tokens() });
        }
        // Every step comes by here, and asks for nothing.
        if context.trace.wanted().next().is_none() {
            return Ok(());
        }
        let known = self.config.activations();
        if let Some(name) = context.trace.wanted().find(|name| !known.iter().any(|k| k == name)) {
            return Err(PeError::UnknownActivation { name: name.to_owned(), known: known.join(", ") });
        }
        Ok(())
    }

    fn rows(&self, input: &Input<'_, B>, device: &B::Device) -> Result<Rows<B>, PeError> {
        let [batch, tokens, _] = input.tokens.dims();
        match self.config.readout {
            Readout::All => Ok(Rows::All),
            Readout::Last => Ok(Rows::Last),
            Readout::Target => {
                let bad = |got: String| PeError::Targets { tokens, batch, got };
                let targets = input.targets.ok_or_else(|| bad("none".to_owned()))?;
                if targets.is_empty() || !targets.len().is_multiple_of(batch) {
                    return Err(bad(format!("{} targets", targets.len())));
                }
                if let Some(target) = targets.iter().find(|&&target| target >= tokens) {
                    return Err(bad(format!("target {target}")));
                }
                Ok(Rows::some(targets, targets.len() / batch, tokens, device))
            }
        }
    }

    fn hidden(&self, input: &Input<'_, B>, device: &B::Device) -> Hidden<B> {
        let tokens = input.tokens.dims()[1];
        let causal = self.config.causal.then(|| {
            let future: Vec<bool> = (0..tokens * tokens).map(|i| i % tokens > i / tokens).collect();
            Tensor::<B, 2, Bool>::from_data(TensorData::new(future, [tokens, tokens]), device)
        });
        Hidden { causal, keys: input.hidden_keys.clone() }
    }
}

/// What queries must not see.
struct Hidden<B: Backend> {
    /// `[tokens, tokens]`: later tokens.
    causal: Option<Tensor<B, 2, Bool>>,
    /// `[batch, tokens]`: padding.
    keys: Option<Tensor<B, 2, Bool>>,
}

impl<B: Backend> Hidden<B> {
    fn for_rows(&self, rows: &Rows<B>) -> Option<Tensor<B, 4, Bool>> {
        let causal = self.causal.clone().map(|future| rows.select_mask(future));
        let keys = self.keys.clone().map(|keys| {
            let [batch, tokens] = keys.dims();
            keys.reshape([batch, 1, 1, tokens])
        });
        match (causal, keys) {
            (Some(causal), Some(keys)) => {
                let [batch, _, _, tokens] = keys.dims();
                let queries = causal.dims()[2];
                let shape = [batch, 1, queries, tokens];
                Some(causal.expand(shape).bool_or(keys.expand(shape)))
            }
            (causal, keys) => causal.or(keys),
        }
    }
}
