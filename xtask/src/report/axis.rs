//! From values to pixels, and the ticks between.

use super::numbers::fixed;

/// One axis of a plot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// The end at the left, or below; of a logarithmic axis, its power of ten.
    pub low: f64,
    pub high: f64,
    is_logarithmic: bool,
}

impl Axis {
    pub(super) fn new(label: &str, low: f64, high: f64) -> Self {
        Self { label: label.to_owned(), low, high, is_logarithmic: false }
    }

    /// Logarithmic, from power to power of ten around all values. What is not above 0 has no place on it.
    pub(super) fn powers(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for power in values.into_iter().map(f64::log10).filter(|power| power.is_finite()) {
            (low, high) = (low.min((power + 1e-9).floor()), high.max((power - 1e-9).ceil()));
        }
        if low > high {
            (low, high) = (-1.0, 0.0);
        }
        Self { is_logarithmic: true, ..Self::new(label, low, high.max(low + 1.0)) }
    }

    /// Where a value lies: 0 at the low end, 1 at the high one.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.is_logarithmic { value.log10() } else { value };
        (value - self.low) / (self.high - self.low)
    }

    /// Wide enough for all values, from tick to tick. Values that are not finite are passed over.
    pub(super) fn around(label: &str, values: impl IntoIterator<Item = f64>) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low < 1e-12 * high.abs().max(1e-12) {
            let half = if high == 0.0 { 0.5 } else { 0.5 * high.abs() };
            (low, high) = (low - half, high + half);
        }
        // A value on the frame would be half hidden; 0 is a frame of its own.
        let pad = 0.02 * (high - low);
        let from_tick_to_tick = |step: f64| {
            let low = if low >= 0.0 && low - pad < 0.0 { 0.0 } else { ((low - pad) / step).floor() * step };
            (low, ((high + pad) / step).ceil() * step)
        };
        // The wider axis may have wider ticks.
        let (wider, end) = from_tick_to_tick(step_for(high - low));
        let (low, high) = from_tick_to_tick(step_for(end - wider));
        Self::new(label, low, high)
    }

    /// Per cent from 0 to 100.
    pub(super) fn percent(label: &str) -> Self {
        Self::new(&format!("{label} (%)"), 0.0, 100.0)
    }

    /// The ticks within the axis, with their labels.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        if self.is_logarithmic {
            let step = ((self.high - self.low) / 8.0).ceil().max(1.0) as usize;
            let powers = (self.low as i32..=self.high as i32).rev().step_by(step);
            return powers.map(|power| (10f64.powi(power), power_of_ten(power))).collect();
        }
        let step = step_for(self.high - self.low);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step - 1e-9).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|i| i as f64 * step).map(|tick| (tick, fixed(tick, decimals))).collect()
    }
}

fn power_of_ten(power: i32) -> String {
    match power {
        0.. => fixed(10f64.powi(power), 0),
        -3..0 => fixed(10f64.powi(power), power.unsigned_abs() as usize),
        _ => format!("1e−{}", power.unsigned_abs()),
    }
}

/// 1, 2 or 5 times a power of ten: four to eight ticks.
fn step_for(span: f64) -> f64 {
    let raw = span / 5.0;
    let power = 10f64.powf(raw.log10().floor());
    let lead = raw / power;
    power
        * if lead < 1.5 {
            1.0
        } else if lead < 3.5 {
            2.0
        } else if lead < 7.5 {
            5.0
        } else {
            10.0
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_values() {
        let labels = |axis: &Axis| axis.ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(&Axis::percent("accuracy")), ["0", "20", "40", "60", "80", "100"]);
        let axis = Axis::around("x", [0.07, 0.93, f64::NAN]);
        assert_eq!((axis.low, axis.high), (0.0, 1.0));
        let axis = Axis::around("x", [-0.11, 0.55]);
        assert!(axis.low <= -0.11 && axis.high >= 0.55 && labels(&axis).contains(&"0.0".to_owned()));
        for same in [0.0, 3.0, -2.0] {
            let axis = Axis::around("x", [same]);
            assert!(axis.low < same && same < axis.high && axis.ticks().len() > 2, "{axis:?}");
        }
        assert!(Axis::around("x", []).low < Axis::around("x", []).high);
    }

    #[test]
    fn powers_of_ten_are_evenly_apart() {
        let axis = Axis::powers("x", [1.0, 0.02, 2e-5, 0.0, -1.0, f64::NAN]);
        let ticks = axis.ticks();
        let labels: Vec<&str> = ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["1", "0.1", "0.01", "0.001", "1e−4", "1e−5"]);
        for (i, (tick, _)) in ticks.iter().enumerate() {
            assert!((axis.place(*tick) - (1.0 - i as f64 / 5.0)).abs() < 1e-9, "{tick}");
        }
        assert!(Axis::powers("x", []).ticks().len() > 1);
        assert_eq!(Axis::new("x", 2.0, 4.0).place(3.0), 0.5);
    }
}
