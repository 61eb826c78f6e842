//! The steps in their order.

use ndarray::{Array2, Axis};

use super::butterworth::Band;
use super::detrend::detrend_at;
use super::regress::remove_confounds;
use super::sosfilt::filter_forward_backward;
use super::spline::not_a_knot;
use super::standardize::{Standardize, percent_change, z_score, z_score_f32};
use crate::fmri::error::{FmriError, Result};
use crate::fmri::extract::Semantics;

/// What to do with series. The default is nothing.
#[derive(Debug, Clone, Default)]
pub struct Cleaning {
    /// Remove mean and linear trend.
    pub detrend: bool,
    /// Keep only these frequencies (Butterworth, order 5, forward and backward).
    pub band: Band,
    /// Seconds from frame to frame; needed by a filter.
    pub repetition_time: Option<f64>,
    /// Series to remove, `[frames, confounds]`; see [`Cleaning::with_confound`], too.
    pub confounds: Option<Array2<f64>>,
    /// Scale confounds by their largest value only, instead of z-scoring them. Then detrend, or centre them before.
    pub raw_confounds: bool,
    /// The frames that stay, in increasing order; the others are scrubbed: left out, and where a filter is applied,
    /// bridged by a cubic spline before it.
    pub kept: Option<Vec<usize>>,
    /// How to standardize what is left.
    pub standardize: Standardize,
    /// Whose rules hold. [`Semantics::Strict`] detrends scrubbed series at their true times, refuses frequencies
    /// that no filter has, and series of one frame; nilearn does otherwise.
    pub semantics: Semantics,
    /// Under [`Semantics::NilearnCompat`], z-score in float32, as nilearn does for series of float32 files.
    pub single_precision: bool,
}

/// Cleaned series.
#[derive(Debug, Clone)]
pub struct Cleaned {
    /// `[frames kept, parcels]`.
    pub series: Array2<f64>,
    /// The frames that stayed.
    pub frames: Vec<usize>,
}

impl Cleaning {
    /// Adds a series to remove, the global signal for instance.
    ///
    /// # Errors
    /// If it is not as long as the other confounds.
    pub fn with_confound(mut self, confound: &[f64]) -> Result<Self> {
        let column = Array2::from_shape_fn((confound.len(), 1), |(frame, _)| confound[frame]);
        self.confounds = Some(match self.confounds {
            None => column,
            Some(others) => ndarray::concatenate(Axis(1), &[others.view(), column.view()]).map_err(|_| {
                FmriError::setting("confounds", format!("{} frames", others.nrows()), confound.len())
            })?,
        });
        Ok(self)
    }

    fn is_compat(&self) -> bool {
        self.semantics == Semantics::NilearnCompat
    }
}

/// Cleans series `[frames, parcels]`. A column of NaN stays one.
///
/// # Errors
/// If a setting cannot be, lengths differ, a value is not finite, or there are too few frames.
pub fn clean(series: &Array2<f64>, cleaning: &Cleaning) -> Result<Cleaned> {
    let frames = kept_frames(series, cleaning)?;
    check_values(series, "series")?;
    let sections = sections(cleaning)?;
    let mut parts = vec![series.clone()];
    parts.extend(cleaning.confounds.clone());
    // With a filter, gaps are bridged so that frames stay equidistant; without, frames are left out at once.
    let range = frames[0]..frames[frames.len() - 1] + 1;
    let filtered = !sections.is_empty();
    let times: Vec<f64> = match (filtered, cleaning.is_compat()) {
        (true, _) => range.clone().map(|frame| frame as f64).collect(),
        (false, false) => frames.iter().map(|frame| *frame as f64).collect(),
        (false, true) => (0..frames.len()).map(|frame| frame as f64).collect(),
    };
    for part in &mut parts {
        *part = if filtered { bridged(part, &frames) } else { part.select(Axis(0), &frames) };
    }
    let scales: Vec<Vec<f64>> = parts.iter().map(largest).collect();
    let means = parts[0].mean_axis(Axis(0));
    for part in &mut parts {
        if cleaning.detrend {
            detrend_at(part, &times);
        }
        if filtered {
            filter_forward_backward(&sections, part)?;
            let stay: Vec<usize> = frames.iter().map(|frame| frame - range.start).collect();
            *part = part.select(Axis(0), &stay);
        }
    }
    let mut parts = parts.into_iter();
    let mut series = parts.next().unwrap_or_default();
    if let Some(mut confounds) = parts.next() {
        scale_confounds(&mut confounds, cleaning, &scales[1]);
        remove_confounds(&mut series, &confounds);
    }
    if let Some(means) = means {
        standardize(&mut series, cleaning, &scales[0], &means.to_vec(), filtered);
    }
    Ok(Cleaned { series, frames })
}

/// The frames that stay, checked against everything of their length.
fn kept_frames(series: &Array2<f64>, cleaning: &Cleaning) -> Result<Vec<usize>> {
    let count = series.nrows();
    let frames = cleaning.kept.clone().unwrap_or_else(|| (0..count).collect());
    if frames.is_empty() {
        return Err(FmriError::setting("kept", "a frame or more", "none"));
    }
    if !frames.is_sorted_by(|a, b| a < b) || frames.last().is_some_and(|last| *last >= count) {
        return Err(FmriError::setting("kept", format!("increasing frames below {count}"), "others"));
    }
    let changes = cleaning.detrend || cleaning.standardize != Standardize::No;
    if frames.len() < 2 && changes && !cleaning.is_compat() {
        return Err(FmriError::setting("detrend, standardize", "two frames or more", frames.len()));
    }
    let Some(confounds) = &cleaning.confounds else { return Ok(frames) };
    if confounds.nrows() != count {
        return Err(FmriError::setting(
            "confounds",
            format!("{count} frames, as the series"),
            confounds.nrows(),
        ));
    }
    check_values(confounds, "confounds")?;
    if let Some(column) =
        (0..confounds.ncols()).find(|column| confounds.column(*column).iter().any(|v| v.is_nan()))
    {
        return Err(FmriError::setting(
            "confounds",
            "finite values",
            format!("NaN in column {}", column + 1),
        ));
    }
    if confounds.ncols() + 1 >= frames.len() && !cleaning.is_compat() {
        let expected = format!(
            "fewer than {} (frames that stay, less one), so that something is left",
            frames.len() - 1
        );
        return Err(FmriError::setting("confounds", expected, confounds.ncols()));
    }
    Ok(frames)
}

/// Each column is finite, or NaN throughout.
fn check_values(series: &Array2<f64>, key: &'static str) -> Result<()> {
    for (index, column) in series.columns().into_iter().enumerate() {
        let bad = column.iter().filter(|value| !value.is_finite()).count();
        if bad > 0 && !column.iter().all(|value| value.is_nan()) {
            let got = format!("{bad} that are not in column {}", index + 1);
            return Err(FmriError::setting(key, "finite values (or NaN in all frames)", got));
        }
    }
    Ok(())
}

fn sections(cleaning: &Cleaning) -> Result<Vec<super::Section>> {
    if cleaning.band.is_all() {
        return Ok(Vec::new());
    }
    let time = cleaning.repetition_time.filter(|time| time.is_finite() && *time > 0.0);
    let Some(time) = time else {
        let got = cleaning.repetition_time.map_or("unknown".to_owned(), |time| time.to_string());
        return Err(FmriError::setting(
            "repetition_time",
            "seconds from frame to frame, for the filter",
            got,
        ));
    };
    let rate = 1.0 / time;
    let band = if cleaning.is_compat() { cleaning.band.clamped(rate) } else { cleaning.band };
    band.sections(rate)
}

/// All frames from the first to the last that stays; those between that do not are laid on a spline.
fn bridged(series: &Array2<f64>, frames: &[usize]) -> Array2<f64> {
    let (first, last) = (frames[0], frames[frames.len() - 1]);
    let mut whole = series.slice(ndarray::s![first..=last, ..]).to_owned();
    let gaps: Vec<usize> = (first..=last).filter(|frame| frames.binary_search(frame).is_err()).collect();
    if gaps.is_empty() {
        return whole;
    }
    let time = |frames: &[usize]| frames.iter().map(|frame| *frame as f64).collect::<Vec<f64>>();
    let (knots, at) = (time(frames), time(&gaps));
    for (mut column, source) in whole.columns_mut().into_iter().zip(series.columns()) {
        let values: Vec<f64> = frames.iter().map(|frame| source[*frame]).collect();
        for (frame, value) in gaps.iter().zip(not_a_knot(&knots, &values, &at)) {
            column[frame - first] = value;
        }
    }
    whole
}

/// The largest absolute value of each column.
fn largest(series: &Array2<f64>) -> Vec<f64> {
    series
        .columns()
        .into_iter()
        .map(|column| column.iter().fold(0.0, |most: f64, value| most.max(value.abs())))
        .collect()
}

fn scale_confounds(confounds: &mut Array2<f64>, cleaning: &Cleaning, scales: &[f64]) {
    if !cleaning.raw_confounds {
        return z_score(confounds, scales);
    }
    let scales = largest(confounds);
    for (mut column, scale) in confounds.columns_mut().into_iter().zip(scales) {
        column /= if scale == 0.0 { 1.0 } else { scale };
    }
}

fn standardize(series: &mut Array2<f64>, cleaning: &Cleaning, scales: &[f64], means: &[f64], filtered: bool) {
    // Only in nilearn's way: strictly, it was refused before.
    if series.nrows() < 2 {
        return;
    }
    let untouched = !cleaning.detrend && !filtered && cleaning.confounds.is_none();
    match cleaning.standardize {
        Standardize::No => {}
        Standardize::ZScore if cleaning.is_compat() && cleaning.single_precision && untouched => {
            z_score_f32(series)
        }
        Standardize::ZScore => z_score(series, scales),
        Standardize::PercentChange => {
            // Where cleaning took the mean away, it is what the change is a percentage of.
            let size = |values: &[f64]| values.iter().map(|value| value.abs()).sum::<f64>();
            let now = series.mean_axis(Axis(0)).unwrap_or_default().to_vec();
            if size(&now) < 0.1 * size(means) {
                series.columns_mut().into_iter().zip(means).for_each(|(mut column, mean)| column += *mean);
            }
            percent_change(series);
        }
    }
}
