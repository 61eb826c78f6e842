//! Checks of inputs that several statistics share.

use ndarray::ArrayView2;

use crate::StatError;

/// Refuses NaN and infinities in a table.
pub(crate) fn finite(what: &'static str, x: ArrayView2<f64>) -> Result<(), StatError> {
    match x.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), &value)) => {
            Err(StatError::NotFinite { what, place: format!("row {row}, column {column}"), value })
        }
        None => Ok(()),
    }
}

/// Refuses NaN and infinities in a vector.
pub(crate) fn finite_slice(what: &'static str, x: &[f64]) -> Result<(), StatError> {
    match x.iter().position(|value| !value.is_finite()) {
        Some(at) => Err(StatError::NotFinite { what, place: format!("position {at}"), value: x[at] }),
        None => Ok(()),
    }
}

/// Refuses two things of different length.
pub(crate) fn same_length(what: &'static str, expected: usize, got: usize) -> Result<(), StatError> {
    if expected == got {
        return Ok(());
    }
    Err(StatError::Shape { what, expected: expected.to_string(), got: got.to_string() })
}
