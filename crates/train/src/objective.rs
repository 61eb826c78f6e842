//! How answers are scored: by class or by number.

use burn::tensor::{Int, Tensor, activation::log_softmax, backend::Backend};

use crate::TrainError;
use crate::evaluate::Score;

/// How a task scores answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Objective {
    /// One of several classes, at one token of each item. Loss: cross-entropy, in nats; reported beside it: accuracy.
    CrossEntropy,
    /// A number at each token that is read. Loss: squared error; reported beside it: R².
    SquaredError,
}

/// What was asked for in a batch.
pub(crate) enum Answers<B: Backend> {
    /// A class for each item.
    Classes {
        /// `[batch]`
        labels: Tensor<B, 1, Int>,
        /// The same as numbers.
        classes: Vec<usize>,
    },
    /// A number for each token that is read.
    Values {
        /// `[batch, read]`
        wanted: Tensor<B, 2>,
        /// The same as numbers.
        values: Vec<f32>,
        /// What was expected of each before anything was seen; empty where nothing was.
        centres: Vec<f32>,
    },
}

/// What a model answered, next to what was asked for.
pub(crate) enum Judged<B: Backend> {
    /// Log-probabilities `[batch, classes]`.
    Classes { log_p: Tensor<B, 2>, labels: Tensor<B, 1, Int>, classes: Vec<usize> },
    /// Answer minus what was asked for, `[batch, read]`.
    Values { errors: Tensor<B, 2>, values: Vec<f32>, centres: Vec<f32> },
}

impl<B: Backend> Judged<B> {
    /// Judges the output of an encoder.
    ///
    /// # Shapes
    /// - output: `[batch, 1, classes]`, or `[batch, read, 1]`
    pub(crate) fn of(output: Tensor<B, 3>, answers: Answers<B>) -> Result<Self, TrainError> {
        let [batch, rows, outputs] = output.dims();
        match answers {
            Answers::Classes { labels, classes } if rows == 1 => {
                let log_p = log_softmax(output.reshape([batch, outputs]), 1);
                Ok(Self::Classes { log_p, labels, classes })
            }
            Answers::Values { wanted, values, centres } if outputs == 1 && wanted.dims() == [batch, rows] => {
                Ok(Self::Values { errors: output.reshape([batch, rows]) - wanted, values, centres })
            }
            Answers::Classes { .. } => Err(unfit([batch, rows, outputs], "one token of each item")),
            Answers::Values { wanted, .. } => {
                let read = wanted.dims()[1];
                Err(unfit([batch, rows, outputs], &format!("{read} token(s) of each item, one number each")))
            }
        }
    }

    /// The mean loss, which training goes down.
    pub(crate) fn loss(&self) -> Tensor<B, 1> {
        match self {
            Self::Classes { log_p, labels, classes } => {
                log_p.clone().gather(1, labels.clone().reshape([classes.len(), 1])).mean().neg()
            }
            Self::Values { errors, .. } => errors.clone().square().mean(),
        }
    }

    /// The score of each item.
    pub(crate) fn scores(&self) -> Vec<Score> {
        match self {
            Self::Classes { log_p, classes, .. } => {
                let rows = floats(log_p);
                let width = rows.len() / classes.len().max(1);
                rows.chunks(width.max(1)).zip(classes).map(|(row, &class)| score_class(row, class)).collect()
            }
            Self::Values { errors, values, centres } => {
                let read = errors.dims()[1].max(1);
                let items = floats(errors);
                let items = items.chunks(read).zip(values.chunks(read)).enumerate();
                let centres = |item: usize| centres.get(item * read..(item + 1) * read);
                items.map(|(item, (e, v))| score_values(e, v, centres(item))).collect()
            }
        }
    }
}

fn score_class(log_p: &[f32], class: usize) -> Score {
    let best = log_p.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map(|(i, _)| i);
    Score {
        n: 1,
        loss_sum: -f64::from(log_p[class]),
        correct: usize::from(best == Some(class)),
        ..Score::default()
    }
}

fn score_values(errors: &[f32], values: &[f32], centres: Option<&[f32]>) -> Score {
    let squares = |x: &[f32]| x.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>();
    let distance = |(value, centre): (&f32, &f32)| f64::from(value - centre).powi(2);
    let (value_sum, value_squares) = match centres {
        Some(centres) => (0.0, values.iter().zip(centres).map(distance).sum()),
        None => (values.iter().map(|v| f64::from(*v)).sum(), squares(values)),
    };
    Score { n: errors.len(), loss_sum: squares(errors), value_sum, value_squares, ..Score::default() }
}

fn floats<B: Backend>(tensor: &Tensor<B, 2>) -> Vec<f32> {
    tensor.to_data().convert::<f32>().into_vec().unwrap_or_default()
}

fn unfit(got: [usize; 3], expected: &str) -> TrainError {
    TrainError::Config {
        place: "model.readout".to_owned(),
        problem: format!(
            "the model answers with shape {got:?}, the task asks for {expected}: change the readout"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::TensorData;
    use pe_core::Cpu;

    fn tensor<const D: usize>(values: &[f32], shape: [usize; D]) -> Tensor<Cpu, D> {
        Tensor::from_data(TensorData::new(values.to_vec(), shape), &Default::default())
    }

    /// Two items, two tokens read of each; errors 1, 0, 2, -1 about values 0, 1, 2, 3.
    #[test]
    fn squared_error_and_r2_of_numbers() {
        let values = vec![0.0, 1.0, 2.0, 3.0];
        let answers = Answers::Values { wanted: tensor(&values, [2, 2]), values, centres: vec![] };
        let judged = Judged::of(tensor(&[1.0, 1.0, 4.0, 2.0], [2, 2, 1]), answers).unwrap();
        assert_eq!(judged.loss().into_scalar(), 6.0 / 4.0);
        let mut all = Score::default();
        let scores = judged.scores();
        assert_eq!(scores.iter().map(|score| score.loss_sum).collect::<Vec<_>>(), [1.0, 5.0]);
        scores.into_iter().for_each(|score| all.add(score));
        assert_eq!((all.n, all.loss()), (4, 1.5));
        // The values lie 1.5, 0.5, 0.5, 1.5 from their mean: 5 in squares.
        assert!((all.r2().unwrap() - (1.0 - 6.0 / 5.0)).abs() < 1e-12);
    }

    #[test]
    fn cross_entropy_and_accuracy_of_classes() {
        let labels = Tensor::from_data(TensorData::new(vec![1i64, 0], [2]), &Default::default());
        let answers = Answers::Classes { labels, classes: vec![1, 0] };
        // Odds of 1 to 3, and even ones in which the last of the best counts.
        let judged = Judged::of(tensor(&[0.0, 3f32.ln(), 0.0, 0.0], [2, 1, 2]), answers).unwrap();
        let expected = ((4.0f64 / 3.0).ln() + 2f64.ln()) / 2.0;
        assert!((f64::from(judged.loss().into_scalar()) - expected).abs() < 1e-6);
        assert_eq!(judged.scores().iter().map(|score| score.correct).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn an_output_that_does_not_fit_is_refused() {
        let values = vec![0.0; 2];
        let answers = Answers::Values { wanted: tensor(&values, [2, 1]), values, centres: vec![] };
        let error = Judged::of(tensor(&[0.0; 4], [2, 2, 1]), answers).err().unwrap().to_string();
        assert!(error.contains("shape [2, 2, 1]") && error.contains("1 token(s)"), "{error}");
    }

    /// Without spread there is nothing to explain.
    #[test]
    fn r2_of_equal_values_is_undefined() {
        assert_eq!(score_values(&[1.0, 2.0], &[3.0, 3.0], None).r2(), None);
    }

    /// About what was expected of each: values 1 and 5 of tokens that are 0 and 3 in the mean, missed by 1 and 0.
    #[test]
    fn r2_about_what_was_expected() {
        let score = score_values(&[1.0, 0.0], &[1.0, 5.0], Some(&[0.0, 3.0]));
        assert!((score.r2().unwrap() - (1.0 - 1.0 / 5.0)).abs() < 1e-12);
        // Equal values have a spread about their expectations.
        assert_eq!(score_values(&[1.0], &[1.0], Some(&[0.0])).r2(), Some(0.0));
    }
}
