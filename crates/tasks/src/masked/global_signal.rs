//! The mean over nodes as something to be removed.

use std::ops::Range;

use ndarray::{ArrayViewMut2, s};

use super::baseline::Moments;
use super::{MaskedError, Standardizer};

/// What is left of a node that is the global signal itself, as a share of its variance.
const NOTHING: f64 = 1e-9;

/// Regresses the global signal out of every node of one recording, `[frames, nodes]`, in place. Means, standard
/// deviations and regression weights come of the frames `fit` alone, and are applied to all.
///
/// With `z` the node's values scaled by its mean and standard deviation over `fit`, the signal is `g = mean of z over
/// nodes`, and a node becomes `z - β g`, `β = Σ z g / Σ g²` over `fit`: each node has the same weight in `g`, whatever
/// its unit.
///
/// # Errors
/// [`MaskedError::Constant`] for a node that does not vary over `fit`, or not beside the signal. `over` names the
/// frames in errors.
pub fn remove_global_signal(
    mut frames: ArrayViewMut2<f32>,
    fit: Range<usize>,
    over: &str,
) -> Result<(), MaskedError> {
    let standardizer = Standardizer::fit(std::iter::once(frames.slice(s![fit.clone(), ..])), over)?;
    let (means, deviations) = (standardizer.means(), standardizer.standard_deviations());
    let mut scaled = frames.mapv(f64::from);
    for mut frame in scaled.rows_mut() {
        frame.iter_mut().enumerate().for_each(|(node, x)| *x = (*x - means[node]) / deviations[node]);
    }
    let global: Vec<f64> = scaled.rows().into_iter().map(|frame| frame.sum() / frame.len() as f64).collect();
    let energy: f64 = global[fit.clone()].iter().map(|g| g * g).sum();
    // Without a common signal there is nothing to remove.
    let weight = |node: usize| match energy > 0.0 {
        true => fit.clone().map(|frame| scaled[[frame, node]] * global[frame]).sum::<f64>() / energy,
        false => 0.0,
    };
    let weights: Vec<f64> = (0..scaled.ncols()).map(weight).collect();
    for (frame, mut row) in scaled.rows_mut().into_iter().enumerate() {
        row.iter_mut().zip(&weights).for_each(|(x, weight)| *x -= weight * global[frame]);
    }
    frames.zip_mut_with(&scaled, |to, from| *to = *from as f32);
    let rest = Moments::fit(std::iter::once(frames.slice(s![fit, ..])));
    match rest.covariance().diag().iter().position(|variance| *variance <= NOTHING) {
        Some(node) => {
            let over = format!("{over} beside the global signal");
            Err(MaskedError::Constant { node, over, value: means[node] })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn waves(frames: usize, nodes: usize) -> Array2<f32> {
        Array2::from_shape_fn((frames, nodes), |(frame, node)| {
            let time = frame as f64;
            let own = (time * (0.3 + 0.17 * node as f64)).sin();
            (9000.0 + 50.0 * (node + 1) as f64 * (own + (time * 0.05).cos())) as f32
        })
    }

    /// Over the fitted frames the nodes are orthogonal to their former mean and add up to nothing.
    #[test]
    fn nothing_of_it_is_left_where_it_was_fitted() {
        let mut frames = waves(200, 5);
        remove_global_signal(frames.view_mut(), 20..150, "the frames").unwrap();
        let fitted = frames.slice(s![20..150, ..]);
        assert!(fitted.rows().into_iter().all(|row| row.sum().abs() < 1e-5), "{fitted}");
        assert!(fitted.columns().into_iter().all(|column| column.sum().abs() < 1e-3));
    }

    /// Frames outside of the fitted ones change nothing within.
    #[test]
    fn other_frames_have_no_say() {
        let (mut one, mut other) = (waves(200, 5), waves(200, 5));
        other.slice_mut(s![150.., ..]).mapv_inplace(|value| value * 3.0);
        for frames in [&mut one, &mut other] {
            remove_global_signal(frames.view_mut(), 0..150, "the frames").unwrap();
        }
        assert_eq!(one.slice(s![..150, ..]), other.slice(s![..150, ..]));
        assert_ne!(one, other);
    }

    #[test]
    fn a_node_that_is_the_signal_is_refused() {
        let mut frames = Array2::from_shape_fn((50, 3), |(frame, _)| (frame as f32 * 0.3).sin());
        let error = remove_global_signal(frames.view_mut(), 0..50, "the frames").unwrap_err();
        assert!(error.to_string().contains("beside the global signal"), "{error}");
    }
}
