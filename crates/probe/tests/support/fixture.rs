//! Reading golden values.
#![allow(dead_code, reason = "each test binary uses its own part")]

use ndarray::Array2;
use serde_json::Value;

pub(crate) const TOLERANCE: f64 = 1e-10;

pub(crate) fn fixture(name: &str) -> Value {
    let path = format!("{}/tests/fixtures/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Non-finite values are the strings nan, inf and -inf.
pub(crate) fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => text.parse().unwrap(),
        other => other.as_f64().unwrap(),
    }
}

pub(crate) fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

pub(crate) fn integers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

/// A matrix, or a vector as one column.
pub(crate) fn matrix(value: &Value) -> Array2<f64> {
    let row = |row: &Value| if row.is_array() { vector(row) } else { vec![number(row)] };
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(row).collect();
    let (n, d) = (rows.len(), rows[0].len());
    Array2::from_shape_vec((n, d), rows.into_iter().flatten().collect()).unwrap()
}

#[track_caller]
pub(crate) fn near(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        let same = (got.is_nan() && expected.is_nan()) || (got - expected).abs() <= tolerance;
        assert!(same, "expected {expected}, got {got}");
    }
}

#[track_caller]
pub(crate) fn close(got: &[f64], expected: &[f64]) {
    near(got, expected, TOLERANCE);
}
