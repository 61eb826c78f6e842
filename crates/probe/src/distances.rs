//! Euclidean distances between all rows, in parallel.

use ndarray::{ArrayView2, ArrayViewMut1, Zip, s};
use rayon::prelude::*;

use crate::rdm::{Rdm, pairs};

/// The distances between the rows of `x` [n, d] in condensed order.
///
/// Differences are squared and summed column by column: no cancellation as with `|x|² + |y|² - 2 x·y`, and
/// one pair's sum has the same order whatever the threads.
pub(crate) fn euclidean(x: ArrayView2<f64>) -> Vec<f64> {
    let n = x.nrows();
    let mut values = vec![0.0; pairs(n)];
    let columns = x.t().as_standard_layout().into_owned();
    let mut segments = Vec::with_capacity(n);
    let mut rest = values.as_mut_slice();
    for row in 0..n {
        let (segment, later) = rest.split_at_mut(n - 1 - row);
        segments.push(segment);
        rest = later;
    }
    segments.into_par_iter().enumerate().for_each(|(row, segment)| {
        for column in columns.rows() {
            let own = column[row];
            Zip::from(ArrayViewMut1::from(&mut *segment))
                .and(column.slice(s![row + 1..]))
                .for_each(|sum, other| *sum += (other - own) * (other - own));
        }
        segment.iter_mut().for_each(|sum| *sum = sum.sqrt());
    });
    values
}

/// The median over items of the distance to the nearest other place; places shared with others are passed over.
pub(crate) fn typical_step(distances: &Rdm) -> f64 {
    let n = distances.conditions();
    let nearest = |i: usize| {
        let others = (0..n).filter_map(|j| distances.get(i, j)).filter(|distance| *distance > 0.0);
        others.fold(f64::INFINITY, f64::min)
    };
    median(&(0..n).map(nearest).collect::<Vec<f64>>())
}

/// The median (the mean of the middle two), NaN of nothing.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    let middle = sorted.len() / 2;
    if sorted.is_empty() {
        return f64::NAN;
    }
    let (below, &mut upper, _) = sorted.select_nth_unstable_by(middle, f64::total_cmp);
    match values.len() % 2 {
        1 => upper,
        _ => (below.iter().copied().fold(f64::NEG_INFINITY, f64::max) + upper) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdm::Measure;
    use ndarray::Array2;

    #[test]
    fn they_are_those_of_an_rdm_also_of_a_strided_view() {
        let x = Array2::from_shape_fn((9, 7), |(i, j)| ((i * 31 + j * 17) % 23) as f64 * 0.37);
        for view in [x.view(), x.t(), x.slice(s![..;2, 1..;3]), x.slice(s![..1, ..]), x.slice(s![.., ..0])] {
            let rdm = Rdm::of_rows(view, Measure::Euclidean).unwrap();
            for (got, expected) in euclidean(view).iter().zip(rdm.values()) {
                approx::assert_abs_diff_eq!(*got, *expected, epsilon = 1e-12);
            }
        }
        assert!(euclidean(Array2::zeros((0, 3)).view()).is_empty());
    }

    #[test]
    fn medians() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 3.0, 2.0])), (2.0, 2.5));
        assert!(median(&[]).is_nan());
    }
}
