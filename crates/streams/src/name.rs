//! The names of the streams.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a random choice is for. Each name is an independent stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stream {
    /// Generated data: puzzles, graphs, dynamics.
    Data,
    /// The split of data into training and test items.
    Split,
    /// The initial values of positional encodings.
    PeInit,
    /// The initial values of all other parameters.
    WeightInit,
    /// The order of training items in each epoch.
    Order,
    /// Which tokens are masked.
    Mask,
    /// Dropout.
    Dropout,
    /// Permutation tests.
    Permutation,
    /// Bootstrap resamples.
    Bootstrap,
}

impl Stream {
    /// Every stream.
    pub const ALL: [Stream; 9] = [
        Stream::Data,
        Stream::Split,
        Stream::PeInit,
        Stream::WeightInit,
        Stream::Order,
        Stream::Mask,
        Stream::Dropout,
        Stream::Permutation,
        Stream::Bootstrap,
    ];

    /// The name as it stands in configs and in the derivation of the key.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Data => "data",
            Stream::Split => "split",
            Stream::PeInit => "pe-init",
            Stream::WeightInit => "weight-init",
            Stream::Order => "order",
            Stream::Mask => "mask",
            Stream::Dropout => "dropout",
            Stream::Permutation => "permutation",
            Stream::Bootstrap => "bootstrap",
        }
    }
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no stream's.
#[derive(Debug, thiserror::Error)]
#[error(
    "unknown random stream `{0}`: expected one of data, split, pe-init, weight-init, order, mask, dropout, permutation, bootstrap"
)]
pub struct UnknownStream(pub String);

impl FromStr for Stream {
    type Err = UnknownStream;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Stream::ALL
            .into_iter()
            .find(|stream| stream.name() == name)
            .ok_or_else(|| UnknownStream(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for stream in Stream::ALL {
            assert_eq!(stream.name().parse::<Stream>().unwrap(), stream);
            assert_eq!(serde_json::to_value(stream).unwrap(), stream.name());
        }
        assert!("pe".parse::<Stream>().unwrap_err().to_string().contains("`pe`"));
    }
}
