//! The operation by itself; `tests/fused.rs` compares it to plain tensor code.

mod elementary;
mod gradients;
mod invariance;
mod oracle;

use crate::config::{Mlp, Norm};

use super::call::{Call, Grads, Hidden, Params, Queries, Sizes};
use super::dispatch::Isa;
use super::pass;
use super::real::Real;
use super::terms::{Relative, Rotation, Terms};

/// A block of odd sizes with all its inputs, the same numbers in any precision.
struct Case {
    name: String,
    call: Call,
    x: Vec<f64>,
    params: Vec<Vec<f64>>,
    /// The gradient of the output.
    dy: Vec<f64>,
}

/// What a case gives: output, gradient by `x`, gradients by the parameters.
struct Outcome<S> {
    y: Vec<S>,
    dx: Vec<S>,
    dparams: Vec<Vec<S>>,
}

/// Every combination of norm, MLP, queries and mask, on these sizes, each without and with something that the encoding
/// does inside attention.
fn all_cases(items: usize, tokens: usize, heads: usize, head_width: usize, inner: usize) -> Vec<Case> {
    let sizes = (items, tokens, heads, head_width, inner);
    let with_terms = cases(items, tokens, heads, head_width, inner).into_iter().enumerate();
    let with_terms = with_terms.map(|(i, case)| {
        let heads = if i % 2 == 0 { 1 } else { heads };
        match (i / 2) % 4 {
            0 => case.rotated(),
            1 => case.related(heads),
            2 => case.biased(heads),
            _ => case.rotated().related(heads).biased(heads),
        }
    });
    cases(sizes.0, sizes.1, sizes.2, sizes.3, sizes.4).into_iter().chain(with_terms).collect()
}

/// Every combination of norm, MLP, queries and mask, on these sizes.
fn cases(items: usize, tokens: usize, heads: usize, head_width: usize, inner: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    for norm in [Norm::Post, Norm::Pre] {
        for mlp in [Mlp::GeluHidden, Mlp::GeluBoth] {
            for per_item in [None, Some(1), Some(2)] {
                for masked in [false, true] {
                    let width = heads * head_width;
                    let sizes = Sizes { items, tokens, width, heads, inner, norm, mlp, epsilon: 1e-5 };
                    cases.push(case(sizes, per_item, masked));
                }
            }
        }
    }
    cases
}

fn case(sizes: Sizes, per_item: Option<usize>, masked: bool) -> Case {
    let Sizes { items, tokens, width, inner, .. } = sizes;
    let queries = match per_item {
        None => Queries::All,
        Some(per_item) => {
            let row = |i: usize| i / per_item * tokens + (2 * i + 1) % tokens;
            Queries::Some { per_item, rows: (0..items * per_item).map(row).collect() }
        }
    };
    let rows = per_item.unwrap_or(tokens);
    let hidden = masked.then(|| {
        let shape = [items, 1, rows, tokens];
        // The first query of the first item sees nothing.
        let flags = (0..items * rows * tokens).map(|i| i < tokens || i % 3 == 1).collect();
        Hidden { flags, shape }
    });
    let group = sizes.default_group(rows);
    let name = format!("{sizes:?}, {per_item:?} queries, masked: {masked}");
    let terms = Terms::default();
    let call = Call { sizes, queries, hidden, terms, keep_weights: false, isa: Isa::best(), group };
    let mut phase = 0.0;
    let mut numbers = |count: usize, scale: f64, mean: f64| -> Vec<f64> {
        phase += 1.7;
        (0..count).map(|i| mean + scale * (phase + 2.3 * i as f64 + 0.1 * (i * i) as f64).sin()).collect()
    };
    let by_width = 1.5 / (width as f64).sqrt();
    let params = vec![
        numbers(width * 3 * width, by_width, 0.0),
        numbers(3 * width, 0.3, 0.0),
        numbers(width * width, by_width, 0.0),
        numbers(width, 0.3, 0.0),
        numbers(width, 0.3, 1.0),
        numbers(width, 0.3, 0.0),
        numbers(width * inner, by_width, 0.0),
        numbers(inner, 0.3, 0.0),
        numbers(inner * width, 1.5 / (inner as f64).sqrt(), 0.0),
        numbers(width, 0.3, 0.0),
        numbers(width, 0.3, 1.0),
        numbers(width, 0.3, 0.0),
    ];
    let x = numbers(items * tokens * width, 1.0, 0.1);
    let dy = numbers(items * rows * width, 1.0, 0.0);
    Case { name, call, x, params, dy }
}

fn of<S: Real>(values: &[f64]) -> Vec<S> {
    values.iter().map(|&value| S::of(value)).collect()
}

impl Case {
    /// With all pairs of dimensions turned but the last, where there is more than one.
    fn rotated(mut self) -> Self {
        let (tokens, pairs) = (self.call.sizes.tokens, self.call.sizes.head_width() / 2);
        let pairs = pairs.saturating_sub(1).max(pairs.min(1));
        let angles: Vec<f32> = (0..tokens * pairs).map(|i| 0.3 + 1.1 * i as f32).collect();
        let of = |f: fn(f32) -> f32| angles.iter().map(|&angle| f(angle)).collect();
        self.call.terms.rotation = Some(Rotation { pairs, cos: of(f32::cos), sin: of(f32::sin) });
        self.name += ", rotated";
        self
    }

    /// With a vector for each difference of tokens.
    fn related(mut self, heads: usize) -> Self {
        let sizes = self.call.sizes;
        let (tokens, relations) = (sizes.tokens, 2 * sizes.tokens - 1);
        let index = (0..tokens * tokens).map(|i| tokens - 1 + i / tokens - i % tokens).collect();
        self.call.terms.relative = Some(Relative { heads, relations, index });
        let count = heads * relations * sizes.head_width();
        self.params.push((0..count).map(|i| (0.7 + 1.9 * i as f64).sin()).collect());
        self.name += &format!(", relations for {heads} heads");
        self
    }

    /// With a bias on logits.
    fn biased(mut self, heads: usize) -> Self {
        let tokens = self.call.sizes.tokens;
        self.call.terms.bias_heads = Some(heads);
        self.params.push((0..heads * tokens * tokens).map(|i| (0.2 + 2.9 * i as f64).cos()).collect());
        self.name += &format!(", bias for {heads} heads");
        self
    }

    fn run<S: Real>(&self) -> Outcome<S> {
        let (x, params, dy) = (of::<S>(&self.x), self.params.iter().map(|p| of::<S>(p)), of::<S>(&self.dy));
        let params: Vec<_> = params.collect();
        let slices: Vec<&[S]> = params.iter().map(Vec::as_slice).collect();
        let params = Params::new(&slices, &self.call.terms);
        let (y, saved) = pass::forward(&self.call, &params, &x, true);
        let (dx, grads): (Vec<S>, Grads<S>) = pass::backward(&self.call, &params, &x, &saved, &dy);
        Outcome { y, dx, dparams: grads.into_vec(&self.call.terms) }
    }

    /// The output alone, as `Flex` without gradients computes it.
    fn output<S: Real>(&self) -> Vec<S> {
        let (x, params): (_, Vec<_>) = (of::<S>(&self.x), self.params.iter().map(|p| of::<S>(p)).collect());
        let slices: Vec<&[S]> = params.iter().map(Vec::as_slice).collect();
        let params = Params::new(&slices, &self.call.terms);
        pass::forward(&self.call, &params, &x, false).0
    }
}

impl<S: Real> Outcome<S> {
    fn parts(&self) -> Vec<(String, &[S])> {
        let params = self.dparams.iter().enumerate();
        let params = params.map(|(i, values)| (format!("parameter {i}"), values.as_slice()));
        [("y".to_owned(), &self.y[..]), ("dx".to_owned(), &self.dx[..])].into_iter().chain(params).collect()
    }
}

/// That two outcomes agree, relative to the largest value of each part (or 1 where all are smaller).
fn assert_agree<A, B>(a: &Outcome<A>, b: &Outcome<B>, tolerance: f64, what: &str)
where
    A: Real + Into<f64>,
    B: Real + Into<f64>,
{
    for ((part, a), (_, b)) in a.parts().into_iter().zip(b.parts()) {
        assert_eq!(a.len(), b.len(), "{what}, {part}");
        let scale = a.iter().map(|&v| v.into().abs()).fold(1.0, f64::max);
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            let (a, b): (f64, f64) = (a.into(), b.into());
            assert!((a - b).abs() <= tolerance * scale, "{what}, {part}[{i}]: {a} and {b}");
        }
    }
}
