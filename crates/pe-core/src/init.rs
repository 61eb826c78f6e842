//! Initial values, drawn from named streams and never from a generator of the process.

use burn::module::{Param, ParamId};
use burn::tensor::{Tensor, TensorData, backend::Backend};
use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};
use streams::StreamRng;

use crate::PeError;

/// The shape of the distribution that a table starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// N(0, σ²), as in Ito et al. 2025.
    #[default]
    Normal,
    /// Uniform on ±σ√3, which has standard deviation σ as well.
    Uniform,
}

/// How large a table starts, and from which distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableInit {
    sigma: f64,
    distribution: Distribution,
}

impl TableInit {
    /// A table whose entries have standard deviation `sigma`; 0 is a table of zeros.
    ///
    /// # Errors
    /// When `sigma` is negative or not finite.
    pub fn new(sigma: f64, distribution: Distribution) -> Result<Self, PeError> {
        if !(sigma.is_finite() && sigma >= 0.0) {
            return Err(PeError::Sigma(sigma));
        }
        Ok(Self { sigma, distribution })
    }

    /// `n` independent values. The underlying standard draws do not depend on σ: tables of two σ from one stream
    /// are multiples of each other, so that σ alone varies.
    pub fn sample(&self, n: usize, rng: &mut StreamRng) -> Vec<f32> {
        let standard = |rng: &mut StreamRng| -> f64 {
            match self.distribution {
                Distribution::Normal => StandardNormal.sample(rng),
                Distribution::Uniform => (2.0 * rng.random::<f64>() - 1.0) * 3f64.sqrt(),
            }
        };
        (0..n).map(|_| (self.sigma * standard(rng)) as f32 + 0.0).collect()
    }
}

/// `n` values uniform on ±`bound`.
pub(crate) fn uniform(n: usize, bound: f64, rng: &mut StreamRng) -> Vec<f32> {
    // Adding 0 turns the -0 of a zero bound into 0.
    (0..n).map(|_| ((2.0 * rng.random::<f64>() - 1.0) * bound) as f32 + 0.0).collect()
}

/// A trainable parameter with these values.
pub(crate) fn parameter<B: Backend, const D: usize>(
    values: Vec<f32>,
    shape: [usize; D],
    device: &B::Device,
) -> Param<Tensor<B, D>> {
    let tensor = Tensor::from_data(TensorData::new(values, shape), device);
    Param::initialized(ParamId::new(), tensor.require_grad())
}

#[cfg(test)]
mod tests {
    use super::*;
    use streams::{Stream, Streams};

    fn sample(sigma: f64, distribution: Distribution, n: usize) -> Vec<f32> {
        TableInit::new(sigma, distribution).unwrap().sample(n, &mut Streams::new(3).rng(Stream::PeInit))
    }

    /// Mean and variance within five standard errors of what the distribution has.
    #[test]
    fn samples_have_mean_zero_and_the_asked_standard_deviation() {
        let n = 100_000;
        for distribution in [Distribution::Normal, Distribution::Uniform] {
            let x = sample(0.2, distribution, n);
            let mean = x.iter().map(|&v| f64::from(v)).sum::<f64>() / n as f64;
            let variance = x.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n as f64;
            assert!(mean.abs() < 5.0 * 0.2 / (n as f64).sqrt(), "{mean}");
            assert!((variance.sqrt() / 0.2 - 1.0).abs() < 5.0 * (0.5 / n as f64).sqrt(), "{variance}");
        }
        assert!(sample(1.0, Distribution::Uniform, n).iter().all(|v| v.abs() <= 3f32.sqrt()));
    }

    #[test]
    fn sigma_only_scales() {
        let (one, two) = (sample(1.0, Distribution::Normal, 9), sample(2.0, Distribution::Normal, 9));
        assert!(one.iter().zip(&two).all(|(a, b)| 2.0 * a == *b));
        assert!(sample(0.0, Distribution::Normal, 9).iter().all(|v| *v == 0.0));
    }

    #[test]
    fn impossible_sigmas_are_refused() {
        for sigma in [-0.1, f64::NAN, f64::INFINITY] {
            let error = TableInit::new(sigma, Distribution::Normal).unwrap_err();
            assert!(error.to_string().starts_with("sigma is"), "{error}");
        }
    }
}
