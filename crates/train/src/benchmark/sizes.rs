//! The sizes of a benchmark: those of one of the papers' experiments, or of one's own.

use std::fmt;
use std::str::FromStr;

use pe_core::{Arm, EncoderConfig, Readout};
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::config::setting_error;

/// One of the papers' experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// 16 tokens, width 160, batch 128; cross-entropy at the last token.
    Lst,
    /// 36 tokens, width 64, batch 64; (value, flag) tokens, mean squared error at all tokens.
    Network,
    /// As `Network` with 94 tokens.
    Fmri,
}

/// What is read from the encoder, and the loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Head {
    /// Cross-entropy at the last token.
    LastToken,
    /// Mean squared error at every token.
    EveryToken,
}

/// All sizes of a benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// Tokens of an item.
    pub tokens: usize,
    /// Model width; the MLP is four times as wide.
    pub width: usize,
    /// Attention heads.
    pub heads: usize,
    /// Encoder blocks.
    pub blocks: usize,
    /// Items of a batch.
    pub batch: usize,
    /// What is read, and the loss.
    pub head: Head,
    /// The positional encoding, and whether the encoder is causal.
    pub arm: Arm,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 3] = [Shape::Lst, Shape::Network, Shape::Fmri];

    /// Its sizes, with a learned encoding that starts at σ = 0.2.
    pub fn sizes(self) -> Sizes {
        let (tokens, width, batch, head) = match self {
            Self::Lst => (16, 160, 128, Head::LastToken),
            Self::Network => (36, 64, 64, Head::EveryToken),
            Self::Fmri => (94, 64, 64, Head::EveryToken),
        };
        let arm = Arm { encoding: pe_core::EncodingConfig::Learned(learned()), causal: false };
        Sizes { tokens, width, heads: 1, blocks: 4, batch, head, arm }
    }
}

fn learned() -> pe_core::additive::LearnedConfig {
    pe_core::additive::LearnedConfig::new(0.2)
}

impl Sizes {
    /// The encoder. Where `pruned`, only the token that is read leaves the last block.
    pub(super) fn config(&self, pruned: bool) -> Result<EncoderConfig, TrainError> {
        for (name, size) in [("--tokens", self.tokens), ("--batch", self.batch)] {
            if size == 0 {
                return Err(setting_error(name, 0, "at least 1"));
            }
        }
        let (inputs, outputs) = if self.head == Head::LastToken { (5, 4) } else { (2, 1) };
        let readout = if self.reads_one(pruned) { Readout::Last } else { Readout::All };
        let base = EncoderConfig::paper(inputs, outputs, self.tokens, 1, self.arm.encoding.clone());
        let config = EncoderConfig {
            width: self.width,
            hidden: self.width.saturating_mul(4),
            heads: self.heads,
            blocks: self.blocks,
            causal: self.arm.causal,
            // A benchmark is about the step, not about a quirk of the published code.
            sinusoid_dropout: 0.0,
            readout,
            ..base
        };
        config.validate()?;
        Ok(config)
    }

    /// Twice the multiplications of all matrix products of the blocks, three times over: forward, and the gradients
    /// of both factors, in 10⁹. Embedding, readout and the encoding's own products are left out.
    pub(super) fn gflop(&self, pruned: bool) -> f64 {
        let (d, t) = (self.width as f64, self.tokens as f64);
        let at_queries = 2.0 * (2.0 * d * d + 2.0 * d * 4.0 * d) + 4.0 * t * d;
        let at_all = 2.0 * 2.0 * d * d;
        let block = |queries: f64| queries * at_queries + t * at_all;
        let last = if self.reads_one(pruned) { 1.0 } else { t };
        let item = (self.blocks - 1) as f64 * block(t) + block(last);
        3.0 * self.batch as f64 * item / 1e9
    }

    fn reads_one(&self, pruned: bool) -> bool {
        pruned && self.head == Head::LastToken
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Lst => "lst",
            Self::Network => "network",
            Self::Fmri => "fmri",
        })
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|shape| shape.to_string() == name);
        found.ok_or_else(|| format!("unknown shape `{name}`: expected lst, network or fmri"))
    }
}
