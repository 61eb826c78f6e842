//! What can go wrong with a network, each in one line: where, what was expected, what was got, what to do.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What a file or folder was wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To write it.
    Write,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
        })
    }
}

/// What can go wrong with a network and its dynamics.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A setting that cannot be.
    #[error("network setting `{key}`: expected {expected}, got {got}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// What it can be.
        expected: String,
        /// What it is.
        got: String,
    },
    /// A graph in several parts, or with a node that nothing reaches: no activity can tell where the parts lie.
    #[error(
        "network graph: expected all {nodes} nodes to be connected, got {parts} parts, one of them only node {node} and those it reaches ({reached}); {remedy}"
    )]
    Disconnected {
        /// The number of nodes.
        nodes: usize,
        /// The number of connected parts.
        parts: usize,
        /// A node of the smallest part.
        node: usize,
        /// The size of the smallest part.
        reached: usize,
        /// Which setting to change.
        remedy: &'static str,
    },
    /// Activity that grows without bound.
    #[error(
        "network dynamics: expected gain x spectral radius below 1 for `{nonlinearity}`, which has no ceiling, got {gain} x {radius:.4} = {product:.4}; lower `gain` or use `tanh` or `logistic`"
    )]
    Unbounded {
        /// `relu` or `linear`.
        nonlinearity: &'static str,
        /// The gain.
        gain: f64,
        /// The spectral radius of the coupling; for `relu`, of its excitatory part.
        radius: f64,
        /// Their product.
        product: f64,
    },
    /// A step at which the integrator oscillates or explodes.
    #[error(
        "network dynamics: expected a step below 2 / (1 + gain x slope x spectral radius) = {limit:.4}, beyond which the integrator is unstable, got `dt` {dt}; lower it"
    )]
    StepTooLarge {
        /// The step.
        dt: f64,
        /// What it must be below.
        limit: f64,
    },
    /// A simulation that left all bounds.
    #[error(
        "network dynamics: expected activity below {bound:.0e} in size, got {value} at node {node} after {step} steps; lower `gain`, `noise` or `dt`"
    )]
    Diverged {
        /// The bound.
        bound: f64,
        /// The step, counted from the start of the burn-in.
        step: usize,
        /// The node.
        node: usize,
        /// Its activity.
        value: f64,
    },
    /// A linear system that has no stationary state.
    #[error("{equation} equation: expected {expected}, got a matrix that is not; lower the gain")]
    Unstable {
        /// `Lyapunov` or `Stein`.
        equation: &'static str,
        /// What the matrix must be.
        expected: &'static str,
    },
    /// A matrix of the wrong shape.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// The matrix.
        what: &'static str,
        /// The shape it must have.
        expected: String,
        /// The shape it has.
        got: String,
    },
    /// A file of a network folder that is not what was written there.
    #[error("{path}: expected {expected}, got {got}; simulate the network again", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it must hold.
        expected: String,
        /// What is there.
        got: String,
    },
    /// Reading or writing failed.
    #[error("{path}: cannot {action}: {problem}", path = path.display())]
    Io {
        /// What was being done.
        action: Access,
        /// To which file or folder.
        path: PathBuf,
        /// Why it failed.
        problem: io::Error,
    },
}

impl NetworkError {
    /// Whether the cause is the input (a setting, a file, a path that is not there), not what failed while running.
    pub fn is_input(&self) -> bool {
        match self {
            NetworkError::Io { action, problem, .. } => {
                use io::ErrorKind::{IsADirectory, NotADirectory, NotFound};
                *action == Access::Read && matches!(problem.kind(), NotFound | IsADirectory | NotADirectory)
            }
            _ => true,
        }
    }

    pub(crate) fn reading(path: &Path, problem: io::Error) -> Self {
        NetworkError::Io { action: Access::Read, path: path.to_owned(), problem }
    }

    pub(crate) fn writing(path: &Path, problem: io::Error) -> Self {
        NetworkError::Io { action: Access::Write, path: path.to_owned(), problem }
    }
}

/// Refuses a setting that is not `valid`.
pub(crate) fn check(
    key: &'static str,
    valid: bool,
    expected: &str,
    got: impl fmt::Display,
) -> Result<(), NetworkError> {
    let wrong = || NetworkError::Setting { key, expected: expected.to_owned(), got: got.to_string() };
    if valid { Ok(()) } else { Err(wrong()) }
}
