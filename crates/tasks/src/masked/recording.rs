//! The frames of one subject.

use ndarray::Array2;

use super::MaskedError;

/// The activity of all nodes of one subject over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// A name that no other subject has.
    pub subject: String,
    /// `[frames, nodes]`
    pub frames: Array2<f32>,
}

/// Checks that the recordings are of different subjects with the same nodes, and hold numbers.
pub(crate) fn check(recordings: &[Recording]) -> Result<(), MaskedError> {
    let Some(first) = recordings.first() else {
        return Err(MaskedError::Shape {
            what: "recordings",
            expected: "at least one".to_owned(),
            got: "none".to_owned(),
        });
    };
    if first.frames.ncols() < 2 {
        return Err(MaskedError::Shape {
            what: "recordings",
            expected: "at least 2 nodes".to_owned(),
            got: first.frames.ncols().to_string(),
        });
    }
    for (number, recording) in recordings.iter().enumerate() {
        let subject = recording.subject.clone();
        if recordings[..number].iter().any(|other| other.subject == subject) {
            return Err(MaskedError::Twice { subject });
        }
        let (expected, got) = (first.frames.ncols(), recording.frames.ncols());
        if expected != got {
            return Err(MaskedError::Nodes { first: first.subject.clone(), subject, expected, got });
        }
        let bad = recording.frames.indexed_iter().find(|(_, value)| !value.is_finite());
        if let Some(((frame, node), &value)) = bad {
            return Err(MaskedError::NotFinite { subject, frame, node, value });
        }
    }
    Ok(())
}
