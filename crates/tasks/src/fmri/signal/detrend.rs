//! Removal of mean and linear trend.

use ndarray::Array2;

/// Removes from each column its mean and its least-squares line over frames at equal distances. A single frame stays
/// as it is.
pub fn detrend(series: &mut Array2<f64>) {
    let times: Vec<f64> = (0..series.nrows()).map(|frame| frame as f64).collect();
    detrend_at(series, &times);
}

/// As [`detrend`], with the time of each frame: after scrubbing, frames are not at equal distances.
pub fn detrend_at(series: &mut Array2<f64>, times: &[f64]) {
    let frames = series.nrows() as f64;
    if series.nrows() < 2 {
        return;
    }
    let mean = times.iter().sum::<f64>() / frames;
    let norm = times.iter().map(|time| (time - mean) * (time - mean)).sum::<f64>().sqrt();
    let line: Vec<f64> = times.iter().map(|time| (time - mean) / norm).collect();
    for mut column in series.columns_mut() {
        let level = column.sum() / frames;
        column -= level;
        let slope: f64 = column.iter().zip(&line).map(|(value, along)| value * along).sum();
        column.iter_mut().zip(&line).for_each(|(value, along)| *value -= slope * along);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_vanish_at_any_times() {
        let times = [0.0, 1.0, 2.0, 5.0, 7.0, 8.0];
        let mut series =
            Array2::from_shape_fn((6, 2), |(frame, column)| 3.0 + times[frame] * (column as f64 - 4.0));
        detrend_at(&mut series, &times);
        assert!(series.iter().all(|value| value.abs() < 1e-12), "{series}");
    }
}
