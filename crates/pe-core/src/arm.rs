//! The names under which the paper compares encodings: `learn-0.2`, `2d-fixed`, `c-nope`.

use std::fmt;
use std::str::FromStr;

use crate::PeError;
use crate::additive::{LearnedConfig, NopeConfig, RandomConfig, Sinusoid1dConfig, SinusoidKdConfig};
use crate::bias::{AlibiConfig, RelativeBiasConfig, RelativeConfig};
use crate::encoding::EncodingConfig;
use crate::rotary::{RopeConfig, RopeKdConfig};

/// What is compared across runs: an encoding, and whether the encoder is causal.
///
/// Causality is a mask of the encoder, not part of an encoding; the prefix `c-` asks for it, as in `c-nope`.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// The positional encoding.
    pub encoding: EncodingConfig,
    /// Whether a token sees only itself and tokens before it.
    pub causal: bool,
}

impl FromStr for Arm {
    type Err = PeError;

    fn from_str(name: &str) -> Result<Self, PeError> {
        let unknown = || PeError::UnknownEncoding(name.to_owned());
        let (causal, variant) = match name.strip_prefix("c-") {
            Some(variant) => (true, variant),
            None => (false, name),
        };
        let encoding = match variant {
            "2d-fixed" => EncodingConfig::SinusoidKd(SinusoidKdConfig::default()),
            "1d-fixed" => EncodingConfig::Sinusoid1d(Sinusoid1dConfig::default()),
            "random" => EncodingConfig::Random(RandomConfig::default()),
            "nope" => EncodingConfig::Nope(NopeConfig::default()),
            "relative" => EncodingConfig::Relative(RelativeConfig::default()),
            "relative-bias" => EncodingConfig::RelativeBias(RelativeBiasConfig::default()),
            "alibi" => EncodingConfig::Alibi(AlibiConfig::default()),
            "rope" => EncodingConfig::Rope(RopeConfig::default()),
            "2d-rope" => EncodingConfig::RopeKd(RopeKdConfig::default()),
            _ if variant.starts_with("rope-") => {
                let fraction = variant["rope-".len()..].parse().map_err(|_| unknown())?;
                EncodingConfig::Rope(RopeConfig::of_fraction(fraction)?)
            }
            _ => {
                let sigma = variant.strip_prefix("learn-").ok_or_else(unknown)?;
                let config = LearnedConfig::new(sigma.parse().map_err(|_| unknown())?);
                config.validate()?;
                EncodingConfig::Learned(config)
            }
        };
        Ok(Self { encoding, causal })
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.causal {
            f.write_str("c-")?;
        }
        match &self.encoding {
            EncodingConfig::Learned(config) => write!(f, "learn-{:?}", config.sigma),
            EncodingConfig::SinusoidKd(_) => f.write_str("2d-fixed"),
            EncodingConfig::Sinusoid1d(_) => f.write_str("1d-fixed"),
            EncodingConfig::Random(_) => f.write_str("random"),
            EncodingConfig::Nope(_) => f.write_str("nope"),
            EncodingConfig::Relative(_) => f.write_str("relative"),
            EncodingConfig::RelativeBias(_) => f.write_str("relative-bias"),
            EncodingConfig::Alibi(_) => f.write_str("alibi"),
            EncodingConfig::Rope(config) if config.fraction == 1.0 => f.write_str("rope"),
            EncodingConfig::Rope(config) => write!(f, "rope-{:?}", config.fraction),
            EncodingConfig::RopeKd(_) => f.write_str("2d-rope"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in [
            "learn-0.2",
            "learn-2.0",
            "learn-0.0",
            "2d-fixed",
            "1d-fixed",
            "random",
            "nope",
            "c-nope",
            "relative",
            "c-relative",
            "relative-bias",
            "alibi",
            "rope",
            "rope-0.5",
            "2d-rope",
        ] {
            assert_eq!(name.parse::<Arm>().unwrap().to_string(), name);
        }
        assert_eq!("learn-2".parse::<Arm>().unwrap().to_string(), "learn-2.0");
        assert!("c-nope".parse::<Arm>().unwrap().causal);
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["learn", "learn-", "learn-x", "learned-0.2", "2D-fixed", ""] {
            let error = name.parse::<Arm>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("unknown positional encoding `{name}`")), "{error}");
        }
        assert_eq!("learn--1".parse::<Arm>().unwrap_err().to_string().split(':').next(), Some("sigma is -1"));
    }
}
