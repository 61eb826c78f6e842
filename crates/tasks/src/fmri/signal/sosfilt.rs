//! Filtering forward and backward, so that no phase is shifted.

use ndarray::Array2;

use super::butterworth::Section;
use crate::fmri::error::{FmriError, Result};

/// How many frames a series is continued at both ends: as `scipy.signal.sosfiltfilt` does.
pub fn padding(sections: &[Section]) -> usize {
    let without = |index: usize| sections.iter().filter(|section| section[index] == 0.0).count();
    3 * (2 * sections.len() + 1 - without(2).min(without(5)))
}

/// Filters each column forward and backward. The series is continued by its point reflection at both ends, and the
/// filter starts as if the first value had been there forever.
///
/// # Errors
/// If the series is not longer than its [`padding`].
pub fn filter_forward_backward(sections: &[Section], series: &mut Array2<f64>) -> Result<()> {
    let edge = padding(sections);
    if series.nrows() <= edge {
        let expected = format!("more than {edge} frames, to filter forward and backward");
        return Err(FmriError::setting(
            "low_pass, high_pass",
            expected,
            format!("{} frames", series.nrows()),
        ));
    }
    for mut column in series.columns_mut() {
        let values = column.to_vec();
        let mut extended = reflected(&values, edge);
        run(sections, &mut extended);
        extended.reverse();
        run(sections, &mut extended);
        extended.reverse();
        column.iter_mut().zip(&extended[edge..]).for_each(|(value, filtered)| *value = *filtered);
    }
    Ok(())
}

/// The values with `edge` more at each end, reflected at the end points.
fn reflected(values: &[f64], edge: usize) -> Vec<f64> {
    let last = values.len() - 1;
    let before = (1..=edge).rev().map(|step| 2.0 * values[0] - values[step]);
    let after = (1..=edge).map(|step| 2.0 * values[last] - values[last - step]);
    before.chain(values.iter().copied()).chain(after).collect()
}

/// Runs the cascade in place, in transposed direct form II.
fn run(sections: &[Section], values: &mut [f64]) {
    let Some(&first) = values.first() else { return };
    let mut level = first;
    for &[b0, b1, b2, _, a1, a2] in sections {
        // The state in which a constant input of `level` gives a constant output.
        let gain = (b0 + b1 + b2) / (1.0 + a1 + a2);
        let (mut s1, mut s2) = ((gain - b0) * level, (b2 - a2 * gain) * level);
        level *= gain;
        for value in values.iter_mut() {
            let input = *value;
            let output = b0 * input + s1;
            s1 = b1 * input - a1 * output + s2;
            s2 = b2 * input - a2 * output;
            *value = output;
        }
    }
}
