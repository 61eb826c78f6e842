//! The block as one operation of burn: on `Flex`, and with a backward step on `Autodiff<Flex>`.

use std::sync::Arc;

use burn::tensor::backend::Backend;
use burn::tensor::{DType, Tensor, TensorData, TensorMetadata, TensorPrimitive, ops::FloatTensor};
use burn_autodiff::Autodiff;
use burn_autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn_autodiff::grads::Gradients;
use burn_autodiff::ops::{Backward, Ops, OpsKind};
use burn_flex::{Flex, FlexTensor};

use crate::block::{Block, BlockCall};
use crate::context::Context;
use crate::rows::Rows;

use super::call::{Call, Hidden, PARAMS, Params, Queries, Sizes};
use super::dispatch::Isa;
use super::pass::{self, Saved};

/// A backend on which the block is one operation.
pub(crate) trait FusedBackend: Backend {
    /// # Shapes
    /// - `x`: `[items, tokens, width]`
    /// - output: `[items, queries, width]`
    fn run(call: Call, x: FloatTensor<Self>, params: [FloatTensor<Self>; PARAMS]) -> FloatTensor<Self>;
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
    let params = match params(block) {
        Some(params) if x.dtype() == DType::F32 && can_fuse(&call, context) => params,
        _ => return block.forward_plain(x, call, context),
    };
    let u = block.encode(x, &call, context);
    let op = describe(&call, u.dims(), block.up.bias.dims()[0]);
    Tensor::from_primitive(TensorPrimitive::Float(B::run(op, primitive(u), params)))
}

/// Whether nothing is asked for that only plain tensor code does.
fn can_fuse<B: Backend>(call: &BlockCall<'_, B>, context: &Context) -> bool {
    call.encoding.is_additive()
        && !context.is_plain()
        && !context.drops(call.config.dropout)
        && !context.trace.wants_any(&format!("blocks.{}.", call.index))
}

fn primitive<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> FloatTensor<B> {
    tensor.into_primitive().tensor()
}

/// All parameters, in the order of [`Params`]; `None` where one is not f32, or a norm has no shift.
fn params<B: Backend>(block: &Block<B>) -> Option<[FloatTensor<B>; PARAMS]> {
    let (attention, norm_1, norm_2) = (&block.attention, &block.norm_1, &block.norm_2);
    let all = [
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
    all.iter().all(|param| param.dtype() == DType::F32).then_some(all)
}

fn describe<B: Backend>(call: &BlockCall<'_, B>, [items, tokens, width]: [usize; 3], inner: usize) -> Call {
    let config = call.config;
    let sizes = Sizes {
        items,
        tokens,
        width,
        heads: config.heads,
        inner,
        norm: config.norm,
        mlp: config.mlp,
        epsilon: config.norm_epsilon,
    };
    let queries = match call.rows {
        Rows::All => Queries::All,
        Rows::Last => {
            Queries::Some { per_item: 1, rows: (1..=items).map(|item| item * tokens - 1).collect() }
        }
        Rows::One(flat) => {
            let rows: Vec<usize> = flat.to_data().iter::<i64>().map(|row| row as usize).collect();
            let in_order = rows.iter().enumerate().all(|(item, row)| row / tokens == item);
            assert!(in_order && rows.len() == items, "one row of each of {items} items, in order: {rows:?}");
            Queries::Some { per_item: 1, rows }
        }
    };
    let hidden = call.hidden.clone().map(|hidden| {
        let [items, heads, queries, _] = hidden.dims();
        let shape = [items, heads, queries, tokens];
        Hidden { flags: hidden.expand(shape).into_data().iter::<bool>().collect(), shape }
    });
    let group = sizes.default_group(queries.per_item(tokens));
    Call { sizes, queries, hidden, isa: Isa::best(), group }
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
    x: FlexTensor,
    params: [FlexTensor; PARAMS],
    saved: Arc<Vec<Saved<f32>>>,
}

fn forward(call: Call, x: FlexTensor, params: [FlexTensor; PARAMS], keep: bool) -> (FlexTensor, State) {
    let (x, params) = (contiguous(x), params.map(contiguous));
    let (y, saved) = pass::forward(&call, &Params::new(params.each_ref().map(slice)), slice(&x), keep);
    let y = tensor(y, &[call.sizes.items, call.queries_per_item(), call.sizes.width]);
    (y, State { call: Arc::new(call), x, params, saved: Arc::new(saved) })
}

impl FusedBackend for Flex {
    fn run(call: Call, x: FlexTensor, params: [FlexTensor; PARAMS]) -> FlexTensor {
        forward(call, x, params, false).0
    }
}

/// The backward step of the whole block; its parents are `x` and the parameters.
#[derive(Debug)]
struct BlockBackward;

impl Backward<Flex, { 1 + PARAMS }> for BlockBackward {
    type State = State;

    fn backward(
        self,
        ops: Ops<State, { 1 + PARAMS }>,
        grads: &mut Gradients,
        _checkpointer: &mut Checkpointer,
    ) {
        let State { call, x, params, saved } = ops.state;
        let dy = contiguous(grads.consume::<Flex>(&ops.node));
        let views = Params::new(params.each_ref().map(slice));
        let (dx, dparams) = pass::backward(&call, &views, slice(&x), &saved, slice(&dy));
        let values = std::iter::once(dx).chain(dparams.into_array());
        let like = std::iter::once(&x).chain(&params);
        for ((parent, values), like) in ops.parents.into_iter().zip(values).zip(like) {
            if let Some(parent) = parent {
                grads.register::<Flex>(parent.id, tensor(values, &like.shape()));
            }
        }
    }
}

impl<C: CheckpointStrategy> FusedBackend for Autodiff<Flex, C> {
    fn run(call: Call, x: FloatTensor<Self>, params: [FloatTensor<Self>; PARAMS]) -> FloatTensor<Self> {
        let nodes = std::array::from_fn(|parent| match parent {
            0 => x.node.clone(),
            param => params[param - 1].node.clone(),
        });
        let params = params.map(|param| param.primitive);
        match BlockBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prep) => {
                let (y, state) = forward(call, x.primitive, params, true);
                prep.finish(state, y)
            }
            OpsKind::UnTracked(prep) => prep.finish(Flex::run(call, x.primitive, params)),
        }
    }
}
