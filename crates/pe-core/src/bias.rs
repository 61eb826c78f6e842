//! Encodings that change attention logits by the relation between query and key. One file per variant.

mod alibi;
mod relative;
mod relative_bias;

pub use alibi::{Alibi, AlibiConfig};
pub use relative::{RelativeConfig, Shaw};
pub use relative_bias::{RelativeBias, RelativeBiasConfig};
