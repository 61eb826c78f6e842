//! How long a series remembers itself.

use ndarray::ArrayView2;

/// The window of the sum of autocorrelations, in autocorrelation times (Sokal's rule).
const WINDOW: f64 = 5.0;

/// The integrated autocorrelation time in frames, 1 + 2 Σ ρ(k), of the autocorrelation pooled over columns
/// (`series`: `[frames, columns]`); the sum ends at the first lag of at least five times its own value (Sokal 1997), or
/// at half of the recording.
pub fn autocorrelation_time(series: ArrayView2<f64>) -> f64 {
    let frames = series.nrows();
    let columns: Vec<Vec<f64>> =
        series.columns().into_iter().map(|column| centred(&column.to_vec())).collect();
    let mut time = 1.0;
    for lag in 1..=frames / 2 {
        let product = |column: &Vec<f64>| column.iter().zip(&column[lag..]).map(|(a, b)| a * b).sum::<f64>();
        time += 2.0 * columns.iter().map(product).sum::<f64>() / columns.len().max(1) as f64;
        if lag as f64 >= WINDOW * time {
            break;
        }
    }
    f64::max(time, 1.0)
}

/// Mean 0 and sum of squares 1; a constant column is all 0.
fn centred(column: &[f64]) -> Vec<f64> {
    let mean = column.iter().sum::<f64>() / column.len() as f64;
    let norm = column.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>().sqrt();
    let scale = if norm > 0.0 { 1.0 / norm } else { 0.0 };
    column.iter().map(|value| (value - mean) * scale).collect()
}
