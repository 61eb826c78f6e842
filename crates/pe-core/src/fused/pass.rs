//! The whole block, group by group: forward, and backward from what forward saved.

use std::ops::Range;

use crate::config::Norm;

use super::attention::{Attention, gather, scatter_add};
use super::call::{Call, Grads, Params};
use super::dispatch;
use super::mlp::Mlp;
use super::pool::Buffer;
use super::real::Real;

/// What the backward pass needs of one group of items.
#[derive(Debug)]
pub(super) struct Saved<S: Real> {
    attention: Attention<S>,
    norm_1: Normed<S>,
    /// The output of the first norm: the input of attention (pre-norm) or of the MLP (post-norm).
    first: Buffer<S>,
    norm_2: Normed<S>,
    /// The output of the second norm, where it is the input of the MLP (pre-norm).
    second: Option<Buffer<S>>,
    mlp: Mlp<S>,
}

/// Normalised rows, and 1 / standard deviation of each.
#[derive(Debug)]
struct Normed<S: Real> {
    rows: Buffer<S>,
    rstd: Buffer<S>,
}

/// The block on `x [items, tokens, width]`, which has the encoding in it already.
///
/// Returns `[items, queries, width]`, and one [`Saved`] per group where `keep`.
pub(super) fn forward<S: Real>(
    call: &Call,
    params: &Params<'_, S>,
    x: &[S],
    keep: bool,
) -> (Vec<S>, Vec<Saved<S>>) {
    let (tokens, width) = (call.sizes.tokens, call.sizes.width);
    let queries = call.queries_per_item();
    let mut y = vec![S::ZERO; call.sizes.items * queries * width];
    let mut saved = Vec::new();
    for group in call.groups() {
        let x = &x[group.start * tokens * width..group.end * tokens * width];
        let y = &mut y[group.start * queries * width..group.end * queries * width];
        let group = match call.sizes.norm {
            Norm::Post => forward_post(call, params, &group, x, y),
            Norm::Pre => forward_pre(call, params, &group, x, y),
        };
        if keep {
            saved.push(group);
        }
    }
    (y, saved)
}

/// The gradients by `x` and by the parameters, from the gradient `dy` of the output.
pub(super) fn backward<S: Real>(
    call: &Call,
    params: &Params<'_, S>,
    x: &[S],
    saved: &[Saved<S>],
    dy: &[S],
) -> (Vec<S>, Grads<S>) {
    let (tokens, width) = (call.sizes.tokens, call.sizes.width);
    let queries = call.queries_per_item();
    let mut dx = vec![S::ZERO; x.len()];
    let mut grads = Grads::zeros(params);
    for (group, saved) in call.groups().zip(saved) {
        let inputs = group.start * tokens * width..group.end * tokens * width;
        let dy = &dy[group.start * queries * width..group.end * queries * width];
        let (x, dx) = (&x[inputs.clone()], &mut dx[inputs]);
        match call.sizes.norm {
            Norm::Post => saved.backward_post(call, params, &mut grads, (&group, x), dy, dx),
            Norm::Pre => saved.backward_pre(call, params, &mut grads, &group, dy, dx),
        }
    }
    (dx, grads)
}

/// `h = LN(x + A(x))`, `y = LN(h + M(h))`.
fn forward_post<S: Real>(
    call: &Call,
    params: &Params<'_, S>,
    group: &Range<usize>,
    x: &[S],
    y: &mut [S],
) -> Saved<S> {
    let (isa, width) = (call.isa, call.sizes.width);
    let rows = y.len() / width;

    let mut norm_1 = Normed { rows: Buffer::take(rows * width), rstd: Buffer::take(rows) };
    let attention = Attention::forward(call, params, group, x, &mut norm_1.rows);
    let residual = gather(call, group, x);
    let mut first = Buffer::take(rows * width);
    dispatch::residual_norm(
        isa,
        &mut norm_1.rows,
        residual.as_deref().unwrap_or(x),
        params.out_bias,
        params.norm_1(&call.sizes),
        &mut norm_1.rstd,
        &mut first,
    );

    let mut norm_2 = Normed { rows: Buffer::take(rows * width), rstd: Buffer::take(rows) };
    let mlp = Mlp::forward(call, params, &first, &mut norm_2.rows);
    dispatch::residual_norm(
        isa,
        &mut norm_2.rows,
        &first,
        mlp.pending_bias(params, &vec![S::ZERO; width]),
        params.norm_2(&call.sizes),
        &mut norm_2.rstd,
        y,
    );
    Saved { attention, norm_1, first, norm_2, second: None, mlp }
}

/// `h = x + A(LN(x))`, `y = h + M(LN(h))`.
fn forward_pre<S: Real>(
    call: &Call,
    params: &Params<'_, S>,
    group: &Range<usize>,
    x: &[S],
    y: &mut [S],
) -> Saved<S> {
    let (isa, width) = (call.isa, call.sizes.width);
    let (tokens, rows) = (x.len() / width, y.len() / width);

    let mut norm_1 = Normed { rows: Buffer::take(tokens * width), rstd: Buffer::take(tokens) };
    let mut first = Buffer::take(tokens * width);
    let affine = params.norm_1(&call.sizes);
    dispatch::norm(isa, x, affine, &mut norm_1.rows, &mut norm_1.rstd, &mut first);

    let mut sum = Buffer::take(rows * width);
    let attention = Attention::forward(call, params, group, &first, &mut sum);
    let residual = gather(call, group, x);
    dispatch::add_residual(isa, &mut sum, residual.as_deref().unwrap_or(x), params.out_bias);

    let mut norm_2 = Normed { rows: Buffer::take(rows * width), rstd: Buffer::take(rows) };
    let mut second = Buffer::take(rows * width);
    let affine = params.norm_2(&call.sizes);
    dispatch::norm(isa, &sum, affine, &mut norm_2.rows, &mut norm_2.rstd, &mut second);
    let mlp = Mlp::forward(call, params, &second, y);
    dispatch::add_residual(isa, y, &sum, mlp.pending_bias(params, &vec![S::ZERO; width]));
    Saved { attention, norm_1, first, norm_2, second: Some(second), mlp }
}

impl<S: Real> Saved<S> {
    /// The attention weights, `[items, heads, queries, tokens]`.
    pub(super) fn weights(&self) -> &[S] {
        self.attention.weights()
    }

    fn backward_post(
        &self,
        call: &Call,
        params: &Params<'_, S>,
        grads: &mut Grads<S>,
        (group, x): (&Range<usize>, &[S]),
        dy: &[S],
        dx: &mut [S],
    ) {
        let isa = call.isa;
        // The gradient of h + M(h) goes to both terms.
        let mut dfirst = Buffer::take(dy.len());
        let sums = (&mut grads.gamma_2[..], &mut grads.beta_2[..]);
        self.norm_2.backward(call, dy, params.gamma_2, &mut dfirst, sums);
        let mut dmlp = Buffer::copy_of(&dfirst);
        self.mlp.backward(call, params, grads, &self.first, &mut dmlp, &mut dfirst);

        let mut dsum = dmlp;
        let sums = (&mut grads.gamma_1[..], &mut grads.beta_1[..]);
        self.norm_1.backward(call, &dfirst, params.gamma_1, &mut dsum, sums);
        dispatch::add_rows(isa, &dsum, &mut grads.out_bias);
        self.attention.backward(call, params, grads, (group, x), &dsum, dx);
        scatter_add(call, group, &dsum, dx);
    }

    fn backward_pre(
        &self,
        call: &Call,
        params: &Params<'_, S>,
        grads: &mut Grads<S>,
        group: &Range<usize>,
        dy: &[S],
        dx: &mut [S],
    ) {
        let isa = call.isa;
        let mut dmlp = Buffer::copy_of(dy);
        let mut dsecond = Buffer::take(dy.len());
        dsecond.fill(S::ZERO);
        let second = self.second.as_deref().unwrap_or(&self.first);
        self.mlp.backward(call, params, grads, second, &mut dmlp, &mut dsecond);

        let mut dsum = dmlp;
        let sums = (&mut grads.gamma_2[..], &mut grads.beta_2[..]);
        self.norm_2.backward(call, &dsecond, params.gamma_2, &mut dsum, sums);
        dispatch::add(isa, &mut dsum, dy);
        dispatch::add_rows(isa, &dsum, &mut grads.out_bias);

        let mut dfirst = Buffer::take(dx.len());
        self.attention.backward(call, params, grads, (group, &self.first), &dsum, &mut dfirst);
        let sums = (&mut grads.gamma_1[..], &mut grads.beta_1[..]);
        self.norm_1.backward(call, &dfirst, params.gamma_1, dx, sums);
        scatter_add(call, group, &dsum, dx);
    }
}

impl<S: Real> Normed<S> {
    fn backward(&self, call: &Call, dy: &[S], gamma: &[S], dx: &mut [S], sums: (&mut [S], &mut [S])) {
        dispatch::norm_backward(call.isa, dy, &self.rows, &self.rstd, gamma, dx, sums);
    }
}
