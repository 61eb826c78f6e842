//! The encoder block as one operation, with a hand-written gradient: what the CPU backend runs.
//!
//! [`Block::forward_plain`](crate::Block::forward_plain) is its definition and its oracle. Items are computed in
//! groups small enough for the cache, on the calling thread; kernels are compiled for several instruction sets and
//! chosen at run time.
//!
//! The operation begins after the encoding is added and ends with the block. What an encoding does inside attention
//! ([`Terms`](crate::encoding::Terms)) is part of it: rotations as constants, tables and biases as inputs with
//! gradients. Plain tensor code takes over where a trace asks for more of a block than its attention weights, where
//! dropout acts inside it, and for numbers other than f32.

mod attention;
mod call;
mod dispatch;
mod kernels;
mod mlp;
mod op;
mod pass;
mod pool;
mod real;
mod terms;
#[cfg(test)]
mod tests;

pub(crate) use op::block;
