//! The one enum over all positional encodings, and the hooks through which an encoder calls them.
//!
//! A new variant is one file, one arm in [`EncodingConfig`] and [`Encoding`], and one row in `tests/laws.rs`.

use burn::module::Module;
use burn::tensor::{Int, Tensor, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::additive::{
    Learned, LearnedConfig, Nope, NopeConfig, Random, RandomConfig, Sinusoid1d, Sinusoid1dConfig, SinusoidKd,
    SinusoidKdConfig,
};
use crate::rows::Rows;
use crate::{PeError, Positions};

/// Which positional encoding, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EncodingConfig {
    /// `learn-σ`: a table that starts at norm σ and is trained.
    Learned(LearnedConfig),
    /// `2d-fixed`, on any number of axes: a sinusoid of each coordinate.
    SinusoidKd(SinusoidKdConfig),
    /// `1d-fixed`: a sinusoid of the position id.
    #[serde(rename = "sinusoid-1d")]
    Sinusoid1d(Sinusoid1dConfig),
    /// `random`: a drawn table that stays as it is.
    Random(RandomConfig),
    /// `nope`: no positional encoding.
    Nope(NopeConfig),
}

/// Where an encoding is put: the sizes of the encoder that carries it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// Number of encoder blocks.
    pub blocks: usize,
    /// Number of position ids.
    pub tokens: usize,
    /// Number of coordinate axes.
    pub axes: usize,
    /// Model width.
    pub width: usize,
}

impl EncodingConfig {
    /// Checks the settings against the sizes of the encoder, before anything is allocated.
    ///
    /// # Errors
    /// When a setting is out of range or the width cannot hold the encoding.
    pub fn validate(&self, site: Site) -> Result<(), PeError> {
        match self {
            Self::Learned(config) => config.validate(),
            Self::SinusoidKd(config) => config.validate(site),
            Self::Sinusoid1d(config) => config.validate(site),
            Self::Random(config) => config.validate(),
            Self::Nope(_) => Ok(()),
        }
    }

    /// Builds the encoding; draws come from the stream `pe-init`.
    ///
    /// # Errors
    /// As [`Self::validate`].
    pub fn init<B: Backend>(
        &self,
        site: Site,
        streams: &Streams,
        device: &B::Device,
    ) -> Result<Encoding<B>, PeError> {
        self.validate(site)?;
        Ok(match self {
            Self::Learned(config) => Encoding::Learned(config.init(site, streams, device)?),
            Self::SinusoidKd(config) => Encoding::SinusoidKd(config.init(site)),
            Self::Sinusoid1d(config) => Encoding::Sinusoid1d(config.init(site)),
            Self::Random(config) => Encoding::Random(config.init(site, streams, device)?),
            Self::Nope(config) => Encoding::Nope(config.init()),
        })
    }
}

/// The hooks of a positional encoding, each of which does nothing unless a variant overrides it.
pub(crate) trait PositionalEncoding<B: Backend> {
    /// Checks the positions and computes once what every block needs of them.
    fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError>;

    /// What the encoding adds to the tokens of `block`, `[tokens, width]`; `None` where it adds nothing.
    fn table(&self, _block: usize, _placement: &Placement<B>) -> Option<Tensor<B, 2>> {
        None
    }

    /// Whether the encoding does nothing but add its table: neither `rotate` nor `scores` is overridden. A variant
    /// that does not say so is computed by plain tensor operations.
    fn is_additive(&self) -> bool {
        false
    }

    /// Turns queries `[batch, heads, rows, head width]` and keys `[batch, heads, tokens, head width]`.
    fn rotate(
        &self,
        _site: &HookSite<'_, B>,
        q: Tensor<B, 4>,
        k: Tensor<B, 4>,
    ) -> (Tensor<B, 4>, Tensor<B, 4>) {
        (q, k)
    }

    /// Changes the logits `[batch, heads, rows, tokens]`, given the (rotated) queries and keys.
    fn scores(
        &self,
        _site: &HookSite<'_, B>,
        _q: &Tensor<B, 4>,
        _k: &Tensor<B, 4>,
        logits: Tensor<B, 4>,
    ) -> Tensor<B, 4> {
        logits
    }
}

/// What an encoding worked out for one set of positions. Made once per forward pass.
#[derive(Debug, Clone)]
pub struct Placement<B: Backend> {
    /// The ids, where rows of a table must be picked; `None` when they are 0, 1, 2, ... already.
    pub(crate) ids: Option<Tensor<B, 1, Int>>,
    /// A table computed from the positions alone, `[tokens, width]`.
    pub(crate) table: Option<Tensor<B, 2>>,
}

/// Where in a forward pass an attention hook is called.
#[derive(Debug)]
pub struct HookSite<'a, B: Backend> {
    /// Number of the block.
    pub block: usize,
    /// The tokens whose queries are computed.
    pub rows: &'a Rows<B>,
    /// What the encoding worked out for the positions.
    pub placement: &'a Placement<B>,
}

/// A positional encoding, ready to be used by an encoder.
#[derive(Module, Debug)]
pub enum Encoding<B: Backend> {
    /// See [`EncodingConfig::Learned`].
    Learned(Learned<B>),
    /// See [`EncodingConfig::SinusoidKd`].
    SinusoidKd(SinusoidKd<B>),
    /// See [`EncodingConfig::Sinusoid1d`].
    Sinusoid1d(Sinusoid1d<B>),
    /// See [`EncodingConfig::Random`].
    Random(Random<B>),
    /// See [`EncodingConfig::Nope`].
    Nope(Nope<B>),
}

impl<B: Backend> Encoding<B> {
    fn hooks(&self) -> &dyn PositionalEncoding<B> {
        match self {
            Self::Learned(variant) => variant,
            Self::SinusoidKd(variant) => variant,
            Self::Sinusoid1d(variant) => variant,
            Self::Random(variant) => variant,
            Self::Nope(variant) => variant,
        }
    }

    /// Checks the positions and computes once what every block needs of them.
    ///
    /// # Errors
    /// When an id has no row in a table, or coordinates do not fit the width.
    pub fn place(&self, positions: &Positions, device: &B::Device) -> Result<Placement<B>, PeError> {
        self.hooks().place(positions, device)
    }

    /// What the encoding adds to the tokens of `block`; `None` where it adds nothing.
    ///
    /// # Shapes
    /// - output: `[tokens, width]`, rows in the order of the positions
    pub fn table(&self, block: usize, placement: &Placement<B>) -> Option<Tensor<B, 2>> {
        self.hooks().table(block, placement)
    }

    /// Adds the encoding to the tokens at the input of `block`.
    ///
    /// # Shapes
    /// - input and output: `[batch, tokens, width]`
    pub fn add(&self, block: usize, x: Tensor<B, 3>, placement: &Placement<B>) -> Tensor<B, 3> {
        match self.table(block, placement) {
            Some(table) => {
                // As one row for each item: backends are fastest at broadcasting whole rows.
                let shape = x.dims();
                let [batch, tokens, width] = shape;
                let row = tokens * width;
                (x.reshape([batch, row]) + table.reshape([1, row])).reshape(shape)
            }
            None => x,
        }
    }

    /// Turns queries and keys.
    ///
    /// # Shapes
    /// - `q`: `[batch, heads, rows, head width]`, `k`: `[batch, heads, tokens, head width]`
    pub fn rotate(
        &self,
        site: &HookSite<'_, B>,
        q: Tensor<B, 4>,
        k: Tensor<B, 4>,
    ) -> (Tensor<B, 4>, Tensor<B, 4>) {
        self.hooks().rotate(site, q, k)
    }

    /// Changes the attention logits.
    ///
    /// # Shapes
    /// - `q`: `[batch, heads, rows, head width]`, `k`: `[batch, heads, tokens, head width]`
    /// - logits: `[batch, heads, rows, tokens]`
    pub fn scores(
        &self,
        site: &HookSite<'_, B>,
        q: &Tensor<B, 4>,
        k: &Tensor<B, 4>,
        logits: Tensor<B, 4>,
    ) -> Tensor<B, 4> {
        self.hooks().scores(site, q, k, logits)
    }

    /// Whether the encoding leaves attention alone.
    pub(crate) fn is_additive(&self) -> bool {
        self.hooks().is_additive()
    }

    /// Whether this is a fixed sinusoid, on which the `paper` preset applies a dropout of its own.
    pub fn is_sinusoid(&self) -> bool {
        matches!(self, Self::SinusoidKd(_) | Self::Sinusoid1d(_))
    }

    /// How many tables the encoding keeps: one per block, one for all, or none.
    pub fn table_count(&self) -> usize {
        match self {
            Self::Learned(variant) => variant.count(),
            Self::Random(variant) => variant.count(),
            Self::SinusoidKd(_) | Self::Sinusoid1d(_) => 1,
            Self::Nope(_) => 0,
        }
    }
}
