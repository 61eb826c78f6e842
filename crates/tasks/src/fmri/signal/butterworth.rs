//! Design of digital Butterworth filters as second-order sections.
//!
//! The steps of `scipy.signal.butter(..., output="sos")`: analog prototype, change of band, bilinear transform,
//! pairing of the poles nearest to the unit circle with their nearest zeros. Zeros here are 1, -1 and 0 only.

use num_complex::Complex64;
use std::f64::consts::PI;

use crate::fmri::error::{FmriError, Result};

/// The order that nilearn uses.
pub const ORDER: usize = 5;

/// A section of second order: `b0 b1 b2 a0 a1 a2`, with a0 = 1.
pub type Section = [f64; 6];

/// The frequencies that pass, in Hz.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Band {
    /// Frequencies above this are removed.
    pub low_pass: Option<f64>,
    /// Frequencies below this are removed.
    pub high_pass: Option<f64>,
}

impl Band {
    /// Whether all frequencies pass.
    pub fn is_all(&self) -> bool {
        self.low_pass.is_none() && self.high_pass.is_none()
    }

    /// The sections of the filter of order [`ORDER`] at a sampling rate in Hz; none if all frequencies pass.
    ///
    /// # Errors
    /// If a frequency is not between 0 and half the sampling rate, or if they are not in order.
    pub fn sections(&self, rate: f64) -> Result<Vec<Section>> {
        let nyquist = rate / 2.0;
        let check = |key, frequency: Option<f64>| match frequency {
            Some(hertz) if !(hertz > 0.0 && hertz < nyquist) => Err(FmriError::setting(
                key,
                format!("a frequency between 0 and {nyquist} Hz (half the frames a second)"),
                hertz,
            )),
            other => Ok(other),
        };
        let warped = |hertz: f64| 4.0 * (PI * hertz / rate).tan();
        match (check("high_pass", self.high_pass)?, check("low_pass", self.low_pass)?) {
            (None, None) => Ok(Vec::new()),
            (Some(high), None) => Ok(high_pass(warped(high)).sections()),
            (None, Some(low)) => Ok(low_pass(warped(low)).sections()),
            (Some(high), Some(low)) if high < low => Ok(band_pass(warped(high), warped(low)).sections()),
            (Some(high), Some(low)) => {
                Err(FmriError::setting("high_pass", format!("less than low_pass ({low} Hz)"), high))
            }
        }
    }

    /// As nilearn treats frequencies that no digital filter has: moved just below half the rate, or just above 0.
    /// A band of one frequency is no filter.
    pub(crate) fn clamped(&self, rate: f64) -> Band {
        let (nyquist, epsilon) = (rate / 2.0, f64::from(f32::EPSILON));
        let clamp = |hertz: f64| {
            if hertz >= nyquist {
                nyquist - nyquist * 10.0 * epsilon
            } else if hertz < 0.0 {
                nyquist * epsilon
            } else {
                hertz
            }
        };
        let band = Band { low_pass: self.low_pass.map(clamp), high_pass: self.high_pass.map(clamp) };
        let is_empty = band.low_pass.is_some() && band.low_pass == band.high_pass;
        let is_all = is_empty && self.low_pass != self.high_pass;
        if is_all { Band::default() } else { band }
    }
}

/// Zeros, poles and gain.
struct Zpk {
    zeros: Vec<f64>,
    poles: Vec<Complex64>,
    gain: f64,
}

/// The poles of the analog low-pass filter of 1 rad/s, on the left half of the unit circle.
fn prototype() -> Vec<Complex64> {
    let angle = |index: usize| {
        // From -(n - 1) to n - 1 in steps of two.
        let m = 2.0 * index as f64 - (ORDER as f64 - 1.0);
        if m == 0.0 { Complex64::new(-1.0, 0.0) } else { -Complex64::cis(PI * m / (2.0 * ORDER as f64)) }
    };
    (0..ORDER).map(angle).collect()
}

fn low_pass(edge: f64) -> Zpk {
    let poles = prototype().into_iter().map(|pole| pole * edge).collect();
    bilinear(0, poles, edge.powi(ORDER as i32))
}

fn high_pass(edge: f64) -> Zpk {
    // The product of the negated prototype poles is 1, so that the gain is.
    let poles = prototype().into_iter().map(|pole| edge / pole).collect();
    bilinear(ORDER, poles, 1.0)
}

fn band_pass(lower: f64, upper: f64) -> Zpk {
    let (width, centre) = (upper - lower, (lower * upper).sqrt());
    let scaled: Vec<Complex64> = prototype().into_iter().map(|pole| pole * width / 2.0).collect();
    let root = |pole: &Complex64| (pole * pole - centre * centre).sqrt();
    let plus = scaled.iter().map(|pole| pole + root(pole));
    let poles = plus.chain(scaled.iter().map(|pole| pole - root(pole))).collect();
    bilinear(ORDER, poles, width.powi(ORDER as i32))
}

/// From the analog plane to the unit circle, at two samples a second. `origin` zeros lie at 0, the others at infinity.
fn bilinear(origin: usize, analog: Vec<Complex64>, gain: f64) -> Zpk {
    let at_infinity = analog.len() - origin;
    let zeros = [vec![1.0; origin], vec![-1.0; at_infinity]].concat();
    let product: Complex64 = analog.iter().map(|pole| 4.0 - pole).product();
    let gain = gain * (4f64.powi(origin as i32) / product).re;
    let poles = analog.iter().map(|pole| (4.0 + pole) / (4.0 - pole)).collect();
    Zpk { zeros, poles, gain }
}

/// Below this an imaginary part is rounding.
const REAL: f64 = 1e-12;

impl Zpk {
    fn sections(self) -> Vec<Section> {
        let Zpk { mut zeros, poles, gain } = self;
        // One of each pair of conjugates.
        let mut complex: Vec<Complex64> = poles.iter().copied().filter(|pole| pole.im > REAL).collect();
        let mut real: Vec<f64> =
            poles.iter().filter(|pole| pole.im.abs() <= REAL).map(|pole| pole.re).collect();
        if poles.len() % 2 == 1 {
            real.push(0.0);
            zeros.push(0.0);
        }
        let mut sections = Vec::new();
        while let Some(pair) = worst(&mut complex, &mut real) {
            let (near, sum, product) = pair;
            let zero_1 = nearest(&mut zeros, near);
            let zero_2 = nearest(&mut zeros, near);
            sections.push([1.0, -(zero_1 + zero_2), zero_1 * zero_2, 1.0, -sum, product]);
        }
        sections.reverse();
        if let Some(first) = sections.first_mut() {
            first[..3].iter_mut().for_each(|coefficient| *coefficient *= gain);
        }
        sections
    }
}

/// Takes the pole nearest to the unit circle with its partner: where to look for zeros, and the sum and the product
/// of both. A real pole's partner is the next worst real one, and both zeros are sought near the first.
fn worst(complex: &mut Vec<Complex64>, real: &mut Vec<f64>) -> Option<(Complex64, f64, f64)> {
    let distance = |radius: f64| (1.0 - radius).abs();
    let best = |radii: &mut dyn Iterator<Item = f64>| {
        radii.enumerate().min_by(|a, b| distance(a.1).total_cmp(&distance(b.1)))
    };
    let from_complex = best(&mut complex.iter().map(|pole| pole.norm()));
    let from_real = best(&mut real.iter().map(|pole| pole.abs()));
    match (from_complex, from_real) {
        (Some((index, radius)), other)
            if other.is_none_or(|(_, other)| distance(radius) <= distance(other)) =>
        {
            let pole = complex.remove(index);
            Some((pole, 2.0 * pole.re, pole.norm_sqr()))
        }
        (_, Some((index, _))) => {
            let first = real.remove(index);
            let (index, _) = best(&mut real.iter().map(|pole| pole.abs()))?;
            let second = real.remove(index);
            Some((Complex64::from(first), first + second, first * second))
        }
        _ => None,
    }
}

/// Takes the zero nearest to a pole.
fn nearest(zeros: &mut Vec<f64>, pole: Complex64) -> f64 {
    let distances = zeros.iter().map(|zero| (pole - zero).norm()).enumerate();
    match distances.min_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((index, _)) => zeros.remove(index),
        // As many zeros as poles: never.
        None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// |H|² at a frequency, as a share of the sampling rate.
    fn power(sections: &[Section], frequency: f64) -> f64 {
        let z = Complex64::cis(-2.0 * PI * frequency);
        let gain = |s: &Section| (s[0] + z * (s[1] + z * s[2])) / (s[3] + z * (s[4] + z * s[5]));
        sections.iter().map(gain).product::<Complex64>().norm_sqr()
    }

    #[test]
    fn half_of_the_power_passes_at_each_edge() {
        for (rate, low, high) in
            [(0.5, 0.1, 0.01), (1.0 / 0.72, 0.2, 0.008), (1.0, 0.3, 0.25), (2.0, 0.9, 0.05)]
        {
            let band = Band { low_pass: Some(low), high_pass: Some(high) };
            for band in [band, Band { low_pass: None, ..band }, Band { high_pass: None, ..band }] {
                let sections = band.sections(rate).unwrap();
                for edge in [band.low_pass, band.high_pass].into_iter().flatten() {
                    assert!((power(&sections, edge / rate) - 0.5).abs() < 1e-9, "{band:?}");
                }
                let centre = match (band.low_pass, band.high_pass) {
                    (Some(low), Some(high)) => {
                        let tan = |hertz: f64| (PI * hertz / rate).tan();
                        (tan(low) * tan(high)).sqrt().atan() / PI
                    }
                    (Some(_), None) => 0.0,
                    _ => 0.5,
                };
                assert!((power(&sections, centre) - 1.0).abs() < 1e-9, "{band:?}");
            }
        }
    }

    #[test]
    fn frequencies_that_no_filter_has_are_refused() {
        let band = |low_pass, high_pass| Band { low_pass, high_pass };
        for wrong in [
            band(Some(0.25), None),
            band(None, Some(0.0)),
            band(Some(f64::NAN), None),
            band(Some(0.1), Some(0.1)),
        ] {
            assert!(wrong.sections(0.5).is_err(), "{wrong:?}");
        }
        assert!(band(None, None).sections(0.5).unwrap().is_empty());
    }
}
