//! Predictions from one number: a constant, the mean of the visible nodes, or one other node.

use ndarray::Array2;

use super::{Baseline, Moments, Problem};
use crate::masked::MaskedError;

/// The training mean of the node.
#[derive(Debug, Clone)]
pub struct TrainingMean {
    moments: Moments,
}

/// The mean of the visible nodes, times the slope that is best for this mask: `cov(x_i, m) / var(m)`, with `m` the mean
/// of the visible nodes, each less its training mean.
#[derive(Debug, Clone)]
pub struct VisibleMean {
    moments: Moments,
}

/// The nearest visible node (of equally near ones the first), times the slope `cov(x_i, x_j) / var(x_j)`.
#[derive(Debug, Clone)]
pub struct Nearest {
    moments: Moments,
    /// Of each node all others, by increasing distance.
    order: Vec<Vec<usize>>,
}

/// The node's partner, such as the same region of the other hemisphere, times its slope. Where the partner is
/// masked, or there is none, [`VisibleMean`].
#[derive(Debug, Clone)]
pub struct Paired {
    partners: Vec<Option<usize>>,
    otherwise: VisibleMean,
}

impl TrainingMean {
    /// From the moments of training frames.
    pub fn new(moments: &Moments) -> Self {
        Self { moments: moments.clone() }
    }
}

impl VisibleMean {
    /// From the moments of training frames.
    pub fn new(moments: &Moments) -> Self {
        Self { moments: moments.clone() }
    }

    fn mean(&self, problem: &Problem, output: usize) -> f64 {
        let visible = problem.visible.iter();
        let sum: f64 = visible.map(|&j| centred(&self.moments, problem, output, j)).sum();
        sum / problem.visible.len().max(1) as f64
    }

    /// The slope of a node, given the variance of the mean.
    fn slope(&self, problem: &Problem, node: usize, variance: f64) -> f64 {
        let row = self.moments.covariance().row(node);
        let covariance: f64 = problem.visible.iter().map(|&j| row[j]).sum();
        ratio(covariance / problem.visible.len().max(1) as f64, variance)
    }

    fn variance(&self, problem: &Problem) -> f64 {
        let covariance = self.moments.covariance();
        let row = |i: usize| -> f64 { problem.visible.iter().map(|&j| covariance[[i, j]]).sum() };
        let sum: f64 = problem.visible.iter().map(|&i| row(i)).sum();
        sum / (problem.visible.len().max(1) as f64).powi(2)
    }
}

impl Nearest {
    /// From the moments of training frames and the distances of nodes, `[nodes, nodes]`.
    ///
    /// # Errors
    /// [`MaskedError::Shape`] if there are not distances between all nodes, or one is no number.
    pub fn new(moments: &Moments, distances: &Array2<f64>) -> Result<Self, MaskedError> {
        let n = moments.nodes();
        if distances.dim() != (n, n) || distances.iter().any(|distance| distance.is_nan()) {
            return Err(MaskedError::Shape {
                what: "distances",
                expected: format!("numbers between all {n} nodes"),
                got: format!("{:?}, or one that is none", distances.dim()),
            });
        }
        let order = (0..n)
            .map(|i| {
                let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
                others.sort_by(|&a, &b| distances[[i, a]].total_cmp(&distances[[i, b]]));
                others
            })
            .collect();
        Ok(Self { moments: moments.clone(), order })
    }
}

impl Paired {
    /// From the moments of training frames and the partner of each node, if it has one.
    ///
    /// # Errors
    /// [`MaskedError::Shape`] if there is not one entry a node, or a partner that is the node itself or no node.
    pub fn new(moments: &Moments, partners: &[Option<usize>]) -> Result<Self, MaskedError> {
        let n = moments.nodes();
        let fits = |(node, partner): (usize, &Option<usize>)| {
            partner.is_none_or(|partner| partner != node && partner < n)
        };
        if partners.len() != n || !partners.iter().enumerate().all(fits) {
            return Err(MaskedError::Shape {
                what: "partners",
                expected: format!("for each of {n} nodes another one or none"),
                got: format!("{partners:?}"),
            });
        }
        Ok(Self { partners: partners.to_vec(), otherwise: VisibleMean::new(moments) })
    }
}

impl Baseline for TrainingMean {
    fn name(&self) -> &'static str {
        "training-mean"
    }

    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError> {
        each(problem, predictions, |node, _| self.moments.mean()[node]);
        Ok(())
    }
}

impl Baseline for VisibleMean {
    fn name(&self) -> &'static str {
        "visible-mean"
    }

    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError> {
        let variance = self.variance(problem);
        let means: Vec<f64> = (0..problem.frames.nrows()).map(|output| self.mean(problem, output)).collect();
        let slopes: Vec<f64> =
            problem.masked.iter().map(|&node| self.slope(problem, node, variance)).collect();
        let mut place = 0;
        each(problem, predictions, |node, output| {
            // Nodes come in the order of the mask, the outputs of each together.
            let slope = slopes[place / means.len()];
            place += 1;
            self.moments.mean()[node] + slope * means[output]
        });
        Ok(())
    }
}

impl Baseline for Nearest {
    fn name(&self) -> &'static str {
        "nearest"
    }

    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError> {
        let is_masked = |node: &usize| problem.masked.binary_search(node).is_ok();
        each(problem, predictions, |node, output| {
            let nearest = self.order[node].iter().find(|&other| !is_masked(other));
            let from = |&other| from_one(&self.moments, problem, output, node, other);
            nearest.map_or(self.moments.mean()[node], from)
        });
        Ok(())
    }
}

impl Baseline for Paired {
    fn name(&self) -> &'static str {
        "paired"
    }

    fn predict(&self, problem: &Problem, predictions: &mut [f32]) -> Result<(), MaskedError> {
        self.otherwise.predict(problem, predictions)?;
        let outputs = problem.frames.nrows();
        for (&node, predictions) in problem.masked.iter().zip(predictions.chunks_mut(outputs)) {
            let partner = self.partners[node].filter(|one| problem.visible.binary_search(one).is_ok());
            let Some(partner) = partner else { continue };
            for (output, prediction) in predictions.iter_mut().enumerate() {
                *prediction = from_one(&self.otherwise.moments, problem, output, node, partner) as f32;
            }
        }
        Ok(())
    }
}

/// Fills in predictions from a function of node and output.
fn each(problem: &Problem, predictions: &mut [f32], mut of: impl FnMut(usize, usize) -> f64) {
    let outputs = problem.frames.nrows();
    for (&node, predictions) in problem.masked.iter().zip(predictions.chunks_mut(outputs)) {
        predictions.iter_mut().enumerate().for_each(|(output, value)| *value = of(node, output) as f32);
    }
}

fn centred(moments: &Moments, problem: &Problem, output: usize, node: usize) -> f64 {
    f64::from(problem.frames[[output, node]]) - moments.mean()[node]
}

fn from_one(moments: &Moments, problem: &Problem, output: usize, node: usize, other: usize) -> f64 {
    let covariance = moments.covariance();
    let slope = ratio(covariance[[node, other]], covariance[[other, other]]);
    moments.mean()[node] + slope * centred(moments, problem, output, other)
}

/// 0 where nothing varies: nothing is then known.
fn ratio(covariance: f64, variance: f64) -> f64 {
    if variance > 0.0 { covariance / variance } else { 0.0 }
}
