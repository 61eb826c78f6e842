//! Everything that `probe positions` tells of one table.

use ndarray::{Array2, ArrayView2};
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use super::absolute::{Prepared, Regression, errors};
use super::draws::Draw;
use super::order::{Orders, Scaling, error_rate};
use super::similarity::{SimilarityMap, cosines};
use super::{COMPONENTS, PAIRS};
use crate::StatError;
use crate::inference::mean;
use crate::sinusoid::sinusoid_1d;
use crate::spectrum::{effective_rank, singular_values};

/// Ranges of positions that errors are given for.
const RANGES: usize = 8;

/// Blocks of the similarity map in the report: enough to see, little to store.
const BLOCKS: usize = 96;

/// Repetitions of the controls: their spread is small.
const CONTROL_DRAWS: usize = 5;

const REGRESSIONS: [Regression; 3] =
    [Regression::LeastSquares, Regression::Components(COMPONENTS), Regression::Ridge];

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Repetitions, each with its own order of rows and its own pairs.
    pub permutations: usize,
    /// Seed of all random choices.
    pub seed: u64,
}

/// A table read in both ways, with its map and its spectrum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionReport {
    /// Rows.
    pub positions: usize,
    /// Columns.
    pub width: usize,
    /// What was asked for.
    pub settings: Settings,
    /// The table itself.
    #[serde(flatten)]
    pub reading: Reading,
    /// Its similarity map.
    pub similarity: SimilarityMap,
    /// Tables of the same shape that know nothing, or everything, read in the same way.
    pub controls: Vec<Control>,
}

/// Both readings of one table, and its spectrum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Absolute position, one element a regression.
    pub absolute: Vec<AbsoluteReport>,
    /// Order of two positions, raw and standardised.
    pub order: Vec<OrderReport>,
    /// Singular values.
    pub spectrum: Spectrum,
}

/// A table of the same shape to hold another against.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Which one.
    pub kind: ControlKind,
    /// Read in the same way, with at most 5 repetitions.
    #[serde(flatten)]
    pub reading: Reading,
}

/// The controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ControlKind {
    /// Independent normal entries with the root mean square of the table: it knows nothing.
    Random,
    /// The 1-D sinusoid of Vaswani et al. (2017): it knows everything.
    Sinusoid,
}

/// Reading the index of a position off its row by 5-fold cross-validated regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AbsoluteReport {
    /// `least-squares` (as published), `pca-64`, `ridge`.
    pub regression: String,
    /// Mean of |round(prediction) - index|, over repetitions. Null where undefined: too few rows for 64 components.
    pub error: Spread,
    /// The same by range of positions.
    pub by_range: Vec<RangeError>,
    /// The same for each position, mean over repetitions.
    pub by_position: Vec<Option<f64>>,
}

/// Mean error within a range of positions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RangeError {
    /// The first position.
    pub from: usize,
    /// The position after the last.
    pub to: usize,
    /// Mean error over positions and repetitions.
    pub error: Option<f64>,
}

/// Telling the order of two positions from their rows by stratified 5-fold cross-validated logistic regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrderReport {
    /// `raw` (as published) or `standardised`: the table as a whole.
    pub features: String,
    /// Pairs a repetition.
    pub pairs: usize,
    /// The share of pairs told wrong, over repetitions.
    pub error_rate: Spread,
}

/// Mean and sample standard deviation over repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Mean.
    pub mean: Option<f64>,
    /// Standard deviation (over n - 1); null for one repetition.
    pub sd: Option<f64>,
    /// Repetitions.
    pub n: usize,
}

/// Singular values of a table as it is, not centred.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spectrum {
    /// Falling.
    pub singular_values: Vec<f64>,
    /// How many of the first make up 60, 90 and 99 % of the sum of squares.
    pub shares: Vec<Share>,
    /// exp of the entropy of the singular values over their sum.
    pub effective_rank: Option<f64>,
}

/// How many singular values make up a share of the sum of squares.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The share.
    pub share: f64,
    /// The fewest that reach it.
    pub count: usize,
}

impl PositionReport {
    /// Reads a table [positions, width] of at least 10 positions. The result depends on the table and the settings
    /// alone, not on the threads.
    pub fn of(table: ArrayView2<f64>, settings: Settings) -> Result<Self, StatError> {
        let streams = Streams::new(settings.seed);
        let reading = Reading::of(table, settings.permutations, &streams)?;
        let (positions, width) = table.dim();
        let few = settings.permutations.min(CONTROL_DRAWS);
        let mut controls = vec![(ControlKind::Random, random_like(table, &streams))];
        if width >= 2 {
            controls.push((ControlKind::Sinusoid, sinusoid_1d(positions, width)?));
        }
        let control = |(kind, table): (ControlKind, Array2<f64>)| {
            Ok(Control { kind, reading: Reading::of(table.view(), few, &streams)? })
        };
        Ok(Self {
            positions,
            width,
            settings,
            reading,
            similarity: SimilarityMap::new(cosines(table)?.view(), BLOCKS),
            controls: controls.into_iter().map(control).collect::<Result<_, StatError>>()?,
        })
    }

    /// A control's reading.
    pub fn control(&self, kind: ControlKind) -> Option<&Reading> {
        self.controls.iter().find(|control| control.kind == kind).map(|control| &control.reading)
    }
}

impl Reading {
    /// Reads a table with this many repetitions, in parallel.
    pub fn of(table: ArrayView2<f64>, repetitions: usize, streams: &Streams) -> Result<Self, StatError> {
        let (prepared, orders) = (Prepared::new(table)?, Orders::new(table)?);
        let read = |index: usize| {
            let draw = Draw::new(table.nrows(), index as u64, streams);
            let predicted = prepared.predictions(&draw.order, &REGRESSIONS)?;
            let told = |scaling| Ok(error_rate(&draw.pairs, &orders.decisions(&draw.pairs, scaling)?));
            let errors: Vec<Vec<f64>> = predicted.iter().map(|p| errors(p)).collect();
            Ok((errors, [told(Scaling::Raw)?, told(Scaling::Standardised)?]))
        };
        let done = (0..repetitions).into_par_iter().map(read).collect::<Result<Vec<_>, StatError>>()?;
        let names = ["least-squares".to_owned(), format!("pca-{COMPONENTS}"), "ridge".to_owned()];
        let absolute = names.into_iter().enumerate().map(|(k, name)| {
            AbsoluteReport::of(name, &done.iter().map(|(errors, _)| errors[k].as_slice()).collect::<Vec<_>>())
        });
        let pairs = PAIRS.min(table.nrows() * table.nrows());
        let order = ["raw", "standardised"].into_iter().enumerate().map(|(k, features)| OrderReport {
            features: features.to_owned(),
            pairs,
            error_rate: Spread::of(&done.iter().map(|(_, rates)| rates[k]).collect::<Vec<_>>()),
        });
        Ok(Self { absolute: absolute.collect(), order: order.collect(), spectrum: Spectrum::of(table)? })
    }

    /// The mean error of a regression; `None` where it is undefined or not there.
    pub fn absolute_error(&self, regression: &str) -> Option<f64> {
        self.absolute.iter().find(|one| one.regression == regression)?.error.mean
    }

    /// The mean error rate with these features.
    pub fn order_error(&self, features: &str) -> Option<f64> {
        self.order.iter().find(|one| one.features == features)?.error_rate.mean
    }
}

impl AbsoluteReport {
    fn of(regression: String, errors: &[&[f64]]) -> Self {
        let n = errors.first().map_or(0, |one| one.len());
        let over = |values: Vec<f64>| mean(&values).filter(|mean| mean.is_finite());
        let by_position: Vec<Option<f64>> =
            (0..n).map(|position| over(errors.iter().map(|one| one[position]).collect())).collect();
        let ranges = RANGES.min(n);
        let range = |k: usize| {
            let (from, to) = (k * n / ranges, (k + 1) * n / ranges);
            RangeError {
                from,
                to,
                error: over(errors.iter().flat_map(|one| &one[from..to]).copied().collect()),
            }
        };
        let each: Vec<f64> = errors.iter().map(|one| one.iter().sum::<f64>() / n as f64).collect();
        Self { regression, error: Spread::of(&each), by_range: (0..ranges).map(range).collect(), by_position }
    }
}

impl Spread {
    /// Of values; all null where one of them is undefined.
    pub fn of(values: &[f64]) -> Self {
        let n = values.len();
        let average = mean(values).filter(|mean| mean.is_finite());
        let sd = average.filter(|_| n > 1).map(|mean| {
            (values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1) as f64).sqrt()
        });
        Self { mean: average, sd, n }
    }
}

impl Spectrum {
    fn of(table: ArrayView2<f64>) -> Result<Self, StatError> {
        let values = singular_values(table)?.to_vec();
        let total: f64 = values.iter().map(|s| s * s).sum();
        let count = |share: f64| {
            let mut sum = 0.0;
            let reached = values.iter().position(|s| {
                sum += s * s;
                sum >= share * total
            });
            Share { share, count: reached.map_or(values.len(), |last| last + 1) }
        };
        let rank = effective_rank(&values);
        Ok(Self {
            shares: [0.6, 0.9, 0.99].map(count).to_vec(),
            effective_rank: Some(rank).filter(|rank| rank.is_finite()),
            singular_values: values,
        })
    }
}

/// [`ControlKind::Random`].
fn random_like(table: ArrayView2<f64>, streams: &Streams) -> Array2<f64> {
    let rms = (table.iter().map(|v| v * v).sum::<f64>() / table.len().max(1) as f64).sqrt();
    let mut rng = streams.rng_for(Stream::Data, "positions/random-table");
    Array2::from_shape_simple_fn(table.dim(), || {
        let draw: f64 = StandardNormal.sample(&mut rng);
        rms * draw
    })
}
