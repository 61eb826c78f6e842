//! The first block on tokens before their embedding.
//!
//! A token there is `u = x E + base[token]`, with `x` of a handful of features (5 symbols of a Latin square, a value and
//! a flag) and `base` the embedding's bias and the encoding. So its projection to queries, keys and values is
//! `x (E W) + (base W + b)`: a product over the features instead of one over the width, and the gradient of `W` needs no
//! `u` either: `Eᵀ (xᵀ dP) + baseᵀ (Σ dP)`, the sum over items. This is exact; a sixth of a block's work is left out.

use super::attention::Projected;
use super::call::{Call, Grads, Params};
use super::dispatch::{self, Matrix, MatrixMut};
use super::pool::Buffer;
use super::real::Real;

/// The products of weights, once for all groups.
pub(super) struct First<S> {
    rank: usize,
    /// `E W`, `[rank, 3 width]`.
    weight: Vec<S>,
    /// `base W + b`, `[tokens, 3 width]`.
    base: Vec<S>,
}

impl<S: Real> First<S> {
    pub(super) fn new(call: &Call, params: &Params<'_, S>, rank: usize) -> Self {
        let (tokens, width) = (call.sizes.tokens, call.sizes.width);
        let in_weight = Matrix::whole(params.in_weight, 3 * width);
        let mut weight = vec![S::ZERO; rank * 3 * width];
        MatrixMut::whole(&mut weight, 3 * width).set(
            Matrix::whole(params.embedding, width),
            in_weight,
            S::ONE,
        );
        let mut base = vec![S::ZERO; tokens * 3 * width];
        MatrixMut::whole(&mut base, 3 * width).set(Matrix::whole(params.base, width), in_weight, S::ONE);
        dispatch::add_bias(call.isa, &mut base, params.in_bias);
        Self { rank, weight, base }
    }

    /// Queries, keys and values of a group.
    pub(super) fn project(&self, call: &Call, x: &[S]) -> Projected<S> {
        let width = 3 * call.sizes.width;
        let mut rows = Buffer::take(x.len() / self.rank * width);
        MatrixMut::whole(&mut rows, width).set(
            Matrix::whole(x, self.rank),
            Matrix::whole(&self.weight, width),
            S::ONE,
        );
        // All tokens of an item are one row here.
        dispatch::add_bias(call.isa, &mut rows, &self.base);
        Projected::of_all(call, rows)
    }

    /// The tokens of a group, `x E + base`.
    pub(super) fn embed(&self, call: &Call, params: &Params<'_, S>, x: &[S]) -> Buffer<S> {
        let width = call.sizes.width;
        let mut u = Buffer::take(x.len() / self.rank * width);
        let embedding = Matrix::whole(params.embedding, width);
        MatrixMut::whole(&mut u, width).set(Matrix::whole(x, self.rank), embedding, S::ONE);
        dispatch::add_bias(call.isa, &mut u, params.base);
        u
    }
}

/// The sums over items that all gradients of weights follow from.
pub(super) struct Sums<S> {
    rank: usize,
    /// `xᵀ dP`, `[rank, 3 width]`, and the sum of `dP` over items, `[tokens, 3 width]`.
    projected: Vec<S>,
    projected_by_token: Vec<S>,
    /// The same of the gradient of the residual sum, `[rank, width]` and `[tokens, width]`.
    residual: Vec<S>,
    residual_by_token: Vec<S>,
}

impl<S: Real> Sums<S> {
    pub(super) fn zeros(call: &Call, rank: usize) -> Self {
        let (tokens, width) = (call.sizes.tokens, call.sizes.width);
        Self {
            rank,
            projected: vec![S::ZERO; rank * 3 * width],
            projected_by_token: vec![S::ZERO; tokens * 3 * width],
            residual: vec![S::ZERO; rank * width],
            residual_by_token: vec![S::ZERO; tokens * width],
        }
    }

    /// Adds a group: its input, the gradient of its projection, the gradient of its residual sum.
    pub(super) fn add(&mut self, call: &Call, x: &[S], dprojected: &[S], dresidual: &[S]) {
        let width = call.sizes.width;
        let x = Matrix::whole(x, self.rank).transposed();
        MatrixMut::whole(&mut self.projected, 3 * width).add(x, Matrix::whole(dprojected, 3 * width));
        MatrixMut::whole(&mut self.residual, width).add(x, Matrix::whole(dresidual, width));
        dispatch::add_rows(call.isa, dprojected, &mut self.projected_by_token);
        dispatch::add_rows(call.isa, dresidual, &mut self.residual_by_token);
    }

    /// The gradients by the projection, the embedding and the base.
    pub(super) fn add_to(self, call: &Call, params: &Params<'_, S>, grads: &mut Grads<S>) {
        let width = call.sizes.width;
        dispatch::add_rows(call.isa, &self.projected_by_token, &mut grads.in_bias);
        let in_weight = Matrix::whole(params.in_weight, 3 * width).transposed();
        let sides = [
            (self.projected, self.residual, params.embedding, &mut grads.embedding),
            (self.projected_by_token, self.residual_by_token, params.base, &mut grads.base),
        ];
        for (projected, residual, factor, grad) in sides {
            let projected = Matrix::whole(&projected, 3 * width);
            MatrixMut::whole(&mut grads.in_weight, 3 * width)
                .add(Matrix::whole(factor, width).transposed(), projected);
            dispatch::add(call.isa, grad, &residual);
            MatrixMut::whole(grad, width).add(projected, in_weight);
        }
    }
}
