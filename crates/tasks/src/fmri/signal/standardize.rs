//! z-scores and percent signal change.

use ndarray::Array2;

/// A series whose standard deviation is below this share of its largest value is constant but for rounding.
const CONSTANT: f64 = 1e-12;

/// How series are standardized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standardize {
    /// Not at all.
    #[default]
    No,
    /// Mean 0, standard deviation 1 (with n - 1); a constant series gives 0.
    ZScore,
    /// Percent of the absolute mean.
    PercentChange,
}

/// Mean 0 and standard deviation 1 (with n - 1) in each column. `scales` are the largest absolute values before
/// cleaning: a column that varies by less than rounding of these is constant and gives 0.
pub fn z_score(series: &mut Array2<f64>, scales: &[f64]) {
    let frames = series.nrows() as f64;
    for (mut column, scale) in series.columns_mut().into_iter().zip(scales) {
        let mean = column.sum() / frames;
        column -= mean;
        let deviation = (column.iter().map(|value| value * value).sum::<f64>() / (frames - 1.0)).sqrt();
        if deviation > CONSTANT * scale {
            column /= deviation;
        } else if deviation.is_finite() {
            column.fill(0.0);
        }
    }
}

/// As [`z_score`], with every step rounded to f32, as nilearn computes series of unscaled float32 files.
pub(super) fn z_score_f32(series: &mut Array2<f64>) {
    let frames = series.nrows() as f32;
    for mut column in series.columns_mut() {
        let mean = |values: &[f32]| values.iter().fold(0.0, |sum, value| sum + value) / frames;
        let mut values: Vec<f32> = column.iter().map(|value| *value as f32).collect();
        let level = mean(&values);
        values.iter_mut().for_each(|value| *value -= level);
        // The standard deviation subtracts the mean that rounding has left.
        let rest = mean(&values);
        let squares = values.iter().fold(0.0, |sum, value| sum + (value - rest) * (value - rest));
        let deviation = (squares / (frames - 1.0)).sqrt();
        let deviation = if f64::from(deviation) < f64::EPSILON { 1.0 } else { deviation };
        column.iter_mut().zip(values).for_each(|(value, single)| *value = f64::from(single / deviation));
    }
}

/// Percent of the absolute mean; a column of mean 0 has none and gives 0.
pub fn percent_change(series: &mut Array2<f64>) {
    let frames = series.nrows() as f64;
    for mut column in series.columns_mut() {
        let mean = column.sum() / frames;
        if mean.abs() < f64::EPSILON {
            column.fill(0.0);
        } else {
            column.mapv_inplace(|value| (value - mean) / mean.abs() * 100.0);
        }
    }
}
