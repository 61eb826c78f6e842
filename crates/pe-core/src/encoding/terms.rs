//! What an encoding does inside attention, as data: the same description serves plain tensor code and the fused block.

use std::sync::Arc;

use burn::tensor::{Int, Tensor, TensorData, backend::Backend};

use crate::rows::Rows;

/// The terms of one block's attention that come from the encoding:
///
/// `logits = (Rq · Rk + q · E[relation]) / sqrt(head width) + bias`, where `q` in the second term is rotated too.
#[derive(Debug, Clone)]
pub struct Terms<B: Backend> {
    /// Turns queries and keys.
    pub rotation: Option<Rotation<B>>,
    /// A vector per relation between query and key, multiplied by the query.
    pub relative: Option<Relative<B>>,
    /// Added to the logits, `[heads or 1, tokens, tokens]` (query, key).
    pub bias: Option<Tensor<B, 3>>,
}

impl<B: Backend> Terms<B> {
    /// Nothing: attention as it is.
    pub fn none() -> Self {
        Self { rotation: None, relative: None, bias: None }
    }
}

/// A rotation of each pair of dimensions `(2i, 2i + 1)` by an angle that depends on the token (Su et al. 2021, section
/// 3.4.2). Dimensions after the last pair stay as they are. All heads turn alike.
#[derive(Debug, Clone)]
pub struct Rotation<B: Backend> {
    /// Pairs that are turned.
    pub(crate) pairs: usize,
    /// `[tokens, pairs]`, row-major: the host's copy.
    pub(crate) cos: Arc<[f32]>,
    pub(crate) sin: Arc<[f32]>,
    /// `[1, tokens, pairs]`: the device's copy.
    device_cos: Tensor<B, 3>,
    device_sin: Tensor<B, 3>,
}

impl<B: Backend> Rotation<B> {
    /// From angles in radians, `[tokens, pairs]` row-major.
    pub(crate) fn new(angles: &[f64], pairs: usize, device: &B::Device) -> Self {
        let cos: Arc<[f32]> = angles.iter().map(|angle| angle.cos() as f32).collect();
        let sin: Arc<[f32]> = angles.iter().map(|angle| angle.sin() as f32).collect();
        let shape = [1, angles.len().checked_div(pairs).unwrap_or(0), pairs];
        let tensor = |values: &[f32]| Tensor::from_data(TensorData::new(values.to_vec(), shape), device);
        Self { pairs, device_cos: tensor(&cos), device_sin: tensor(&sin), cos, sin }
    }

    /// Turns the vectors of the chosen tokens.
    ///
    /// # Shapes
    /// - input and output: `[batch, heads, rows, head width]`
    pub fn turn(&self, x: Tensor<B, 4>, rows: &Rows<B>) -> Tensor<B, 4> {
        if self.pairs == 0 {
            return x;
        }
        let [batch, heads, queries, width] = x.dims();
        let turned = 2 * self.pairs;
        let at = |values: &Tensor<B, 3>| rows.of_tokens(values.clone()).unsqueeze_dim::<5>(4);
        let (cos, sin) = (at(&self.device_cos), at(&self.device_sin));
        let halves = x.clone().narrow(3, 0, turned).reshape([batch, heads, queries, self.pairs, 2]);
        let (even, odd) = (halves.clone().narrow(4, 0, 1), halves.narrow(4, 1, 1));
        let first = even.clone() * cos.clone() - odd.clone() * sin.clone();
        let second = even * sin + odd * cos;
        let both = Tensor::cat(vec![first, second], 4).reshape([batch, heads, queries, turned]);
        match width - turned {
            0 => both,
            rest => Tensor::cat(vec![both, x.narrow(3, turned, rest)], 3),
        }
    }
}

/// A vector for each relation between a query and a key (Shaw et al. 2018, equation 4, keys only).
#[derive(Debug, Clone)]
pub struct Relative<B: Backend> {
    /// `[heads or 1, relations, head width]`.
    pub table: Tensor<B, 3>,
    /// The relation of each pair of tokens.
    pub relations: Relations<B>,
}

impl<B: Backend> Relative<B> {
    /// `q · E[relation]`.
    ///
    /// # Shapes
    /// - `q`: `[batch, heads, rows, head width]`
    /// - output: `[batch, heads, rows, tokens]`
    pub fn products(&self, q: &Tensor<B, 4>, rows: &Rows<B>) -> Tensor<B, 4> {
        let [batch, heads, queries, _] = q.dims();
        let tokens = self.relations.tokens;
        let by_relation = q.clone().matmul(self.table.clone().unsqueeze::<4>().transpose());
        let index = rows.of_tokens_int(self.relations.device_index.clone());
        by_relation.gather(3, index.expand([batch, heads, queries, tokens]))
    }
}

/// The relation of each query with each key, as a number.
#[derive(Debug, Clone)]
pub struct Relations<B: Backend> {
    pub(crate) tokens: usize,
    /// `[tokens, tokens]`, row-major: the host's copy.
    pub(crate) index: Arc<[usize]>,
    /// `[tokens, tokens]`: the device's copy.
    pub(crate) device_index: Tensor<B, 2, Int>,
}

impl<B: Backend> Relations<B> {
    /// Relations from ids: how far the query stands behind the key, from 0 (`rows - 1` before it) to `2 rows - 2`,
    /// where ids are below `rows`.
    pub(crate) fn by_difference(ids: &[usize], rows: usize, device: &B::Device) -> Self {
        let tokens = ids.len();
        let index: Arc<[usize]> =
            ids.iter().flat_map(|query| ids.iter().map(move |key| rows - 1 + query - key)).collect();
        let data: Vec<i64> = index.iter().map(|&relation| relation as i64).collect();
        let device_index = Tensor::from_data(TensorData::new(data, [tokens, tokens]), device);
        Self { tokens, index, device_index }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cpu, Rows};

    fn tensor<const D: usize>(shape: [usize; D], phase: f32) -> Tensor<Cpu, D> {
        let values: Vec<f32> = (0..shape.iter().product()).map(|i| (phase + 1.7 * i as f32).sin()).collect();
        Tensor::from_data(TensorData::new(values, shape), &Default::default())
    }

    fn values(tensor: &Tensor<Cpu, 4>) -> Vec<f32> {
        tensor.to_data().to_vec().unwrap()
    }

    /// Against the sum by its definition, for all queries and for some.
    #[test]
    fn relative_products_pick_the_vector_of_each_difference() {
        let (batch, heads, tokens, width) = (2, 2, 3, 4);
        let ids = [2, 0, 1];
        let table = tensor([heads, 5, width], 0.1);
        let relations = Relations::by_difference(&ids, 3, &Default::default());
        let relative = Relative { table: table.clone(), relations };
        let table: Vec<f32> = table.to_data().to_vec().unwrap();
        let targets = [2, 0, 1, 1];
        for (rows, queries) in [(Rows::All, 3), (Rows::some(&targets, 2, tokens, &Default::default()), 2)] {
            let q = tensor([batch, heads, queries, width], 0.4);
            let products = values(&relative.products(&q, &rows));
            let q = values(&q);
            for i in 0..batch * heads * queries * tokens {
                let (key, query) = (i % tokens, i / tokens % queries);
                let (head, item) = (i / tokens / queries % heads, i / tokens / queries / heads);
                let token = if queries == 3 { query } else { targets[item * 2 + query] };
                let relation = 2 + ids[token] - ids[key];
                let (q, e) =
                    (&q[i / tokens * width..][..width], &table[(head * 5 + relation) * width..][..width]);
                let expected: f32 = q.iter().zip(e).map(|(q, e)| q * e).sum();
                assert!((products[i] - expected).abs() < 1e-5, "{i}: {} and {expected}", products[i]);
            }
        }
    }

    #[test]
    fn a_rotation_turns_pairs_and_leaves_the_rest() {
        let rotation = Rotation::<Cpu>::new(&[0.0, 0.0, 0.5, 2.0], 2, &Default::default());
        let x = Tensor::from_data(
            TensorData::new(vec![1f32, 2., 3., 4., 9., 1., 2., 3., 4., 9.], [1, 1, 2, 5]),
            &Default::default(),
        );
        let y = values(&rotation.turn(x, &Rows::All));
        let turned = |a: f32, b: f32, angle: f32| {
            [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()]
        };
        let expected =
            [vec![1., 2., 3., 4., 9.], [&turned(1., 2., 0.5)[..], &turned(3., 4., 2.0), &[9.0]].concat()];
        for (y, expected) in y.iter().zip(expected.concat()) {
            assert!((y - expected).abs() < 1e-6, "{y} and {expected}");
        }
    }
}
