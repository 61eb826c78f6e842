//! `probe benchmark`: times one statistic on inputs that it writes for others to read. For `cargo xtask bench probe`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use ndarray::{Array2, ArrayView2};
use probe::compare::Comparison;
use probe::dcor::Centred;
use probe::io::{TablePath, write_npy};
use probe::permutation::{Permutations, Tail, rsa};
use probe::positions::draws::Draw;
use probe::positions::order::{Orders, Scaling, error_rate};
use probe::rdm::{Measure, Rdm};
use probe::{StatError, WriteError};
use rand::seq::SliceRandom;
use rand_distr::{Distribution, StandardNormal};
use serde_json::json;
use streams::{Stream, Streams};

use super::failure::Failure;
use super::print;

/// Sets of pairs of the order classification.
const DRAWS: u64 = 5;

/// What is timed: its inputs are read already.
type Work = Box<dyn Fn() -> Result<Vec<f64>, StatError>>;

#[derive(Args)]
pub(super) struct BenchmarkArgs {
    /// Which statistic
    task: Task,
    /// Where its inputs are, or are to be written
    folder: PathBuf,
    /// How often it is timed, after once that is not
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// Print JSON (it always does)
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Task {
    /// Euclidean RDM of 2,000 x 768
    Rdm,
    /// Spearman RSA of two tables of 94 rows with 10,000 permutations
    Rsa,
    /// Both distance correlations of two tables of 2,000 rows
    Dcor,
    /// Bias-corrected distance correlation of two tables of 360 rows with 1,000 permutations
    DcorTest,
    /// Order classification on a 512 x 768 table, 5 sets of 512 pairs, raw features
    Order,
}

pub(super) fn main(args: &BenchmarkArgs) -> Result<(), Failure> {
    let name = args.task.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let folder = args.folder.join(&name);
    prepare(args.task, &folder)?;
    let work = args.task.work(&folder)?;
    let (mut seconds, mut values) = (Vec::new(), Vec::new());
    for _ in 0..=args.repeats {
        let start = Instant::now();
        values = work().map_err(|source| Failure::Statistic { files: name.clone(), source })?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    print(&format!("{:#}\n", json!({"seconds": seconds[1..], "values": values})))
}

impl Task {
    /// The statistic with its inputs read.
    fn work(self, folder: &Path) -> Result<Work, Failure> {
        let read =
            |name: &str| Ok::<_, Failure>(TablePath::file(folder.join(format!("{name}.npy"))).read()?.values);
        let x = read("x")?;
        let euclidean = |x: ArrayView2<f64>| Rdm::of_rows(x, Measure::Euclidean);
        Ok(match self {
            Task::Rdm => Box::new(move || {
                let rdm = euclidean(x.view())?;
                let d = rdm.values();
                Ok(vec![d[0], d[d.len() - 1], d.iter().sum::<f64>() / d.len() as f64])
            }),
            Task::Rsa => {
                let (y, set) = (read("y")?, permutations(self));
                Box::new(move || {
                    let (a, b) = (euclidean(x.view())?, euclidean(y.view())?);
                    let found = rsa(&a, &b, Comparison::Spearman, Tail::Greater, &set)?;
                    Ok(vec![found.value, found.p])
                })
            }
            Task::Dcor => {
                let y = read("y")?;
                Box::new(move || {
                    let found = Centred::new(x.view())?.dcor(&Centred::new(y.view())?)?;
                    Ok(vec![found.biased, found.bias_corrected])
                })
            }
            Task::DcorTest => {
                let (y, set) = (read("y")?, permutations(self));
                Box::new(move || {
                    let found =
                        Centred::new(x.view())?.test_bias_corrected(&Centred::new(y.view())?, &set)?;
                    Ok(vec![found.value, found.p])
                })
            }
            Task::Order => Box::new(move || {
                let orders = Orders::new(x.view())?;
                let rate =
                    |draw: Draw| Ok(error_rate(&draw.pairs, &orders.decisions(&draw.pairs, Scaling::Raw)?));
                (0..DRAWS).map(|index| rate(Draw::new(x.nrows(), index, &Streams::new(0)))).collect()
            }),
        })
    }

    /// Rows, columns and columns of the second table, permutations.
    fn size(self) -> (usize, [usize; 2], usize) {
        match self {
            Task::Rdm => (2_000, [768, 0], 0),
            Task::Rsa => (94, [64, 3], 10_000),
            Task::Dcor => (2_000, [10, 5], 0),
            Task::DcorTest => (360, [10, 5], 1_000),
            Task::Order => (512, [768, 0], 0),
        }
    }
}

fn permutations(task: Task) -> Permutations {
    let (n, _, count) = task.size();
    Permutations::new(n, count, &Streams::new(0))
}

/// Writes the inputs, also the random choices, so that both sides compute the same.
fn prepare(task: Task, folder: &Path) -> Result<(), Failure> {
    let write_error = |source| Failure::Write(WriteError { path: folder.to_owned(), source });
    std::fs::create_dir_all(folder).map_err(write_error)?;
    let write = |name: &str, table: Array2<f64>| write_npy(&folder.join(format!("{name}.npy")), table.view());
    let (n, [width, width_y], count) = task.size();
    let streams = Streams::new(0);
    let mut rng = streams.rng(Stream::Data);
    let mut normal = |d: usize| -> Array2<f64> {
        Array2::from_shape_simple_fn((n, d), || StandardNormal.sample(&mut rng))
    };
    // Slow waves in noise: structure that a classifier and a permutation test can find, and do not find at once.
    let wave = |i: usize, k: usize| (i as f64 * (k % 40 + 1) as f64 / n as f64 * 3.0 + k as f64).sin();
    let x = Array2::from_shape_fn((n, width), |(i, k)| 0.3 * wave(i, k)) + normal(width) * 0.3;
    let y = Array2::from_shape_fn((n, width_y), |(i, k)| 0.05 * wave(i, k)) + normal(width_y) * 0.3;
    write("x", x)?;
    if width_y > 0 {
        write("y", y)?;
    }
    if count > 0 {
        // As `Permutations` documents them: number i from sub-stream i.
        let mut rows = Vec::with_capacity(n * count);
        for index in 0..count {
            let mut row: Vec<u32> = (0..n as u32).collect();
            row.shuffle(&mut streams.rng_at(Stream::Permutation, index as u64));
            rows.extend(row.into_iter().map(f64::from));
        }
        write("permutations", Array2::from_shape_fn((count, n), |(i, j)| rows[i * n + j]))?;
    }
    if matches!(task, Task::Order) {
        let draws: Vec<Draw> = (0..DRAWS).map(|index| Draw::new(n, index, &streams)).collect();
        let side = |i: usize, k: usize| [draws[i / 2].pairs[k].0, draws[i / 2].pairs[k].1][i % 2] as f64;
        write("pairs", Array2::from_shape_fn((2 * draws.len(), draws[0].pairs.len()), |(i, k)| side(i, k)))?;
    }
    Ok(())
}
