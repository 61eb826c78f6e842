//! What a block is computed with: sizes, parameters, which queries, and what they must not see.

use std::ops::Range;

use crate::config::{Mlp, Norm};

use super::dispatch::Isa;
use super::kernels::Affine;
use super::real::Real;
use super::terms::Terms;

/// Everything about one call but the numbers.
#[derive(Debug)]
pub(crate) struct Call {
    pub sizes: Sizes,
    pub queries: Queries,
    pub hidden: Option<Hidden>,
    pub terms: Terms,
    /// Whether attention weights are returned.
    pub keep_weights: bool,
    pub isa: Isa,
    /// Items that are computed together.
    pub group: usize,
}

/// The sizes and choices of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub items: usize,
    pub tokens: usize,
    pub width: usize,
    pub heads: usize,
    /// Width of the hidden layer of the MLP.
    pub inner: usize,
    pub norm: Norm,
    pub mlp: Mlp,
    pub epsilon: f64,
}

impl Sizes {
    pub(super) fn head_width(&self) -> usize {
        self.width / self.heads
    }

    /// Items per group, in groups of equal size: so many that what they need stays in the cache between one pass and
    /// the next, and that weights are not read more often than need be.
    pub(super) fn default_group(&self, queries_per_item: usize) -> usize {
        // Attention is on tokens, the MLP on queries: 512 of each.
        const ROWS: usize = 1024;
        let most = (ROWS / (self.tokens + queries_per_item)).max(1);
        self.items.div_ceil(self.items.div_ceil(most).max(1)).max(1)
    }
}

/// The tokens at which queries, MLP and norms are computed.
#[derive(Debug)]
pub(crate) enum Queries {
    All,
    /// As many of each item, as rows of the flattened `[items * tokens]`, item after item.
    Some {
        per_item: usize,
        rows: Vec<usize>,
    },
}

impl Queries {
    pub(super) fn per_item(&self, tokens: usize) -> usize {
        match self {
            Self::All => tokens,
            Self::Some { per_item, .. } => *per_item,
        }
    }
}

/// What queries must not see: flags `[items, heads, queries, tokens]`, where any but the last may be broadcast.
#[derive(Debug)]
pub(crate) struct Hidden {
    pub flags: Vec<bool>,
    pub shape: [usize; 4],
}

impl Hidden {
    /// The flags of all keys for one query.
    pub(super) fn row(&self, at: [usize; 3]) -> &[bool] {
        let [items, heads, queries, keys] = self.shape;
        let row = |size: usize, at: usize| if size == 1 { 0 } else { at };
        let row = (row(items, at[0]) * heads + row(heads, at[1])) * queries + row(queries, at[2]);
        &self.flags[row * keys..][..keys]
    }
}

impl Call {
    pub(super) fn queries_per_item(&self) -> usize {
        self.queries.per_item(self.sizes.tokens)
    }

    /// The token of one query of one item of the batch.
    pub(super) fn query_token(&self, item: usize, query: usize) -> usize {
        match &self.queries {
            Queries::All => query,
            Queries::Some { per_item, rows } => rows[item * per_item + query] - item * self.sizes.tokens,
        }
    }

    /// The items, group by group.
    pub(super) fn groups(&self) -> impl Iterator<Item = Range<usize>> {
        let (items, group) = (self.sizes.items, self.group);
        (0..items).step_by(group).map(move |first| first..(first + group).min(items))
    }

    /// The rows of a group's tokens that are queries, relative to its first token; `None` for all.
    pub(super) fn query_rows(&self, group: &Range<usize>) -> Option<impl Iterator<Item = usize> + '_> {
        let Queries::Some { per_item, rows } = &self.queries else { return None };
        let first = group.start * self.sizes.tokens;
        Some(rows[group.start * per_item..group.end * per_item].iter().map(move |row| row - first))
    }
}

/// The parameters of a block, in the order in which the operation takes them. Weights are `[inputs, outputs]`.
#[derive(Clone, Copy)]
pub(super) struct Params<'a, S> {
    pub in_weight: &'a [S],
    pub in_bias: &'a [S],
    pub out_weight: &'a [S],
    pub out_bias: &'a [S],
    pub gamma_1: &'a [S],
    pub beta_1: &'a [S],
    pub up_weight: &'a [S],
    pub up_bias: &'a [S],
    pub down_weight: &'a [S],
    pub down_bias: &'a [S],
    pub gamma_2: &'a [S],
    pub beta_2: &'a [S],
    /// The table of relations, and the bias on logits; empty where there is none.
    pub relative: &'a [S],
    pub bias: &'a [S],
}

/// How many parameters a block has, without those of the encoding.
pub(super) const PARAMS: usize = 12;

impl<'a, S: Real> Params<'a, S> {
    /// From the parameters of a block, then those of the encoding that the terms tell of.
    ///
    /// # Panics
    /// When there are not as many.
    pub(super) fn new(all: &[&'a [S]], terms: &Terms) -> Self {
        let (block, encoding) = all.split_at(PARAMS);
        let [in_weight, in_bias, out_weight, out_bias, gamma_1, beta_1, rest @ ..] = block else {
            unreachable!()
        };
        let [up_weight, up_bias, down_weight, down_bias, gamma_2, beta_2] = rest else { unreachable!() };
        let mut encoding = encoding.iter().copied();
        let mut next = |used: bool| if used { encoding.next().expect("an input for each term") } else { &[] };
        let (relative, bias) = (next(terms.relative.is_some()), next(terms.bias_heads.is_some()));
        Self {
            in_weight,
            in_bias,
            out_weight,
            out_bias,
            gamma_1,
            beta_1,
            up_weight,
            up_bias,
            down_weight,
            down_bias,
            gamma_2,
            beta_2,
            relative,
            bias,
        }
    }

    pub(super) fn norm_1(&self, sizes: &Sizes) -> Affine<'a, S> {
        Affine { gamma: self.gamma_1, beta: self.beta_1, epsilon: S::of(sizes.epsilon) }
    }

    pub(super) fn norm_2(&self, sizes: &Sizes) -> Affine<'a, S> {
        Affine { gamma: self.gamma_2, beta: self.beta_2, epsilon: S::of(sizes.epsilon) }
    }
}

/// The gradients of [`Params`], while they are summed.
pub(super) struct Grads<S> {
    pub in_weight: Vec<S>,
    pub in_bias: Vec<S>,
    pub out_weight: Vec<S>,
    pub out_bias: Vec<S>,
    pub gamma_1: Vec<S>,
    pub beta_1: Vec<S>,
    pub up_weight: Vec<S>,
    pub up_bias: Vec<S>,
    /// Transposed, `[width, inner]`: a product of few rows and many columns is the faster one to add to.
    pub down_weight_transposed: Vec<S>,
    pub down_bias: Vec<S>,
    pub gamma_2: Vec<S>,
    pub beta_2: Vec<S>,
    pub relative: Vec<S>,
    pub bias: Vec<S>,
}

impl<S: Real> Grads<S> {
    pub(super) fn zeros(params: &Params<'_, S>) -> Self {
        let zeros = |values: &[S]| vec![S::ZERO; values.len()];
        Self {
            in_weight: zeros(params.in_weight),
            in_bias: zeros(params.in_bias),
            out_weight: zeros(params.out_weight),
            out_bias: zeros(params.out_bias),
            gamma_1: zeros(params.gamma_1),
            beta_1: zeros(params.beta_1),
            up_weight: zeros(params.up_weight),
            up_bias: zeros(params.up_bias),
            down_weight_transposed: zeros(params.down_weight),
            down_bias: zeros(params.down_bias),
            gamma_2: zeros(params.gamma_2),
            beta_2: zeros(params.beta_2),
            relative: zeros(params.relative),
            bias: zeros(params.bias),
        }
    }

    /// In the order in which the operation takes them.
    pub(super) fn into_vec(self, terms: &Terms) -> Vec<Vec<S>> {
        let inner = self.up_bias.len();
        let mut all = vec![
            self.in_weight,
            self.in_bias,
            self.out_weight,
            self.out_bias,
            self.gamma_1,
            self.beta_1,
            self.up_weight,
            self.up_bias,
            transpose(&self.down_weight_transposed, inner),
            self.down_bias,
            self.gamma_2,
            self.beta_2,
        ];
        all.extend(terms.relative.is_some().then_some(self.relative));
        all.extend(terms.bias_heads.is_some().then_some(self.bias));
        all
    }
}

/// The transpose of a matrix of so many columns.
fn transpose<S: Real>(from: &[S], columns: usize) -> Vec<S> {
    // Read along some rows at once, so that writes are not single numbers far apart.
    const ROWS: usize = 16;
    let rows = from.len() / columns;
    let mut to = vec![S::ZERO; from.len()];
    for first in (0..rows).step_by(ROWS) {
        let some = first..rows.min(first + ROWS);
        for column in 0..columns {
            let to = &mut to[column * rows..][some.clone()];
            for (row, to) in some.clone().zip(to) {
                *to = from[row * columns + column];
            }
        }
    }
    to
}
