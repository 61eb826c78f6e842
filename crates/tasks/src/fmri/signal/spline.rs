//! Cubic splines, to bridge frames that were scrubbed before a filter.

/// The natural parameters of a cubic spline without knots at its second and last but one points ("not-a-knot", as
/// `scipy.interpolate.CubicSpline`), through `values` at `times`, evaluated at `at`.
///
/// `times` increase, and all of `at` lie between the first and the last of them. Four points are needed; through
/// fewer, the polynomial of the highest degree is laid.
pub fn not_a_knot(times: &[f64], values: &[f64], at: &[f64]) -> Vec<f64> {
    if times.len() < 4 {
        return at.iter().map(|time| lagrange(times, values, *time)).collect();
    }
    let slopes = slopes(times, values);
    let evaluate = |time: &f64| {
        let after = times.partition_point(|knot| knot <= time).clamp(1, times.len() - 1);
        let (left, width) = (after - 1, times[after] - times[after - 1]);
        let t = time - times[left];
        let secant = (values[after] - values[left]) / width;
        // Hermite form in powers of t.
        let cubic = (slopes[left] + slopes[after] - 2.0 * secant) / (width * width);
        let square = (3.0 * secant - 2.0 * slopes[left] - slopes[after]) / width;
        values[left] + t * (slopes[left] + t * (square + t * cubic))
    };
    at.iter().map(evaluate).collect()
}

/// The derivatives at the knots: a tridiagonal system, solved without pivoting (it is diagonally dominant inside).
fn slopes(times: &[f64], values: &[f64]) -> Vec<f64> {
    let n = times.len();
    let width: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let secant: Vec<f64> =
        values.windows(2).zip(&width).map(|(pair, width)| (pair[1] - pair[0]) / width).collect();
    let (mut lower, mut diagonal, mut upper, mut right) =
        (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let both = width[0] + width[1];
    (diagonal[0], upper[0]) = (width[1], both);
    right[0] = ((width[0] + 2.0 * both) * width[1] * secant[0] + width[0] * width[0] * secant[1]) / both;
    for i in 1..n - 1 {
        lower[i] = width[i];
        diagonal[i] = 2.0 * (width[i - 1] + width[i]);
        upper[i] = width[i - 1];
        right[i] = 3.0 * (width[i] * secant[i - 1] + width[i - 1] * secant[i]);
    }
    let (last, before) = (width[n - 2], width[n - 3]);
    let both = last + before;
    (lower[n - 1], diagonal[n - 1]) = (both, before);
    right[n - 1] = (last * last * secant[n - 3] + (2.0 * both + last) * before * secant[n - 2]) / both;
    for i in 1..n {
        let factor = lower[i] / diagonal[i - 1];
        diagonal[i] -= factor * upper[i - 1];
        right[i] -= factor * right[i - 1];
    }
    right[n - 1] /= diagonal[n - 1];
    for i in (0..n - 1).rev() {
        right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i];
    }
    right
}

fn lagrange(times: &[f64], values: &[f64], time: f64) -> f64 {
    let weight = |j: usize| {
        let others = (0..times.len()).filter(|&k| k != j);
        others.map(|k| (time - times[k]) / (times[j] - times[k])).product::<f64>()
    };
    values.iter().enumerate().map(|(j, value)| value * weight(j)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A spline without a knot at two ends reproduces every cubic.
    #[test]
    fn cubics_are_met_exactly() {
        let cubic = |t: f64| 2.0 - t + 0.5 * t * t - 0.125 * t * t * t;
        for times in [vec![0.0, 1.0, 3.0, 4.0], vec![0.0, 1.0, 2.0, 6.0, 7.0, 7.5, 9.0]] {
            let values: Vec<f64> = times.iter().map(|t| cubic(*t)).collect();
            let at: Vec<f64> = (0..=40)
                .map(|step| times[0] + (times[times.len() - 1] - times[0]) * f64::from(step) / 40.0)
                .collect();
            for (value, time) in not_a_knot(&times, &values, &at).iter().zip(&at) {
                assert!((value - cubic(*time)).abs() < 1e-10, "{time}");
            }
        }
        assert!((not_a_knot(&[0.0, 2.0, 3.0], &[0.0, 4.0, 9.0], &[1.0])[0] - 1.0).abs() < 1e-12);
    }
}
