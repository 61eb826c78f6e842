//! Attention over the items of one group, and its gradient.

use super::call::{Call, Grads, Params};
use super::dispatch::{self, Matrix, MatrixMut};
use super::pool::Buffer;
use super::real::Real;
use super::terms::{self, At, Way};

use std::ops::Range;

/// What the forward pass leaves for the backward pass.
#[derive(Debug)]
pub(super) struct Attention<S: Real> {
    projected: Projected<S>,
    /// The input at the query rows, where not all are queries.
    chosen: Option<Buffer<S>>,
    /// `[items, heads, queries, tokens]`.
    weights: Buffer<S>,
    /// The mixed values, `[items, queries, width]`.
    mixed: Buffer<S>,
}

impl<S: Real> Attention<S> {
    /// `[items, heads, queries, tokens]`.
    pub(super) fn weights(&self) -> &[S] {
        &self.weights
    }

    /// From `seen [items, tokens, width]`, writes the output projection without its bias to `out`.
    pub(super) fn forward(
        call: &Call,
        params: &Params<'_, S>,
        group: &Range<usize>,
        seen: &[S],
        out: &mut [S],
    ) -> Self {
        let chosen = gather(call, group, seen);
        let projected = Projected::forward(call, params, seen, chosen.as_deref());
        Self::attend(call, params, group, (projected, chosen), out)
    }

    /// As [`Self::forward`], from what the input was projected to.
    pub(super) fn attend(
        call: &Call,
        params: &Params<'_, S>,
        group: &Range<usize>,
        (mut projected, chosen): (Projected<S>, Option<Buffer<S>>),
        out: &mut [S],
    ) -> Self {
        let sizes = &call.sizes;
        let (tokens, width, head_width) = (sizes.tokens, sizes.width, sizes.head_width());
        let queries = call.queries_per_item();
        projected.turn(call, group, Way::Forward);

        let mut weights = Buffer::take(group.len() * sizes.heads * queries * tokens);
        let mut mixed = Buffer::take(group.len() * queries * width);
        let scale = S::ONE / S::of(head_width as f64).sqrt();
        let heads = weights.chunks_exact_mut(queries * tokens);
        for (place, weights) in Place::all(group.len(), sizes.heads).zip(heads) {
            let [q, k, v] = projected.head(place);
            MatrixMut::whole(&mut *weights, tokens).set(q, k.transposed(), scale);
            terms::add_to_logits(call, params, place.at(group), q, scale, weights);
            match &call.hidden {
                None => dispatch::softmax(call.isa, weights, tokens),
                Some(hidden) => {
                    for (query, weights) in weights.chunks_exact_mut(tokens).enumerate() {
                        let at = [group.start + place.item, place.head, query];
                        dispatch::masked_softmax(call.isa, weights, hidden.row(at));
                    }
                }
            }
            let at = place.item * queries * width + place.head * head_width;
            let mixed = MatrixMut::rows(&mut mixed[at..], queries, head_width, width);
            mixed.set(Matrix::whole(weights, tokens), v, S::ONE);
        }
        let out_weight = Matrix::whole(params.out_weight, width);
        MatrixMut::whole(out, width).set(Matrix::whole(&mixed, width), out_weight, S::ONE);
        Self { projected, chosen, weights, mixed }
    }

    /// From the gradient `dout` of the output, writes that of `seen` to `dseen`.
    pub(super) fn backward(
        &self,
        call: &Call,
        params: &Params<'_, S>,
        grads: &mut Grads<S>,
        (group, seen): (&Range<usize>, &[S]),
        dout: &[S],
        dseen: &mut [S],
    ) {
        let dprojected = self.backward_to_projected(call, params, grads, group, dout);
        dprojected.backward(call, params, grads, (seen, self.chosen.as_deref()), (group, dseen));
    }

    /// From the gradient `dout` of the output, that of what the input was projected to.
    pub(super) fn backward_to_projected(
        &self,
        call: &Call,
        params: &Params<'_, S>,
        grads: &mut Grads<S>,
        group: &Range<usize>,
        dout: &[S],
    ) -> Projected<S> {
        let sizes = &call.sizes;
        let (tokens, width, head_width) = (sizes.tokens, sizes.width, sizes.head_width());
        let queries = call.queries_per_item();

        let dout = Matrix::whole(dout, width);
        let mut dmixed = Buffer::take(self.mixed.len());
        MatrixMut::whole(&mut grads.out_weight, width)
            .add(Matrix::whole(&self.mixed, width).transposed(), dout);
        MatrixMut::whole(&mut dmixed, width).set(
            dout,
            Matrix::whole(params.out_weight, width).transposed(),
            S::ONE,
        );

        let mut dprojected = self.projected.empty();
        let mut dlogits = Buffer::take(queries * tokens);
        let scale = S::ONE / S::of(head_width as f64).sqrt();
        let heads = self.weights.chunks_exact(queries * tokens);
        for (place, weights) in Place::all(group.len(), sizes.heads).zip(heads) {
            let [q, k, v] = self.projected.head(place);
            let at = place.item * queries * width + place.head * head_width;
            let dmixed = Matrix::rows(&dmixed[at..], queries, head_width, width);
            MatrixMut::whole(&mut dlogits, tokens).set(dmixed, v.transposed(), S::ONE);
            dispatch::softmax_backward(call.isa, &mut dlogits, weights, tokens);
            terms::bias_backward(call, grads, place.at(group), &dlogits);
            let (weights, dproducts) = (Matrix::whole(weights, tokens), Matrix::whole(&dlogits, tokens));
            dprojected.head_mut(place, Part::Query).set(dproducts, k, scale);
            dprojected.head_mut(place, Part::Key).set(dproducts.transposed(), q, scale);
            dprojected.head_mut(place, Part::Value).set(weights.transposed(), dmixed, S::ONE);
            let dq = dprojected.head_mut(place, Part::Query);
            terms::relative_backward(call, params, grads, place.at(group), (q, &dlogits, scale), dq);
        }
        dprojected.turn(call, group, Way::Back);
        dprojected
    }
}

/// One head of one item of a group.
#[derive(Debug, Clone, Copy)]
struct Place {
    item: usize,
    head: usize,
}

impl Place {
    /// The same place in the whole batch.
    fn at(self, group: &Range<usize>) -> At {
        At { item: group.start + self.item, head: self.head }
    }

    fn all(items: usize, heads: usize) -> impl Iterator<Item = Self> {
        (0..items).flat_map(move |item| (0..heads).map(move |head| Self { item, head }))
    }
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Query,
    Key,
    Value,
}

/// Queries, keys and values, or their gradients.
///
/// Where all tokens are queries, the three stand side by side in rows of `3 width`; else keys and values do, in rows
/// of `2 width`, and queries stand apart.
#[derive(Debug)]
pub(super) struct Projected<S: Real> {
    rows: Buffer<S>,
    queries: Option<Buffer<S>>,
    tokens: usize,
    queries_per_item: usize,
    width: usize,
    head_width: usize,
}

impl<S: Real> Projected<S> {
    fn forward(call: &Call, params: &Params<'_, S>, seen: &[S], chosen: Option<&[S]>) -> Self {
        let width = call.sizes.width;
        let (count, seen) = (seen.len(), Matrix::whole(seen, width));
        let (rows, queries) = match chosen {
            None => {
                let mut rows = Buffer::take(count * 3);
                let weight = Matrix::whole(params.in_weight, 3 * width);
                MatrixMut::whole(&mut rows, 3 * width).set(seen, weight, S::ONE);
                dispatch::add_bias(call.isa, &mut rows, params.in_bias);
                (rows, None)
            }
            Some(chosen) => {
                let mut rows = Buffer::take(count * 2);
                let mut queries = Buffer::take(chosen.len());
                let [query, pair] = split(params.in_weight, width);
                MatrixMut::whole(&mut rows, 2 * width).set(seen, pair, S::ONE);
                MatrixMut::whole(&mut queries, width).set(Matrix::whole(chosen, width), query, S::ONE);
                dispatch::add_bias(call.isa, &mut rows, &params.in_bias[width..]);
                dispatch::add_bias(call.isa, &mut queries, &params.in_bias[..width]);
                (rows, Some(queries))
            }
        };
        Self::new(call, rows, queries)
    }

    /// From rows of `3 width`, where all tokens are queries.
    pub(super) fn of_all(call: &Call, rows: Buffer<S>) -> Self {
        Self::new(call, rows, None)
    }

    fn new(call: &Call, rows: Buffer<S>, queries: Option<Buffer<S>>) -> Self {
        let (tokens, queries_per_item) = (call.sizes.tokens, call.queries_per_item());
        let (width, head_width) = (call.sizes.width, call.sizes.head_width());
        Self { rows, queries, tokens, queries_per_item, width, head_width }
    }

    /// Queries, keys and values side by side, where all tokens are queries.
    pub(super) fn rows(&self) -> &[S] {
        &self.rows
    }

    /// Of the same shape, with unspecified values.
    fn empty(&self) -> Self {
        Self {
            rows: Buffer::take(self.rows.len()),
            queries: self.queries.as_ref().map(|queries| Buffer::take(queries.len())),
            ..*self
        }
    }

    /// Row stride, first element, and number of rows.
    fn locate(&self, place: Place, part: Part) -> (usize, usize, usize) {
        let column = place.head * self.head_width;
        let (stride, per_item, column) = match (part, &self.queries) {
            (Part::Query, None) => (3 * self.width, self.tokens, column),
            (Part::Key, None) => (3 * self.width, self.tokens, self.width + column),
            (Part::Value, None) => (3 * self.width, self.tokens, 2 * self.width + column),
            (Part::Query, Some(_)) => (self.width, self.queries_per_item, column),
            (Part::Key, Some(_)) => (2 * self.width, self.tokens, column),
            (Part::Value, Some(_)) => (2 * self.width, self.tokens, self.width + column),
        };
        (stride, place.item * per_item * stride + column, per_item)
    }

    fn head(&self, place: Place) -> [Matrix<'_, S>; 3] {
        [Part::Query, Part::Key, Part::Value].map(|part| {
            let (stride, at, rows) = self.locate(place, part);
            let data = match (part, &self.queries) {
                (Part::Query, Some(queries)) => queries,
                _ => &self.rows,
            };
            Matrix::rows(&data[at..], rows, self.head_width, stride)
        })
    }

    fn head_mut(&mut self, place: Place, part: Part) -> MatrixMut<'_, S> {
        let (stride, at, rows) = self.locate(place, part);
        let width = self.head_width;
        MatrixMut::rows(&mut self.part_mut(part)[at..], rows, width, stride)
    }

    /// Where a part stands.
    fn part_mut(&mut self, part: Part) -> &mut [S] {
        match (part, &mut self.queries) {
            (Part::Query, Some(queries)) => queries,
            _ => &mut self.rows,
        }
    }

    /// Turns queries and keys, or their gradients, where the encoding does.
    fn turn(&mut self, call: &Call, group: &Range<usize>, way: Way) {
        let Some(rotation) = &call.terms.rotation else { return };
        let turn = rotation.turn::<S>(way);
        for place in Place::all(group.len(), call.sizes.heads) {
            for part in [Part::Query, Part::Key] {
                let (stride, first, rows) = self.locate(place, part);
                let data = self.part_mut(part);
                for row in 0..rows {
                    let token = match part {
                        Part::Query => call.query_token(place.at(group).item, row),
                        _ => row,
                    };
                    turn.apply(&mut data[first + row * stride..][..2 * rotation.pairs], token);
                }
            }
        }
    }

    /// Takes `self` as gradients: adds to those of the projection, and writes that of the input.
    fn backward(
        &self,
        call: &Call,
        params: &Params<'_, S>,
        grads: &mut Grads<S>,
        (seen, chosen): (&[S], Option<&[S]>),
        (group, dseen): (&Range<usize>, &mut [S]),
    ) {
        let width = self.width;
        let seen = Matrix::whole(seen, width);
        let (Some(dqueries), Some(chosen)) = (self.queries.as_deref(), chosen) else {
            dispatch::add_rows(call.isa, &self.rows, &mut grads.in_bias);
            let drows = Matrix::whole(&self.rows, 3 * width);
            MatrixMut::whole(&mut grads.in_weight, 3 * width).add(seen.transposed(), drows);
            let weight = Matrix::whole(params.in_weight, 3 * width);
            MatrixMut::whole(dseen, width).set(drows, weight.transposed(), S::ONE);
            return;
        };
        let (query_bias, pair_bias) = grads.in_bias.split_at_mut(width);
        dispatch::add_rows(call.isa, dqueries, query_bias);
        dispatch::add_rows(call.isa, &self.rows, pair_bias);

        let (dqueries, drows) = (Matrix::whole(dqueries, width), Matrix::whole(&self.rows, 2 * width));
        MatrixMut::rows(&mut grads.in_weight, width, width, 3 * width)
            .add(Matrix::whole(chosen, width).transposed(), dqueries);
        MatrixMut::rows(&mut grads.in_weight[width..], width, 2 * width, 3 * width)
            .add(seen.transposed(), drows);

        let [query, pair] = split(params.in_weight, width);
        MatrixMut::whole(&mut *dseen, width).set(drows, pair.transposed(), S::ONE);
        let mut dchosen = Buffer::take(chosen.len());
        MatrixMut::whole(&mut dchosen, width).set(dqueries, query.transposed(), S::ONE);
        scatter_add(call, group, &dchosen, dseen);
    }
}

/// The weight of the projection to queries, and that to keys and values.
fn split<S: Real>(weight: &[S], width: usize) -> [Matrix<'_, S>; 2] {
    [
        Matrix::rows(weight, width, width, 3 * width),
        Matrix::rows(&weight[width..], width, 2 * width, 3 * width),
    ]
}

/// The query rows of a group; `None` where all rows are.
pub(super) fn gather<S: Real>(call: &Call, group: &Range<usize>, from: &[S]) -> Option<Buffer<S>> {
    let width = call.sizes.width;
    let rows = call.query_rows(group)?;
    let mut to = Buffer::take(group.len() * call.queries_per_item() * width);
    for (to, row) in to.chunks_exact_mut(width).zip(rows) {
        to.copy_from_slice(&from[row * width..][..width]);
    }
    Some(to)
}

/// Adds rows to where they were gathered from.
pub(super) fn scatter_add<S: Real>(call: &Call, group: &Range<usize>, from: &[S], to: &mut [S]) {
    let width = call.sizes.width;
    match call.query_rows(group) {
        None => dispatch::add(call.isa, to, from),
        Some(rows) => {
            for (from, row) in from.chunks_exact(width).zip(rows) {
                dispatch::add(call.isa, &mut to[row * width..][..width], from);
            }
        }
    }
}
