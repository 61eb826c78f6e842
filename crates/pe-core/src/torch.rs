//! The parameters of an encoder under PyTorch's names and layouts, as a `state_dict` has them.
//!
//! A linear weight is `[outputs, inputs]` there and `[inputs, outputs]` here; the norms' `weight` and `bias` are
//! `gamma` and `beta` here; the stacked input projection of attention is `in_proj_weight` and `in_proj_bias` there, as
//! in `nn.MultiheadAttention`. All other names are the same.

use burn::tensor::TensorData;

use crate::weights::Weights;

/// From our names to PyTorch's.
pub fn to_torch(weights: Weights) -> Weights {
    let convert = |(name, data): (String, TensorData)| {
        let (parent, field) = split(&name);
        match (last(parent), field) {
            ("in_proj", "weight") => (format!("{parent}_weight"), transposed(data)),
            ("in_proj", "bias") => (format!("{parent}_bias"), data),
            (_, "gamma") => (format!("{parent}.weight"), data),
            (_, "beta") => (format!("{parent}.bias"), data),
            (_, "weight") => (name, transposed(data)),
            _ => (name, data),
        }
    };
    weights.into_iter().map(convert).collect()
}

/// From PyTorch's names to ours; the inverse of [`to_torch`].
pub fn from_torch(weights: Weights) -> Weights {
    let convert = |(name, data): (String, TensorData)| {
        let (parent, field) = split(&name);
        match (last(parent), field) {
            (_, "in_proj_weight") => (format!("{parent}.in_proj.weight"), transposed(data)),
            (_, "in_proj_bias") => (format!("{parent}.in_proj.bias"), data),
            (norm, "weight") if norm.starts_with("norm") => (format!("{parent}.gamma"), data),
            (norm, "bias") if norm.starts_with("norm") => (format!("{parent}.beta"), data),
            (_, "weight") => (name, transposed(data)),
            _ => (name, data),
        }
    };
    weights.into_iter().map(convert).collect()
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

fn last(path: &str) -> &str {
    split(path).1
}

/// Rows and columns exchanged; what is no f32 matrix stays as it is.
fn transposed(data: TensorData) -> TensorData {
    let [rows, columns] = data.shape[..] else { return data };
    let Ok(values) = data.as_slice::<f32>() else { return data };
    let turned = (0..rows * columns).map(|i| values[(i % rows) * columns + i / rows]).collect::<Vec<f32>>();
    TensorData::new(turned, [columns, rows])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arm, Cpu, EncoderConfig, weights};
    use streams::Streams;

    fn encoder_weights() -> Weights {
        let encoding = "learn-0.2".parse::<Arm>().unwrap().encoding;
        let config = EncoderConfig {
            width: 6,
            hidden: 10,
            blocks: 2,
            final_norm: true,
            ..EncoderConfig::paper(5, 4, 16, 2, encoding)
        };
        weights::weights::<Cpu, _>(&config.init::<Cpu>(&Streams::new(1), &Default::default()).unwrap())
    }

    #[test]
    fn there_and_back_gives_the_same_bits() {
        let ours = encoder_weights();
        assert_eq!(from_torch(to_torch(ours.clone())), ours);
    }

    #[test]
    fn names_and_shapes_are_those_of_pytorch_modules() {
        let torch = to_torch(encoder_weights());
        let shape = |name: &str| torch[name].shape.to_vec();
        assert_eq!(shape("blocks.0.attention.in_proj_weight"), [18, 6]);
        assert_eq!(shape("blocks.1.attention.in_proj_bias"), [18]);
        assert_eq!(shape("blocks.1.up.weight"), [10, 6]);
        assert_eq!(shape("embedding.weight"), [6, 5]);
        assert_eq!(shape("blocks.0.norm_1.weight"), [6]);
        assert_eq!(shape("norm.bias"), [6]);
        assert_eq!(shape("encoding.tables.1"), [16, 6]);
        assert!(!torch.keys().any(|name| name.contains("gamma") || name.contains("in_proj.")));
    }

    #[test]
    fn transposing_exchanges_rows_and_columns() {
        let data = TensorData::new(vec![1f32, 2., 3., 4., 5., 6.], [2, 3]);
        assert_eq!(transposed(data).to_vec::<f32>().unwrap(), [1., 4., 2., 5., 3., 6.]);
    }
}
