//! The affine map, with PyTorch's initial values.

use burn::module::{Module, Param};
use burn::tensor::{Tensor, backend::Backend};
use streams::{Stream, Streams};

use crate::init::{parameter, uniform};

/// `y = x W + b`, with `W` of shape `[inputs, outputs]` (PyTorch's is the transpose).
#[derive(Module, Debug)]
pub struct Linear<B: Backend> {
    pub(crate) weight: Param<Tensor<B, 2>>,
    pub(crate) bias: Param<Tensor<B, 1>>,
}

/// Initial values of a [`Linear`].
pub(crate) enum LinearInit {
    /// PyTorch's `nn.Linear`: weight and bias uniform on ±1/√inputs.
    Default,
    /// The weight as in `Default`, the bias zero: PyTorch's attention output.
    ZeroBias,
    /// Xavier-uniform over the whole matrix, ±√(6 / (inputs + outputs)), bias zero: PyTorch's stacked attention
    /// input.
    Xavier,
}

impl<B: Backend> Linear<B> {
    /// A map with weights from the sub-streams `<name>.weight` and `<name>.bias` of `weight-init`.
    pub(crate) fn init(
        [inputs, outputs]: [usize; 2],
        init: LinearInit,
        name: &str,
        streams: &Streams,
        device: &B::Device,
    ) -> Self {
        let fan_in = 1.0 / (inputs as f64).sqrt();
        let (weight_bound, bias_bound) = match init {
            LinearInit::Default => (fan_in, fan_in),
            LinearInit::ZeroBias => (fan_in, 0.0),
            LinearInit::Xavier => ((6.0 / (inputs + outputs) as f64).sqrt(), 0.0),
        };
        let draw = |part: &str, n: usize, bound: f64| {
            uniform(n, bound, &mut streams.rng_for(Stream::WeightInit, &format!("{name}.{part}")))
        };
        Self {
            weight: parameter(draw("weight", inputs * outputs, weight_bound), [inputs, outputs], device),
            bias: parameter(draw("bias", outputs, bias_bound), [outputs], device),
        }
    }

    /// # Shapes
    /// - input: `[batch, tokens, inputs]`
    /// - output: `[batch, tokens, outputs]`
    pub fn forward(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        affine(x, self.weight.val(), self.bias.val())
    }
}

/// `x W + b` as one matrix product over all tokens of all items: on a 3-D input the product would be broadcast
/// into one small product per item, which costs half of the speed.
pub(crate) fn affine<B: Backend>(x: Tensor<B, 3>, weight: Tensor<B, 2>, bias: Tensor<B, 1>) -> Tensor<B, 3> {
    let [batch, tokens, inputs] = x.dims();
    let outputs = weight.dims()[1];
    let y = x.reshape([batch * tokens, inputs]).matmul(weight) + bias.unsqueeze::<2>();
    y.reshape([batch, tokens, outputs])
}
