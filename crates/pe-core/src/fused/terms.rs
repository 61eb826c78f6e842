//! What an encoding does inside attention: rotation of queries and keys, a vector per relation, a bias on logits.

use std::sync::Arc;

use super::call::{Call, Grads, Params};
use super::dispatch::{Matrix, MatrixMut};
use super::pool::Buffer;
use super::real::Real;

/// The terms of a call that are no numbers to learn. Tables and biases are parameters.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    pub rotation: Option<Rotation>,
    pub relative: Option<Relative>,
    /// Heads of the bias, `[heads or 1, tokens, tokens]`.
    pub bias_heads: Option<usize>,
}

/// Cosines and sines by which pairs of dimensions are turned, `[tokens, pairs]`.
#[derive(Debug)]
pub(crate) struct Rotation {
    pub pairs: usize,
    pub cos: Arc<[f32]>,
    pub sin: Arc<[f32]>,
}

/// Which row of the table `[heads or 1, relations, head width]` belongs to each (query token, key).
#[derive(Debug)]
pub(crate) struct Relative {
    pub heads: usize,
    pub relations: usize,
    pub index: Arc<[usize]>,
}

/// Which way a rotation turns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Way {
    Forward,
    /// As gradients do.
    Back,
}

/// A rotation in the precision of the call.
pub(super) struct Turn<S> {
    pairs: usize,
    cos: Vec<S>,
    /// Negative on the way back.
    sin: Vec<S>,
}

impl Rotation {
    pub(super) fn turn<S: Real>(&self, way: Way) -> Turn<S> {
        let sign = if way == Way::Forward { 1.0 } else { -1.0 };
        let of = |values: &[f32], sign: f64| values.iter().map(|&v| S::of(sign * f64::from(v))).collect();
        Turn { pairs: self.pairs, cos: of(&self.cos, 1.0), sin: of(&self.sin, sign) }
    }
}

impl<S: Real> Turn<S> {
    /// Turns the vector of a token.
    pub(super) fn apply(&self, x: &mut [S], token: usize) {
        let row = token * self.pairs..(token + 1) * self.pairs;
        let (cos, sin) = (&self.cos[row.clone()], &self.sin[row]);
        for ((pair, &cos), &sin) in x.chunks_exact_mut(2).zip(cos).zip(sin) {
            (pair[0], pair[1]) = (pair[0] * cos - pair[1] * sin, pair[0] * sin + pair[1] * cos);
        }
    }
}

/// One head of one item of the batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub item: usize,
    pub head: usize,
}

/// Adds relative products and bias to the scaled logits `[queries, tokens]` of one head.
pub(super) fn add_to_logits<S: Real>(
    call: &Call,
    params: &Params<'_, S>,
    at: At,
    q: Matrix<'_, S>,
    scale: S,
    logits: &mut [S],
) {
    let tokens = call.sizes.tokens;
    if let Some(relative) = &call.terms.relative {
        let mut products = Buffer::take(call.queries_per_item() * relative.relations);
        let table = relative.table(call, params, at.head);
        MatrixMut::whole(&mut products, relative.relations).set(q, table.transposed(), scale);
        let rows = logits.chunks_exact_mut(tokens).zip(products.chunks_exact(relative.relations));
        for (query, (logits, products)) in rows.enumerate() {
            for (logit, &relation) in logits.iter_mut().zip(relative.row(call, at.item, query)) {
                *logit += products[relation];
            }
        }
    }
    if let Some(heads) = call.terms.bias_heads {
        for (query, logits) in logits.chunks_exact_mut(tokens).enumerate() {
            let bias = &params.bias[bias_row(call, heads, at, query)..][..tokens];
            for (logit, bias) in logits.iter_mut().zip(bias) {
                *logit += *bias;
            }
        }
    }
}

/// Adds the gradients by the bias, from those of the logits `[queries, tokens]` of one head.
pub(super) fn bias_backward<S: Real>(call: &Call, grads: &mut Grads<S>, at: At, dlogits: &[S]) {
    let Some(heads) = call.terms.bias_heads else { return };
    let tokens = call.sizes.tokens;
    for (query, dlogits) in dlogits.chunks_exact(tokens).enumerate() {
        let sums = &mut grads.bias[bias_row(call, heads, at, query)..][..tokens];
        for (sum, dlogit) in sums.iter_mut().zip(dlogits) {
            *sum += *dlogit;
        }
    }
}

/// Adds the gradients by the table and by the queries, from those of the logits of one head.
pub(super) fn relative_backward<S: Real>(
    call: &Call,
    params: &Params<'_, S>,
    grads: &mut Grads<S>,
    at: At,
    (q, dlogits, scale): (Matrix<'_, S>, &[S], S),
    dq: MatrixMut<'_, S>,
) {
    let Some(relative) = &call.terms.relative else { return };
    let mut dproducts = Buffer::take(call.queries_per_item() * relative.relations);
    dproducts.fill(S::ZERO);
    let rows = dlogits.chunks_exact(call.sizes.tokens).zip(dproducts.chunks_exact_mut(relative.relations));
    for (query, (dlogits, dproducts)) in rows.enumerate() {
        for (dlogit, &relation) in dlogits.iter().zip(relative.row(call, at.item, query)) {
            dproducts[relation] += scale * *dlogit;
        }
    }
    let dproducts = Matrix::whole(&dproducts, relative.relations);
    dq.add(dproducts, relative.table(call, params, at.head));
    let width = call.sizes.head_width();
    let first = relative.first(call, at.head);
    MatrixMut::whole(&mut grads.relative[first..][..relative.relations * width], width)
        .add(dproducts.transposed(), q);
}

/// Where the bias of one query begins.
fn bias_row(call: &Call, heads: usize, at: At, query: usize) -> usize {
    let head = if heads == 1 { 0 } else { at.head };
    (head * call.sizes.tokens + call.query_token(at.item, query)) * call.sizes.tokens
}

impl Relative {
    /// Where the table of a head begins.
    fn first(&self, call: &Call, head: usize) -> usize {
        if self.heads == 1 { 0 } else { head * self.relations * call.sizes.head_width() }
    }

    fn table<'a, S: Real>(&self, call: &Call, params: &Params<'a, S>, head: usize) -> Matrix<'a, S> {
        let width = call.sizes.head_width();
        Matrix::whole(&params.relative[self.first(call, head)..][..self.relations * width], width)
    }

    /// The relations of one query with all keys.
    fn row(&self, call: &Call, item: usize, query: usize) -> &[usize] {
        &self.index[call.query_token(item, query) * call.sizes.tokens..][..call.sizes.tokens]
    }
}
