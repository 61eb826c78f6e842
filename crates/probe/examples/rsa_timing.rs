//! Times two everyday tasks on random data: an RDM of 2,000 x 768, and a Spearman RSA with 10,000 permutations at
//! n = 94. `RAYON_NUM_THREADS=1 cargo run --release -p probe --example rsa_timing`; medians of 9, in ms.

use std::time::Instant;

use ndarray::Array2;
use probe::compare::Comparison;
use probe::permutation::{Permutations, Tail, rsa};
use probe::rdm::{Measure, Rdm};
use rand::RngExt;
use streams::{Stream, Streams};

fn main() -> Result<(), probe::StatError> {
    let table = random(2000, 768);
    for measure in [Measure::Euclidean, Measure::Correlation, Measure::Cosine] {
        let time = median(|| Rdm::of_rows(table.view(), measure))?;
        println!("rdm 2000 x 768, {measure}: {time:.1}");
    }
    let [a, b] = [random(94, 8), random(94, 5)].map(|x| Rdm::of_rows(x.view(), Measure::Euclidean));
    let (a, b) = (a?, b?);
    let streams = Streams::new(0);
    let draw = || Permutations::new(94, 10_000, &streams);
    let time = median(|| Ok::<_, probe::StatError>(draw()))?;
    println!("10,000 permutations of 94: {time:.1}");
    let set = draw();
    for how in [Comparison::Spearman, Comparison::KendallTauA, Comparison::WhitenedCosine] {
        let time = median(|| rsa(&a, &b, how, Tail::Greater, &set))?;
        println!("rsa n = 94, {how:?}, 10,000 permutations: {time:.1}");
    }
    Ok(())
}

fn random(n: usize, d: usize) -> Array2<f64> {
    let mut rng = Streams::new(1).rng(Stream::Data);
    Array2::from_shape_simple_fn((n, d), || rng.random::<f64>() - 0.5)
}

/// Milliseconds, the median of nine runs after one more.
fn median<T, E>(mut task: impl FnMut() -> Result<T, E>) -> Result<f64, E> {
    task()?;
    let mut times = Vec::new();
    for _ in 0..9 {
        let start = Instant::now();
        std::hint::black_box(task()?);
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[4])
}
