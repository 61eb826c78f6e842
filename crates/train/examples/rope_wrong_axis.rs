//! Reconstruction of a slip in the code published with Ito et al. 2025: their rotary variant attends over the batch
//! instead of over the 16 cells. What can such a model learn?
//!
//! `cargo run --release -p train --example rope_wrong_axis -- [PUZZLES] [EPOCHS]`; puzzles are generated without a
//! folder of published ones. Prints loss and accuracy by epoch, and the accuracy of the best guess from the read cell
//! alone, which bounds any model that mixes no cells.

use std::error::Error;
use std::path::Path;

use burn::optim::GradientsParams;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor, TensorData};
use pe_core::{Context, Encoder, EncoderConfig, EncodingConfig, Input, Positions, PeBackend, Readout, TrainCpu};
use pe_core::rotary::RopeConfig;
use rand::seq::SliceRandom;
use streams::{Stream, Streams};
use tasks::latin_square::{self as lst, GeneratorConfig, LatinSquareData, Puzzle};
use train::optimizer::{Optimizer, OptimizerConfig, OptimizerKind};

const BATCH: usize = 128;
const CELLS: usize = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next();
    let epochs: usize = args.next().map_or(Ok(10), |n| n.parse())?;
    let streams = Streams::new(1);
    let data = match &folder {
        Some(folder) => LatinSquareData::load(Path::new(folder), &streams)?,
        None => LatinSquareData::generate(&GeneratorConfig::default(), &streams)?,
    };
    let bound = |items: &[Puzzle]| best_guess(&data.train, items);
    println!(
        "best guess from the read cell alone: train {:.3}, test {:.3}, generalization {:.3}",
        bound(&data.train),
        bound(&data.test),
        bound(&data.generalization)
    );

    // The batch takes the place of the tokens: its items have positions 0, 1, 2, ...
    let encoding = EncodingConfig::Rope(RopeConfig { fraction: 0.5, ..RopeConfig::default() });
    let config = EncoderConfig { readout: Readout::All, ..EncoderConfig::paper(5, 4, BATCH, 1, encoding) };
    let mut model: Encoder<TrainCpu> = config.init(&streams, &Default::default())?;
    let rule = OptimizerConfig {
        kind: OptimizerKind::AdamW,
        lr: 3e-4,
        weight_decay: 0.0,
        betas: [0.9, 0.999],
        epsilon: 1e-8,
        momentum: 0.0,
    };
    let mut optimizer = Optimizer::new(rule);
    for epoch in 1..=epochs {
        let mut order: Vec<usize> = (0..data.train.len()).collect();
        order.shuffle(&mut streams.rng_at(Stream::Order, epoch as u64));
        let (mut loss_sum, mut batches) = (0.0, 0);
        for batch in order.chunks_exact(BATCH) {
            let puzzles: Vec<&Puzzle> = batch.iter().map(|&i| &data.train[i]).collect();
            let context = Context::training(streams.rng(Stream::Dropout));
            let loss = cross_entropy(log_p(&model, &puzzles, context)?, &puzzles);
            let grads = GradientsParams::from_grads(loss.backward(), &model);
            loss_sum += f64::from(loss.into_scalar());
            batches += 1;
            model = optimizer.step(3e-4, model, grads);
        }
        println!(
            "epoch {epoch}: loss {:.4}, accuracy on train {:.3}, test {:.3}, generalization {:.3}",
            loss_sum / f64::from(batches),
            accuracy(&model, &data.train[..data.train.len().min(2048)])?,
            accuracy(&model, &data.test)?,
            accuracy(&model, &data.generalization)?
        );
    }
    Ok(())
}

/// Log-probabilities `[items, 4]`, read at the last cell of each item. Cells go where items belong, and items where
/// cells do, so that attention and rotation run over the batch.
fn log_p<B: PeBackend>(
    model: &Encoder<B>,
    puzzles: &[&Puzzle],
    mut context: Context,
) -> Result<Tensor<B, 2>, Box<dyn Error>> {
    let owned: Vec<Puzzle> = puzzles.iter().map(|&p| p.clone()).collect();
    let n = owned.len();
    let values = lst::tokens(&owned).into_raw_vec_and_offset().0;
    let tokens = Tensor::<B, 3>::from_data(TensorData::new(values, [n, CELLS, 5]), &Default::default());
    let positions = Positions::grid(&[n])?;
    let output = model.forward(Input::new(tokens.swap_dims(0, 1), &positions), &mut context)?;
    let last = output.narrow(0, CELLS - 1, 1);
    Ok(log_softmax(last.reshape([n, 4]), 1))
}

fn cross_entropy<B: PeBackend>(log_p: Tensor<B, 2>, puzzles: &[&Puzzle]) -> Tensor<B, 1> {
    let labels: Vec<i64> = puzzles.iter().map(|&p| lst::labels(std::slice::from_ref(p))[0] as i64).collect();
    let labels = TensorData::new(labels, [puzzles.len(), 1]);
    log_p.gather(1, Tensor::<B, 2, Int>::from_data(labels, &Default::default())).mean().neg()
}

fn accuracy(model: &Encoder<TrainCpu>, items: &[Puzzle]) -> Result<f64, Box<dyn Error>> {
    let mut right = 0;
    for batch in items.chunks(BATCH) {
        let puzzles: Vec<&Puzzle> = batch.iter().collect();
        let context = Context::evaluation(Streams::new(1).rng(Stream::Dropout));
        let answers = log_p(model, &puzzles, context)?.argmax(1).into_data();
        let labels = lst::labels(batch);
        right += answers.iter::<i64>().zip(labels).filter(|(answer, label)| *answer == *label as i64).count();
    }
    Ok(right as f64 / items.len() as f64)
}

/// The accuracy of the most frequent training answer for what stands in the last cell.
fn best_guess(train: &[Puzzle], items: &[Puzzle]) -> f64 {
    let content = |puzzle: &Puzzle| {
        let tokens = lst::tokens(std::slice::from_ref(puzzle));
        tokens.into_raw_vec_and_offset().0[(CELLS - 1) * 5..].iter().position(|v| *v == 1.0).unwrap_or(5)
    };
    let mut counts = [[0usize; 4]; 6];
    for (puzzle, label) in train.iter().zip(lst::labels(train)) {
        counts[content(puzzle)][label] += 1;
    }
    let guess = |content: usize| (0..4).max_by_key(|&class| counts[content][class]).unwrap_or(0);
    let labels = lst::labels(items);
    let right = items.iter().zip(labels).filter(|(puzzle, label)| guess(content(puzzle)) == *label).count();
    right as f64 / items.len() as f64
}
