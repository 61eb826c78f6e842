//! The one enum over all positional encodings, and the hooks through which an encoder calls them.
//!
//! A new variant is one file in `additive/`, `rotary/` or `bias/`, one arm in [`EncodingConfig`] and [`Encoding`], and one row in `tests/laws.rs`.

mod terms;

use burn::module::Module;
use burn::tensor::{Int, Tensor, backend::Backend};
use serde::{Deserialize, Serialize};
use streams::Streams;

use crate::additive::{
    Learned, LearnedConfig, Nope, NopeConfig, Random, RandomConfig, Sinusoid1d, Sinusoid1dConfig, SinusoidKd,
    SinusoidKdConfig,
};
use crate::bias::{Alibi, AlibiConfig, RelativeBias, RelativeBiasConfig, RelativeConfig, Shaw};
use crate::rotary::{Rope, RopeConfig, RopeKd, RopeKdConfig};
use crate::{PeError, Positions};

pub use terms::{Relations, Relative, Rotation, Terms};

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
    /// `relative`: a learned vector per difference of position ids.
    Relative(RelativeConfig),
    /// `relative-bias`: a learned number per head and difference of position ids.
    RelativeBias(RelativeBiasConfig),
    /// `alibi`: a fixed penalty on distance.
    Alibi(AlibiConfig),
    /// `rope`: rotary encoding of the position id.
    Rope(RopeConfig),
    /// `2d-rope`, on any number of axes: axial rotary encoding of the coordinates.
    RopeKd(RopeKdConfig),
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
    /// Attention heads.
    pub heads: usize,
}

impl Site {
    /// Width of one head.
    pub fn head_width(&self) -> usize {
        self.width / self.heads
    }
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
            Self::Nope(_) | Self::Alibi(_) => Ok(()),
            Self::Relative(config) => config.validate(),
            Self::RelativeBias(config) => config.validate(),
            Self::Rope(config) => config.validate(site),
            Self::RopeKd(config) => config.validate(site),
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
            Self::Relative(config) => Encoding::Relative(config.init(site, streams, device)?),
            Self::RelativeBias(config) => Encoding::RelativeBias(config.init(site, streams, device)?),
            Self::Alibi(config) => Encoding::Alibi(config.init(site)),
            Self::Rope(config) => Encoding::Rope(config.init(site)),
            Self::RopeKd(config) => Encoding::RopeKd(config.init(site)),
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

    /// What the encoding does inside the attention of `block`.
    fn terms(&self, _block: usize, _placement: &Placement<B>) -> Terms<B> {
        Terms::none()
    }
}

/// What an encoding worked out for one set of positions. Made once per forward pass.
#[derive(Debug, Clone)]
pub struct Placement<B: Backend> {
    /// The ids, where rows of a table must be picked; `None` when they are 0, 1, 2, ... already.
    pub(crate) ids: Option<Tensor<B, 1, Int>>,
    /// A table computed from the positions alone, `[tokens, width]`.
    pub(crate) table: Option<Tensor<B, 2>>,
    /// Angles by which tokens are turned.
    pub(crate) rotation: Option<Rotation<B>>,
    /// The relation of each pair of tokens.
    pub(crate) relations: Option<Relations<B>>,
    /// A fixed bias on logits, `[heads, tokens, tokens]`.
    pub(crate) bias: Option<Tensor<B, 3>>,
}

impl<B: Backend> Placement<B> {
    /// Nothing to know.
    pub(crate) fn nothing() -> Self {
        Self { ids: None, table: None, rotation: None, relations: None, bias: None }
    }
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
    /// See [`EncodingConfig::Relative`].
    Relative(Shaw<B>),
    /// See [`EncodingConfig::RelativeBias`].
    RelativeBias(RelativeBias<B>),
    /// See [`EncodingConfig::Alibi`].
    Alibi(Alibi<B>),
    /// See [`EncodingConfig::Rope`].
    Rope(Rope<B>),
    /// See [`EncodingConfig::RopeKd`].
    RopeKd(RopeKd<B>),
}

impl<B: Backend> Encoding<B> {
    fn hooks(&self) -> &dyn PositionalEncoding<B> {
        match self {
            Self::Learned(variant) => variant,
            Self::SinusoidKd(variant) => variant,
            Self::Sinusoid1d(variant) => variant,
            Self::Random(variant) => variant,
            Self::Nope(variant) => variant,
            Self::Relative(variant) => variant,
            Self::RelativeBias(variant) => variant,
            Self::Alibi(variant) => variant,
            Self::Rope(variant) => variant,
            Self::RopeKd(variant) => variant,
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

    /// What the encoding does inside the attention of `block`.
    pub fn terms(&self, block: usize, placement: &Placement<B>) -> Terms<B> {
        self.hooks().terms(block, placement)
    }

    /// Whether this is a fixed sinusoid, on which the `paper` preset applies a dropout of its own.
    pub fn is_sinusoid(&self) -> bool {
        matches!(self, Self::SinusoidKd(_) | Self::Sinusoid1d(_))
    }

    /// How many tables the encoding adds to tokens: one per block, one for all, or none.
    pub fn table_count(&self) -> usize {
        match self {
            Self::Learned(variant) => variant.count(),
            Self::Random(variant) => variant.count(),
            Self::SinusoidKd(_) | Self::Sinusoid1d(_) => 1,
            _ => 0,
        }
    }
}
