//! Splitting one recording into blocks that do not know of each other.

use std::ops::Range;

use ndarray::Array2;

pub use crate::autocorrelation::autocorrelation_time;
use crate::fmri::error::{FmriError, Result};

/// Two contiguous blocks of frames and the gap between them.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSplit {
    /// The frames to train on.
    pub train: Range<usize>,
    /// The frames to test on.
    pub test: Range<usize>,
    /// Frames between them, which belong to neither.
    pub gap: usize,
    /// The autocorrelation time in frames that the gap is a multiple of.
    pub autocorrelation_time: f64,
}

/// Splits a recording `[frames, parcels]`: the last `share` of the frames is for testing, and before it lies a gap of
/// `times` autocorrelation times. Neighbouring frames are nearly copies of each other, so a random split would test
/// what was seen.
///
/// # Errors
/// If `share` is not between 0 and 1, `times` is negative, or fewer than two frames are left on either side.
pub fn split_blocks(series: &Array2<f64>, share: f64, times: f64) -> Result<BlockSplit> {
    if !(share > 0.0 && share < 1.0) {
        return Err(FmriError::setting("share", "a share between 0 and 1", share));
    }
    if !(times.is_finite() && times >= 0.0) {
        return Err(FmriError::setting("times", "a number of autocorrelation times of at least 0", times));
    }
    let frames = series.nrows();
    let time = autocorrelation_time(series.view());
    let gap = (times * time).ceil() as usize;
    let test = (share * frames as f64).round() as usize;
    let train = frames.saturating_sub(test).saturating_sub(gap);
    if train < 2 || test < 2 {
        let expected = "two frames or more on either side of the gap";
        let got =
            format!("{train} and {test} of {frames} with a gap of {gap} ({times} times {time:.1} frames)");
        return Err(FmriError::setting("share, times", expected, got));
    }
    Ok(BlockSplit { train: 0..train, test: frames - test..frames, gap, autocorrelation_time: time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use streams::{Stream, Streams};

    /// An autoregressive process of coefficient c has the time (1 + c) / (1 - c).
    #[test]
    fn the_time_of_an_autoregressive_process_is_known() {
        let mut stream = Streams::new(1).rng(Stream::Data);
        for coefficient in [0.0, 0.5, 0.8] {
            let mut series = Array2::<f64>::zeros((4000, 20));
            for frame in 1..4000 {
                for parcel in 0..20 {
                    // The sum of uniform numbers is near enough to a normal one.
                    let noise: f64 = (0..4).map(|_| stream.random::<f64>() - 0.5).sum();
                    series[(frame, parcel)] = coefficient * series[(frame - 1, parcel)] + noise;
                }
            }
            let (time, exact) =
                (autocorrelation_time(series.view()), (1.0 + coefficient) / (1.0 - coefficient));
            assert!((time - exact).abs() < 0.1 * exact, "{time} for {exact}");
            let split = split_blocks(&series, 0.2, 3.0).unwrap();
            assert_eq!((split.test.clone(), split.train.end + split.gap), (3200..4000, 3200));
            assert!(split.gap as f64 >= 3.0 * split.autocorrelation_time);
        }
    }

    #[test]
    fn splits_that_leave_nothing_are_refused() {
        let series = Array2::from_shape_fn((10, 1), |(frame, _)| frame as f64);
        assert!(split_blocks(&series, 0.2, 100.0).is_err());
        assert!(split_blocks(&series, 0.0, 1.0).is_err());
        assert!(split_blocks(&series, 0.5, -1.0).is_err());
    }
}
