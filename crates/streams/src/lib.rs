#![doc = include_str!("../README.md")]

mod name;

pub use name::{Stream, UnknownStream};

use std::collections::BTreeMap;

use rand::SeedableRng;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The generator of every stream. ChaCha8 gives the same numbers on every platform.
pub type StreamRng = rand_chacha::ChaCha8Rng;

/// Changes whenever the derivation below does, since every number of every run would change with it.
const DERIVATION: &[u8] = b"streams/1";

/// All random streams of one run: a seed, and the streams that are pinned to a seed of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Streams {
    seed: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pins: BTreeMap<Stream, u64>,
}

impl Streams {
    /// Streams that all derive from `seed`.
    pub fn new(seed: u64) -> Self {
        Self { seed, pins: BTreeMap::new() }
    }

    /// Derives `stream` from `seed` instead of the common seed; all others stay as they are.
    pub fn pin(mut self, stream: Stream, seed: u64) -> Self {
        self.pins.insert(stream, seed);
        self
    }

    /// The common seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The seed that `stream` derives from: its pin, else the common seed.
    pub fn seed_of(&self, stream: Stream) -> u64 {
        self.pins.get(&stream).copied().unwrap_or(self.seed)
    }

    /// The generator of `stream`, from its beginning.
    pub fn rng(&self, stream: Stream) -> StreamRng {
        self.derive(stream, b"")
    }

    /// The sub-stream of `stream` for one labelled thing, such as a parameter of a model.
    /// Adding or removing other labels does not change it.
    pub fn rng_for(&self, stream: Stream, label: &str) -> StreamRng {
        self.derive(stream, &[b"/label/", label.as_bytes()].concat())
    }

    /// The sub-stream of `stream` number `index`, such as an epoch or a step.
    pub fn rng_at(&self, stream: Stream, index: u64) -> StreamRng {
        self.derive(stream, &[b"/index/".as_slice(), &index.to_le_bytes()].concat())
    }

    fn derive(&self, stream: Stream, path: &[u8]) -> StreamRng {
        let mut hash = Sha256::new();
        hash.update(DERIVATION);
        hash.update(self.seed_of(stream).to_le_bytes());
        // The length separates the name from the path, so that no two (name, path) pairs share a key.
        hash.update([stream.name().len() as u8]);
        hash.update(stream.name());
        hash.update(path);
        StreamRng::from_seed(hash.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    fn first(mut rng: StreamRng) -> u64 {
        rng.random()
    }

    #[test]
    fn every_stream_label_and_index_is_its_own() {
        let streams = Streams::new(1);
        let mut seen = std::collections::BTreeSet::new();
        for stream in Stream::ALL {
            assert!(seen.insert(first(streams.rng(stream))));
            for label in ["", "a", "b", "ab"] {
                assert!(seen.insert(first(streams.rng_for(stream, label))), "{stream} {label:?}");
            }
            for index in [0, 1, 256] {
                assert!(seen.insert(first(streams.rng_at(stream, index))), "{stream} {index}");
            }
        }
    }

    #[test]
    fn a_pin_moves_its_stream_alone() {
        let (plain, pinned) = (Streams::new(5), Streams::new(5).pin(Stream::Order, 9));
        for stream in Stream::ALL {
            let same = first(plain.rng(stream)) == first(pinned.rng(stream));
            assert_eq!(same, stream != Stream::Order, "{stream}");
        }
        assert_eq!(first(pinned.rng(Stream::Order)), first(Streams::new(9).rng(Stream::Order)));
    }

    /// The key is SHA-256 of the documented bytes: computed here the long way round.
    #[test]
    fn the_derivation_is_the_documented_one() {
        let mut bytes = b"streams/1".to_vec();
        bytes.extend(2235u64.to_le_bytes());
        bytes.push(7);
        bytes.extend(b"pe-init/label/blocks.0");
        let expected = StreamRng::from_seed(Sha256::digest(&bytes).into());
        assert_eq!(first(Streams::new(2235).rng_for(Stream::PeInit, "blocks.0")), first(expected));
    }

    #[test]
    fn serde_names_the_streams_and_refuses_unknown_ones() {
        let streams = Streams::new(3).pin(Stream::WeightInit, 4);
        let json = serde_json::to_string(&streams).unwrap();
        assert_eq!(json, r#"{"seed":3,"pins":{"weight-init":4}}"#);
        assert_eq!(serde_json::from_str::<Streams>(&json).unwrap(), streams);
        assert!(serde_json::from_str::<Streams>(r#"{"seed":3,"pins":{"pe":4}}"#).is_err());
    }
}
