//! Cleaning of series `[frames, parcels]`: detrend, filter, confounds, scrubbing, z-score.
//!
//! The order is nilearn's: detrend, filter, confounds, standardize, with the same detrend and filter on the
//! confounds, so that nothing that was removed comes back with them.

mod butterworth;
mod clean;
mod detrend;
mod regress;
mod sosfilt;
mod spline;
mod standardize;

pub use butterworth::{Band, ORDER, Section};
pub use clean::{Cleaned, Cleaning, clean};
pub use detrend::{detrend, detrend_at};
pub use regress::remove_confounds;
pub use sosfilt::{filter_forward_backward, padding};
pub use spline::not_a_knot;
pub use standardize::{Standardize, percent_change, z_score};
