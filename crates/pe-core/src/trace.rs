//! Named activations of a forward pass, chosen by name.

use std::collections::BTreeSet;

use burn::tensor::{Tensor, backend::Backend};

/// Asks a forward pass for activations, and holds them afterwards.
///
/// The names of an encoder are given by [`crate::EncoderConfig::activations`]. What is not asked for costs nothing.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    wanted: BTreeSet<String>,
    seen: Vec<Activation>,
}

/// One recorded activation.
#[derive(Debug, Clone, PartialEq)]
pub struct Activation {
    /// Its name, such as `blocks.0.attention.weights`.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its values, row-major.
    pub values: Vec<f32>,
}

impl Trace {
    /// A trace that asks for nothing.
    pub fn none() -> Self {
        Self::default()
    }

    /// A trace that asks for these activations.
    pub fn of<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Self { wanted: names.into_iter().map(Into::into).collect(), seen: Vec::new() }
    }

    /// The recorded activations, in the order of the forward pass.
    pub fn activations(&self) -> &[Activation] {
        &self.seen
    }

    /// Takes the recorded activations out, so that the trace can be used again.
    pub fn take(&mut self) -> Vec<Activation> {
        std::mem::take(&mut self.seen)
    }

    pub(crate) fn wanted(&self) -> impl Iterator<Item = &str> {
        self.wanted.iter().map(String::as_str)
    }

    /// Whether this activation is asked for.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.wanted.contains(name)
    }

    /// Whether anything is asked for that starts with `prefix`.
    pub(crate) fn wants_any(&self, prefix: &str) -> bool {
        self.wants_any_but(prefix, "")
    }

    /// Whether anything but `name` is asked for that starts with `prefix`.
    pub(crate) fn wants_any_but(&self, prefix: &str, name: &str) -> bool {
        self.wanted.iter().any(|wanted| wanted.starts_with(prefix) && wanted != name)
    }

    pub(crate) fn record<B: Backend, const D: usize>(&mut self, name: &str, tensor: &Tensor<B, D>) {
        if self.wants(name) {
            let data = tensor.to_data().convert::<f32>();
            let shape = data.shape.to_vec();
            // `convert` has just made it f32; a failure would be a bug of the backend.
            self.put(name, &shape, data.into_vec().unwrap_or_default());
        }
    }

    /// Holds an activation that is asked for.
    pub(crate) fn put(&mut self, name: &str, shape: &[usize], values: Vec<f32>) {
        self.seen.push(Activation { name: name.to_owned(), shape: shape.to_vec(), values });
    }
}
