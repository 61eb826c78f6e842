//! Clipping by the global norm: burn's own clips each tensor by itself.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::{ElementConversion, Tensor, backend::AutodiffBackend};

/// Scales all gradients by one factor so that their joint Euclidean norm is at most `limit`. Returns the norm
/// before.
pub fn clip_global_norm<B: AutodiffBackend, M: Module<B>>(
    model: &M,
    grads: &mut GradientsParams,
    limit: f64,
) -> f64 {
    let mut norm = SquaredNorm { grads, sum: 0.0 };
    model.visit(&mut norm);
    let norm = norm.sum.sqrt();
    if norm > limit {
        model.visit(&mut Scale { grads, factor: limit / norm });
    }
    norm
}

struct SquaredNorm<'a> {
    grads: &'a GradientsParams,
    sum: f64,
}

impl<B: AutodiffBackend> ModuleVisitor<B> for SquaredNorm<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<B, D>>) {
        if let Some(grad) = self.grads.get::<B::InnerBackend, D>(param.id) {
            self.sum += grad.square().sum().into_scalar().elem::<f64>();
        }
    }
}

struct Scale<'a> {
    grads: &'a mut GradientsParams,
    factor: f64,
}

impl<B: AutodiffBackend> ModuleVisitor<B> for Scale<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<B, D>>) {
        if let Some(grad) = self.grads.remove::<B::InnerBackend, D>(param.id) {
            self.grads.register(param.id, grad * self.factor);
        }
    }
}
