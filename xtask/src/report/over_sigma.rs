//! One number of every run against the initial σ of its encoding; encodings without σ stand beside.

use super::axis::Axis;
use super::drawing::Drawing;
use super::legend::Entry;
use super::numbers::{FEW, summary};
use super::plot::{Level, Mark, Plot};
use super::series::Arm;

/// What is drawn.
pub(super) struct OverSigma<'a> {
    pub title: &'a str,
    pub y: Axis,
    pub arms: Vec<ArmValues<'a>>,
    /// To compare with.
    pub published: Vec<PublishedValue>,
    pub levels: Vec<Level>,
}

/// The runs of an arm.
pub(super) struct ArmValues<'a> {
    pub arm: &'a Arm,
    /// One value a run.
    pub values: Vec<f64>,
    /// Whether all its runs have fitted their training data.
    pub is_fitted: bool,
}

/// A published figure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PublishedValue {
    pub arm: String,
    pub sigma: Option<f64>,
    pub mean: f64,
    pub sd: f64,
}

/// Pixels between the axis and the categories.
const GAP: f64 = 22.0;

/// Pixels between a mark of ours and the published one beside it.
const BESIDE: f64 = 8.0;

impl OverSigma<'_> {
    pub(super) fn draw(self, size: (f64, f64)) -> Drawing {
        let learned: Vec<&ArmValues> = self.arms.iter().filter(|arm| arm.arm.sigma.is_some()).collect();
        let fixed: Vec<&ArmValues> = self.arms.iter().filter(|arm| arm.arm.sigma.is_none()).collect();
        let sigmas = learned.iter().filter_map(|arm| arm.arm.sigma);
        let published = self.published.iter().filter_map(|value| value.sigma);
        let highest = sigmas.chain(published).fold(0.0f64, f64::max).max(0.1);
        // Many categories must leave room for the axis.
        let width = if fixed.len() > 2 { 23.0 } else { 34.0 };
        let strip = if fixed.is_empty() { 0.0 } else { GAP + width * fixed.len() as f64 };
        let x = Axis::new("initial σ (learned)", 0.0, 1.06 * highest);
        let mut plot = Plot::new(self.title, size, x, self.y, strip);
        for level in &self.levels {
            plot.level(level);
        }
        let mut over: Vec<(f64, f64, f64)> =
            self.published.iter().filter_map(|p| Some((p.sigma?, p.mean, p.sd))).collect();
        over.sort_by(|a, b| a.0.total_cmp(&b.0));
        plot.band("z w", &over.iter().map(|&(x, mean, sd)| (x, mean - sd, mean + sd)).collect::<Vec<_>>());
        plot.line("l w", &over.iter().map(|&(x, mean, _)| (x, mean)).collect::<Vec<_>>());
        if over.len() == 1 {
            let (sigma, mean, sd) = over[0];
            let x = plot.x_at(sigma) - BESIDE;
            published_bar(&mut plot, x, mean, sd);
        }

        let means: Vec<(f64, f64)> =
            learned.iter().filter_map(|arm| Some((arm.arm.sigma?, summary(&arm.values)?.mean))).collect();
        if means.len() > 2 {
            plot.line("n k0", &means);
        }
        for arm in learned {
            let x = plot.x_at(arm.arm.sigma.unwrap_or(0.0));
            arm.draw(&mut plot, x);
        }
        if !fixed.is_empty() {
            plot.divide();
        }
        for (index, arm) in fixed.iter().enumerate() {
            let x = plot.category(GAP + (index as f64 + 0.5) * width, &arm.arm.name);
            for known in self.published.iter().filter(|known| known.arm == arm.arm.name) {
                published_bar(&mut plot, x - BESIDE, known.mean, known.sd);
            }
            arm.draw(&mut plot, x);
        }
        plot.drawing
    }

    /// What the marks mean.
    pub(super) fn legend(&self) -> Vec<Entry> {
        let counts = || self.arms.iter().map(|arm| arm.values.len()).filter(|n| *n > 0);
        let mut entries = Vec::new();
        if counts().any(|n| n >= FEW) {
            entries.push(Entry::bar("k0", "mean ± sd over seeds"));
        }
        if counts().any(|n| n < FEW) {
            entries.push(Entry::point("k0", Mark::Full, "single seeds (fewer than 6: no spread)"));
            entries.push(Entry::line("k0", "their mean"));
        }
        if self.arms.iter().any(|arm| !arm.is_fitted && !arm.values.is_empty()) {
            entries.push(Entry::point("k0", Mark::Open, "training data not fitted"));
        }
        if !self.published.is_empty() {
            entries.push(Entry::band("w", "published, mean ± sd over 15 seeds"));
        }
        entries
    }
}

impl ArmValues<'_> {
    fn draw(&self, plot: &mut Plot, x: f64) {
        let class = self.arm.class.as_str();
        let Some(of) = summary(&self.values) else { return };
        if self.values.len() >= FEW {
            let sd = of.sd.unwrap_or(0.0);
            plot.bar(class, x, of.mean - sd, of.mean + sd);
            plot.point(class, if self.is_fitted { Mark::Full } else { Mark::Open }, x, of.mean);
            return;
        }
        plot.dash(class, x, of.mean, 8.0);
        for &value in &self.values {
            plot.point(class, if self.is_fitted { Mark::Full } else { Mark::Open }, x, value);
        }
    }
}

fn published_bar(plot: &mut Plot, x: f64, mean: f64, sd: f64) {
    plot.bar("w", x, mean - sd, mean + sd);
    plot.point("w", Mark::Full, x, mean);
}
