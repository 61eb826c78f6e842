//! Buffers that are used again: a training step allocates nothing large and zeroes nothing twice.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::ops::{Deref, DerefMut};

use super::real::Real;

/// Numbers of a known length and **unspecified values**: whoever takes a buffer writes all of it before reading.
/// On drop it goes back to the pool of the thread that drops it.
pub(crate) struct Buffer<S: Real> {
    values: Vec<S>,
}

impl<S: Real> Buffer<S> {
    pub(crate) fn take(len: usize) -> Self {
        let used = S::with_pool(|pool| pool.take(len)).flatten();
        #[cfg_attr(not(test), expect(unused_mut, reason = "only tests poison it"))]
        let mut values = used.unwrap_or_else(|| vec![S::ZERO; len]);
        // In the tests of this crate, what is read before it is written shows.
        #[cfg(test)]
        values.fill(S::of(f64::NAN));
        Self { values }
    }

    pub(crate) fn copy_of(values: &[S]) -> Self {
        let mut buffer = Self::take(values.len());
        buffer.copy_from_slice(values);
        buffer
    }
}

impl<S: Real> Drop for Buffer<S> {
    fn drop(&mut self) {
        let values = std::mem::take(&mut self.values);
        S::with_pool(|pool| pool.give(values));
    }
}

impl<S: Real> Deref for Buffer<S> {
    type Target = [S];

    fn deref(&self) -> &[S] {
        &self.values
    }
}

impl<S: Real> DerefMut for Buffer<S> {
    fn deref_mut(&mut self) -> &mut [S] {
        &mut self.values
    }
}

impl<S: Real> fmt::Debug for Buffer<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({})", self.values.len())
    }
}

/// Idle buffers by length. A model asks for the same lengths step after step.
#[derive(Default)]
pub(crate) struct Pool<S> {
    idle: HashMap<usize, Vec<Vec<S>>>,
    bytes: usize,
}

impl<S> Pool<S> {
    /// Idle bytes; more than this is given back to the allocator.
    const LIMIT: usize = 256 << 20;

    fn take(&mut self, len: usize) -> Option<Vec<S>> {
        let values = self.idle.get_mut(&len)?.pop()?;
        self.bytes -= len * size_of::<S>();
        Some(values)
    }

    fn give(&mut self, values: Vec<S>) {
        let bytes = values.len() * size_of::<S>();
        if self.bytes + bytes > Self::LIMIT {
            // Perhaps other lengths are in use now: start afresh.
            *self = Self { idle: HashMap::new(), bytes: 0 };
        }
        if bytes > 0 && bytes <= Self::LIMIT {
            self.bytes += bytes;
            self.idle.entry(values.len()).or_default().push(values);
        }
    }
}

thread_local! {
    static POOL: RefCell<Pool<f32>> = RefCell::default();
}

/// `None` while the thread ends.
pub(super) fn of_this_thread<R>(f: impl FnOnce(&mut Pool<f32>) -> R) -> Option<R> {
    POOL.try_with(|pool| f(&mut pool.borrow_mut())).ok()
}
