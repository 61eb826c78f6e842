//! The MLP over the rows of one group, and its gradient.

use crate::config::Mlp as Kind;

use super::call::{Call, Grads, Params};
use super::dispatch::{self, Matrix, MatrixMut};
use super::pool::Buffer;
use super::real::Real;

/// What the forward pass leaves for the backward pass.
#[derive(Debug)]
pub(super) struct Mlp<S: Real> {
    /// GELU of the hidden layer, and its derivative.
    hidden: Buffer<S>,
    slope: Buffer<S>,
    /// The derivative of the GELU after the second map, where there is one.
    out_slope: Option<Buffer<S>>,
}

impl<S: Real> Mlp<S> {
    /// Writes the output to `out`, without the bias of the second map where no GELU follows it: see
    /// [`Self::pending_bias`].
    pub(super) fn forward(call: &Call, params: &Params<'_, S>, x: &[S], out: &mut [S]) -> Self {
        let (width, inner) = (call.sizes.width, call.sizes.inner);
        let rows = x.len() / width;
        let (mut slope, mut hidden) = (Buffer::take(rows * inner), Buffer::take(rows * inner));
        let up = Matrix::whole(params.up_weight, inner);
        MatrixMut::whole(&mut slope, inner).set(Matrix::whole(x, width), up, S::ONE);
        dispatch::gelu(call.isa, &mut slope, params.up_bias, &mut hidden);

        let down = Matrix::whole(params.down_weight, width);
        let out_slope = match call.sizes.mlp {
            Kind::GeluHidden => {
                MatrixMut::whole(out, width).set(Matrix::whole(&hidden, inner), down, S::ONE);
                None
            }
            Kind::GeluBoth => {
                let mut slope = Buffer::take(rows * width);
                MatrixMut::whole(&mut slope, width).set(Matrix::whole(&hidden, inner), down, S::ONE);
                dispatch::gelu(call.isa, &mut slope, params.down_bias, out);
                Some(slope)
            }
        };
        Self { hidden, slope, out_slope }
    }

    /// What is still to be added to the output of [`Self::forward`].
    pub(super) fn pending_bias<'a>(&self, params: &Params<'a, S>, zeros: &'a [S]) -> &'a [S] {
        if self.out_slope.is_some() { zeros } else { params.down_bias }
    }

    /// From the gradient `dout` of the output, which it overwrites, **adds** that of `x` to `dx`.
    pub(super) fn backward(
        &self,
        call: &Call,
        params: &Params<'_, S>,
        grads: &mut Grads<S>,
        x: &[S],
        dout: &mut [S],
        dx: &mut [S],
    ) {
        let (width, inner) = (call.sizes.width, call.sizes.inner);
        match &self.out_slope {
            Some(slope) => dispatch::multiply_and_add_rows(call.isa, dout, slope, &mut grads.down_bias),
            None => dispatch::add_rows(call.isa, dout, &mut grads.down_bias),
        }
        let dout = Matrix::whole(dout, width);
        MatrixMut::whole(&mut grads.down_weight_transposed, inner)
            .add(dout.transposed(), Matrix::whole(&self.hidden, inner));

        let mut dhidden = Buffer::take(self.hidden.len());
        let down = Matrix::whole(params.down_weight, width);
        MatrixMut::whole(&mut dhidden, inner).set(dout, down.transposed(), S::ONE);
        dispatch::multiply_and_add_rows(call.isa, &mut dhidden, &self.slope, &mut grads.up_bias);
        let dhidden = Matrix::whole(&dhidden, inner);
        MatrixMut::whole(&mut grads.up_weight, inner).add(Matrix::whole(x, width).transposed(), dhidden);
        let up = Matrix::whole(params.up_weight, inner);
        MatrixMut::whole(dx, width).add(dhidden, up.transposed());
    }
}
