//! The block as one operation of burn: on `Flex`, and with a backward step on `Autodiff<Flex>`.

use std::sync::Arc;

use burn::tensor::backend::Backend;
use burn::tensor::{DType, Tensor, TensorData, TensorMetadata, TensorPrimitive, ops::FloatTensor};
use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_flex::{Flex, FlexTensor};

use crate::backend::PeBackend;
use crate::block::{Block, BlockCall, first_block_apart};
use crate::config::Norm;
use crate::context::Context;
use crate::encoding;
use crate::linear::Linear;
use crate::rows::Rows;

use super::call::{Call, Hidden, PARAMS, Params, Queries, Sizes};
use super::dispatch::Isa;
use super::pass::{self, Saved};
use super::terms::{Relative, Rotation, Terms};

/// A backend on which the block is one operation.
pub(crate) trait FusedBackend: Backend {
    /// Returns the output, and the attention weights `[items, heads, queries, tokens]` where the call asks for them.
    ///
    /// # Shapes
    /// - inputs: `x [items, tokens, width]`, the parameters in the order of [`Params`], the table of relations and the
    ///   bias where the call has them
    /// - output: `[items, queries, width]`
    fn run<const N: usize>(
        call: Call,
        inputs: [FloatTensor<Self>; N],
    ) -> (FloatTensor<Self>, Option<Vec<f32>>);

    /// Whether a gradient by this tensor may be asked for.
    fn is_tracked(x: &FloatTensor<Self>) -> bool;
}

/// The block as one operation where it can be one, else in plain tensor code.
///
/// # Shapes
/// - input: `[batch, tokens, width]`
/// - output: `[batch, rows, width]`
pub(crate) fn block<B: FusedBackend>(
    block: &Block<B>,
    x: Tensor<B, 3>,
    call: BlockCall<'_, B>,
    context: &mut Context,
) -> Tensor<B, 3> {
    if x.dtype() != DType::F32 || !can_fuse(&call, context) {
        return block.forward_plain(x, call, context);
    }
    let terms = call.encoding.terms(call.index, call.placement);
    let Some(params) = params(block, &terms) else { return block.forward_plain(x, call, context) };
    let u = block.encode(x, &call, context);
    let [items, tokens, _] = u.dims();
    let op = describe(block, &call, &terms, [items, tokens], context);
    let inputs = std::iter::once(primitive(u)).chain(params).collect();
    run(op, inputs, call.index, context)
}

/// Embedding and first block as one operation, where that is possible and saves work.
///
/// # Shapes
/// - tokens: `[batch, tokens, features]`
/// - output: `[batch, tokens, width]`
pub(crate) fn first_block<B: FusedBackend + PeBackend>(
    embedding: &Linear<B>,
    block: &Block<B>,
    x: Tensor<B, 3>,
    call: BlockCall<'_, B>,
    context: &mut Context,
) -> Tensor<B, 3> {
    let [items, tokens, rank] = x.dims();
    let worth_it = 4 * rank <= call.config.width
        && matches!((call.config.norm, call.rows), (Norm::Post, Rows::All))
        && !(call.encoding.is_sinusoid() && call.config.sinusoid_dropout > 0.0)
        && !context.trace.wants("embedding");
    let possible = worth_it && x.dtype() == DType::F32 && can_fuse(&call, context);
    if !possible || B::is_tracked(&primitive(x.clone())) {
        return first_block_apart(embedding, block, x, call, context);
    }
    let terms = call.encoding.terms(call.index, call.placement);
    let Some(params) = params(block, &terms) else {
        return first_block_apart(embedding, block, x, call, context);
    };
    let base = embedding.bias.val().unsqueeze::<2>();
    let base = match call.encoding.table(call.index, call.placement) {
        Some(table) => base + table,
        None => base.repeat_dim(0, tokens),
    };
    let op = describe(block, &call, &terms, [items, tokens], context);
    let op = Call { rank: Some(rank), ..op };
    let mut inputs = params;
    inputs.splice(PARAMS..PARAMS, [primitive(embedding.weight.val()), primitive(base)]);
    inputs.insert(0, primitive(x));
    run(op, inputs, call.index, context)
}

fn run<B: FusedBackend>(
    op: Call,
    inputs: Vec<FloatTensor<B>>,
    index: usize,
    context: &mut Context,
) -> Tensor<B, 3> {
    let Sizes { items, tokens, heads, .. } = op.sizes;
    let shape = [items, heads, op.queries.per_item(tokens), tokens];
    let (y, weights) = match inputs.len() - PARAMS {
        1 => B::run::<{ 1 + PARAMS }>(op, array(inputs)),
        2 => B::run::<{ 2 + PARAMS }>(op, array(inputs)),
        3 => B::run::<{ 3 + PARAMS }>(op, array(inputs)),
        4 => B::run::<{ 4 + PARAMS }>(op, array(inputs)),
        _ => B::run::<{ 5 + PARAMS }>(op, array(inputs)),
    };
    if let Some(weights) = weights {
        context.trace.put(&weights_name(index), &shape, weights);
    }
    Tensor::from_primitive(TensorPrimitive::Float(y))
}

fn weights_name(block: usize) -> String {
    format!("blocks.{block}.attention.weights")
}

/// Whether nothing is asked for that only plain tensor code does.
fn can_fuse<B: Backend>(call: &BlockCall<'_, B>, context: &Context) -> bool {
    !context.is_plain()
        && !context.drops(call.config.dropout)
        && !context.trace.wants_any_but(&format!("blocks.{}.", call.index), &weights_name(call.index))
}

fn primitive<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> FloatTensor<B> {
    tensor.into_primitive().tensor()
}

fn array<T, const N: usize>(values: Vec<T>) -> [T; N] {
    let count = values.len();
    values.try_into().unwrap_or_else(|_| unreachable!("{count} inputs, matched on before"))
}

/// All parameters, in the order of [`Params`]; `None` where one is not f32, or a norm has no shift.
fn params<B: Backend>(block: &Block<B>, terms: &encoding::Terms<B>) -> Option<Vec<FloatTensor<B>>> {
    let (attention, norm_1, norm_2) = (&block.attention, &block.norm_1, &block.norm_2);
    let mut all = vec![
        primitive(attention.in_proj.weight.val()),
        primitive(attention.in_proj.bias.val()),
        primitive(attention.out_proj.weight.val()),
        primitive(attention.out_proj.bias.val()),
        primitive(norm_1.gamma.val()),
        primitive(norm_1.beta.as_ref()?.val()),
        primitive(block.up.weight.val()),
        primitive(block.up.bias.val()),
        primitive(block.down.weight.val()),
        primitive(block.down.bias.val()),
        primitive(norm_2.gamma.val()),
        primitive(norm_2.beta.as_ref()?.val()),
    ];
    all.extend(terms.relative.as_ref().map(|relative| primitive(relative.table.clone())));
    all.extend(terms.bias.as_ref().map(|bias| primitive(bias.clone())));
    all.iter().all(|param| param.dtype() == DType::F32).then_some(all)
}

fn describe_terms<B: Backend>(terms: &encoding::Terms<B>) -> Terms {
    Terms {
        rotation: terms.rotation.as_ref().map(|rotation| Rotation {
            pairs: rotation.pairs,
            cos: rotation.cos.clone(),
            sin: rotation.sin.clone(),
        }),
        relative: terms.relative.as_ref().map(|relative| {
            let [heads, relations, _] = relative.table.dims();
            Relative { heads, relations, index: relative.relations.index.clone() }
        }),
        bias_heads: terms.bias.as_ref().map(|bias| bias.dims()[0]),
    }
}

fn describe<B: Backend>(
    block: &Block<B>,
    call: &BlockCall<'_, B>,
    terms: &encoding::Terms<B>,
    [items, tokens]: [usize; 2],
    context: &Context,
) -> Call {
    let config = call.config;
    let sizes = Sizes {
        items,
        tokens,
        width: config.width,
        heads: config.heads,
        inner: block.up.bias.dims()[0],
        norm: config.norm,
        mlp: config.mlp,
        epsilon: config.norm_epsilon,
    };
    let queries = match call.rows {
        Rows::All => Queries::All,
        Rows::Last => {
            Queries::Some { per_item: 1, rows: (1..=items).map(|item| item * tokens - 1).collect() }
        }
        Rows::Some(chosen) => Queries::Some { per_item: chosen.per_item, rows: chosen.flat.clone() },
    };
    let hidden = call.hidden.clone().map(|hidden| {
        let [items, heads, queries, _] = hidden.dims();
        let shape = [items, heads, queries, tokens];
        Hidden { flags: hidden.expand(shape).into_data().iter::<bool>().collect(), shape }
    });
    let group = sizes.default_group(queries.per_item(tokens));
    Call {
        sizes,
        queries,
        rank: None,
        hidden,
        terms: describe_terms(terms),
        keep_weights: context.trace.wants(&weights_name(call.index)),
        isa: Isa::best(),
        group,
    }
}

/// The same numbers, row after row in memory: `as_slice` sees them, whatever view the tensor was.
fn contiguous(tensor: FlexTensor) -> FlexTensor {
    if tensor.as_slice::<f32>().is_some() { tensor } else { tensor.to_contiguous() }
}

fn slice(tensor: &FlexTensor) -> &[f32] {
    tensor.as_slice().expect("a contiguous f32 tensor: dtypes were checked, and the layout by `contiguous`")
}

fn tensor(values: Vec<f32>, shape: &[usize]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape.to_vec()))
}

/// What the backward step keeps.
#[derive(Debug, Clone)]
struct State {
    call: Arc<Call>,
    /// `x`, then the parameters.
    inputs: Vec<FlexTensor>,
    saved: Arc<Vec<Saved<f32>>>,
}

fn forward<const N: usize>(
    call: Call,
    inputs: [FlexTensor; N],
    keep: bool,
) -> (FlexTensor, Option<Vec<f32>>, State) {
    let inputs = inputs.map(contiguous);
    let slices = inputs.each_ref().map(slice);
    let params = Params::new(&slices[1..], &call);
    let (y, saved) = pass::forward(&call, &params, slices[0], keep || call.keep_weights);
    let weights =
        call.keep_weights.then(|| saved.iter().flat_map(|group| group.weights()).copied().collect());
    let y = tensor(y, &[call.sizes.items, call.queries_per_item(), call.sizes.width]);
    (y, weights, State { call: Arc::new(call), inputs: inputs.into(), saved: Arc::new(saved) })
}

impl FusedBackend for Flex {
    fn run<const N: usize>(call: Call, inputs: [FlexTensor; N]) -> (FlexTensor, Option<Vec<f32>>) {
        let (y, weights, _) = forward(call, inputs, false);
        (y, weights)
    }

    fn is_tracked(_: &FlexTensor) -> bool {
        false
    }
}

/// The backward step of the whole block; its parents are the inputs.
#[derive(Debug)]
struct BlockBackward;

impl<const N: usize> Backward<Flex, N> for BlockBackward {
    type State = State;

    fn backward(self, ops: Ops<State, N>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let State { call, inputs, saved } = ops.state;
        let dy = contiguous(grads.consume::<Flex>(&ops.node));
        let slices: Vec<&[f32]> = inputs.iter().map(slice).collect();
        let params = Params::new(&slices[1..], &call);
        let (dx, dparams) = pass::backward(&call, &params, slices[0], &saved, slice(&dy));
        let values = std::iter::once(dx).chain(dparams.into_vec(&call));
        for ((parent, values), like) in ops.parents.into_iter().zip(values).zip(&inputs) {
            if let Some(parent) = parent {
                debug_assert_eq!(values.len(), like.shape().num_elements());
                grads.register::<Flex>(parent.id, tensor(values, &like.shape()));
            }
        }
    }
}

impl<C: CheckpointStrategy> FusedBackend for Autodiff<Flex, C> {
    fn run<const N: usize>(
        call: Call,
        inputs: [FloatTensor<Self>; N],
    ) -> (FloatTensor<Self>, Option<Vec<f32>>) {
        let nodes = inputs.each_ref().map(|input| input.node.clone());
        let inputs = inputs.map(|input| input.primitive);
        match BlockBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let (y, weights, state) = forward(call, inputs, true);
                (prep.finish(state, y), weights)
            }
            OpsKind::UnTracked(prep) => {
                let (y, weights) = Flex::run(call, inputs);
                (prep.finish(y), weights)
            }
        }
    }

    fn is_tracked(x: &FloatTensor<Self>) -> bool {
        !x.node.requirement.is_none()
    }
}
