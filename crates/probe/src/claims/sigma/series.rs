//! The runs over σ, and the correlations over them.

use std::collections::BTreeSet;

use rand::RngExt;
use streams::{Stream, Streams};

use super::SigmaPoint;
use crate::claims::{ALPHA, Claim, Interval, LeftOut, Metric, Rule, Runs};
use crate::compare::{Comparison, partial, spearman};
use crate::inference::quantile;
use crate::report::{ProbeReport, State};

/// Resamples of the seeds for an interval.
const RESAMPLES: u64 = 10_000;

/// One run.
#[derive(Debug, Clone, Copy)]
struct Point {
    sigma: f64,
    seed: u64,
    x: f64,
    y: f64,
    /// Root mean square of the final table; NaN where there is none.
    rms: f64,
}

/// The runs of a claim that count, by σ and seed.
pub(super) struct Series {
    pub(super) y: Metric,
    pub(super) left_out: Vec<LeftOut>,
    points: Vec<Point>,
    fewest: usize,
}

impl Series {
    pub(super) fn of(claim: &Claim, runs: &Runs, x: &Metric) -> Self {
        let Rule::SpearmanOverSigma { arms, y, fewest_sigmas, matched_fit, .. } = &claim.rule else {
            return Self { y: x.clone(), left_out: vec![], points: vec![], fewest: 0 };
        };
        let mut series = Self { y: y.clone(), left_out: vec![], points: vec![], fewest: *fewest_sigmas };
        for report in runs.of_claim(claim).filter(|r| r.run.arm.starts_with(arms)) {
            let fit = report.learning.train_full_accuracy;
            let reason = match (report.run.sigma, x.of(report), y.of(report), matched_fit) {
                (None, ..) => "no sigma".to_owned(),
                (_, None, ..) => format!("{x} is undefined or missing"),
                (_, _, None, _) => format!("{y} is undefined or missing"),
                (.., Some(least)) if fit.is_none_or(|fit| fit < *least) => {
                    let got = fit.map_or("unknown".into(), |fit| format!("{fit:.3}"));
                    format!("training accuracy {got}, expected at least {least}")
                }
                (Some(sigma), Some(x), Some(y), _) => {
                    let rms = final_rms(report).unwrap_or(f64::NAN);
                    series.points.push(Point { sigma, seed: report.run.seed, x, y, rms });
                    continue;
                }
            };
            series.left_out.push(LeftOut { arm: report.run.arm.clone(), seed: report.run.seed, reason });
        }
        series.points.sort_by(|a, b| a.sigma.total_cmp(&b.sigma).then(a.seed.cmp(&b.seed)));
        series
    }

    /// Means by σ, each run as often as its seed is in `resample` (once without one).
    pub(super) fn points(&self, resample: Option<&[u64]>) -> Vec<SigmaPoint> {
        let weight = |seed: u64| match resample {
            Some(seeds) => seeds.iter().filter(|&&drawn| drawn == seed).count(),
            None => 1,
        };
        let by_sigma = self.points.chunk_by(|a, b| a.sigma == b.sigma);
        by_sigma
            .filter_map(|points| {
                let runs: usize = points.iter().map(|p| weight(p.seed)).sum();
                let mean = |f: fn(&Point) -> f64| {
                    points.iter().map(|p| weight(p.seed) as f64 * f(p)).sum::<f64>() / runs as f64
                };
                let sigma = points.first()?.sigma;
                let at =
                    |rms: f64| SigmaPoint { sigma, runs, x: mean(|p| p.x), y: mean(|p| p.y), rms: Some(rms) };
                (runs > 0).then(|| at(mean(|p| p.rms)))
            })
            .collect()
    }

    pub(super) fn rho_of_means(&self, resample: Option<&[u64]>) -> Option<f64> {
        let points = self.points(resample);
        rho(points.iter().map(|p| (p.x, p.y)))
    }

    pub(super) fn rho_of_runs(&self) -> Option<f64> {
        rho(self.points.iter().map(|p| (p.x, p.y)))
    }

    /// Of the means by σ, beyond the size of the table.
    pub(super) fn rho_of_means_beyond_norm(&self) -> Option<f64> {
        let points = self.points(None);
        rho_beyond(points.iter().map(|p| (p.x, p.y, p.rms.unwrap_or(f64::NAN))))
    }

    /// Of the runs, beyond the size of the table.
    pub(super) fn rho_of_runs_beyond_norm(&self) -> Option<f64> {
        rho_beyond(self.points.iter().map(|p| (p.x, p.y, p.rms)))
    }

    pub(super) fn rho_of_sigma(&self) -> Option<f64> {
        rho(self.points(None).iter().map(|p| (p.sigma, p.y)))
    }

    /// The correlation within each seed that has enough values of σ.
    pub(super) fn within_seed(&self) -> Vec<(u64, f64)> {
        let of = |seed: u64| {
            let own: Vec<&Point> = self.points.iter().filter(|p| p.seed == seed).collect();
            (own.len() >= self.fewest).then(|| rho(own.iter().map(|p| (p.x, p.y)))).flatten()
        };
        self.seeds().into_iter().filter_map(|seed| Some((seed, of(seed)?))).collect()
    }

    /// Percentile interval of the correlation of means, seeds drawn with replacement.
    pub(super) fn bootstrap(&self) -> Option<Interval> {
        let seeds = self.seeds();
        let streams = Streams::new(0);
        let mut rhos: Vec<f64> = (0..RESAMPLES)
            .filter_map(|index| {
                let mut rng = streams.rng_at(Stream::Bootstrap, index);
                let drawn: Vec<u64> = seeds.iter().map(|_| seeds[rng.random_range(0..seeds.len())]).collect();
                self.rho_of_means(Some(&drawn))
            })
            .collect();
        rhos.sort_by(f64::total_cmp);
        Some(Interval {
            low: quantile(&rhos, ALPHA / 2.0)?,
            high: quantile(&rhos, 1.0 - ALPHA / 2.0)?,
            level: 1.0 - ALPHA,
            method: "bootstrap-by-seed".into(),
        })
    }

    fn seeds(&self) -> Vec<u64> {
        self.points.iter().map(|p| p.seed).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Spearman correlation, `None` where undefined.
fn rho(pairs: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.unzip();
    spearman(&x, &y).ok().filter(|rho| !rho.is_nan())
}

/// Partial Spearman correlation of x and y given z: from the three correlations of ranks. `None` where undefined, as
/// where z orders the points as x or y does.
fn rho_beyond(triples: impl Iterator<Item = (f64, f64, f64)>) -> Option<f64> {
    let triples: Vec<_> = triples.collect();
    let column = |f: fn(&(f64, f64, f64)) -> f64| triples.iter().map(f).collect::<Vec<f64>>();
    let (x, y, z) = (column(|t| t.0), column(|t| t.1), column(|t| t.2));
    partial(&x, &y, &z, Comparison::Spearman).ok().filter(|rho| rho.is_finite())
}

fn final_rms(report: &ProbeReport) -> Option<f64> {
    let table = report.tables.iter().find(|t| t.table == "all" && t.state == State::Final)?;
    table.norms.rms
}
