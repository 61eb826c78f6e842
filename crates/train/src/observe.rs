//! What becomes of the encoding as training goes: norm, change, effective rank, and its size next to the tokens.

use burn::tensor::{Tensor, backend::Backend};
use nalgebra::DMatrix;
use pe_core::additive::Sharing;
use pe_core::{Encoder, EncodingConfig, PeBackend};

use crate::TrainError;
use crate::batch::tokens;
use crate::evaluate::CHUNK;
use crate::task::{Dataset, Split};

/// A table of the encoding as values.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// `block-<b>`, or `shared`.
    pub name: String,
    /// Number of tokens (rows).
    pub tokens: usize,
    /// Row-major values, `[tokens, width]`.
    pub values: Vec<f32>,
}

/// One look at a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableLook {
    /// Root mean square of the entries.
    pub rms: f64,
    /// Root mean square of the change since initialization.
    pub change_rms: f64,
    /// exp of the entropy of the normalised singular values, uncentred (Roy & Vetterli 2007): between 1 and
    /// min(tokens, width); 0 for a table of zeros, NaN for one with entries that are not finite.
    pub effective_rank: f64,
}

/// What the encoding adds to the tokens, table by table.
///
/// # Errors
/// When the positions do not fit the encoding.
pub fn tables<B: PeBackend>(model: &Encoder<B>, data: &Dataset) -> Result<Vec<Table>, TrainError> {
    let encoding = model.encoding();
    let placement = encoding.place(&data.positions, &B::Device::default())?;
    let count = encoding.table_count();
    let shared = count == 1 && !is_per_block(&model.config().encoding);
    let name = |i: usize| if shared { "shared".to_owned() } else { format!("block-{i}") };
    let table = |i: usize| {
        let values = vec_of(encoding.table(i, &placement)?);
        Some(Table { name: name(i), tokens: data.positions.tokens(), values })
    };
    Ok((0..count).filter_map(table).collect())
}

/// Whether there is a table for each block, also where there is one block alone.
fn is_per_block(encoding: &EncodingConfig) -> bool {
    let sharing = match encoding {
        EncodingConfig::Learned(config) => config.sharing,
        EncodingConfig::Random(config) => config.sharing,
        _ => Sharing::Shared,
    };
    sharing == Sharing::PerBlock
}

impl Table {
    /// Measures the table against what it was at initialization.
    pub fn look(&self, initial: &Table) -> TableLook {
        let change = self.values.iter().zip(&initial.values).map(|(now, then)| now - then);
        TableLook {
            rms: rms(self.values.iter().copied()),
            change_rms: rms(change),
            effective_rank: effective_rank(&self.values, self.tokens),
        }
    }
}

/// Mean norm of the embedded tokens by position, over a split.
///
/// # Shapes
/// - output: `[tokens]`
pub fn token_norms<B: PeBackend>(
    model: &Encoder<B>,
    data: &Dataset,
    split: &Split,
    device: &B::Device,
) -> Vec<f32> {
    let items: Vec<usize> = (0..split.len()).collect();
    let mut sums = vec![0.0; data.positions.tokens()];
    // All at once would take hundreds of megabytes where items and tokens are many.
    for chunk in items.chunks(CHUNK) {
        let norms = model.embed(tokens(data, split, chunk, device)).square().sum_dim(2).sqrt();
        let of_tokens = vec_of(norms.sum_dim(0).reshape([data.positions.tokens()]));
        sums.iter_mut().zip(of_tokens).for_each(|(sum, norm)| *sum += f64::from(norm));
    }
    sums.into_iter().map(|sum| (sum / items.len() as f64) as f32).collect()
}

fn vec_of<B: Backend, const D: usize>(tensor: Tensor<B, D>) -> Vec<f32> {
    tensor.to_data().convert::<f32>().into_vec().unwrap_or_default()
}

pub(crate) fn rms(values: impl ExactSizeIterator<Item = f32>) -> f64 {
    let n = values.len() as f64;
    (values.map(|v| f64::from(v).powi(2)).sum::<f64>() / n).sqrt()
}

fn effective_rank(values: &[f32], rows: usize) -> f64 {
    // Of such entries the singular values would be sought without end.
    if values.iter().any(|value| !value.is_finite()) {
        return f64::NAN;
    }
    let table = DMatrix::from_row_iterator(rows, values.len() / rows, values.iter().map(|&v| f64::from(v)));
    let singular = table.singular_values();
    let total = singular.sum();
    if total <= 0.0 {
        return 0.0;
    }
    let entropy = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    singular.iter().map(|s| entropy(s / total)).sum::<f64>().exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(values: Vec<f32>, tokens: usize) -> Table {
        Table { name: "shared".to_owned(), tokens, values }
    }

    /// k equal orthogonal directions have effective rank k; one direction has 1.
    #[test]
    fn effective_rank_counts_equal_directions() {
        let mut values = vec![0.0; 4 * 6];
        for i in 0..4 {
            values[i * 6 + i] = 2.0;
        }
        assert!((effective_rank(&values, 4) - 4.0).abs() < 1e-9);
        let outer: Vec<f32> = (0..24).map(|i| (1 + i / 6) as f32 * (1 + i % 6) as f32).collect();
        assert!((effective_rank(&outer, 4) - 1.0).abs() < 1e-6);
        assert_eq!(effective_rank(&[0.0; 24], 4), 0.0);
        assert!(effective_rank(&[0.0, f32::NAN, 1.0, 2.0], 2).is_nan());
    }

    #[test]
    fn a_look_measures_size_and_change() {
        let (then, now) = (table(vec![0.0; 4], 2), table(vec![2.0, -2.0, 2.0, -2.0], 2));
        let look = now.look(&then);
        assert_eq!((look.rms, look.change_rms), (2.0, 2.0));
        assert_eq!(now.look(&now).change_rms, 0.0);
    }
}
