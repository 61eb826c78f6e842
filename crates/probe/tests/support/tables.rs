//! Random tables and their RDMs.
#![allow(dead_code, reason = "each test binary uses its own part")]

use ndarray::Array2;
use probe::procrustes::{Alignment, rotation};
use probe::rdm::{Measure, Rdm};
use rand::{RngExt, SeedableRng};
use streams::StreamRng;

pub(crate) fn normal(seed: u64, n: usize, d: usize) -> Array2<f64> {
    let mut rng = StreamRng::seed_from_u64(seed);
    // Box-Muller.
    Array2::from_shape_simple_fn((n, d), || {
        let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    })
}

pub(crate) fn orthogonal(seed: u64, d: usize) -> Array2<f64> {
    rotation(normal(seed, 2 * d, d).view(), normal(seed + 1, 2 * d, d).view(), Alignment::Orthogonal).unwrap()
}

pub(crate) fn rdm(x: &Array2<f64>, measure: Measure) -> Rdm {
    Rdm::of_rows(x.view(), measure).unwrap()
}

pub(crate) fn near(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance * (1.0 + b.abs()))
}
