//! All baselines on the masks that models are tested with.

use ndarray::{Array2, ArrayView2};
use serde::Serialize;

use super::{
    Baseline, Gaussian, Moments, Nearest, Paired, Problem, RIDGE, Ridge, RidgeInput, SHRINKAGE, TrainingMean,
    VisibleMean,
};
use crate::masked::{MaskedBatch, MaskedData, MaskedError, Part, Score};

/// Items that are predicted at a time.
const ITEMS: usize = 256;

/// One baseline on one set of masks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineRow {
    /// The name of the baseline.
    pub baseline: &'static str,
    /// Whose items.
    pub part: Part,
    /// The share of nodes that is masked.
    pub fraction: f64,
    /// The number of nodes that is masked.
    pub masked: usize,
    /// The number of items.
    pub items: usize,
    /// See [`Score::mse`].
    pub mse: Option<f64>,
    /// See [`Score::r2`].
    pub r2: Option<f64>,
}

/// All baselines, fitted on the training frames with the usual penalties; [`Nearest`] if there are distances, [`Paired`]
/// if there are partners.
///
/// # Errors
/// [`MaskedError::Shape`] if distances or partners do not fit the nodes, [`MaskedError::Singular`] if there are too
/// few frames.
pub fn standard(
    data: &MaskedData,
    distances: Option<&Array2<f64>>,
    partners: Option<&[Option<usize>]>,
) -> Result<Vec<Box<dyn Baseline>>, MaskedError> {
    let moments = Moments::fit(data.training_frames());
    let mut all: Vec<Box<dyn Baseline>> =
        vec![Box::new(TrainingMean::new(&moments)), Box::new(VisibleMean::new(&moments))];
    if let Some(distances) = distances {
        all.push(Box::new(Nearest::new(&moments, distances)?));
    }
    if let Some(partners) = partners {
        all.push(Box::new(Paired::new(&moments, partners)?));
    }
    all.push(Box::new(Ridge::new(&moments, RIDGE, RidgeInput::MaskedAsMean)?));
    all.push(Box::new(Gaussian::new(&moments, SHRINKAGE)?));
    all.push(Box::new(Ridge::new(&moments, RIDGE, RidgeInput::AllOthers)?));
    Ok(all)
}

/// The predictions of a baseline for a batch, `[items, masked, outputs]`.
///
/// # Errors
/// Those of [`Baseline::predict`].
pub fn predict(baseline: &dyn Baseline, batch: &MaskedBatch) -> Result<Vec<f32>, MaskedError> {
    let mut predictions = vec![0.0; batch.targets.len()];
    let size = batch.masks.masked * batch.outputs;
    for (item, predictions) in predictions.chunks_mut(size).enumerate() {
        let masked = batch.masks.of(item);
        let visible: Vec<usize> =
            (0..batch.nodes).filter(|node| masked.binary_search(node).is_err()).collect();
        let truth = batch.truth(item);
        let shape = (batch.outputs, batch.nodes);
        let frames = ArrayView2::from_shape(shape, &truth).map_err(|_| MaskedError::Shape {
            what: "batch",
            expected: format!("{} values of an item", batch.outputs * batch.nodes),
            got: truth.len().to_string(),
        })?;
        baseline.predict(&Problem { frames, masked, visible: &visible }, predictions)?;
    }
    Ok(predictions)
}

/// The score of a baseline for a batch.
///
/// # Errors
/// Those of [`predict`].
pub fn score(baseline: &dyn Baseline, data: &MaskedData, batch: &MaskedBatch) -> Result<Score, MaskedError> {
    data.score(batch, &predict(baseline, batch)?)
}

/// Each baseline on each evaluation set of a part, fraction by fraction.
///
/// # Errors
/// Those of [`predict`] and [`MaskedData::evaluation`].
pub fn table(
    data: &MaskedData,
    part: Part,
    baselines: &[Box<dyn Baseline>],
) -> Result<Vec<BaselineRow>, MaskedError> {
    let mut rows = Vec::new();
    for set in data.evaluation(part)? {
        let mut scores = vec![Score::default(); baselines.len()];
        for batch in set.batches(data, ITEMS) {
            let batch = batch?;
            for (baseline, total) in baselines.iter().zip(&mut scores) {
                *total += score(baseline.as_ref(), data, &batch)?;
            }
        }
        rows.extend(baselines.iter().zip(scores).map(|(baseline, score)| BaselineRow {
            baseline: baseline.name(),
            part,
            fraction: set.fraction,
            masked: set.masks.masked,
            items: set.items.len(),
            mse: score.mse(),
            r2: score.r2(),
        }));
    }
    Ok(rows)
}
