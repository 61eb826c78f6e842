//! What decides whether there is anything to learn from a network's activity.

use ndarray::{Array2, ArrayView2, s};
use serde::{Deserialize, Serialize};

use super::spectrum::radius_of;
use super::{Graph, NetworkData};
use crate::masked::baseline::{Moments, RIDGE, ridge_r2};
use crate::matrix::{correlation, mean};

/// A network in numbers. What is not defined (the correlation of a constant, say) is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkStats {
    /// Nodes.
    pub nodes: usize,
    /// Subjects.
    pub subjects: usize,
    /// Frames of each subject.
    pub frames: usize,
    /// The share of all pairs that is coupled.
    pub density: f64,
    /// The largest absolute eigenvalue of the coupling.
    pub spectral_radius: f64,
    /// Gain times steepest slope times spectral radius: at 1 the slowest mode of the linear part stops decaying.
    pub linear_growth: f64,
    /// The standard deviation of a node about its mean in each subject, mean over nodes; subjects pooled.
    pub standard_deviation: f64,
    /// The correlation of neighbours, mean over pairs: of those in which one node is the other's nearest (equally near
    /// ones count), or, without coordinates, of those in one module. Pearson, from the covariance within subjects: that
    /// subjects settle at different levels does not count.
    pub near_correlation: Option<f64>,
    /// The same of the quarter of pairs that is furthest apart, or of those in different modules.
    pub far_correlation: Option<f64>,
    /// The correlation of a node with itself one frame later, mean over nodes and subjects.
    pub autocorrelation: Option<f64>,
    /// The share of variance of a node that a linear combination of all others explains: ridge regression with a
    /// penalty of 0.01 of a node's variance, fitted on the first half of each subject's frames, R² on the second
    /// halves, all nodes together. Predictions start from the node's mean over the first half of the same subject, R²
    /// is about its mean over the second. It bounds what a linear model can reach when one node is masked.
    pub ridge_r2: Option<f64>,
    /// The Pearson correlation of distance (0 and 1 for within and between modules, without coordinates) with one minus
    /// the correlation of activity, over all pairs.
    pub distance_correlation: Option<f64>,
}

impl NetworkStats {
    pub(crate) fn of(data: &NetworkData) -> Self {
        let coupling = data.graph.coupling();
        let spectral_radius = radius_of(coupling);
        let all = Moments::within(data.series.iter().map(|series| series.view()));
        let correlations = all.correlations();
        let pairs = Pairs::of(&data.graph);
        let nodes = data.graph.nodes();
        let upper = || (0..nodes).flat_map(|i| (0..i).map(move |j| (i, j)));
        let selected = |kind: fn(&Pairs, usize, usize) -> bool| {
            let pairs = &pairs;
            let chosen = upper().filter(move |&(i, j)| kind(pairs, i, j)).map(|pair| correlations[pair]);
            mean(chosen.filter(|r| r.is_finite()))
        };
        let distance_pairs = upper().map(|pair| (pairs.distances[pair], 1.0 - correlations[pair]));
        Self {
            nodes,
            subjects: data.series.len(),
            frames: data.config.frames,
            density: coupling.density(),
            spectral_radius,
            linear_growth: data.config.dynamics.growth(spectral_radius),
            standard_deviation: all.standard_deviations().iter().sum::<f64>() / nodes as f64,
            near_correlation: selected(Pairs::near),
            far_correlation: selected(Pairs::far),
            autocorrelation: mean(data.series.iter().filter_map(|series| autocorrelation(series.view()))),
            ridge_r2: half_split_r2(&data.series),
            distance_correlation: correlation(distance_pairs),
        }
    }
}

/// Which pairs are near and which are far.
struct Pairs {
    distances: Array2<f64>,
    /// The distance to the nearest other node, of each.
    nearest: Vec<f64>,
    /// The distance that a quarter of the pairs reach.
    furthest: f64,
}

impl Pairs {
    fn of(graph: &Graph) -> Self {
        let distances = graph.distances();
        let n = graph.nodes();
        let others = |i: usize| (0..n).filter(move |&j| j != i);
        let nearest =
            (0..n).map(|i| others(i).map(|j| distances[[i, j]]).fold(f64::INFINITY, f64::min)).collect();
        let mut all: Vec<f64> =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|p| distances[p]).collect();
        all.sort_by(f64::total_cmp);
        let furthest = if graph.layout().is_some() { all[all.len() * 3 / 4] } else { 1.0 };
        Self { distances, nearest, furthest }
    }

    fn near(&self, i: usize, j: usize) -> bool {
        let most = self.nearest[i].max(self.nearest[j]);
        self.distances[[i, j]] <= most * (1.0 + 1e-9) && !self.far(i, j)
    }

    fn far(&self, i: usize, j: usize) -> bool {
        self.distances[[i, j]] >= self.furthest
    }
}

/// The correlation of each node with itself one frame later, mean over nodes.
fn autocorrelation(series: ArrayView2<f32>) -> Option<f64> {
    let columns = series.columns().into_iter();
    mean(columns.filter_map(|node| {
        let later = node.iter().skip(1);
        correlation(node.iter().zip(later).map(|(&a, &b)| (f64::from(a), f64::from(b))))
    }))
}

fn half_split_r2(series: &[Array2<f32>]) -> Option<f64> {
    let half = |one: &Array2<f32>| one.nrows() / 2;
    let first = series.iter().map(|one| one.slice(s![..half(one), ..]));
    let means: Vec<Vec<f64>> =
        first.clone().map(|frames| Moments::fit(std::iter::once(frames)).mean().to_vec()).collect();
    let second = series.iter().map(|one| one.slice(s![half(one).., ..]));
    ridge_r2(&Moments::within(first), RIDGE, second.zip(means.iter().map(Vec::as_slice)))
}
