//! The sizes and choices of an encoder, and the presets.

use serde::{Deserialize, Serialize};

use crate::PeError;
use crate::encoding::{EncodingConfig, Site};

/// Where the norms stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// After each residual sum.
    Post,
    /// Before attention and before the MLP.
    Pre,
}

/// The nonlinearities of the MLP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mlp {
    /// GELU after the first linear map only.
    GeluHidden,
    /// GELU after both linear maps, as in the published code of Ito et al. 2025.
    GeluBoth,
}

/// Which tokens the encoder reads its answer from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Readout {
    /// The last token, whatever is asked for: the published code of Ito et al. 2025.
    Last,
    /// The token that is asked for, one per item.
    Target,
    /// Every token.
    All,
}

/// An encoder: embedding, blocks, readout, and the positional encoding they carry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderConfig {
    /// Features per input token.
    pub inputs: usize,
    /// Outputs per token that is read.
    pub outputs: usize,
    /// Number of position ids; an input has at most so many different tokens.
    pub tokens: usize,
    /// Number of coordinate axes.
    pub axes: usize,
    /// Model width.
    pub width: usize,
    /// Attention heads.
    pub heads: usize,
    /// Encoder blocks.
    pub blocks: usize,
    /// Width of the hidden layer of the MLP.
    pub hidden: usize,
    /// Where the norms stand.
    pub norm: Norm,
    /// Added to the variance in every norm.
    pub norm_epsilon: f64,
    /// Whether a norm follows the last block.
    pub final_norm: bool,
    /// The nonlinearities of the MLP.
    pub mlp: Mlp,
    /// Whether a token sees only itself and tokens before it in the input.
    pub causal: bool,
    /// Which tokens are read.
    pub readout: Readout,
    /// Dropout on the outputs of attention and MLP, in training.
    pub dropout: f64,
    /// Dropout on token + encoding when the encoding is a fixed sinusoid, in training **and evaluation**: a quirk
    /// of the published code that the preset `paper` keeps.
    pub sinusoid_dropout: f64,
    /// The positional encoding.
    pub encoding: EncodingConfig,
}

impl EncoderConfig {
    /// The encoder of the published code of Ito et al. 2025: 4 post-norm blocks of width 160, one head, GELU after
    /// both linear maps, readout at the last token, dropout 0.1 on fixed sinusoids.
    pub fn paper(
        inputs: usize,
        outputs: usize,
        tokens: usize,
        axes: usize,
        encoding: EncodingConfig,
    ) -> Self {
        Self {
            inputs,
            outputs,
            tokens,
            axes,
            width: 160,
            heads: 1,
            blocks: 4,
            hidden: 640,
            norm: Norm::Post,
            norm_epsilon: 1e-5,
            final_norm: false,
            mlp: Mlp::GeluBoth,
            causal: false,
            readout: Readout::Last,
            dropout: 0.0,
            sinusoid_dropout: 0.1,
            encoding,
        }
    }

    /// As [`Self::paper`] without its quirks: readout at the target, no stray dropout.
    pub fn clean(
        inputs: usize,
        outputs: usize,
        tokens: usize,
        axes: usize,
        encoding: EncodingConfig,
    ) -> Self {
        Self {
            readout: Readout::Target,
            sinusoid_dropout: 0.0,
            ..Self::paper(inputs, outputs, tokens, axes, encoding)
        }
    }

    /// The sizes that an encoding needs to know.
    pub fn site(&self) -> Site {
        Site {
            blocks: self.blocks,
            tokens: self.tokens,
            axes: self.axes,
            width: self.width,
            heads: self.heads,
        }
    }

    /// Checks all sizes before anything is allocated.
    ///
    /// # Errors
    /// Says which field is impossible, and why.
    pub fn validate(&self) -> Result<(), PeError> {
        let sizes = [
            ("inputs", self.inputs),
            ("outputs", self.outputs),
            ("tokens", self.tokens),
            ("axes", self.axes),
            ("width", self.width),
            ("heads", self.heads),
            ("blocks", self.blocks),
            ("hidden", self.hidden),
        ];
        if let Some(&(field, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(PeError::Zero { field });
        }
        if !self.width.is_multiple_of(self.heads) {
            return Err(PeError::HeadsDoNotDivideWidth { width: self.width, heads: self.heads });
        }
        for (field, value) in [("dropout", self.dropout), ("sinusoid_dropout", self.sinusoid_dropout)] {
            if !(0.0..1.0).contains(&value) {
                return Err(PeError::Probability { field, value });
            }
        }
        if !(self.norm_epsilon > 0.0 && self.norm_epsilon.is_finite()) {
            return Err(PeError::NormEpsilon(self.norm_epsilon));
        }
        self.encoding.validate(self.site())
    }

    /// The names of all activations that a [`crate::Trace`] can ask for.
    pub fn activations(&self) -> Vec<String> {
        const PARTS: [&str; 5] = ["input", "attention.weights", "attention.output", "mlp.hidden", "output"];
        let blocks = (0..self.blocks).flat_map(|b| PARTS.map(|part| format!("blocks.{b}.{part}")));
        std::iter::once("embedding".to_owned()).chain(blocks).collect()
    }
}
